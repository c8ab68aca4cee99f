import { maxPriceDocuments, type Prices } from '../../../contract/analytics/prices.ts';
import { limitReached } from '../../../core/errors.ts';
import type { Database, Queries, Reads, Row } from '../../../storage/database.ts';
import type { StoredDocuments } from '../../../storage/documents/rewriting.ts';

export type PriceStore = ReturnType<typeof createPriceStore>;

/** SQL for prices: one document for each time from which on they are valid. */
export function createPriceStore(database: Database) {
  const { forUpdate, forReference } = database.dialect;
  const kind = database.documents.prices;
  const columns = 'doc, doc_version';

  const find = async (queries: Reads, workspaceId: string, validFrom: number): Promise<Prices | undefined> => {
    const row = await queries.get<PricesRow>(
      `SELECT ${columns} FROM prices WHERE workspace_id = $1 AND valid_from = $2`,
      [workspaceId, validFrom],
    );
    if (row === undefined) return undefined;
    kind.requireWritable(row.doc_version);
    return kind.parse(row.doc, row.doc_version);
  };

  return {
    /** The newest `validFrom` first. */
    list: async (workspaceId: string): Promise<Prices[]> => {
      const rows = await database.all<PricesRow>(
        `SELECT ${columns} FROM prices WHERE workspace_id = $1 ORDER BY valid_from DESC`,
        [workspaceId],
      );
      return rows.map(({ doc, doc_version }) => kind.parse(doc, doc_version));
    },

    /** Waits for everybody who computes costs, and lets nobody begin until the transaction ends. */
    lockAll: async (queries: Queries, workspaceId: string): Promise<void> => {
      await queries.get(`SELECT id FROM workspaces WHERE id = $1 ${forUpdate}`, [workspaceId]);
    },

    /** Nobody changes the prices until the transaction ends. SQLite has one writer anyway. */
    keep: async (queries: Queries, workspaceId: string): Promise<void> => {
      if (forReference !== '') {
        await queries.write(`SELECT id FROM workspaces WHERE id = $1 ${forReference}`, [workspaceId]);
      }
    },

    find,

    put: async (queries: Queries, workspaceId: string, prices: Prices): Promise<void> => {
      const validFrom = Date.parse(prices.validFrom);
      if ((await find(queries, workspaceId, validFrom)) === undefined) {
        const sql = 'SELECT count(*) AS count FROM prices WHERE workspace_id = $1';
        const { count = 0 } = (await queries.get<{ count: number }>(sql, [workspaceId])) ?? {};
        if (count >= maxPriceDocuments) throw limitReached('price documents', maxPriceDocuments);
      }
      await queries.write(
        `INSERT INTO prices (workspace_id, valid_from, doc, doc_version) VALUES ($1, $2, $3, $4)
          ON CONFLICT (workspace_id, valid_from) DO UPDATE SET doc = excluded.doc, doc_version = excluded.doc_version`,
        [workspaceId, validFrom, JSON.stringify(prices), kind.version],
      );
    },

    remove: async (queries: Queries, workspaceId: string, validFrom: number): Promise<void> => {
      await queries.write('DELETE FROM prices WHERE workspace_id = $1 AND valid_from = $2', [workspaceId, validFrom]);
    },

    /** The prices that are valid at a time. */
    validAt: async (queries: Reads, workspaceId: string, time: number): Promise<Prices | null> => {
      const row = await queries.get<PricesRow>(
        `SELECT ${columns} FROM prices WHERE workspace_id = $1 AND valid_from <= $2 ORDER BY valid_from DESC LIMIT 1`,
        [workspaceId, time],
      );
      return row === undefined ? null : kind.parse(row.doc, row.doc_version);
    },

    /** From when on others are valid than at a time; null: nothing follows. */
    nextAfter: async (queries: Reads, workspaceId: string, time: number): Promise<number | null> => {
      const sql = 'SELECT min(valid_from) AS next FROM prices WHERE workspace_id = $1 AND valid_from > $2';
      return (await queries.get<{ next: number | null }>(sql, [workspaceId, time]))?.next ?? null;
    },
  };
}

export function storedPrices({ documents: { prices: kind } }: Database): StoredDocuments[] {
  return [{ kind, table: 'prices', key: ['workspace_id', 'valid_from'] }];
}

interface PricesRow extends Row {
  doc: string;
  doc_version: number;
}
