import { createHmac, timingSafeEqual } from 'node:crypto';
import { pathNotFound } from '../core/errors.ts';
import type { MediaFile, MediaStore } from '../storage/media.ts';
import { type OverloadGuard, overloaded } from './admission/overload.ts';
import type { Exchange } from './operations/exchange.ts';
import type { Route } from './server.ts';

export const mediaPath = '/media/v1/';

/** Permission to download one file until it expires, for anyone who has the URL. */
export interface MediaGrant {
  readonly name: string;
  readonly type: string;
  /** In milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface MediaUrls {
  /** Returns the signed URL path of a file. */
  sign(grant: MediaGrant): string;
  /** Undefined if the signature is not valid or the grant has expired. */
  verify(signed: string): MediaGrant | undefined;
}

/** Signs with the first key, and accepts signatures by each. */
export function createMediaUrls(keys: readonly Buffer[], now: () => number): MediaUrls {
  const tags = (payload: string): Buffer[] => keys.map((key) => createHmac('sha256', key).update(payload).digest());
  return {
    sign: ({ name, type, expiresAt }) => {
      const payload = Buffer.from(JSON.stringify([name, type, expiresAt])).toString('base64url');
      return `${mediaPath}${payload}.${tags(payload)[0]?.toString('base64url')}`;
    },
    verify: (signed) => {
      const [payload = '', tag = '', ...rest] = signed.split('.');
      const given = Buffer.from(tag, 'base64url');
      const isSigned = tags(payload).some(
        (expected) => given.length === expected.length && timingSafeEqual(given, expected),
      );
      if (rest.length > 0 || !isSigned) return undefined;
      const [name, type, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return expiresAt > now() ? { name, type, expiresAt } : undefined;
    },
  };
}

export interface MediaParts {
  readonly urls: MediaUrls;
  readonly store: MediaStore;
  readonly overload: OverloadGuard;
}

/** Downloads by signed URL, for browsers, which must not have an API key. Supports `Range`, which media players use. */
export function mediaRoutes({ urls, store, overload }: MediaParts): Route[] {
  const serve = async (exchange: Exchange, { signed = '' }: Readonly<Record<string, string>>): Promise<void> => {
    if (!(await overload.admit(exchange, false))) throw overloaded;
    const grant = urls.verify(signed);
    const file = grant === undefined ? null : await store.find(grant.name);
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
  return [{ id: 'media.get', methods: ['GET', 'HEAD'], path: `${mediaPath}:signed`, serve }];
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
  readonly isPart: boolean;
}

/** Null if the range is not satisfiable. Multiple ranges and other units are ignored, as RFC 9110 allows. */
function rangeOf(header: string | undefined, { bytes }: MediaFile): ByteRange | null {
  const whole = { start: 0, end: bytes - 1, isPart: false };
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return whole;
  const [, first = '', last = ''] = match;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return whole;
  return start >= bytes || (first === '' && Number(last) === 0) ? null : { start, end, isPart: true };
}
