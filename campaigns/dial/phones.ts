import type { Phone, PhoneStep } from '../../src/voice/carriers/local/phones.ts';

const ringMs = 300;
const media: PhoneStep = { do: 'wait_for_media' };
const talk: readonly PhoneStep[] = [
  media,
  { do: 'say', text: 'Hello.' },
  {
    do: 'repeat',
    times: 2,
    steps: [
      { do: 'listen', startWithinMs: 3000 },
      { do: 'say', text: 'Yes.' },
    ],
  },
  { do: 'hang_up' },
];

/** They behave as those of the test carrier, in less time: a campaign needs thousands of calls. */
export const phones: Readonly<Record<string, Phone>> = {
  '01': { ringMs, steps: talk },
  '05': { outcome: 'declines', ringMs },
  '08': { ringMs, steps: [{ do: 'hang_up' }] },
  '09': { ringMs, steps: talk, faults: [{ of: 'request', fault: { kind: 'lost_after' } }] },
  '10': { ringMs, steps: talk, faults: [{ of: 'request', fault: { kind: 'lost_before' } }] },
  '11': { ringMs, steps: [] },
  // Neither its response nor its first reports arrive: only the carrier's list has the call.
  '14': {
    outcome: 'rings',
    faults: [
      { of: 'request', fault: { kind: 'lost_after' } },
      { of: 'webhook', webhook: 'status', fault: { kind: 'missing' }, times: 2 },
    ],
  },
  '12': { ringMs, steps: [media, { do: 'press', digits: '123#' }, { do: 'wait', ms: 500 }, { do: 'hang_up' }] },
};

/** A call whose process was lost ends without it, if the carrier's report of its end is lost as well. */
const talked = ['caller_hangup', 'caller_disconnected', 'server_restart', 'dial_no_answer'];

/** Also if the report is lost, and the carrier cannot be asked in time. */
const notReported = 'dial_no_answer';

/** The end reasons of a call to each, if nobody ends it by the API. */
export const endReasons: Readonly<Record<string, readonly string[]>> = {
  '01': talked,
  '02': ['dial_busy', notReported],
  '03': [notReported],
  '05': ['dial_busy', notReported],
  '06': ['invalid_destination'],
  '07': ['dial_failed', notReported],
  '08': talked,
  '09': talked,
  // It is never dialed, and that is known a minute later.
  '10': ['carrier_failed'],
  '11': talked,
  '12': talked,
  '14': [notReported],
};

/** Without those that take up to a minute. */
export const quickPhones: readonly string[] = ['01', '02', '05', '06', '07', '08', '09', '11', '12', '14'];
/** The slow ones are rare: each of their calls takes a slot all the time, and a campaign needs thousands of calls. */
export const allPhones: readonly string[] = [...Array.from({ length: 10 }, () => quickPhones).flat(), '03', '10'];
