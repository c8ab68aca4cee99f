import type { IncomingHttpHeaders } from 'node:http';
import { unauthorized } from '../../core/errors.ts';
import type { Caller } from '../../http/admission/caller.ts';
import { type ApiKey, isAlive } from './store.ts';

/** A revoked key is refused within a second everywhere; half of it leaves room for the look-up itself. */
const maxTrustMs = 500;
const maxRemembered = 10_000;
const maxSecretCharacters = 200;
/** Room for a key in both headers. What is longer is padded, in ever new ways if somebody wants our memory. */
const maxRememberedCharacters = 512;

interface Remembered {
  readonly caller: Caller;
  readonly key: ApiKey;
  readonly until: number;
}

interface LookUp {
  readonly caller: Promise<Caller>;
  readonly until: number;
}

/**
 * Finds the caller by the key in the headers. A found key is remembered for half a second and asked for again before that
 * is over, so that a busy client costs a few look-ups a second instead of one a request, and waits for none of them. Those
 * who come while a key is looked up wait for that one. An unknown key is not remembered, as there is no end of those.
 */
export function createAuthenticator(
  findBySecret: (secret: string) => Promise<ApiKey | undefined>,
  noteUse: (keyId: string, time: number) => void,
  now: () => number,
  monotonicNow: () => number = () => performance.now(),
): (headers: IncomingHttpHeaders) => Caller | Promise<Caller> {
  // By the header as it was sent, which on one connection is the same string again and again.
  const remembered = new Map<string, Remembered>();
  const pending = new Map<string, LookUp>();

  const find = async (name: string, secret: string, until: number): Promise<Caller> => {
    const key = secret.length <= maxSecretCharacters ? await findBySecret(secret) : undefined;
    if (key === undefined || !isAlive(key, now())) {
      remembered.delete(name);
      throw unauthorized('a key');
    }
    if (remembered.size >= maxRemembered) remembered.clear();
    const caller = { keyId: key.id, workspaceId: key.workspaceId, scopes: new Set(key.scopes) };
    if (name.length <= maxRememberedCharacters) remembered.set(name, { caller, key, until });
    // With the look-up, so a few times a second for a busy key, which is as exact as anybody needs.
    noteUse(key.id, now());
    return caller;
  };

  const lookUp = (name: string, secret: string): Promise<Caller> => {
    const time = monotonicNow();
    const shared = pending.get(name);
    if (shared !== undefined && shared.until > time) return shared.caller;
    // Counted from here: what a look-up finds is only known to be true at its start.
    const until = time + maxTrustMs;
    const own: LookUp = {
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
    const known = name === undefined ? undefined : remembered.get(name);
    const time = monotonicNow();
    if (name !== undefined && known !== undefined && known.until > time && isAlive(known.key, now())) {
      if (known.until < time + maxTrustMs / 2 && !pending.has(name)) {
        // Nobody waits for this one. If it fails, so does the next, and that one is told to whoever asks.
        lookUp(name, secretIn(headers)).catch(() => {});
      }
      return known.caller;
    }
    const secret = secretIn(headers);
    return lookUp(name ?? secret, secret);
  };
}

/** The key that a request shows. Bearer wins where it is present; any other Authorization is left to the proxy that set it. */
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
  // As nearly everybody writes it.
  if (authorization.startsWith('Bearer ') && authorization[7] !== ' ') return authorization.slice(7);
  const match = /^bearer(?: +(.*))?$/i.exec(authorization);
  return match === null ? undefined : (match[1] ?? '');
}
