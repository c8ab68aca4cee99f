import { epochOf } from '../../calendar.ts';
import type { Account, OwnedNumber } from './accounts.ts';
import { callForm, instructionOf, timeLimitOf } from './call-form.ts';
import { RequestRefused } from './call-request.ts';
import type { Carrier } from './carrier.ts';
import type { RequestFault } from './faults.ts';
import { apiVersion } from './formats.ts';
import type { Leg } from './leg.ts';
import { accountPath, accountResource, callResource, numberResource, type Resource } from './resources.ts';

export interface RestRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly authorization: string;
  readonly body: string;
}

export interface RestResponse {
  readonly status: number;
  readonly body: unknown;
}

const defaultPageSize = 50;
const maxPageSize = 1000;

/** Twilio's REST API. Null: the connection is cut without a response. */
export async function serveRest(carrier: Carrier, request: RestRequest): Promise<RestResponse | null> {
  const fault = requestFault(carrier, request);
  if (fault?.kind === 'lost_before') return null;
  if (fault?.kind === 'error_500') return failure(500, 20_500, 'An internal server error has occurred');
  if (fault?.kind === 'too_many') return failure(429, 20_429, 'Too Many Requests');
  const response = respond(carrier, request);
  if (fault?.kind === 'delay') {
    await new Promise<void>((resolve) => carrier.options.clock.after(fault.ms ?? 1000, resolve));
  }
  return fault?.kind === 'lost_after' ? null : response;
}

/** The account of the credentials. API keys are those of their account. */
export function authenticated(carrier: Carrier, authorization: string): { account: Account; isKey: boolean } | null {
  const [scheme = '', encoded = ''] = authorization.split(' ');
  if (scheme.toLowerCase() !== 'basic') return null;
  const [user = '', ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const account = carrier.accounts().find((each) => each.accepts(user, password.join(':')));
  return account === undefined ? null : { account, isKey: user !== account.sid };
}

function requestFault(carrier: Carrier, { method, path, body }: RestRequest): RequestFault | null {
  const to = method === 'POST' ? (new URLSearchParams(body).get('To') ?? undefined) : undefined;
  const ofPhone = to === undefined ? undefined : carrier.phone(to)?.faults?.find((fault) => fault.of === 'request');
  return ofPhone?.of === 'request' ? ofPhone.fault : carrier.faults.ofRequest({ method, path, to });
}

function respond(carrier: Carrier, request: RestRequest): RestResponse {
  try {
    const caller = authenticated(carrier, request.authorization);
    if (caller === null) throw new RequestRefused(401, 20_003, 'Authenticate');
    const url = new URL(request.path, 'http://localhost');
    refusePurchase(carrier, request.method, url.pathname);
    const [, version, accounts, sid = '', collection = '', id = '', ...rest] = url.pathname.split('/');
    if (version !== apiVersion || accounts !== 'Accounts' || rest.length > 0) throw notFound(url.pathname);
    if (sid.replace(/\.json$/, '') !== caller.account.sid) throw new RequestRefused(401, 20_003, 'Authenticate');
    const form = new URLSearchParams(request.body);
    const route = `${request.method} ${routeOf(collection, id)}`;
    return routed({ carrier, ...caller, route, url, form, id: id.replace(/\.json$/, '') });
  } catch (error) {
    if (error instanceof RequestRefused) return failure(error.status, error.code, error.message);
    throw error;
  }
}

function routeOf(collection: string, id: string): string {
  if (collection === '') return 'account';
  return id === '' ? collection : `${collection}/id${id.endsWith('.json') ? '.json' : ''}`;
}

interface Routed {
  readonly carrier: Carrier;
  readonly account: Account;
  readonly isKey: boolean;
  readonly route: string;
  readonly url: URL;
  readonly form: URLSearchParams;
  readonly id: string;
}

function routed(request: Routed): RestResponse {
  const { carrier, account, route, url, form, id } = request;
  switch (route) {
    case 'GET account':
      // Standard keys cannot read the account.
      if (request.isKey) throw new RequestRefused(401, 20_003, 'Authenticate');
      return { status: 200, body: accountResource(account) };
    case 'POST Calls.json': {
      const { request: call, violations } = callForm(form);
      for (const message of violations) carrier.violation(message, null);
      return { status: 201, body: callResource(carrier.createCall(account, call)) };
    }
    case 'GET Calls.json':
      return { status: 200, body: callPage(request) };
    case 'GET Calls/id.json':
      return { status: 200, body: callResource(callOf(request)) };
    case 'POST Calls/id.json': {
      const leg = callOf(request);
      updateCall(carrier, leg, form);
      return { status: 200, body: callResource(leg) };
    }
    case 'GET IncomingPhoneNumbers.json':
      return { status: 200, body: numberPage(request) };
    case 'GET IncomingPhoneNumbers/id.json':
    case 'POST IncomingPhoneNumbers/id.json': {
      const owned = account.numberOfSid(id);
      if (owned === null) throw notFound(url.pathname);
      if (route.startsWith('POST')) updateNumber(carrier, owned, form);
      return { status: 200, body: numberResource(account, owned) };
    }
    default:
      throw notFound(url.pathname);
  }
}

/** Numbers are never bought, ported, moved or released: such a request is reported. */
function refusePurchase(carrier: Carrier, method: string, path: string): void {
  const isPurchase = method === 'POST' && /\/IncomingPhoneNumbers(?:\/(?:Local|Mobile|TollFree))?\.json$/.test(path);
  const isRelease = method === 'DELETE' && /\/IncomingPhoneNumbers\//.test(path);
  const isOther = /\/(?:Porting|HostedNumber|AvailablePhoneNumbers)/i.test(path);
  if (!isPurchase && !isRelease && !isOther) return;
  carrier.violation(`${method} ${path}: numbers are never bought, ported or released.`, null);
  throw new RequestRefused(403, 20_403, 'This account must not buy, port or release phone numbers.');
}

function callOf({ carrier, account, id, url }: Routed): Leg {
  const leg = carrier.leg(id);
  if (leg === null || leg.account !== account) throw notFound(url.pathname);
  return leg;
}

function updateCall(carrier: Carrier, leg: Leg, form: URLSearchParams): void {
  const status = form.get('Status');
  const instruction = instructionOf(form);
  if (status !== null && status !== 'canceled' && status !== 'completed') {
    throw new RequestRefused(400, 20_001, "Status must be 'canceled' or 'completed'.");
  }
  const hasLimit = form.has('TimeLimit');
  if (status === null && instruction === null && !hasLimit) {
    throw new RequestRefused(400, 20_001, 'Nothing to update.');
  }
  carrier.updateCall(leg, {
    ...(status === null ? {} : { status }),
    ...(instruction === null ? {} : { instruction }),
    ...(hasLimit ? { timeLimitMs: timeLimitOf(form) } : {}),
  });
}

function updateNumber(carrier: Carrier, owned: OwnedNumber, form: URLSearchParams): void {
  if (form.has('AccountSid')) {
    carrier.violation('A number must not be moved to another account.', null);
    throw new RequestRefused(403, 20_403, 'This account must not move phone numbers.');
  }
  const text = (name: string, value: string): string => form.get(name) ?? value;
  const method = (name: string, value: 'GET' | 'POST'): 'GET' | 'POST' =>
    text(name, value).toUpperCase() === 'GET' ? 'GET' : 'POST';
  for (const name of ['VoiceUrl', 'VoiceFallbackUrl', 'StatusCallback']) {
    const url = form.get(name) ?? '';
    if (url !== '' && !URL.canParse(url)) throw new RequestRefused(400, 21_402, `${name} is not valid`);
  }
  owned.friendlyName = text('FriendlyName', owned.friendlyName);
  owned.voiceUrl = text('VoiceUrl', owned.voiceUrl);
  owned.voiceMethod = method('VoiceMethod', owned.voiceMethod);
  owned.voiceFallbackUrl = text('VoiceFallbackUrl', owned.voiceFallbackUrl);
  owned.voiceFallbackMethod = method('VoiceFallbackMethod', owned.voiceFallbackMethod);
  owned.statusCallback = text('StatusCallback', owned.statusCallback);
  owned.statusCallbackMethod = method('StatusCallbackMethod', owned.statusCallbackMethod);
  owned.voiceApplicationSid = text('VoiceApplicationSid', owned.voiceApplicationSid);
  owned.trunkSid = text('TrunkSid', owned.trunkSid);
  owned.updatedAt = carrier.options.now();
}

function callPage(request: Routed): Resource {
  const { carrier, account, url } = request;
  const query = url.searchParams;
  const isWanted = (leg: Leg): boolean =>
    leg.account === account &&
    isEqual(query, 'To', leg.to) &&
    isEqual(query, 'From', leg.options.from) &&
    isEqual(query, 'Status', leg.status) &&
    isEqual(query, 'ParentCallSid', leg.options.parentSid) &&
    isWithin(query, 'StartTime', leg.startedAt) &&
    isWithin(query, 'EndTime', leg.endedAt);
  const newestFirst = carrier.legs().filter(isWanted).reverse();
  return page(request, 'calls', 'Calls', newestFirst, (leg) => [leg.sid, callResource(leg)]);
}

function numberPage(request: Routed): Resource {
  const { account, url } = request;
  const wanted = url.searchParams.get('PhoneNumber');
  // A full number may be one on demand; otherwise any part of a number is searched.
  if (wanted !== null) account.number(wanted);
  const found = account.numbers().filter(({ number }) => wanted === null || number.includes(wanted));
  return page(request, 'incoming_phone_numbers', 'IncomingPhoneNumbers', found, (owned) => [
    owned.sid,
    numberResource(account, owned),
  ]);
}

function page<Item>(
  { account, url }: Routed,
  field: string,
  collection: string,
  items: readonly Item[],
  resource: (item: Item) => readonly [sid: string, Resource],
): Resource {
  const query = url.searchParams;
  const size = Math.min(maxPageSize, Math.max(1, Number(query.get('PageSize') ?? defaultPageSize) || defaultPageSize));
  const after = query.get('PageToken')?.slice(2) ?? null;
  const all = items.map(resource);
  const start = after === null ? 0 : all.findIndex(([sid]) => sid === after) + 1;
  const shown = all.slice(start, start + size);
  const number = Number(query.get('Page') ?? 0) || 0;
  const address = (changes: Record<string, string>): string => {
    const changed = new URLSearchParams(query);
    for (const name of ['Page', 'PageToken', 'PageSize']) changed.delete(name);
    for (const [name, value] of Object.entries({ PageSize: String(size), ...changes })) changed.set(name, value);
    return `${accountPath(account)}/${collection}.json?${changed}`;
  };
  const last = shown.at(-1)?.[0];
  const hasMore = start + size < all.length && last !== undefined;
  return {
    [field]: shown.map(([, body]) => body),
    page: number,
    page_size: size,
    start,
    end: Math.max(0, start + shown.length - 1),
    uri: `${url.pathname}${url.search}`,
    first_page_uri: address({ Page: '0' }),
    previous_page_uri: null,
    next_page_uri: hasMore ? address({ Page: String(number + 1), PageToken: `PA${last}` }) : null,
  };
}

function isEqual(query: URLSearchParams, name: string, value: string | null): boolean {
  const wanted = query.get(name);
  return wanted === null || wanted === value;
}

/** `StartTime`, `StartTime<` and `StartTime>`: a day or a time. A call that has not started has none. */
function isWithin(query: URLSearchParams, name: string, at: number | null): boolean {
  return ['', '<', '>'].every((comparison) => {
    const text = query.get(name + comparison);
    if (text === null) return true;
    const limit = epochOf(text.replace(/^=/, ''));
    if (at === null || Number.isNaN(limit)) return false;
    if (comparison === '<') return at <= limit;
    return comparison === '>' ? at >= limit : at >= limit && at < limit + 86_400_000;
  });
}

function notFound(path: string): RequestRefused {
  return new RequestRefused(404, 20_404, `The requested resource ${path} was not found`);
}

function failure(status: number, code: number, message: string): RestResponse {
  return { status, body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status } };
}
