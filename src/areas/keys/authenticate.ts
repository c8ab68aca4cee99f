import type { IncomingHttpHeaders } from 'node:http';
import { unauthorized } from '../../core/errors.ts';
import type { Caller } from '../../http/admission/caller.ts';
import { type ApiKey, isAlive } from './store.ts';

/** A revoked key must be refused everywhere within a second. Half of it leaves room for the lookup. */
const maxTrustMs = 500;
const maxCached = 10_000;
const maxSecretCharacters = 200;
/** Enough for a key in both headers. Longer values are padded, and could be varied endlessly to fill the cache. */
const maxCachedCharacters = 512;

interface CachedKey {
  readonly caller: Caller;
  readonly key: ApiKey;
  readonly until: number;
}

interface Lookup {
  readonly caller: Promise<Caller>;
  readonly until: number;
}

/**
 * Finds the caller by the key in the headers. A valid key is cached for half a second and looked up again before that
 * expires, so that a busy client costs a few lookups per second instead of one per request, and does not wait for them.
 * Requests that arrive during a lookup share it. Unknown keys are not cached, because their number is unlimited.
 */
export function createAuthenticator(
  findBySecret: (secret: string) => Promise<ApiKey | undefined>,
  noteUse: (keyId: string, time: number) => void,
  now: () => number,
  monotonicNow: () => number = () => performance.now(),
): (headers: IncomingHttpHeaders) => Caller | Promise<Caller> {
  // Keyed by the raw header value, which rarely changes on a connection.
  const cached = new Map<string, CachedKey>();
  const pending = new Map<string, Lookup>();

  const find = async (name: string, secret: string, until: number): Promise<Caller> => {
    const key = secret.length <= maxSecretCharacters ? await findBySecret(secret) : undefined;
    if (key === undefined || !isAlive(key, now())) {
      cached.delete(name);
      throw unauthorized('a key');
    }
    if (cached.size >= maxCached) cached.clear();
    const caller = { keyId: key.id, workspaceId: key.workspaceId, scopes: new Set(key.scopes), access: null };
    if (name.length <= maxCachedCharacters) cached.set(name, { caller, key, until });
    // Recorded with the lookup, so a few times per second for a busy key, which is accurate enough.
    noteUse(key.id, now());
    return caller;
  };

  const lookUp = (name: string, secret: string): Promise<Caller> => {
    const time = monotonicNow();
    const shared = pending.get(name);
    if (shared !== undefined && shared.until > time) return shared.caller;
    // Starts before the lookup, because the result is only known to be valid at that time.
    const until = time + maxTrustMs;
    const own: Lookup = {
      until,
      caller: find(name, secret, until).finally(() => {
        if (pending.get(name) === own) pending.delete(name);
      }),
    };
    pending.set(name, own);
    return own.caller;
  };

  return (headers) => {
    const { authorization, 'x-api-key': own } = headers;
    const name = own === undefined ? authorization : `${authorization ?? ''}\n${own}`;
    const known = name === undefined ? undefined : cached.get(name);
    const time = monotonicNow();
    if (name !== undefined && known !== undefined && known.until > time && isAlive(known.key, now())) {
      if (known.until < time + maxTrustMs / 2 && !pending.has(name)) {
        // A background refresh. If it fails, the next lookup fails too and reports the error to its caller.
        lookUp(name, secretIn(headers)).catch(() => {});
      }
      return known.caller;
    }
    const secret = secretIn(headers);
    return lookUp(name ?? secret, secret);
  };
}

/**
 * The key in the request headers. Bearer has priority; other Authorization schemes are ignored, since a proxy may have
 * set them.
 */
export function secretIn(headers: IncomingHttpHeaders): string {
  const own = headers['x-api-key'];
  const bearer = bearerIn(headers.authorization);
  if (bearer === undefined) {
    if (own === undefined) throw unauthorized('no key');
    if (typeof own !== 'string' || own === '') throw unauthorized('a key');
    return own;
  }
  if (bearer === '' || (own !== undefined && own !== bearer)) throw unauthorized('a key');
  return bearer;
}

function bearerIn(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  // Fast path for the usual form.
  if (authorization.startsWith('Bearer ') && authorization[7] !== ' ') return authorization.slice(7);
  const match = /^bearer(?: +(.*))?$/i.exec(authorization);
  return match === null ? undefined : (match[1] ?? '');
}
