import type { Carrier, CarrierStatus } from '../../../contract/phone/carrier.ts';
import { maxCarriers } from '../../../contract/phone/carrier.ts';
import { limitReached, providerNotConfigured } from '../../../core/errors.ts';
import { fold } from '../../../core/folding.ts';
import type { Sealer } from '../../../core/sealer.ts';
import { associatedId } from '../../../storage/data-key.ts';
import type { Database, Queries, Reads, Row } from '../../../storage/database.ts';
import type { StoredDocuments } from '../../../storage/documents/rewriting.ts';
import { afterEveryId, type Page, type PageRow, pageOf, pageSql } from '../../../storage/page.ts';
import type { CarrierClient, CarrierCredentials } from '../../../voice/carriers/carrier.ts';
import { maxTransferredMs } from '../time-limits.ts';
import {
  type Credentials,
  carrierTag,
  failuresUntilFailing,
  newTestAccount,
  type TestAccount,
  withoutCredentials,
} from './carrier.ts';

/** A carrier with what is not part of the resource. */
export interface CarrierRow {
  readonly carrier: Carrier;
  readonly etag: string;
  readonly documentVersion: number;
  /** Null: lost with the key that had sealed them. */
  readonly sealed: Uint8Array | null;
  /** Calls in a row that failed at the carrier. */
  readonly failures: number;
}

export interface CarrierFilters {
  readonly provider?: string | undefined;
  readonly status?: string | undefined;
  readonly q?: string | undefined;
}

export interface CarrierStoreParts {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => number;
  /** Starts the local carrier for provider `test`. */
  readonly clientOf: (provider: Carrier['provider'], credentials: CarrierCredentials) => Promise<CarrierClient>;
  /** `PUBLIC_URL`, without a slash at the end. */
  readonly publicUrl: string | null;
  /** How this machine reaches the service: `http://127.0.0.1:8080`. */
  readonly ownAddress: () => string;
  readonly onStatusChange: (queries: Queries, change: CarrierStatusChange) => Promise<void>;
}

export interface CarrierStatusChange {
  readonly workspaceId: string;
  readonly id: string;
  readonly from: CarrierStatus;
  readonly to: CarrierStatus;
  readonly reason: string;
}

export type CarrierStore = ReturnType<typeof createCarrierStore>;

const dayMs = 24 * 3_600_000;

/** SQL for carriers, and the values of their rows. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createCarrierStore(parts: CarrierStoreParts) {
  const { database, sealer, now, clientOf, publicUrl, ownAddress, onStatusChange } = parts;
  const { dialect } = database;
  const kind = database.documents.carrier;
  const columns = 'doc, doc_version, etag, sealed_credentials, failures';
  const oneSql = `SELECT ${columns} FROM carriers WHERE workspace_id = $1 AND id = $2`;
  const listSql = pageSql(
    dialect,
    kind,
    'id',
    (place) => `FROM carriers WHERE workspace_id = $1 AND id < ${place}
      AND ($4 = '' OR provider = $4) AND ($5 = '' OR status = $5)
      AND ($6 = '' OR id = $6 OR ${dialect.contains('folded_name', '$7')})`,
  );

  const rowOf = (row: StoredRow): CarrierRow => {
    const carrier = kind.parse<Carrier>(row.doc, row.doc_version);
    return {
      carrier,
      etag: row.doc_version < kind.version ? carrierTag(carrier) : row.etag,
      documentVersion: row.doc_version,
      sealed: row.sealed_credentials,
      failures: row.failures,
    };
  };
  const find = async (queries: Reads, workspaceId: string, id: string, lock = ''): Promise<CarrierRow | undefined> => {
    const row = await queries.get<StoredRow>(`${oneSql} ${lock}`, [workspaceId, id]);
    return row === undefined ? undefined : rowOf(row);
  };
  const lock = async (queries: Queries, workspaceId: string, id: string): Promise<CarrierRow | undefined> => {
    const row = await find(queries, workspaceId, id, dialect.forFieldUpdate);
    if (row !== undefined) kind.requireWritable(row.documentVersion);
    return row;
  };
  const open = ({ carrier, sealed }: CarrierRow): Credentials | TestAccount => {
    if (sealed === null) return {};
    return JSON.parse(String(sealer.open(sealed, associatedId(carrier.workspaceId, carrier.id))));
  };
  const seal = ({ workspaceId, id }: Carrier, credentials: Credentials | TestAccount): Uint8Array =>
    sealer.seal(JSON.stringify(credentials), associatedId(workspaceId, id));

  /** Throws if they were lost with the data key. */
  const credentials = (row: CarrierRow): CarrierCredentials => {
    const opened = { accountSid: row.carrier.settings.accountSid, ...open(row) };
    const { accountSid, authToken } = opened;
    if (accountSid === undefined || authToken === undefined) throw providerNotConfigured('carrier');
    return { ...opened, accountSid, authToken };
  };

  /** Replaces a carrier that is locked. Resolves to its tag. */
  const replace = async (queries: Queries, carrier: Carrier, failures: number | null = null): Promise<string> => {
    const etag = carrierTag(carrier);
    await queries.write(
      `UPDATE carriers SET status = $3, folded_name = $4, etag = $5, doc = $6, doc_version = $7,
          failures = coalesce($8, failures)
        WHERE workspace_id = $1 AND id = $2`,
      [
        carrier.workspaceId,
        carrier.id,
        carrier.status,
        fold(carrier.name),
        etag,
        JSON.stringify(carrier),
        kind.version,
        failures,
      ],
    );
    return etag;
  };

  return {
    page: async (
      workspaceId: string,
      beforeId: string | null,
      limit: number,
      { provider = '', status = '', q = '' }: CarrierFilters,
    ): Promise<Page<Carrier>> => {
      const values = [workspaceId, beforeId ?? afterEveryId, limit, provider, status, q, fold(q)];
      return pageOf(await database.get<PageRow>(listSql, values), kind);
    },

    read: (queries: Reads, workspaceId: string, id: string) => find(queries, workspaceId, id),

    /** For requests of the carrier itself, which know only its id. */
    readAnyWorkspace: async (id: string): Promise<CarrierRow | undefined> => {
      const row = await database.get<StoredRow>(`SELECT ${columns} FROM carriers WHERE id = $1`, [id]);
      return row === undefined ? undefined : rowOf(row);
    },

    /** Locks the carrier until the transaction ends. */
    lock,

    /** The same for a carrier that is about to be deleted: numbers that are being added to it are waited for. */
    lockForDeletion: (queries: Queries, workspaceId: string, id: string) =>
      find(queries, workspaceId, id, dialect.forUpdate),

    /** Keeps the carrier from being deleted until the transaction ends. */
    reference: (queries: Queries, workspaceId: string, id: string) =>
      find(queries, workspaceId, id, dialect.forReference),

    /** Concurrent creations wait for each other here, so that together they cannot exceed the limit. */
    requireRoom: async (queries: Queries, workspaceId: string): Promise<void> => {
      await queries.get(`SELECT id FROM workspaces WHERE id = $1 ${dialect.forUpdate}`, [workspaceId]);
      const sql = 'SELECT count(*) AS count FROM carriers WHERE workspace_id = $1';
      const { count = 0 } = (await queries.get<{ count: number }>(sql, [workspaceId])) ?? {};
      if (count >= maxCarriers) throw limitReached('carriers', maxCarriers);
    },

    insert: async (queries: Queries, carrier: Carrier, secrets: Credentials | TestAccount): Promise<string> => {
      const { workspaceId, id, provider, status, name } = carrier;
      const etag = carrierTag(carrier);
      await queries.write(
        `INSERT INTO carriers
            (workspace_id, id, provider, status, folded_name, etag, doc, doc_version, sealed_credentials)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          workspaceId,
          id,
          provider,
          status,
          fold(name),
          etag,
          JSON.stringify(carrier),
          kind.version,
          seal(carrier, secrets),
        ],
      );
      return etag;
    },

    replace,

    replaceCredentials: async (queries: Queries, carrier: Carrier, secrets: Credentials): Promise<void> => {
      await queries.write('UPDATE carriers SET sealed_credentials = $3 WHERE workspace_id = $1 AND id = $2', [
        carrier.workspaceId,
        carrier.id,
        seal(carrier, secrets),
      ]);
    },

    /** The credentials that a client has set. */
    givenCredentials: (row: CarrierRow): Credentials => (row.carrier.provider === 'test' ? {} : open(row)),

    remove: async (queries: Queries, workspaceId: string, id: string): Promise<void> => {
      await queries.write('DELETE FROM carriers WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
    },

    credentials,

    client: (row: CarrierRow): Promise<CarrierClient> => clientOf(row.carrier.provider, credentials(row)),

    /** Where the carrier reaches this service. Null: nowhere, because `PUBLIC_URL` is not set. */
    publicBase: ({ carrier }: CarrierRow): string | null => (carrier.provider === 'test' ? ownAddress() : publicUrl),

    /** Reserves the next time at which the carrier may dial, across instances: that is its calls per second. */
    reserveDialTime: async (queries: Queries, { carrier }: CarrierRow, at: number = now()): Promise<number> => {
      const { workspaceId, id, limits } = carrier;
      const intervalMs = Math.ceil(1000 / limits.maxCallsPerSecond);
      const reserved = await queries.get<{ next_dial_at: number }>(
        `UPDATE carriers SET next_dial_at = CASE WHEN next_dial_at > $3 THEN next_dial_at ELSE $3 END + $4
          WHERE workspace_id = $1 AND id = $2 RETURNING next_dial_at`,
        [workspaceId, id, at, intervalMs],
      );
      return (reserved?.next_dial_at ?? at + intervalMs) - intervalMs;
    },

    /** An outbound leg has ended: what it took of the day counts for `limits.maxMinutesPerDay`. */
    addUsage: async (
      queries: Queries,
      { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
      durationMs: number,
      at: number = now(),
    ): Promise<void> => {
      const day = Math.floor(at / dayMs);
      const ofDay = Math.round(Math.max(0, Math.min(durationMs, at - day * dayMs)));
      await queries.write(
        `UPDATE carriers SET used_ms = CASE WHEN usage_day = $3 THEN used_ms ELSE 0 END + $4, usage_day = $3
          WHERE workspace_id = $1 AND id = $2`,
        [workspaceId, id, day, ofDay],
      );
    },

    /**
     * Milliseconds of outbound legs on this day in UTC, including those in progress. No leg lasts longer than those of
     * transfers and fallbacks: one that was answered before has ended, and the report of it was lost.
     */
    usedMs: async (queries: Reads, carrier: Carrier, at: number = now()): Promise<number> => {
      const day = Math.floor(at / dayMs);
      const ended = await queries.get<{ used_ms: number }>(
        'SELECT used_ms FROM carriers WHERE workspace_id = $1 AND id = $2 AND usage_day = $3',
        [carrier.workspaceId, carrier.id, day],
      );
      const open = await queries.get<{ used_ms: number | null }>(
        `SELECT sum($2 - CASE WHEN answered_at > $3 THEN answered_at ELSE $3 END) AS used_ms FROM phone_dials
          WHERE carrier_id = $1 AND ended_at IS NULL AND direction = 'outbound' AND answered_at > $4`,
        [carrier.id, at, day * dayMs, at - maxTransferredMs],
      );
      return (ended?.used_ms ?? 0) + Math.max(0, Number(open?.used_ms ?? 0));
    },

    /** A call has failed at the carrier (`carrier_failed`), or it has not. Three failures in a row make it failing. */
    noteOutcome: async (
      queries: Queries,
      { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
      outcome: 'failed' | 'succeeded',
    ): Promise<void> => {
      const sql = 'SELECT failures FROM carriers WHERE workspace_id = $1 AND id = $2';
      const known = await queries.get<{ failures: number }>(sql, [workspaceId, id]);
      if (known === undefined || (outcome === 'succeeded' && known.failures === 0)) return;
      const locked = await lock(queries, workspaceId, id);
      if (locked === undefined) return;
      const { carrier } = locked;
      const failures = outcome === 'failed' ? locked.failures + 1 : 0;
      const isFailing = failures >= failuresUntilFailing;
      const status = isFailing ? 'failing' : carrier.status === 'failing' && failures === 0 ? 'active' : carrier.status;
      await replace(queries, { ...carrier, status }, failures);
      if (status === carrier.status) return;
      const reason = isFailing ? 'Three calls in a row failed at the carrier.' : 'A call succeeded.';
      await onStatusChange(queries, { workspaceId, id, from: carrier.status, to: status, reason });
    },

    /** Whether any workspace has a test carrier. */
    hasTestCarrier: async (): Promise<boolean> =>
      (await database.get("SELECT 1 AS one FROM carriers WHERE provider = 'test' LIMIT 1")) !== undefined,
  };
}

/** The data key is lost: the credentials have to be set again, and a test carrier gets another account. */
export async function resetCredentials(
  { documents: { carrier: kind } }: Database,
  queries: Queries,
  sealer: Sealer,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
): Promise<void> {
  const sql = 'SELECT doc, doc_version FROM carriers WHERE workspace_id = $1 AND id = $2';
  const row = await queries.get<{ doc: string; doc_version: number }>(sql, [workspaceId, id]);
  if (row === undefined) return;
  const known = kind.parse<Carrier>(row.doc, row.doc_version);
  const isTest = known.provider === 'test';
  const carrier = isTest ? known : withoutCredentials(known, new Date().toISOString());
  await queries.write(
    `UPDATE carriers SET status = $3, etag = $4, doc = $5, doc_version = $6, sealed_credentials = $7
      WHERE workspace_id = $1 AND id = $2`,
    [
      workspaceId,
      id,
      carrier.status,
      carrierTag(carrier),
      JSON.stringify(carrier),
      kind.version,
      isTest ? sealer.seal(JSON.stringify(newTestAccount()), associatedId(workspaceId, id)) : null,
    ],
  );
}

/** The tags of carriers leave out what checks and calls find. */
export function storedCarriers({ documents: { carrier: kind } }: Database): StoredDocuments[] {
  const derived = (carrier: Carrier) => ({ etag: carrierTag(carrier) });
  return [{ kind, table: 'carriers', key: ['workspace_id', 'id'], derived }];
}

interface StoredRow extends Row {
  doc: string;
  doc_version: number;
  etag: string;
  sealed_credentials: Uint8Array | null;
  failures: number;
}
