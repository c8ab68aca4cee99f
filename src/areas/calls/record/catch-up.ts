import { randomUUID } from 'node:crypto';
import type { Call } from '../../../contract/calls/call.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { Area } from '../../area.ts';
import { isTerminal } from './call.ts';
import type { CallStore } from './store.ts';

/** A batch is one transaction, which other writes wait for on SQLite. */
const batchSize = 25;

export interface CatchUpParts {
  readonly database: Database;
  readonly store: Pick<CallStore, 'endedDetails' | 'writeColumns'>;
  /** Runs `onCallMissed` of all areas. */
  readonly derive: NonNullable<Area['onCallMissed']>;
}

/**
 * Between two releases, an instance of the earlier one ends and changes calls without deriving from them what only the
 * later one knows. It notes which, and an instance of the later one catches up.
 */
export function createCatchUp({ database, store, derive }: CatchUpParts) {
  const { schema, dialect } = database;
  const { call: kind } = database.documents;
  const isOutdated = 'EXISTS (SELECT 1 FROM schema_migrations WHERE version > $1)';
  const sql = {
    // The database decides, at the time of the change: with a later schema, there may be instances of a later release.
    note: `INSERT INTO call_catch_up (by_schema, id, workspace_id, call_id, created_at)
      SELECT $1, $2, $3, $4, $5 WHERE ${isOutdated}`,
    // If instances of three releases run, the latest one catches up.
    batch: `SELECT id, workspace_id, call_id, created_at FROM call_catch_up
      WHERE by_schema < $1 AND NOT ${isOutdated} ORDER BY workspace_id, call_id LIMIT ${batchSize}
      ${dialect.forUpdateSkipLocked}`,
    call: `SELECT doc, doc_version FROM calls WHERE workspace_id = $1 AND id = $2 ${dialect.forUpdate}`,
    done: 'DELETE FROM call_catch_up WHERE id = $1',
  };

  const catchUp = async (queries: Queries, { workspace_id, call_id, created_at }: NotedCall): Promise<void> => {
    // Locked, so that nobody changes it or removes its content meanwhile.
    const row = await queries.get<{ doc: string; doc_version: number }>(sql.call, [workspace_id, call_id]);
    const call = row === undefined ? null : kind.parse<Call>(row.doc, row.doc_version);
    if (call !== null && !isTerminal(call)) return;
    if (call !== null) await store.writeColumns(queries, call);
    await derive(queries, {
      workspaceId: workspace_id,
      id: call_id,
      createdAt: created_at,
      call,
      details: () => store.endedDetails(queries, call_id),
    });
  };

  return {
    /** In every transaction that ends a call or changes one that is over. */
    note: async (queries: Queries, { workspaceId, id, createdAt }: Call): Promise<void> => {
      await queries.write(sql.note, [schema, randomUUID(), workspaceId, id, Date.parse(createdAt)]);
    },

    /** Resolves to true if there are more. */
    run: async (): Promise<boolean> => {
      // Most of the time there is nothing to do, which a read finds out without waiting for writes.
      const first = 'SELECT 1 AS one FROM call_catch_up WHERE by_schema < $1 LIMIT 1';
      if ((await database.get(first, [schema])) === undefined) return false;
      return database.transaction(
        async (queries) => {
          const noted = await queries.all<NotedCall>(sql.batch, [schema]);
          for (const call of noted) {
            await catchUp(queries, call);
            await queries.write(sql.done, [call.id]);
          }
          return noted.length === batchSize;
        },
        { isBackground: true },
      );
    },
  };
}

interface NotedCall extends Record<string, unknown> {
  readonly id: string;
  readonly workspace_id: string;
  readonly call_id: string;
  readonly created_at: number;
}
