import { type DoNotCallEntry, maxDoNotCall } from '../../../contract/phone/do-not-call.ts';
import { limitReached } from '../../../core/errors.ts';
import type { Database, Queries, Reads, Row } from '../../../storage/database.ts';
import type { Page } from '../../../storage/page.ts';

export type DoNotCallStore = ReturnType<typeof createDoNotCallStore>;

/** SQL for the numbers that must not be called. */
export function createDoNotCallStore(database: Database, now: () => number, maxEntries: number = maxDoNotCall) {
  const { dialect } = database;
  const count = async (queries: Reads, workspaceId: string): Promise<number> => {
    const sql = 'SELECT count(*) AS count FROM do_not_call WHERE workspace_id = $1';
    return (await queries.get<{ count: number }>(sql, [workspaceId]))?.count ?? 0;
  };

  return {
    /** Newest first. A position is the time and the number of an entry. */
    page: async (
      workspaceId: string,
      after: string | null,
      limit: number,
      q: string,
    ): Promise<Page<DoNotCallEntry>> => {
      const [time = '', number = ''] = (after ?? `${Number.MAX_SAFE_INTEGER} ~`).split(' ');
      const rows = await database.all<EntryRow>(
        `SELECT number, reason, source, created_at FROM do_not_call
          WHERE workspace_id = $1 AND (created_at, number) < ($2, $3) AND number >= $4 AND number < $5
          ORDER BY created_at DESC, number DESC LIMIT $6 + 0`,
        [workspaceId, Number(time), number, q, `${q}~`, limit + 1],
      );
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      const hasMore = rows.length > limit && last !== undefined;
      return {
        items: Buffer.from(items.map((row) => JSON.stringify(entryOf(row))).join()),
        next: hasMore ? `${last.created_at} ${last.number}` : null,
      };
    },

    /** Numbers that are there already stay as they are. Resolves to how many were added. */
    add: async (
      queries: Queries,
      workspaceId: string,
      numbers: readonly string[],
      { reason, source }: Pick<DoNotCallEntry, 'reason' | 'source'>,
    ): Promise<number> => {
      // Concurrent additions wait for each other here, so that together they cannot exceed the limit.
      await queries.get(`SELECT id FROM workspaces WHERE id = $1 ${dialect.forUpdate}`, [workspaceId]);
      const added = await queries.run(
        `WITH given (number) AS (${dialect.textsIn('$2')})
          INSERT INTO do_not_call (workspace_id, number, reason, source, created_at)
          SELECT $1, number, $3, $4, CAST($5 AS BIGINT) FROM given WHERE true ON CONFLICT DO NOTHING`,
        [workspaceId, JSON.stringify(numbers), reason, source, now()],
      );
      if (added > 0 && (await count(queries, workspaceId)) > maxEntries) {
        throw limitReached('numbers on the do-not-call list', maxEntries);
      }
      return added;
    },

    has: async (queries: Reads, workspaceId: string, number: string): Promise<boolean> => {
      const sql = 'SELECT 1 AS one FROM do_not_call WHERE workspace_id = $1 AND number = $2';
      return (await queries.get(sql, [workspaceId, number])) !== undefined;
    },

    /** False if it was not there. */
    remove: async (queries: Queries, workspaceId: string, number: string): Promise<boolean> =>
      (await queries.run('DELETE FROM do_not_call WHERE workspace_id = $1 AND number = $2', [workspaceId, number])) > 0,
  };
}

interface EntryRow extends Row {
  number: string;
  reason: string | null;
  source: DoNotCallEntry['source'];
  created_at: number;
}

function entryOf({ number, reason, source, created_at }: EntryRow): DoNotCallEntry {
  return { number, reason, source, createdAt: new Date(created_at).toISOString() };
}
