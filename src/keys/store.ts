import { allScopes, isScope, type Scope } from '../contract/scopes.ts';
import type { IdPrefix } from '../ids.ts';
import type { Database, Queries } from '../storage/database.ts';
import { createSecret, hashSecret, hintOf } from './secret.ts';

export interface ApiKey {
  readonly id: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly name: string | null;
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A key together with its secret: there is one moment at which both are known, and this is it. */
export interface NewApiKey {
  readonly id: string;
  readonly key: string;
  readonly workspaceId: string;
  readonly scopes: readonly Scope[];
}

export interface KeyOrder {
  readonly workspaceName: string;
  readonly scopes: readonly Scope[];
  readonly name: string | null;
}

export const firstWorkspace = 'default';

const keyColumns = `k.id, k.workspace_id, w.name AS workspace_name, k.name, k.hint, k.scopes, k.created_at, k.expires_at, k.revoked_at
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id`;

export type KeyStore = ReturnType<typeof createKeyStore>;

export function createKeyStore(database: Database, newId: (prefix: IdPrefix) => string, now: () => number) {
  const ensureWorkspace = async (queries: Queries, name: string): Promise<string> => {
    await queries.run(
      'INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
      [newId('ws'), name, now()],
    );
    const row = await queries.get<{ id: string }>('SELECT id FROM workspaces WHERE name = $1', [name]);
    if (row === undefined) throw new Error(`workspace ${name} vanished`);
    return row.id;
  };

  const insert = async (
    queries: Queries,
    workspaceId: string,
    order: { scopes: readonly Scope[]; name: string | null; secret: string },
  ): Promise<NewApiKey> => {
    const id = newId('key');
    await queries.run(
      'INSERT INTO api_keys (id, workspace_id, name, hash, hint, scopes, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [id, workspaceId, order.name, hashSecret(order.secret), hintOf(order.secret), order.scopes.join(' '), now()],
    );
    return { id, key: order.secret, workspaceId, scopes: order.scopes };
  };

  const find = async (queries: Queries, condition: string, value: string): Promise<ApiKey | undefined> => {
    const row = await queries.get<KeyRow>(`SELECT ${keyColumns} WHERE ${condition}`, [value]);
    return row === undefined ? undefined : keyOf(row);
  };

  return {
    create: (order: KeyOrder): Promise<NewApiKey> =>
      database.transaction(async (queries) => {
        const workspaceId = await ensureWorkspace(queries, order.workspaceName);
        return insert(queries, workspaceId, { ...order, secret: createSecret() });
      }),

    findBySecret: (secret: string): Promise<ApiKey | undefined> => find(database, 'k.hash = $1', hashSecret(secret)),

    list: async (workspaceName: string | null): Promise<ApiKey[]> => {
      const rows =
        workspaceName === null
          ? await database.all<KeyRow>(`SELECT ${keyColumns} ORDER BY k.id`)
          : await database.all<KeyRow>(`SELECT ${keyColumns} WHERE w.name = $1 ORDER BY k.id`, [workspaceName]);
      return rows.map(keyOf);
    },

    /** Undefined when there is no such key; one that was revoked before stays as it was. */
    revoke: (id: string): Promise<ApiKey | undefined> =>
      database.transaction(async (queries) => {
        await queries.run('UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL', [now(), id]);
        return find(queries, 'k.id = $1', id);
      }),

    /** A new secret with the same rights; the old one goes on for the grace period. Undefined when there is no such living key. */
    rotate: (id: string, graceMs: number): Promise<NewApiKey | undefined> =>
      database.transaction(async (queries) => {
        const old = await find(queries, 'k.id = $1', id);
        if (old === undefined || !isAlive(old, now())) return undefined;
        const end = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now() + graceMs);
        await queries.run('UPDATE api_keys SET expires_at = $1 WHERE id = $2', [end, id]);
        return insert(queries, old.workspaceId, { scopes: old.scopes, name: old.name, secret: createSecret() });
      }),

    /**
     * The key of a first start. Without a secret of the operator's own one is made, but only where no key exists yet;
     * with one, that very key is made sure of, and of its having every scope. Null when nothing was made.
     */
    bootstrap: (ownSecret: string | null): Promise<NewApiKey | null> =>
      database.exclusive(async (queries) => {
        if (ownSecret === null) {
          const any = await queries.get('SELECT 1 AS found FROM api_keys LIMIT 1');
          if (any !== undefined) return null;
        } else {
          const known = await queries.run('UPDATE api_keys SET scopes = $1 WHERE hash = $2', [
            allScopes.join(' '),
            hashSecret(ownSecret),
          ]);
          if (known > 0) return null;
        }
        const workspaceId = await ensureWorkspace(queries, firstWorkspace);
        return insert(queries, workspaceId, {
          scopes: allScopes,
          name: ownSecret === null ? 'first start' : 'BOOTSTRAP_API_KEY',
          secret: ownSecret ?? createSecret(),
        });
      }),
  };
}

export function isAlive(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

interface KeyRow extends Record<string, unknown> {
  id: string;
  workspace_id: string;
  workspace_name: string;
  name: string | null;
  hint: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

function keyOf(row: KeyRow): ApiKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    workspaceName: row.workspace_name,
    name: row.name,
    hint: row.hint,
    // A scope that only a newer version knows grants nothing here.
    scopes: row.scopes.split(' ').filter(isScope),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
