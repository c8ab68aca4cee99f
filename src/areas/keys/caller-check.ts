import { unauthorized } from '../../core/errors.ts';
import type { Caller } from '../../http/admission/caller.ts';
import type { Reads } from '../../storage/database.ts';
import { type ApiKey, isAlive, type KeyStore } from './store.ts';

export type CallerCheck = (queries: Reads, caller: Caller) => Promise<ApiKey>;

/**
 * Reads the caller's key again inside the transaction, because authentication may be based on a read that is half a
 * second old. A key that was revoked or has expired since then gets the same 401 as an unknown one.
 */
export function createCallerCheck(find: KeyStore['find'], now: () => number): CallerCheck {
  return async (queries, { workspaceId, keyId }) => {
    const key = await find(queries, workspaceId, keyId);
    if (key === undefined || !isAlive(key, now())) throw unauthorized('a key');
    return key;
  };
}
