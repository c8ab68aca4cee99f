import type { Analysis } from '../../contract/analysis/index.ts';
import { boundedJson } from '../../core/json-limits.ts';
import type { Database, Queries, Reads, Row } from '../../storage/database.ts';
import type { DocumentKind } from '../../storage/documents/document-kind.ts';
import type { StoredDocuments } from '../../storage/documents/rewriting.ts';
import { afterEveryId, limitByLengths, type Page, type PageRow, pageOf, pageSql } from '../../storage/page.ts';
import type { AnalysisRequest } from './extraction/task.ts';

/** An analysis and, until it is settled, what was asked for. */
export interface StoredAnalysis {
  readonly workspaceId: string;
  readonly analysis: Analysis;
  readonly request: AnalysisRequest | null;
  /** When it fails if nothing has settled it. */
  readonly dueAt: number | null;
  /** The version of the stored document. */
  readonly documentVersion: number;
}

export type NewAnalysis = Omit<StoredAnalysis, 'documentVersion'>;

export type AnalysisStore = ReturnType<typeof createAnalysisStore>;

interface AnalysisRow extends Row {
  workspace_id: string;
  due_at: number | null;
  request: string | null;
  doc: string;
  doc_version: number;
}

/** SQL for analyses. */
export function createAnalysisStore(database: Database) {
  const { dialect } = database;
  const kind = database.documents.analysis;
  const rowsBefore = (place: string) => `FROM call_analyses WHERE call_id = $1 AND id < ${place}`;
  // One of 200 items can have more than a megabyte.
  const lengths = `SELECT id AS place, octet_length(doc) AS bytes ${rowsBefore('$2')} ORDER BY id DESC LIMIT $3 + 0`;
  const listSql = pageSql(dialect, kind, 'id', rowsBefore, { limit: limitByLengths(lengths) });
  const columns = 'workspace_id, due_at, request, doc, doc_version';

  return {
    page: async (callId: string, beforeId: string | null, limit: number): Promise<Page<Analysis>> =>
      pageOf(await database.get<PageRow>(listSql, [callId, beforeId ?? afterEveryId, limit]), kind),

    insert: async (queries: Queries, { workspaceId, analysis, request, dueAt }: NewAnalysis): Promise<void> => {
      const { callId, id, status } = analysis;
      await queries.write(
        `INSERT INTO call_analyses (workspace_id, call_id, id, status, due_at, request, doc, doc_version)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          workspaceId,
          callId,
          id,
          status,
          dueAt,
          request === null ? null : JSON.stringify(request),
          boundedJson(analysis),
          kind.version,
        ],
      );
    },

    find: async (queries: Reads, callId: string, id: string): Promise<StoredAnalysis | undefined> => {
      const row = await queries.get<AnalysisRow>(
        `SELECT ${columns} FROM call_analyses WHERE call_id = $1 AND id = $2`,
        [callId, id],
      );
      return row === undefined ? undefined : storedOf(kind, row);
    },

    /** All of a call whose row is locked, so that nothing else changes them. */
    ofCall: async (queries: Queries, callId: string): Promise<StoredAnalysis[]> => {
      const rows = await queries.all<AnalysisRow>(
        `SELECT ${columns} FROM call_analyses WHERE call_id = $1 ORDER BY id`,
        [callId],
      );
      return rows.map((row) => storedOf(kind, row));
    },

    isPending: async (queries: Reads, callId: string): Promise<boolean> => {
      const row = await queries.get("SELECT 1 AS one FROM call_analyses WHERE call_id = $1 AND status = 'pending'", [
        callId,
      ]);
      return row !== undefined;
    },

    /** Replaces the analysis of a call whose row is locked. Once it is settled, its request is not needed any more. */
    replace: async (queries: Queries, before: StoredAnalysis, analysis: Analysis): Promise<void> => {
      kind.requireWritable(before.documentVersion);
      const { callId, id, status } = analysis;
      const settled = status === 'pending' ? '' : ', request = NULL, due_at = NULL';
      await queries.write(
        `UPDATE call_analyses SET status = $3, doc = $4, doc_version = $5${settled} WHERE call_id = $1 AND id = $2`,
        [callId, id, status, boundedJson(analysis), kind.version],
      );
    },

    /** Postpones an analysis that is pending. */
    postpone: async (callId: string, id: string, dueAt: number): Promise<void> => {
      await database.run("UPDATE call_analyses SET due_at = $3 WHERE call_id = $1 AND id = $2 AND status = 'pending'", [
        callId,
        id,
        dueAt,
      ]);
    },

    removeAll: async (queries: Queries, callId: string): Promise<void> => {
      await queries.write('DELETE FROM call_analyses WHERE call_id = $1', [callId]);
    },

    /** Pending ones whose time is over. */
    overdue: async (time: number, limit: number): Promise<StoredAnalysis[]> => {
      const rows = await database.all<AnalysisRow>(
        `SELECT ${columns} FROM call_analyses WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at LIMIT $2 + 0`,
        [time, limit],
      );
      return rows.map((row) => storedOf(kind, row));
    },
  };
}

export function storedAnalyses({ documents }: Database): StoredDocuments[] {
  return [{ kind: documents.analysis, table: 'call_analyses', key: ['call_id', 'id'] }];
}

function storedOf(
  kind: DocumentKind,
  { workspace_id, due_at, request, doc, doc_version }: AnalysisRow,
): StoredAnalysis {
  return {
    workspaceId: workspace_id,
    analysis: kind.parse(doc, doc_version),
    request: request === null ? null : JSON.parse(request),
    dueAt: due_at === null ? null : Number(due_at),
    documentVersion: doc_version,
  };
}
