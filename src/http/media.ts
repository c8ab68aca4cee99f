import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { malformed, pathNotFound, serviceUnavailable } from '../core/errors.ts';
import { StoredJson } from '../core/stored-json.ts';
import type { MediaFile, MediaStore } from '../storage/media.ts';
import { type OverloadGuard, overloaded } from './admission/overload.ts';
import type { Exchange } from './operations/exchange.ts';
import type { Route } from './server.ts';

export const mediaPath = '/media/v1/';

/** Permission to download one file until it expires, for anyone who has the URL. */
export interface DownloadGrant {
  readonly name: string;
  readonly type: string;
  /** In milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Permission to send the content of one file by PUT, once. */
export interface UploadGrant {
  /** The name of the `UploadReceiver`. */
  readonly receiver: string;
  /** What the file belongs to. */
  readonly id: string;
  readonly bytes: number;
  /** In hex; null if it is not known. */
  readonly sha256: string | null;
  readonly expiresAt: number;
}

/** Files that are sent to an area. */
export interface UploadReceiver {
  /** A name that no other upload gets; null if the file is no longer expected. */
  readonly accept: (id: string) => Promise<string | null>;
  /**
   * The file is durable. Resolves to the response; null if the file is no longer expected, and is removed again. If this
   * fails, the file stays, because its transaction may have been committed.
   */
  readonly received: (id: string, file: ReceivedFile) => Promise<object | null>;
}

export interface ReceivedFile extends MediaFile {
  /** In hex. */
  readonly sha256: string;
}

export type MediaUrls = ReturnType<typeof createMediaUrls>;

/** Signs with the first key, and accepts signatures by each. */
export function createMediaUrls(keys: readonly Buffer[], now: () => number) {
  const tags = (payload: string): Buffer[] => keys.map((key) => createHmac('sha256', key).update(payload).digest());
  const signed = (grant: readonly unknown[]): string => {
    const payload = Buffer.from(JSON.stringify(grant)).toString('base64url');
    return `${mediaPath}${payload}.${tags(payload)[0]?.toString('base64url')}`;
  };
  /** Empty if it is not valid. */
  const grantIn = (text: string): readonly unknown[] => {
    const [payload = '', tag = '', ...rest] = text.split('.');
    const given = Buffer.from(tag, 'base64url');
    const isSigned = tags(payload).some(
      (expected) => given.length === expected.length && timingSafeEqual(given, expected),
    );
    if (rest.length > 0 || !isSigned) return [];
    const grant: readonly unknown[] = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return (grant.at(-1) as number) > now() ? grant : [];
  };
  return {
    now,
    /** Returns the signed URL path of a file. */
    sign: ({ name, type, expiresAt }: DownloadGrant) => signed([name, type, expiresAt]),
    /** Returns the signed URL path that a file is sent to. */
    signUpload: ({ receiver, id, bytes, sha256, expiresAt }: UploadGrant) =>
      signed([uploadKind, receiver, id, bytes, sha256, expiresAt]),
    /** Undefined if the signature is not valid or the grant has expired. */
    verify: (text: string): DownloadGrant | undefined => {
      const grant = grantIn(text);
      if (grant.length !== 3) return undefined;
      const [name, type, expiresAt] = grant as [string, string, number];
      return { name, type, expiresAt };
    },
    verifyUpload: (text: string): UploadGrant | undefined => {
      const [kind, ...rest] = grantIn(text);
      if (kind !== uploadKind || rest.length !== 5) return undefined;
      const [receiver, id, bytes, sha256, expiresAt] = rest as [string, string, number, string | null, number];
      return { receiver, id, bytes, sha256, expiresAt };
    },
  };
}

const uploadKind = 'upload';

export interface MediaParts {
  readonly urls: MediaUrls;
  readonly store: MediaStore;
  readonly overload: OverloadGuard;
  /** By name. */
  readonly receivers: Readonly<Record<string, UploadReceiver>>;
}

/** Downloads and uploads by signed URL, for browsers, which must not have an API key. */
export function mediaRoutes(parts: MediaParts): Route[] {
  const path = `${mediaPath}:signed`;
  return [
    { id: 'media.get', methods: ['GET', 'HEAD'], path, serve: createDownloads(parts) },
    { id: 'media.put', methods: ['PUT'], path, serve: createUploads(parts) },
  ];
}

/** Streams what is sent into a new file, whose size and digest are checked before it has its name. */
function createUploads({ urls, store, overload, receivers }: MediaParts): Route['serve'] {
  return async (exchange, { signed = '' }) => {
    if (!(await overload.admit(exchange, true))) throw overloaded;
    const grant = urls.verifyUpload(signed);
    const receiver = grant === undefined ? undefined : receivers[grant.receiver];
    const name = grant === undefined ? null : ((await receiver?.accept(grant.id)) ?? null);
    if (grant === undefined || receiver === undefined || name === null) throw pathNotFound();
    const file = await receiveFile(exchange, store, name, grant).catch(async (error) => {
      // Its folder may have been removed under it.
      throw (await receiver.accept(grant.id)) === null ? pathNotFound() : error;
    });
    const reply = await receiver.received(grant.id, file);
    if (reply === null) {
      await store.remove(name);
      throw pathNotFound();
    }
    exchange.sendJson(200, new StoredJson(JSON.stringify(reply)));
  };
}

async function receiveFile(
  exchange: Exchange,
  store: MediaStore,
  name: string,
  { bytes: expected, sha256: expectedDigest }: UploadGrant,
): Promise<ReceivedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  let digest = '';
  const sizeError = (): Error => malformed(`the file must have ${expected} bytes`);
  const checked = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of exchange.bodyChunks()) {
      bytes += chunk.length;
      if (bytes > expected) throw sizeError();
      hash.update(chunk);
      yield chunk;
    }
    if (bytes !== expected) throw sizeError();
    digest = hash.digest('hex');
    if (expectedDigest !== null && digest !== expectedDigest)
      throw malformed('the SHA-256 digest of the file does not match');
  };
  const { 'content-length': length } = exchange.headers;
  try {
    if (length !== undefined && Number(length) !== expected) throw sizeError();
    await store.write(name, checked());
  } catch (error) {
    exchange.discardBody();
    // The client has disconnected, which is not a failure of the service.
    const isClientGone = digest === '' && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
    throw isClientGone ? malformed('the body is incomplete') : storageError(error);
  }
  return { name, bytes, sha256: digest };
}

/** Supports `Range`, which media players use. */
function createDownloads({ urls, store, overload }: MediaParts): Route['serve'] {
  return async (exchange, { signed = '' }) => {
    if (!(await overload.admit(exchange, false))) throw overloaded;
    const grant = urls.verify(signed);
    const location = grant === undefined ? null : await linkFor(exchange, store, grant, urls.now());
    if (location !== null) {
      exchange.setHeaders({ location, 'cache-control': 'no-store' });
      exchange.send(307, null);
      return;
    }
    const file = grant === undefined ? null : await found(store, grant.name);
    if (grant === undefined || file === null) throw pathNotFound();
    // There is no validator that `If-Range` could name, so that what it was sent for is not known to be this file.
    const wanted = exchange.headers['if-range'] === undefined ? exchange.headers.range : undefined;
    const range = rangeOf(wanted, file);
    if (range === null) {
      exchange.setHeaders({ 'content-range': `bytes */${file.bytes}` });
      exchange.send(416, null);
      return;
    }
    exchange.setHeaders({
      'accept-ranges': 'bytes',
      // The file must not run as a page.
      'content-security-policy': "default-src 'none'; sandbox",
      ...(range.isPart ? { 'content-range': `bytes ${range.start}-${range.end}/${file.bytes}` } : {}),
    });
    const mediaBytes = range.end - range.start + 1;
    const media = mediaBytes === 0 ? [] : store.read(grant.name, range);
    await exchange.sendMedia(range.isPart ? 206 : 200, grant.type, { media, mediaBytes });
  };
}

/** Who waits for a download repeats it sooner than a job would give up. */
const maxFindMs = 5000;

async function found(store: MediaStore, name: string): Promise<MediaFile | null> {
  try {
    return await store.find(name, AbortSignal.timeout(maxFindMs));
  } catch (error) {
    throw storageError(error);
  }
}

/** The folder or the bucket is away, full or slow, or refuses its credentials, which the log tells the operator. */
function storageError(error: unknown): unknown {
  const { name, code = '' } = error as NodeJS.ErrnoException;
  const isOfStorage =
    ['S3Error', 'CredentialsError', 'TimeoutError'].includes(name) || /^(E[A-Z0-9]+|EAI_\w+|UND_ERR_\w+)$/.test(code);
  return isOfStorage ? serviceUnavailable('The media files cannot be reached.', error) : error;
}

/**
 * The dashboard may read nothing from other origins (its Content-Security-Policy), so that it gets the bytes itself.
 * Without secure connections, browsers do not send the header.
 */
function linkFor(
  { method, headers }: Exchange,
  store: MediaStore,
  { name, type, expiresAt }: DownloadGrant,
  now: number,
): Promise<string | null> | null {
  if (headers['sec-fetch-site'] === 'same-origin') return null;
  const link = { type, method: method === 'HEAD' ? 'HEAD' : 'GET', expiresInMs: expiresAt - now } as const;
  return store.link(name, link).catch((error) => {
    throw storageError(error);
  });
}

/** Null if the range is not satisfiable. Multiple ranges and other units are ignored, as RFC 9110 allows. */
function rangeOf(header: string | undefined, { bytes }: MediaFile) {
  const whole = { start: 0, end: bytes - 1, isPart: false };
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return whole;
  const [, first = '', last = ''] = match;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return whole;
  return start >= bytes || (first === '' && Number(last) === 0) ? null : { start, end, isPart: true };
}
