import { maxSecrets, type SecretBody } from '../../contract/secrets/index.ts';
import { limitReached } from '../../core/errors.ts';
import type { Sealer } from '../../core/sealer.ts';
import { associatedId } from '../../storage/data-key.ts';
import type { Database, Queries } from '../../storage/database.ts';

/** The hosts that each of these secrets may be sent to. */
export type SecretHosts = ReadonlyMap<string, readonly string[]>;

export interface OpenedSecret {
  readonly value: string;
  readonly hosts: readonly string[];
}

export type SecretStore = ReturnType<typeof createSecretStore>;

const columns = 'name, hosts, created_at, updated_at';

export function createSecretStore(database: Database, sealer: Sealer, now: () => number) {
  const { forUpdate, textsIn } = database.dialect;

  const find = async (queries: Queries, workspaceId: string, name: string): Promise<SecretBody | undefined> => {
    const row = await queries.get<SecretRow>(
      `SELECT ${columns} FROM secrets WHERE workspace_id = $1 AND name = $2 ${forUpdate}`,
      [workspaceId, name],
    );
    return row === undefined ? undefined : bodyOf(row);
  };

  return {
    list: async (workspaceId: string): Promise<SecretBody[]> => {
      const sql = `SELECT ${columns} FROM secrets WHERE workspace_id = $1 ORDER BY name`;
      return (await database.all<SecretRow>(sql, [workspaceId])).map(bodyOf);
    },

    /** Locks the secret until the transaction ends. */
    lock: find,

    put: async (
      queries: Queries,
      workspaceId: string,
      { name, value, hosts }: OpenedSecret & { readonly name: string },
    ): Promise<SecretBody> => {
      if ((await find(queries, workspaceId, name)) === undefined) await requireRoom(queries, workspaceId, name);
      await queries.write(
        `INSERT INTO secrets (workspace_id, name, hosts, sealed_value, created_at, updated_at)
          VALUES ($1, $2, $3, $4, $5, $5)
          ON CONFLICT (workspace_id, name) DO UPDATE
          SET hosts = excluded.hosts, sealed_value = excluded.sealed_value, updated_at = excluded.updated_at`,
        [workspaceId, name, JSON.stringify(hosts), sealer.seal(value, associatedId(workspaceId, name)), now()],
      );
      return (await find(queries, workspaceId, name)) as SecretBody;
    },

    remove: async (queries: Queries, workspaceId: string, name: string): Promise<void> => {
      await queries.write('DELETE FROM secrets WHERE workspace_id = $1 AND name = $2', [workspaceId, name]);
    },

    /** The hosts of those that exist. With a transaction, they are locked, so that none is deleted before its end. */
    hosts: async (workspaceId: string, names: readonly string[], transaction?: Queries): Promise<SecretHosts> => {
      const rows = await (transaction ?? database).all<{ name: string; hosts: string }>(
        `SELECT name, hosts FROM secrets WHERE workspace_id = $1 AND name IN (${textsIn('$2')})
          ORDER BY name ${transaction === undefined ? '' : forUpdate}`,
        [workspaceId, JSON.stringify(names)],
      );
      return new Map(rows.map(({ name, hosts }) => [name, JSON.parse(hosts)]));
    },

    /** The values of those that exist. The caller must send each to its hosts only. */
    open: async (workspaceId: string, names: readonly string[]): Promise<ReadonlyMap<string, OpenedSecret>> => {
      const rows = await database.all<{ name: string; hosts: string; sealed_value: Uint8Array }>(
        `SELECT name, hosts, sealed_value FROM secrets WHERE workspace_id = $1 AND name IN (${textsIn('$2')})`,
        [workspaceId, JSON.stringify(names)],
      );
      return new Map(
        rows.map(({ name, hosts, sealed_value }) => {
          const value = String(sealer.open(sealed_value, associatedId(workspaceId, name)));
          return [name, { value, hosts: JSON.parse(hosts) }];
        }),
      );
    },
  };

  /** Concurrent changes wait for each other here, so that together they cannot exceed the limit. */
  async function requireRoom(queries: Queries, workspaceId: string, name: string): Promise<void> {
    await queries.get(`SELECT id FROM workspaces WHERE id = $1 ${forUpdate}`, [workspaceId]);
    const sql = 'SELECT count(*) AS count FROM secrets WHERE workspace_id = $1 AND name <> $2';
    const { count = 0 } = (await queries.get<{ count: number }>(sql, [workspaceId, name])) ?? {};
    if (count >= maxSecrets) throw limitReached('secrets', maxSecrets);
  }
}

interface SecretRow extends Record<string, unknown> {
  name: string;
  hosts: string;
  created_at: number;
  updated_at: number;
}

function bodyOf({ name, hosts, created_at, updated_at }: SecretRow): SecretBody {
  return {
    name,
    hosts: JSON.parse(hosts),
    createdAt: new Date(created_at).toISOString(),
    updatedAt: new Date(updated_at).toISOString(),
  };
}
