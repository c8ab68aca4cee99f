import type { AccountProvider, CredentialsBody } from '../../../contract/providers/credentials.ts';
import type { Sealer } from '../../../core/sealer.ts';
import { associatedId } from '../../../storage/data-key.ts';
import type { Database, Queries, Reads } from '../../../storage/database.ts';
import { writeSetting } from '../../../storage/settings.ts';

/** How a workspace uses a provider. */
export interface Credentials {
  readonly workspaceId: string;
  readonly provider: AccountProvider;
  /** Counts the changes of all workspaces. */
  readonly revision: number;
  readonly isRemoved: boolean;
  /** Null: requests carry no key. */
  readonly sealedKey: Uint8Array | null;
  readonly last4: string | null;
  readonly keyUpdatedAt: number | null;
  /** Null: the usual one of the provider. */
  readonly baseUrl: string | null;
  readonly models: Readonly<Record<string, string>>;
  readonly model: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** `apiKey`: undefined keeps the one that is set. */
export interface NewCredentials extends Pick<Credentials, 'workspaceId' | 'provider' | 'baseUrl' | 'models' | 'model'> {
  readonly apiKey: string | null | undefined;
}

export type CredentialsStore = ReturnType<typeof createCredentialsStore>;

const columns =
  'workspace_id, provider, revision, removed, sealed_key, last4, key_updated_at, base_url, models, model, created_at, updated_at';
const pageRows = 1000;
/** The last four characters of a shorter key would reveal too much of it. */
const minLengthForLast4 = 16;

export function createCredentialsStore(database: Database, sealer: Sealer, now: () => number) {
  const { forUpdate } = database.dialect;

  const find = async (
    queries: Reads,
    workspaceId: string,
    provider: AccountProvider,
    lock = '',
  ): Promise<Credentials | undefined> => {
    const sql = `SELECT ${columns} FROM provider_credentials WHERE workspace_id = $1 AND provider = $2 AND removed = 0`;
    const row = await queries.get<CredentialsRow>(`${sql} ${lock}`, [workspaceId, provider]);
    return row === undefined ? undefined : credentialsOf(row);
  };

  /** Revisions become visible in their order, because each change waits here for the one before to be committed. */
  const nextRevision = async (queries: Queries): Promise<number> => {
    await writeSetting(queries, 'provider_credentials', 'changed');
    const sql = 'SELECT coalesce(max(revision), 0) AS revision FROM provider_credentials';
    return ((await queries.get<{ revision: number }>(sql))?.revision ?? 0) + 1;
  };

  return {
    /** Every change after a revision, in order, up to a page. Those that were removed are included. */
    changedSince: async (revision: number): Promise<readonly Credentials[]> => {
      const sql = `SELECT ${columns} FROM provider_credentials WHERE revision > $1 ORDER BY revision LIMIT ${pageRows}`;
      return (await database.all<CredentialsRow>(sql, [revision])).map(credentialsOf);
    },

    find: (workspaceId: string, provider: AccountProvider) => find(database, workspaceId, provider),

    lock: (queries: Queries, workspaceId: string, provider: AccountProvider) =>
      find(queries, workspaceId, provider, forUpdate),

    put: async (queries: Queries, given: NewCredentials): Promise<Credentials> => {
      const { workspaceId, provider, apiKey, baseUrl, models, model } = given;
      const before = await find(queries, workspaceId, provider, forUpdate);
      const revision = await nextRevision(queries);
      const time = now();
      const key =
        apiKey === undefined
          ? { sealed: before?.sealedKey ?? null, last4: before?.last4 ?? null, at: before?.keyUpdatedAt ?? null }
          : apiKey === null
            ? { sealed: null, last4: null, at: null }
            : { sealed: sealer.seal(apiKey, associatedId(workspaceId, provider)), last4: last4Of(apiKey), at: time };
      await queries.write(
        `INSERT INTO provider_credentials (${columns}) VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11)
          ON CONFLICT (workspace_id, provider) DO UPDATE
          SET revision = excluded.revision, removed = 0, sealed_key = excluded.sealed_key, last4 = excluded.last4,
            key_updated_at = excluded.key_updated_at, base_url = excluded.base_url, models = excluded.models,
            model = excluded.model, created_at = excluded.created_at, updated_at = excluded.updated_at`,
        [
          workspaceId,
          provider,
          revision,
          key.sealed,
          key.last4,
          key.at,
          baseUrl,
          JSON.stringify(models),
          model,
          before?.createdAt ?? time,
          time,
        ],
      );
      return (await find(queries, workspaceId, provider)) as Credentials;
    },

    remove: async (queries: Queries, workspaceId: string, provider: string): Promise<void> => {
      await queries.write(
        `UPDATE provider_credentials SET revision = $3, removed = 1, sealed_key = NULL, last4 = NULL,
            key_updated_at = NULL, base_url = NULL, models = '{}', model = NULL, updated_at = $4
          WHERE workspace_id = $1 AND provider = $2`,
        [workspaceId, provider, await nextRevision(queries), now()],
      );
    },

    open: ({ workspaceId, provider, sealedKey }: Credentials): string | null =>
      sealedKey === null ? null : String(sealer.open(sealedKey, associatedId(workspaceId, provider))),
  };
}

function last4Of(apiKey: string): string | null {
  return apiKey.length < minLengthForLast4 ? null : apiKey.slice(-4);
}

export function bodyOf(given: Credentials): CredentialsBody {
  const { provider, sealedKey, last4, keyUpdatedAt, baseUrl, models, model, createdAt, updatedAt } = given;
  return {
    provider,
    apiKey: { set: sealedKey !== null, last4, updatedAt: keyUpdatedAt === null ? null : timeOf(keyUpdatedAt) },
    baseUrl,
    models: { ...models },
    model,
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

interface CredentialsRow extends Record<string, unknown> {
  workspace_id: string;
  provider: AccountProvider;
  revision: number;
  removed: number;
  sealed_key: Uint8Array | null;
  last4: string | null;
  key_updated_at: number | null;
  base_url: string | null;
  models: string;
  model: string | null;
  created_at: number;
  updated_at: number;
}

function credentialsOf(row: CredentialsRow): Credentials {
  return {
    workspaceId: row.workspace_id,
    provider: row.provider,
    revision: row.revision,
    isRemoved: row.removed === 1,
    sealedKey: row.sealed_key,
    last4: row.last4,
    keyUpdatedAt: row.key_updated_at,
    baseUrl: row.base_url,
    models: JSON.parse(row.models),
    model: row.model,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
