import type { Analysis } from '../../contract/analysis.ts';
import type { Database, Queries, Reads, Row } from '../../storage/database.ts';
import { afterEveryId, limitByLengths, type Page, type PageRow, pageOf, pageSql } from '../../storage/page.ts';
import type { AnalysisPlan } from './extraction/task.ts';

/** An analysis and, until it is settled, what was asked for. */
export interface StoredAnalysis {
  readonly workspaceId: string;
  readonly analysis: Analysis;
  readonly plan: AnalysisPlan | null;
}

export type AnalysisStore = ReturnType<typeof createAnalysisStore>;

interface AnalysisRow extends Row {
  workspace_id: string;
  request: string | null;
  doc: string;
}

/** SQL for analyses. */
export function createAnalysisStore(database: Database) {
  const { dialect } = database;
  const rowsBefore = (place: string) => `FROM call_analyses WHERE call_id = $1 AND id < ${place}`;
  // One of 200 items can have more than a megabyte.
  const lengths = `SELECT id AS place, octet_length(doc) AS bytes ${rowsBefore('$2')} ORDER BY id DESC LIMIT $3 + 0`;
  const listSql = pageSql(dialect, 'id', rowsBefore, { limit: limitByLengths(lengths) });

  return {
    page: async (callId: string, beforeId: string | null, limit: number): Promise<Page<Analysis>> =>
      pageOf(await database.get<PageRow>(listSql, [callId, beforeId ?? afterEveryId, limit])),

    insert: async (queries: Queries, { workspaceId, analysis, plan }: StoredAnalysis): Promise<void> => {
      const { callId, id, status, createdAt } = analysis;
      await queries.run(
        `INSERT INTO call_analyses (workspace_id, call_id, id, status, created_at, request, doc)
          VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [
          workspaceId,
          callId,
          id,
          status,
          Date.parse(createdAt),
          plan === null ? null : JSON.stringify(plan),
          JSON.stringify(analysis),
        ],
      );
    },

    /** Locks it in a transaction. */
    find: async (queries: Reads, callId: string, id: string, isLocked = false): Promise<StoredAnalysis | undefined> => {
      const row = await queries.get<AnalysisRow>(
        `SELECT workspace_id, request, doc FROM call_analyses WHERE call_id = $1 AND id = $2
          ${isLocked ? dialect.forUpdate : ''}`,
        [callId, id],
      );
      return row === undefined ? undefined : storedOf(row);
    },

    isPending: async (queries: Reads, callId: string): Promise<boolean> => {
      const row = await queries.get("SELECT 1 AS one FROM call_analyses WHERE call_id = $1 AND status = 'pending'", [
        callId,
      ]);
      return row !== undefined;
    },

    /** A settled analysis needs no plan any more. */
    settle: async (queries: Queries, analysis: Analysis): Promise<void> => {
      const { callId, id, status } = analysis;
      await queries.run(
        'UPDATE call_analyses SET status = $3, doc = $4, request = NULL WHERE call_id = $1 AND id = $2',
        [callId, id, status, JSON.stringify(analysis)],
      );
    },

    rewrite: async (queries: Queries, callId: string, change: (analysis: Analysis) => Analysis): Promise<void> => {
      const rows = await queries.all<AnalysisRow>(
        'SELECT workspace_id, request, doc FROM call_analyses WHERE call_id = $1',
        [callId],
      );
      for (const { doc } of rows) {
        const analysis = change(JSON.parse(doc));
        await queries.run('UPDATE call_analyses SET doc = $3 WHERE call_id = $1 AND id = $2', [
          callId,
          analysis.id,
          JSON.stringify(analysis),
        ]);
      }
    },

    remove: async (queries: Queries, callId: string): Promise<void> => {
      await queries.run('DELETE FROM call_analyses WHERE call_id = $1', [callId]);
    },

    /** Pending ones that were requested before this time. */
    pendingSince: async (time: number, limit: number): Promise<StoredAnalysis[]> => {
      const rows = await database.all<AnalysisRow>(
        `SELECT workspace_id, request, doc FROM call_analyses WHERE status = 'pending' AND created_at <= $1
          ORDER BY created_at LIMIT $2 + 0`,
        [time, limit],
      );
      return rows.map(storedOf);
    },
  };
}

function storedOf({ workspace_id, request, doc }: AnalysisRow): StoredAnalysis {
  return {
    workspaceId: workspace_id,
    analysis: JSON.parse(doc),
    plan: request === null ? null : JSON.parse(request),
  };
}
