import { type CallRequest, RequestRefused } from './call-request.ts';
import type { StatusCallback } from './leg.ts';
import { type Instruction, methodOf } from './script-context.ts';

/** The parameters of a call, as Twilio takes them. */
const known = new Set([
  ...['To', 'From', 'Url', 'Method', 'Twiml', 'FallbackUrl', 'FallbackMethod', 'SendDigits', 'Timeout', 'TimeLimit'],
  ...['StatusCallback', 'StatusCallbackMethod', 'StatusCallbackEvent', 'MachineDetection', 'MachineDetectionTimeout'],
  ...['MachineDetectionSpeechThreshold', 'MachineDetectionSpeechEndThreshold', 'MachineDetectionSilenceTimeout'],
  ...['AsyncAmd', 'AsyncAmdStatusCallback', 'AsyncAmdStatusCallbackMethod', 'CallReason', 'Record'],
]);
const eventNames = ['initiated', 'ringing', 'answered', 'completed'];
const maxTwimlLength = 4000;
const maxUrlLength = 4000;

export interface CallForm {
  readonly request: CallRequest;
  /** What Twilio would only report in its debugger, or ignore. */
  readonly violations: readonly string[];
}

/** Throws `RequestRefused`. */
export function callForm(form: URLSearchParams): CallForm {
  const to = form.get('To') ?? '';
  const from = form.get('From') ?? '';
  if (to === '') throw new RequestRefused(400, 21_201, "No 'To' number is specified");
  if (from === '') throw new RequestRefused(400, 21_213, "No 'From' number is specified");
  const instruction = instructionOf(form);
  if (instruction === null) throw new RequestRefused(400, 21_205, 'Url parameter is required.');
  const violations = [...new Set(form.keys())].flatMap((name) =>
    known.has(name) ? [] : [`${name} is no parameter of a call.`],
  );
  const fallbackUrl = urlOf(form, 'FallbackUrl', 21_205);
  const request: CallRequest = {
    to,
    from,
    instruction,
    fallback:
      fallbackUrl === null ? null : { url: fallbackUrl, method: methodOf(form.get('FallbackMethod') ?? undefined) },
    statusCallback: statusCallbackOf(form, violations),
    timeoutMs: 1000 * integerOf(form, 'Timeout', 60, 600),
    timeLimitMs: timeLimitOf(form),
    sendDigits: form.get('SendDigits') ?? '',
    detection: detectionOf(form),
    isDetectionAsync: form.get('AsyncAmd') === 'true',
  };
  return { request, violations };
}

export function timeLimitOf(form: URLSearchParams): number {
  return 1000 * integerOf(form, 'TimeLimit', 14_400, 86_400);
}

export function instructionOf(form: URLSearchParams): Instruction | null {
  const twiml = form.get('Twiml');
  if (twiml !== null && twiml.length > maxTwimlLength) throw new RequestRefused(400, 21_602, 'Twiml is too long.');
  if (twiml !== null) return { twiml };
  const url = urlOf(form, 'Url', 21_205);
  return url === null ? null : { url, method: methodOf(form.get('Method') ?? undefined) };
}

function urlOf(form: URLSearchParams, name: string, code: number): string | null {
  const url = form.get(name);
  if (url === null || url === '') return null;
  const isValid = url.length <= maxUrlLength && URL.canParse(url) && /^https?:\/\//.test(url);
  if (!isValid) throw new RequestRefused(400, code, `${name} is not a valid URL: ${url.slice(0, 200)}`);
  return url;
}

/** Twilio accepts unknown events, and then reports nothing. */
function statusCallbackOf(form: URLSearchParams, violations: string[]): StatusCallback | null {
  const url = urlOf(form, 'StatusCallback', 21_609);
  const events = form.getAll('StatusCallbackEvent');
  const isUnknown = events.some((event) => !eventNames.includes(event));
  if (isUnknown) violations.push('StatusCallbackEvent has an unknown event: nothing is reported (21626).');
  if (url === null || isUnknown) return null;
  const method = methodOf(form.get('StatusCallbackMethod') ?? undefined);
  return { url, method, events: events.length === 0 ? ['completed'] : events };
}

function detectionOf(form: URLSearchParams): CallRequest['detection'] {
  const mode = form.get('MachineDetection');
  if (mode !== 'Enable' && mode !== 'DetectMessageEnd') return null;
  const url = urlOf(form, 'AsyncAmdStatusCallback', 21_205);
  return {
    mode,
    timeoutMs: 1000 * integerOf(form, 'MachineDetectionTimeout', 30, 120),
    speechThresholdMs: integerOf(form, 'MachineDetectionSpeechThreshold', 2400, 6000),
    silenceTimeoutMs: integerOf(form, 'MachineDetectionSilenceTimeout', 5000, 10_000),
    asyncCallback:
      url === null ? null : { url, method: methodOf(form.get('AsyncAmdStatusCallbackMethod') ?? undefined) },
  };
}

function integerOf(form: URLSearchParams, name: string, otherwise: number, max: number): number {
  const text = form.get(name);
  if (text === null || text === '') return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw new RequestRefused(400, 20_001, `${name} must be between 1 and ${max}.`);
  }
  return value;
}
