import type { CallEvent } from '../../../../contract/calls/call-events.ts';
import { type CallEndReason, callEndReasons } from '../../../../contract/calls/end-reasons.ts';
import type { WaitingReaders } from '../../../../http/waiting-readers.ts';
import { isEnd, visibleDocument } from '../../record/event-page.ts';
import type { LogCallFailure } from '../../record/journal.ts';
import type { CallStore } from '../../record/store.ts';
import type { EventRow } from '../../record/turns-and-events.ts';

export interface EventFeedParts {
  readonly store: Pick<CallStore, 'events'>;
  readonly readers: WaitingReaders<EventRow>;
  readonly logFailure: LogCallFailure;
  readonly delay: (ms: number) => Promise<void>;
}

export interface EventFeedListener {
  /** The event as JSON. */
  event(json: string): void;
  /** Nothing follows. */
  ended(reason: CallEndReason): void;
}

const pageSize = 200;
const waitMs = 25_000;
const retryMs = 1000;

/** Follows the committed events of a call that a client with a token may see, until its end or the signal. */
export async function followEvents(
  { store, readers, logFailure, delay }: EventFeedParts,
  callId: string,
  after: number,
  signal: AbortSignal,
  listener: EventFeedListener,
): Promise<void> {
  let newest = after;
  let written: readonly EventRow[] | null = null;
  while (!signal.aborted) {
    try {
      const rows = written ?? (await store.events(callId, newest, pageSize));
      written = null;
      for (const row of rows) {
        if (signal.aborted) return;
        newest = row.sequence;
        for (const json of visibleDocument(row)) listener.event(json);
        if (isEnd(row)) return listener.ended(reasonIn(row.doc));
      }
      if (rows.length < pageSize) written = inSequence(await readers.wait(callId, newest, waitMs, signal), newest);
    } catch (error) {
      logFailure(callId, 'the events of a call could not be read', error);
      await delay(retryMs);
    }
  }
}

/**
 * What this process has just written need not be read. Null if it must be: transactions ended in another order, or with
 * others between them.
 */
function inSequence(rows: readonly EventRow[] | null, after: number): readonly EventRow[] | null {
  const isComplete = rows?.every(({ sequence }, place) => sequence === after + 1 + place) ?? false;
  return isComplete && rows?.length !== 0 ? rows : null;
}

function reasonIn(document: string): CallEndReason {
  const { data }: CallEvent = JSON.parse(document);
  const reason = 'endReason' in data ? data.endReason : null;
  return callEndReasons.find((known) => known === reason) ?? 'internal_error';
}
