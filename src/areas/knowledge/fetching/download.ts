import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { OutboundResponse } from '../../../net/exchange.ts';
import type { Guard } from '../../../net/guard.ts';
import { OutboundError, type OutboundErrorCode } from '../../../net/outbound-error.ts';
import { isSuccess } from '../../../net/partner/outcome.ts';

/** What a server said to recognize a version of a page by. Sent only to the address that it came from. */
export interface Validators {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface FetchError {
  readonly code: 'fetch_failed' | 'address_not_allowed' | 'too_large' | 'timeout' | 'internal';
  readonly message: string;
  readonly retryable: boolean;
}

export interface DownloadRequest {
  readonly url: string;
  readonly accept: string;
  /** The limit for the body, before and after it is decoded. */
  readonly maxBytes: number;
  /** For everything, including redirects. */
  readonly timeoutMs: number;
  readonly validators?: Validators | null;
  readonly signal: AbortSignal;
}

export interface Download {
  /** After redirects. */
  readonly url: string;
  readonly headers: OutboundResponse['headers'];
  /** Decoded. Null: not modified. */
  readonly body: Buffer | null;
}

/** A page that cannot be read, for a reason that users can be told. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly error: FetchError;
  /** The status of the response, if it was an error. */
  readonly status: number | null;

  constructor(code: FetchError['code'], message: string, status: number | null = null) {
    super(message);
    this.status = status;
    const retryable = code === 'fetch_failed' || code === 'timeout' || code === 'internal';
    this.error = { code, message, retryable };
  }
}

const maxRedirects = 3;
const redirectStatuses = [301, 302, 303, 307, 308];

/**
 * Reads a page. Redirects are followed, each through the guard, which checks it like a new address. Fails with a
 * `DownloadError`, or with the reason of the signal.
 */
export async function download(guard: Guard, userAgent: string, request: DownloadRequest): Promise<Download> {
  const { accept, maxBytes, timeoutMs, validators = null, signal } = request;
  const endsAt = performance.now() + timeoutMs;
  let { url } = request;
  for (let redirects = 0; ; redirects += 1) {
    const isKnown = validators?.url === url;
    const headers = { 'user-agent': userAgent, accept, 'accept-encoding': 'gzip, br, deflate' };
    const response = await send(guard, url, {
      headers: isKnown ? { ...headers, ...conditions(validators) } : headers,
      maxResponseBytes: maxBytes,
      timeoutMs: Math.max(1, endsAt - performance.now()),
      signal,
    });
    const { status } = response;
    if (redirectStatuses.includes(status)) {
      if (redirects === maxRedirects) {
        throw new DownloadError('fetch_failed', `The page redirects more than ${maxRedirects} times.`);
      }
      url = redirectTarget(response, url);
      continue;
    }
    if (status === 304 && isKnown) return { url, headers: response.headers, body: null };
    if (!isSuccess(status)) throw new DownloadError('fetch_failed', `The server answered ${status}.`, status);
    if (response.isTruncated) throw tooLarge(maxBytes);
    return { url, headers: response.headers, body: await decoded(response, maxBytes) };
  }
}

/** The only value, or the first. Null if there is none, or it cannot be stored and sent again. */
export function headerOf({ headers }: Pick<OutboundResponse, 'headers'>, name: string): string | null {
  const value = headers[name];
  const text = (typeof value === 'string' ? value : value?.[0])?.trim() ?? '';
  return /^[\x20-\x7e]{1,500}$/.test(text) ? text : null;
}

async function send(
  guard: Guard,
  url: string,
  options: Omit<Parameters<Guard['request']>[1], 'method'>,
): Promise<OutboundResponse> {
  try {
    return await guard.request(url, { method: 'GET', ...options });
  } catch (error) {
    options.signal?.throwIfAborted();
    // Canceled: the service is stopping.
    if (!(error instanceof OutboundError) || error.code === 'aborted') throw error;
    const { code, message } = error;
    throw new DownloadError(errorCodes[code], message);
  }
}

const errorCodes: Readonly<Record<Exclude<OutboundErrorCode, 'aborted'>, FetchError['code']>> = {
  address_not_allowed: 'address_not_allowed',
  connect_timeout: 'fetch_failed',
  connect_failed: 'fetch_failed',
  tls_failed: 'fetch_failed',
  timeout: 'timeout',
  invalid_response: 'fetch_failed',
  response_too_large: 'fetch_failed',
};

function conditions({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  };
}

function redirectTarget({ headers }: OutboundResponse, from: string): string {
  const { location } = headers;
  const target = typeof location === 'string' ? URL.parse(location, from) : null;
  if (target === null) throw new DownloadError('fetch_failed', 'The page redirects without a valid address.');
  // A fragment is for browsers.
  target.hash = '';
  return target.href;
}

const decoders: Readonly<
  Record<string, (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  // Some servers leave out the header of zlib, whose first byte ends in 8.
  deflate: (body, options) =>
    ((body[0] ?? 0) & 0x0f) === 8 ? promisify(inflate)(body, options) : promisify(inflateRaw)(body, options),
};
/** More than one is unusual, and each takes time. */
const maxEncodings = 2;

async function decoded({ headers, body }: OutboundResponse, maxBytes: number): Promise<Buffer> {
  const encodings = [headers['content-encoding'] ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length > maxEncodings) throw new DownloadError('fetch_failed', 'The page is encoded too often.');
  let content = body;
  // An empty body has no header of its encoding either.
  for (const name of body.length === 0 ? [] : encodings.reverse()) {
    const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    if (decode === undefined) throw new DownloadError('fetch_failed', 'The page has an unknown encoding.');
    content = await decode(content, { maxOutputLength: maxBytes }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
      throw new DownloadError('fetch_failed', 'The page is not encoded as its server says.');
    });
  }
  return content;
}

function tooLarge(maxBytes: number): DownloadError {
  return new DownloadError('too_large', `The page has more than ${Math.floor(maxBytes / 1024 ** 2)} MiB.`);
}
