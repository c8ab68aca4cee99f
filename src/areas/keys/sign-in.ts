import type { Database, Queries } from '../../storage/database.ts';
import { takeSignInCode } from './sign-in-code.ts';
import { isAlive, type KeyStore } from './store.ts';

/** Writes the audit entry of a new key, in its transaction. */
export type RecordNewKey = (
  queries: Queries,
  key: { readonly workspaceId: string; readonly id: string; readonly name: string | null },
  cause: { readonly keyId: string; readonly requestId: string },
) => Promise<void>;

/** Exchanges the code of a sign-in link for a new API key, once. Null if the code is wrong, expired or used. */
export type SignIn = (code: string, requestId: string) => Promise<string | null>;

export function createSignIn(
  { database, now }: { readonly database: Database; readonly now: () => number },
  store: Pick<KeyStore, 'findAnywhere' | 'create'>,
  recordNewKey: RecordNewKey,
): SignIn {
  return (code, requestId) =>
    database.transaction(async (queries) => {
      const keyId = await takeSignInCode(queries, code, now());
      const issuer = keyId === null ? undefined : await store.findAnywhere(queries, keyId);
      if (issuer === undefined || !isAlive(issuer, now())) return null;
      // The secret of the first key is not stored, so the dashboard gets a key of its own, with the same rights.
      const { workspaceId, scopes, expiresAt } = issuer;
      const key = await store.create(queries, { workspaceId, name: 'Dashboard (first start)', scopes, expiresAt });
      await recordNewKey(queries, key, { keyId: issuer.id, requestId });
      return key.secret;
    });
}
