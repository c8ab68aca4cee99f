import { maxPhoneNumbers, type PhoneNumber } from '../../../contract/phone/phone-number.ts';
import { nationalDigitsOf } from '../../../contract/phone-number.ts';
import { limitReached } from '../../../core/errors.ts';
import { fold } from '../../../core/folding.ts';
import type { Database, Queries, Reads, Row } from '../../../storage/database.ts';
import type { StoredDocuments } from '../../../storage/documents/rewriting.ts';
import { afterEveryId, type Page, type PageRow, pageOf, pageSql } from '../../../storage/page.ts';
import type { NumberRoute } from '../../../voice/carriers/carrier.ts';
import { numberTag } from './phone-number.ts';

/** A number with what is not part of the resource. */
export interface NumberRow {
  readonly phoneNumber: PhoneNumber;
  readonly etag: string;
  readonly documentVersion: number;
  /** Whether the service sets its voice URL at the carrier. */
  readonly isRouted: boolean;
  /** Where its calls went before the import. Null: its route was not changed. */
  readonly formerRoute: NumberRoute | null;
}

export interface NumberFilters {
  readonly carrierId?: string | undefined;
  readonly provider?: string | undefined;
  readonly status?: string | undefined;
  readonly agentId?: string | undefined;
  readonly q?: string | undefined;
}

export type NumberStore = ReturnType<typeof createNumberStore>;

/** SQL for phone numbers. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createNumberStore(database: Database) {
  const { dialect } = database;
  const kind = database.documents.phoneNumber;
  const columns = 'doc, doc_version, etag, is_routed, former_route';
  const oneSql = `SELECT ${columns} FROM phone_numbers WHERE workspace_id = $1 AND id = $2`;
  // A number with a thousand blocked ones has 20 KB, so that a page of 200 needs no limit in bytes.
  const listSql = pageSql(
    dialect,
    kind,
    'id',
    (place) => `FROM phone_numbers WHERE workspace_id = $1 AND id < ${place}
      AND ($4 = '' OR carrier_id = $4) AND ($5 = '' OR provider = $5) AND ($6 = '' OR status = $6)
      AND ($7 = '' OR agent_id = $7)
      AND ($8 = '' OR id = $8 OR ${dialect.contains('folded_name', '$9')} OR ${dialect.contains('number', '$9')})`,
  );

  const rowOf = (row: StoredRow): NumberRow => {
    const phoneNumber = kind.parse<PhoneNumber>(row.doc, row.doc_version);
    return {
      phoneNumber,
      etag: row.doc_version < kind.version ? numberTag(phoneNumber) : row.etag,
      documentVersion: row.doc_version,
      isRouted: row.is_routed === 1,
      formerRoute: row.former_route === null ? null : JSON.parse(row.former_route),
    };
  };
  const find = async (queries: Reads, workspaceId: string, id: string, lock = ''): Promise<NumberRow | undefined> => {
    const row = await queries.get<StoredRow>(`${oneSql} ${lock}`, [workspaceId, id]);
    return row === undefined ? undefined : rowOf(row);
  };
  const findOf = async (queries: Reads, condition: string, values: readonly string[]): Promise<NumberRow[]> => {
    const sql = `SELECT ${columns} FROM phone_numbers WHERE ${condition} ORDER BY id LIMIT ${maxPhoneNumbers}`;
    return (await queries.all<StoredRow>(sql, values)).map(rowOf);
  };

  return {
    page: async (
      workspaceId: string,
      beforeId: string | null,
      limit: number,
      { carrierId = '', provider = '', status = '', agentId = '', q = '' }: NumberFilters,
    ): Promise<Page<PhoneNumber>> => {
      const filters = [carrierId, provider, status, agentId, q, fold(q)];
      return pageOf(
        await database.get<PageRow>(listSql, [workspaceId, beforeId ?? afterEveryId, limit, ...filters]),
        kind,
      );
    },

    read: (queries: Reads, workspaceId: string, id: string) => find(queries, workspaceId, id),

    /** Locks the number until the transaction ends. */
    lock: async (queries: Queries, workspaceId: string, id: string): Promise<NumberRow | undefined> => {
      const row = await find(queries, workspaceId, id, dialect.forUpdate);
      if (row !== undefined) kind.requireWritable(row.documentVersion);
      return row;
    },

    findByNumber: async (queries: Reads, workspaceId: string, number: string): Promise<NumberRow | undefined> =>
      (await findOf(queries, 'workspace_id = $1 AND number = $2', [workspaceId, number]))[0],

    /**
     * The number that a carrier's request is for. Carriers also write it without the plus sign, with 00, or as it is dialed
     * inside the country, with a leading 0.
     */
    findByCarrierAndTo: async (queries: Reads, carrierId: string, to: string): Promise<NumberRow | undefined> => {
      const digits = to.replace(/^\+/, '');
      if (!/^\d{3,20}$/.test(digits)) return undefined;
      const international = `+${digits.replace(/^00/, '')}`;
      const [found] = await findOf(queries, 'carrier_id = $1 AND number = $2', [carrierId, international]);
      if (found !== undefined || !digits.startsWith('0')) return found;
      // Italian numbers keep their 0 behind the country code.
      const isIt = ({ phoneNumber: { number } }: NumberRow) =>
        [digits, digits.slice(1)].includes(nationalDigitsOf(number));
      return (await findOf(queries, 'carrier_id = $1', [carrierId])).find(isIt);
    },

    /** Numbers of all workspaces that an agent may answer, the newest first. */
    withAgent: async (limit: number): Promise<PhoneNumber[]> => {
      const sql = `SELECT ${columns} FROM phone_numbers WHERE agent_id IS NOT NULL ORDER BY id DESC LIMIT $1`;
      return (await database.all<StoredRow>(sql, [limit])).map((row) => rowOf(row).phoneNumber);
    },

    /** The ids of the carrier's numbers, up to 20. */
    idsOfCarrier: async (queries: Reads, workspaceId: string, carrierId: string): Promise<string[]> => {
      const sql = 'SELECT id FROM phone_numbers WHERE workspace_id = $1 AND carrier_id = $2 ORDER BY id LIMIT 20';
      return (await queries.all<{ id: string }>(sql, [workspaceId, carrierId])).map(({ id }) => id);
    },

    /** The countries in which a carrier has numbers. */
    countriesOfCarrier: async (queries: Reads, workspaceId: string, carrierId: string): Promise<string[]> => {
      const sql = 'SELECT DISTINCT country FROM phone_numbers WHERE workspace_id = $1 AND carrier_id = $2';
      return (await queries.all<{ country: string }>(sql, [workspaceId, carrierId])).map(({ country }) => country);
    },

    /** The ids of the numbers of a carrier, by number. */
    idsByNumber: async (workspaceId: string, carrierId: string): Promise<ReadonlyMap<string, string>> => {
      const sql = 'SELECT number, id FROM phone_numbers WHERE workspace_id = $1 AND carrier_id = $2';
      const rows = await database.all<{ number: string; id: string }>(sql, [workspaceId, carrierId]);
      return new Map(rows.map(({ number, id }) => [number, id]));
    },

    /** Concurrent imports wait for each other here, so that together they cannot exceed the limit. */
    requireRoom: async (queries: Queries, workspaceId: string): Promise<void> => {
      await queries.get(`SELECT id FROM workspaces WHERE id = $1 ${dialect.forUpdate}`, [workspaceId]);
      const sql = 'SELECT count(*) AS count FROM phone_numbers WHERE workspace_id = $1';
      const { count = 0 } = (await queries.get<{ count: number }>(sql, [workspaceId])) ?? {};
      if (count >= maxPhoneNumbers) throw limitReached('phone numbers', maxPhoneNumbers);
    },

    insert: async (
      queries: Queries,
      phoneNumber: PhoneNumber,
      { provider, isRouted }: { readonly provider: string; readonly isRouted: boolean },
    ): Promise<string> => {
      const { workspaceId, id, carrierId, number, status, inbound, name } = phoneNumber;
      const etag = numberTag(phoneNumber);
      await queries.write(
        `INSERT INTO phone_numbers
            (workspace_id, id, carrier_id, provider, number, country, status, agent_id, folded_name, etag, doc, doc_version,
            is_routed)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
        [
          workspaceId,
          id,
          carrierId,
          provider,
          number,
          phoneNumber.country,
          status,
          inbound.agentId,
          fold(name),
          etag,
          JSON.stringify(phoneNumber),
          kind.version,
          Number(isRouted),
        ],
      );
      return etag;
    },

    /** Replaces a number that is locked. Resolves to its tag. */
    replace: async (queries: Queries, phoneNumber: PhoneNumber): Promise<string> => {
      const { workspaceId, id, status, inbound, name } = phoneNumber;
      const etag = numberTag(phoneNumber);
      await queries.write(
        `UPDATE phone_numbers SET status = $3, agent_id = $4, folded_name = $5, etag = $6, doc = $7, doc_version = $8
          WHERE workspace_id = $1 AND id = $2`,
        [workspaceId, id, status, inbound.agentId, fold(name), etag, JSON.stringify(phoneNumber), kind.version],
      );
      return etag;
    },

    /** Remembers where the calls went before, unless that is known already. */
    keepFormerRoute: async (queries: Queries, workspaceId: string, id: string, route: NumberRoute): Promise<void> => {
      await queries.write(
        `UPDATE phone_numbers SET former_route = $3 WHERE workspace_id = $1 AND id = $2 AND former_route IS NULL`,
        [workspaceId, id, JSON.stringify(route)],
      );
    },

    remove: async (queries: Queries, workspaceId: string, id: string): Promise<void> => {
      await queries.write('DELETE FROM phone_numbers WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
    },
  };
}

/** The tags of numbers leave out what checks find. */
export function storedNumbers({ documents: { phoneNumber: kind } }: Database): StoredDocuments[] {
  const derived = (phoneNumber: PhoneNumber) => ({ etag: numberTag(phoneNumber) });
  return [{ kind, table: 'phone_numbers', key: ['workspace_id', 'id'], derived }];
}

interface StoredRow extends Row {
  doc: string;
  doc_version: number;
  etag: string;
  is_routed: number;
  former_route: string | null;
}
