import type { CallReport, CarrierCallState, RefusalReason, ReportRank } from '../carrier.ts';

/** The carrier's words and numbers for states and errors, and ours. */

const states: ReadonlyMap<string | null, CarrierCallState> = new Map([
  ['queued', 'queued'],
  ['initiated', 'queued'],
  ['ringing', 'ringing'],
  ['in-progress', 'in_progress'],
  ['answered', 'in_progress'],
  ['completed', 'completed'],
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['failed', 'failed'],
  ['canceled', 'canceled'],
]);

/** Null: no state that we know. */
export function stateOf(status: string | null): CarrierCallState | null {
  return states.get(status) ?? null;
}

export const ranks: Readonly<Record<CarrierCallState, ReportRank>> = {
  queued: 0,
  ringing: 1,
  in_progress: 2,
  completed: 3,
  busy: 3,
  no_answer: 3,
  failed: 3,
  canceled: 3,
};

export function isOver(state: CarrierCallState): boolean {
  return ranks[state] === 3;
}

interface End {
  readonly endReason: CallReport['endReason'];
  readonly detail: string | null;
}

const ends: Readonly<Record<CarrierCallState, End>> = {
  queued: { endReason: null, detail: null },
  ringing: { endReason: null, detail: null },
  in_progress: { endReason: null, detail: null },
  completed: { endReason: 'caller_hangup', detail: 'The call was completed' },
  busy: { endReason: 'dial_busy', detail: 'The line was busy' },
  no_answer: { endReason: 'dial_no_answer', detail: 'Nobody answered' },
  failed: { endReason: 'dial_failed', detail: 'The carrier could not connect the call' },
  canceled: { endReason: 'canceled', detail: 'The call was canceled before it was answered' },
};

interface KnownError {
  readonly endReason: RefusalReason & CallReport['endReason'];
  readonly words: string;
}

/** Errors that say something about the destination; 13… are those of a transfer. */
const knownErrors: Readonly<Record<string, KnownError>> = {
  '21211': { endReason: 'invalid_destination', words: 'the number is not valid' },
  '21217': { endReason: 'invalid_destination', words: 'the number does not appear to be valid' },
  '13224': { endReason: 'invalid_destination', words: 'the number is not valid, or cannot be called' },
  '21215': { endReason: 'destination_not_allowed', words: 'the account may not call this country' },
  '13227': { endReason: 'destination_not_allowed', words: 'the account may not call this country' },
};

/** How a call in this state has ended. `codes` are the carrier's error, and the SIP response that it got, if it says so. */
export function endOf(state: CarrierCallState, codes: { error?: string | null; sip?: string | null } = {}): End {
  const { endReason, detail } = ends[state];
  if (detail === null) return ends[state];
  const known = state === 'failed' ? knownErrors[codes.error ?? ''] : undefined;
  if (known !== undefined) return { endReason: known.endReason, detail: `${detail}: ${known.words} (${codes.error}).` };
  const code = codes.error ?? (codes.sip == null ? null : `SIP ${codes.sip}`);
  return { endReason, detail: code === null ? `${detail}.` : `${detail} (${code}).` };
}

/** What the carrier's refusal of a new call means. `code` is its error, such as `21211`; null if it gave none. */
export function refusalOf(status: number, code: string | null): { endReason: RefusalReason; detail: string } {
  const known = knownErrors[code ?? ''];
  const shown = code ?? `HTTP ${status}`;
  if (known !== undefined) {
    return { endReason: known.endReason, detail: `The carrier refused the call: ${known.words} (${shown}).` };
  }
  if (status === 401 || status === 403) {
    return { endReason: 'carrier_failed', detail: `The carrier did not accept the credentials (${shown}).` };
  }
  return { endReason: 'dial_failed', detail: `The carrier refused the call (${shown}).` };
}
