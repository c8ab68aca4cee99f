import type { TransferUpdated, TypedCallEvent } from '../../../../sdk/src/index.ts';

interface PhoneSummary {
  readonly answeredBy: {
    readonly by: 'human' | 'machine' | 'fax' | 'unknown';
    readonly source: 'audio' | 'carrier';
  } | null;
  /** Null where they are not stored. */
  readonly received: readonly (string | null)[];
  readonly sent: readonly (string | null)[];
  /** With the last state of each. */
  readonly transfers: readonly TransferUpdated[];
}

/** What the events say about a phone call. */
export function phoneSummary(events: readonly TypedCallEvent[]): PhoneSummary {
  let answeredBy: PhoneSummary['answeredBy'] = null;
  const received: (string | null)[] = [];
  const sent: (string | null)[] = [];
  const transfers: TransferUpdated[] = [];
  for (const event of events) {
    if (event.type === 'answered_by') answeredBy = event.data;
    if (event.type === 'dtmf_received') received.push(event.data.digits);
    if (event.type === 'dtmf_sent') sent.push(event.data.digits);
    if (event.type !== 'transfer_updated') continue;
    const isNew = event.data.status === 'started' || transfers.at(-1)?.status !== 'started';
    if (isNew) transfers.push(event.data);
    else transfers[transfers.length - 1] = event.data;
  }
  return { answeredBy, received, sent, transfers };
}

interface TransferTexts {
  readonly cold: string;
  readonly warm: string;
  readonly transferUnnamed: string;
  readonly transferStarted: string;
  readonly transferCompleted: string;
  transferFailed(reason: string): string;
  transferTo(name: string, mode: string, status: string): string;
}

export function transferText({ name, mode, status, reason }: TransferUpdated, texts: TransferTexts): string {
  const states = {
    started: texts.transferStarted,
    completed: texts.transferCompleted,
    failed: texts.transferFailed(reason ?? '—'),
  };
  return texts.transferTo(name ?? texts.transferUnnamed, texts[mode], states[status]);
}
