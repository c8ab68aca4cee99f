import { allScopes, isScope, type Scope } from '../../contract/scopes.ts';
import type { Database, Queries, Reads, Value } from '../../storage/database.ts';
import { afterEveryId } from '../../storage/page.ts';
import { createSecret, hashSecret, hintOf } from './secret.ts';
import { issueSignInCode } from './sign-in-code.ts';

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
  /** When it was replaced by rotation; the key remains valid until `expiresAt`. */
  readonly rotatedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** A key with its secret, which is only known at the time of creation. */
export interface NewApiKey extends ApiKey {
  readonly secret: string;
}

/** The key of the first start. */
export interface FirstKey extends NewApiKey {
  /** For a link that opens the dashboard signed in; null if the operator has chosen the key. */
  readonly signInCode: string | null;
}

export interface KeyOrder {
  readonly workspaceId: string;
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  /** A secret chosen by the operator; generated if absent. */
  readonly secret?: string;
}

export const firstWorkspace = 'default';

const selectKey = `SELECT k.id, k.workspace_id, w.name AS workspace_name, k.name, k.hint, k.scopes, k.created_at, k.expires_at,
    k.revoked_at, k.rotated_at, k.last_used_at
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id`;

export type KeyStore = ReturnType<typeof createKeyStore>;

/** SQL for workspaces and API keys. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createKeyStore(database: Database, newId: (prefix: string) => string, now: () => number) {
  const findOne = async (queries: Reads, condition: string, values: Value[]): Promise<ApiKey | undefined> => {
    const row = await queries.get<KeyRow>(`${selectKey} WHERE ${condition}`, values);
    return row === undefined ? undefined : keyOf(row);
  };
  const findAll = async (condition: string, values: Value[]): Promise<ApiKey[]> =>
    (await database.all<KeyRow>(`${selectKey} WHERE ${condition}`, values)).map(keyOf);

  const create = async (queries: Queries, order: KeyOrder): Promise<NewApiKey> => {
    const id = newId('key');
    const secret = order.secret ?? createSecret();
    await queries.write(
      `INSERT INTO api_keys (id, workspace_id, name, hash, hint, scopes, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        id,
        order.workspaceId,
        order.name,
        hashSecret(secret),
        hintOf(secret),
        order.scopes.join(' '),
        now(),
        order.expiresAt,
      ],
    );
    const key = await findOne(queries, 'k.id = $1', [id]);
    if (key === undefined) throw new Error(`key ${id} vanished`);
    return { ...key, secret };
  };

  /** The id of the workspace with this name, which is created if it does not exist. */
  const ensureWorkspace = async (queries: Queries, name: string): Promise<string> => {
    await queries.write(
      'INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
      [newId('ws'), name, now()],
    );
    const row = await queries.get<{ id: string }>('SELECT id FROM workspaces WHERE name = $1', [name]);
    if (row === undefined) throw new Error(`workspace ${name} vanished`);
    return row.id;
  };

  return {
    create,
    ensureWorkspace,

    findBySecret: (secret: string) => findOne(database.unqueued, 'k.hash = $1', [hashSecret(secret)]),
    findAnywhere: (queries: Queries, id: string) => findOne(queries, 'k.id = $1', [id]),
    /**
     * Locks two keys, possibly the same one, until the transaction ends. In the order of their ids, as in `noteUses`,
     * so that concurrent transactions cannot deadlock.
     */
    lock: async (queries: Queries, workspaceId: string, oneId: string, otherId: string): Promise<void> => {
      const sql = `SELECT id FROM api_keys WHERE workspace_id = $1 AND id IN ($2, $3) ORDER BY id ${database.dialect.forUpdate}`;
      await queries.all(sql, [workspaceId, oneId, otherId]);
    },

    find: (queries: Reads, workspaceId: string, id: string) =>
      findOne(queries, 'k.workspace_id = $1 AND k.id = $2', [workspaceId, id]),

    /** The ids of these keys that are alive. */
    findValid: async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
      const { unqueued, dialect } = database;
      const rows = await unqueued.all<Pick<KeyRow, 'id' | 'expires_at' | 'revoked_at'>>(
        `SELECT id, expires_at, revoked_at FROM api_keys WHERE id IN (${dialect.textsIn('$1')})`,
        [JSON.stringify(ids)],
      );
      const alive = rows.filter((row) => isAlive({ expiresAt: row.expires_at, revokedAt: row.revoked_at }, now()));
      return new Set(alive.map(({ id }) => id));
    },

    /** All keys, or those of one workspace by name. For the command line. */
    listEverywhere: (workspaceName: string | null) =>
      workspaceName === null
        ? findAll('1 = 1 ORDER BY k.id', [])
        : findAll('w.name = $1 ORDER BY k.id', [workspaceName]),

    /** Newest first, with one extra row if there are more than `limit`. */
    list: (workspaceId: string, beforeId: string | null, limit: number) =>
      findAll('k.workspace_id = $1 AND k.id < $2 ORDER BY k.id DESC LIMIT $3', [
        workspaceId,
        beforeId ?? afterEveryId,
        limit + 1,
      ]),

    /** A key that was already revoked is not changed. */
    revoke: async (queries: Queries, key: ApiKey): Promise<ApiKey> => {
      await queries.write('UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL', [now(), key.id]);
      return (await findOne(queries, 'k.id = $1', [key.id])) as ApiKey;
    },

    /**
     * Creates a new secret with the same rights and, by default, the same expiry; the old one is valid for the grace
     * period.
     */
    rotate: async (
      queries: Queries,
      { id, workspaceId, name, scopes, expiresAt }: ApiKey,
      graceMs: number,
      successorExpiresAt: number | null = expiresAt,
    ): Promise<NewApiKey> => {
      const end = earlierExpiry(expiresAt, now() + graceMs);
      await queries.write('UPDATE api_keys SET expires_at = $1, rotated_at = $2 WHERE id = $3', [end, now(), id]);
      return create(queries, { workspaceId, name, scopes, expiresAt: successorExpiresAt });
    },

    /** Updates several keys at once, only forward: a late update by another instance does not move the time back. */
    noteUses: async (lastUses: ReadonlyMap<string, number>): Promise<void> => {
      await database.transaction(async (queries) => {
        for (const [id, time] of [...lastUses].sort()) {
          await queries.write(
            'UPDATE api_keys SET last_used_at = $1 WHERE id = $2 AND coalesce(last_used_at, 0) < $1',
            [time, id],
          );
        }
      });
    },

    /**
     * Creates the key of the first start. Without a secret chosen by the operator, one is generated if no key exists
     * yet. With one, makes sure that this key exists and has every scope. Null if nothing was created.
     */
    bootstrap: (ownSecret: string | null): Promise<FirstKey | null> =>
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
        const key = await create(queries, {
          workspaceId: await ensureWorkspace(queries, firstWorkspace),
          name: ownSecret === null ? 'first start' : 'BOOTSTRAP_API_KEY',
          scopes: allScopes,
          expiresAt: null,
          ...(ownSecret === null ? {} : { secret: ownSecret }),
        });
        const signInCode = ownSecret === null ? await issueSignInCode(queries, key.id, now()) : null;
        return { ...key, signInCode };
      }),
  };
}

export function isAlive(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

/** Null means never. */
export function earlierExpiry(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
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
  rotated_at: number | null;
  last_used_at: number | null;
}

function keyOf(row: KeyRow): ApiKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    workspaceName: row.workspace_name,
    name: row.name,
    hint: row.hint,
    // A scope that only a newer version knows grants nothing.
    scopes: row.scopes.split(' ').filter(isScope),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    rotatedAt: row.rotated_at,
    lastUsedAt: row.last_used_at,
  };
}
