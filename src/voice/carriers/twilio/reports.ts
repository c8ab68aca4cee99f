import type { AnsweredBy, AnsweredByReport, CallReport, TransferReport } from '../carrier.ts';
import { endOf, ranks, stateOf } from './codes.ts';

/** A request of the carrier that cannot be read. The message repeats nothing of it. */
export class ReportError extends Error {
  override readonly name = 'ReportError';
}

/** A call that the carrier has for one of our numbers. */
export interface InboundCall {
  readonly providerCallId: string;
  /** Null if the caller has withheld it, or has none. */
  readonly from: string | null;
  /** As the carrier writes it, which may be without the `+`. */
  readonly to: string;
}

export function readInboundCall(form: URLSearchParams): InboundCall {
  return { providerCallId: callIdIn(form), from: callerIn(form), to: form.get('To') ?? '' };
}

/** The keys of ANONYMOUS, RESTRICTED, BLOCKED, UNKNOWN and UNAVAILABLE, which some networks send for the words. */
const withheldNumbers: ReadonlySet<string> = new Set(['266696687', '7378742833', '2562533', '8656696', '86282452253']);

/** Callers without a phone number have a word, a SIP address, or the name of a client. */
function callerIn(form: URLSearchParams): string | null {
  const from = form.get('From') ?? '';
  const [, digits = ''] = /^\+?(\d{3,15})$/.exec(from) ?? [];
  return digits === '' || withheldNumbers.has(digits) ? null : from;
}

/** The report of a call: a status callback, or any other request about it, which has its state too. */
export function readReport(form: URLSearchParams): CallReport {
  const providerCallId = callIdIn(form);
  const state = stateOf(form.get('CallStatus'));
  if (state === null) throw new ReportError('CallStatus is missing or unknown');
  return {
    providerCallId,
    parentCallId: form.get('ParentCallSid') || null,
    state,
    rank: ranks[state],
    ...endOf(state, { error: codeIn(form, 'ErrorCode'), sip: codeIn(form, 'SipResponseCode') }),
    // `Duration` next to it is in minutes.
    durationSeconds: wholeNumberIn(form, 'CallDuration'),
  };
}

/** Whether a request to the status address is about the media stream, and not about the call. */
export function isStreamReport(form: URLSearchParams): boolean {
  return form.has('StreamEvent');
}

const machineEnds: ReadonlyMap<string, AnsweredByReport['greetingEnd']> = new Map([
  ['machine_end_beep', 'beep'],
  ['machine_end_silence', 'silence'],
  ['machine_end_other', 'other'],
]);

/** The result of the carrier's answering machine detection. */
export function readAnsweredBy(form: URLSearchParams): AnsweredByReport {
  const result = form.get('AnsweredBy') ?? '';
  return { providerCallId: callIdIn(form), by: answeredBy(result), greetingEnd: machineEnds.get(result) ?? null };
}

function answeredBy(result: string): AnsweredBy {
  if (result === 'human' || result === 'fax') return result;
  return result.startsWith('machine_') ? 'machine' : 'unknown';
}

/** How the dialed leg of a transfer, or of a fallback number, has ended. */
export function readTransfer(form: URLSearchParams): TransferReport {
  const providerCallId = callIdIn(form);
  const state = stateOf(form.get('DialCallStatus'));
  if (state === null) throw new ReportError('DialCallStatus is missing or unknown');
  // If two numbers are dialed at once, one of them is reported as `answered`, and is over nevertheless.
  const wasAnswered = state === 'completed' || state === 'in_progress';
  const leg = { legCallId: form.get('DialCallSid'), durationSeconds: wholeNumberIn(form, 'DialCallDuration') };
  if (wasAnswered) return { providerCallId, ...leg, wasAnswered, endReason: null, detail: null };
  const codes = { error: codeIn(form, 'ErrorCode'), sip: codeIn(form, 'DialSipResponseCode') };
  return { providerCallId, ...leg, wasAnswered, ...endOf(state, codes) };
}

/** The answer to a brief: a key, or words. Both null: there was none. */
export interface GatheredAnswer {
  readonly key: string | null;
  readonly words: string | null;
}

export function readAnswer(form: URLSearchParams): GatheredAnswer {
  return { key: form.get('Digits') || null, words: form.get('SpeechResult')?.slice(0, maxWords) || null };
}

const maxWords = 1000;

function callIdIn(form: URLSearchParams): string {
  const id = form.get('CallSid');
  if (id === null || !/^[A-Za-z0-9]{1,64}$/.test(id)) throw new ReportError('CallSid is missing or malformed');
  return id;
}

/** Codes are shown to users, so that they are numbers and nothing else. */
function codeIn(form: URLSearchParams, name: string): string | null {
  const code = form.get(name);
  return code !== null && /^\d{1,6}$/.test(code) ? code : null;
}

function wholeNumberIn(form: URLSearchParams, name: string): number | null {
  const value = form.get(name);
  return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null;
}
