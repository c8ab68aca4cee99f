import { type Clock, realClock } from '../../clock.ts';
import {
  type CarrierCall,
  type CarrierClient,
  type CarrierCredentials,
  CarrierError,
  type CarrierNumber,
  type CredentialsCheck,
  type DialOutcome,
  type DialRequest,
  type NumberRoute,
  type RedirectTarget,
} from '../carrier.ts';
import { isOver, refusalOf } from './codes.ts';
import {
  bodyOf,
  errorCodeIn,
  type Json,
  sendRequest,
  type TwilioConnection,
  type TwilioRequest,
  type TwilioResult,
} from './requests.ts';
import { readCall, readNumber, stateIn } from './resources.ts';

export interface TwilioOptions {
  /** `TWILIO_BASE_URL`: the operator's own, never from a request. */
  readonly baseUrl: string;
  readonly credentials: CarrierCredentials;
  /** `http://host:port` of the proxy for outbound connections, or null. */
  readonly proxy?: string | null;
  readonly clock?: Clock;
  readonly connectTimeoutMs?: number;
  readonly timeoutMs?: number;
}

const version = '/2010-04-01';
/** Two calls between the same numbers within a minute are rare, and more than 50 are not ours. */
const foundCalls = 50;
const numbersPerPage = 1000;
const maxPages = 20;
/** A call cannot be changed because it is over, or not answered yet. */
const invalidCallState = '21220';

export function createTwilioClient({
  baseUrl,
  credentials,
  proxy = null,
  clock = realClock,
  connectTimeoutMs = 5000,
  timeoutMs = 10_000,
}: TwilioOptions): CarrierClient {
  const trimmed = baseUrl.replace(/\/+$/, '');
  return new TwilioClient({ baseUrl: trimmed, credentials, proxy, clock, connectTimeoutMs, timeoutMs });
}

class TwilioClient implements CarrierClient {
  readonly #connection: TwilioConnection;
  /** The path of the account. */
  readonly #account: string;

  constructor(connection: TwilioConnection) {
    this.#connection = connection;
    this.#account = `${version}/Accounts/${encodeURIComponent(connection.credentials.accountSid)}`;
  }

  async dial(request: DialRequest, signal?: AbortSignal): Promise<DialOutcome> {
    const form = dialForm(request);
    const result = await this.#send({ method: 'POST', path: `${this.#account}/Calls.json`, form, signal });
    return outcomeOf(result);
  }

  async findCalls({ to, from, since }: { to: string; from: string; since: number }): Promise<readonly CarrierCall[]> {
    const query = new URLSearchParams({ To: to, From: from, PageSize: String(foundCalls) });
    const { calls } = await this.#read(`${this.#account}/Calls.json?${query}`);
    // The carrier's times have whole seconds.
    const earliest = Math.floor(since / 1000) * 1000;
    return listOf(calls)
      .map(readCall)
      .filter(isFound)
      .filter(({ createdAt }) => createdAt >= earliest);
  }

  async getCall(providerCallId: string): Promise<CarrierCall | null> {
    const result = await this.#send({ method: 'GET', path: this.#call(providerCallId) });
    return isMissing(result) ? null : readCall(bodyOf(result));
  }

  async hangUp(providerCallId: string): Promise<'over' | 'requested'> {
    const path = this.#call(providerCallId);
    // Ends a call in any state; one that is queued or rings may need the other word.
    for (const status of ['completed', 'canceled']) {
      const result = await this.#send({ method: 'POST', path, form: new URLSearchParams({ Status: status }) });
      if (isMissing(result)) return 'over';
      const json = isInvalidState(result) ? await this.#read(path) : bodyOf(result);
      const state = stateIn(json);
      if (state !== null && isOver(state)) return 'over';
      if (state === 'in_progress') return 'requested';
    }
    return 'requested';
  }

  redirect(providerCallId: string, to: RedirectTarget): Promise<boolean> {
    return this.#update(providerCallId, 'url' in to ? { Url: to.url, Method: 'POST' } : { Twiml: to.document });
  }

  limitDuration(providerCallId: string, maxDurationMs: number): Promise<boolean> {
    return this.#update(providerCallId, { TimeLimit: String(Math.ceil(maxDurationMs / 1000)) });
  }

  async checkCredentials(): Promise<CredentialsCheck> {
    const { apiKeySid, apiKeySecret } = this.#connection.credentials;
    const hasKey = apiKeySid !== undefined && apiKeySecret !== undefined;
    // Standard API keys may not read the account.
    const path = hasKey ? `${this.#account}/Calls.json?PageSize=1` : `${this.#account}.json`;
    try {
      const { status } = await this.#read(path);
      if (typeof status !== 'string' || status === 'active') return { passed: true };
      return { passed: false, message: 'The account is suspended or closed.' };
    } catch (error) {
      if (error instanceof CarrierError) return { passed: false, message: error.message };
      throw error;
    }
  }

  async listNumbers(): Promise<readonly CarrierNumber[]> {
    const numbers: CarrierNumber[] = [];
    const first = `${this.#account}/IncomingPhoneNumbers.json?PageSize=${numbersPerPage}`;
    let next: string | null = first;
    for (let page = 0; page < maxPages && next !== null; page += 1) {
      const body: Json = await this.#read(next);
      numbers.push(...listOf(body.incoming_phone_numbers).map(readNumber).filter(isFound));
      next = this.#nextPage(body);
    }
    return numbers;
  }

  async findNumber(number: string): Promise<CarrierNumber | null> {
    const query = new URLSearchParams({ PhoneNumber: number });
    const body = await this.#read(`${this.#account}/IncomingPhoneNumbers.json?${query}`);
    // The filter also finds numbers that contain it.
    const found = listOf(body.incoming_phone_numbers).map(readNumber).filter(isFound);
    return found.find((each) => each.number === number) ?? null;
  }

  async routeNumber(providerNumberId: string, { voiceUrl, statusUrl }: NumberRoute): Promise<void> {
    const path = `${this.#account}/IncomingPhoneNumbers/${encodeURIComponent(providerNumberId)}.json`;
    const addresses = { VoiceUrl: voiceUrl ?? '', VoiceMethod: 'POST', StatusCallback: statusUrl ?? '' };
    const form = new URLSearchParams({ ...addresses, StatusCallbackMethod: 'POST' });
    bodyOf(await this.#send({ method: 'POST', path, form }));
  }

  /** False if the call is over, or not answered yet. */
  async #update(providerCallId: string, fields: Record<string, string>): Promise<boolean> {
    const form = new URLSearchParams(fields);
    const result = await this.#send({ method: 'POST', path: this.#call(providerCallId), form });
    if (isMissing(result) || isInvalidState(result)) return false;
    const state = stateIn(bodyOf(result));
    return state !== null && !isOver(state);
  }

  #call(providerCallId: string): string {
    return `${this.#account}/Calls/${encodeURIComponent(providerCallId)}.json`;
  }

  /** Only in this account: the credentials go wherever the address leads. */
  #nextPage({ next_page_uri: next }: Json): string | null {
    return typeof next === 'string' && next.startsWith(`${this.#account}/`) ? next : null;
  }

  async #read(path: string): Promise<Json> {
    return bodyOf(await this.#send({ method: 'GET', path }));
  }

  #send(request: TwilioRequest): Promise<TwilioResult> {
    return sendRequest(this.#connection, request);
  }
}

function dialForm(request: DialRequest): URLSearchParams {
  const { to, from, answerUrl, statusUrl, ringTimeoutMs, maxDurationMs, machineDetectionUrl } = request;
  const form = new URLSearchParams({ To: to, From: from, Url: answerUrl, Method: 'POST' });
  form.set('StatusCallback', statusUrl);
  form.set('StatusCallbackMethod', 'POST');
  for (const event of ['initiated', 'ringing', 'answered', 'completed']) form.append('StatusCallbackEvent', event);
  form.set('Timeout', String(Math.ceil(ringTimeoutMs / 1000)));
  form.set('TimeLimit', String(Math.ceil(maxDurationMs / 1000)));
  if (machineDetectionUrl === null) return form;
  form.set('MachineDetection', 'DetectMessageEnd');
  form.set('AsyncAmd', 'true');
  form.set('AsyncAmdStatusCallback', machineDetectionUrl);
  form.set('AsyncAmdStatusCallbackMethod', 'POST');
  return form;
}

function outcomeOf(result: TwilioResult): DialOutcome {
  if (result.what === 'not_sent') return { what: 'not_sent', retryAfterMs: null, detail: result.detail };
  if (result.what === 'no_response') return { what: 'unknown', detail: result.detail };
  const { status, body, retryAfterMs } = result;
  if (status >= 200 && status <= 299) {
    const { sid } = body;
    if (typeof sid === 'string' && sid !== '') return { what: 'confirmed', providerCallId: sid };
    return { what: 'unknown', detail: `The carrier accepted the call without an id (HTTP ${status}).` };
  }
  if (status === 429)
    return { what: 'not_sent', retryAfterMs, detail: 'The carrier has too many requests (HTTP 429).' };
  const code = errorCodeIn(body);
  // A redirect comes from something in between, which may have passed the request on.
  if (status < 400 || status > 499) return { what: 'unknown', detail: `The carrier answered with HTTP ${status}.` };
  return { what: 'refused', code: code ?? `HTTP ${status}`, ...refusalOf(status, code) };
}

function isMissing(result: TwilioResult): boolean {
  return result.what === 'response' && result.status === 404;
}

function isInvalidState(result: TwilioResult): boolean {
  return result.what === 'response' && result.status === 400 && errorCodeIn(result.body) === invalidCallState;
}

function listOf(value: unknown): readonly Json[] {
  if (!Array.isArray(value))
    throw new CarrierError('The carrier sent something else than a list.', { isRetryable: true });
  return value.filter((each): each is Json => typeof each === 'object' && each !== null);
}

function isFound<T>(value: T | null): value is T {
  return value !== null;
}
