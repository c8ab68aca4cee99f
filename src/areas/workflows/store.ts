import type { Trigger } from '../../contract/workflows/definition.ts';
import { maxWorkflows, type Workflow, type WorkflowVersion } from '../../contract/workflows/workflow.ts';
import { limitReached } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import type { Database, Queries, Reads, Row } from '../../storage/database.ts';
import type { StoredDocuments } from '../../storage/documents/rewriting.ts';
import { afterEveryId, boundedPageSql, createPageReader, ordinaryBytes, type Page } from '../../storage/page.ts';
import { tagOf } from './workflow.ts';

export interface StoredWorkflow {
  readonly workflow: Workflow;
  readonly etag: string;
  readonly documentVersion: number;
}

/** What decides whether an event starts a run. */
export interface EnabledWorkflow {
  readonly id: string;
  readonly version: number;
  readonly trigger: Trigger;
}

export interface WorkflowFilters {
  readonly enabled?: boolean | undefined;
  readonly agentId?: string | undefined;
}

export type WorkflowStore = ReturnType<typeof createWorkflowStore>;

const columns = 'doc, doc_version, etag';

/** SQL for workflows and their versions. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createWorkflowStore(database: Database) {
  const { dialect } = database;
  const { workflow: kind, workflowVersion: versionKind } = database.documents;
  const listed = (place: string) => `FROM workflows WHERE workspace_id = $1 AND id < ${place}
    AND ($4 = '' OR CAST(enabled AS TEXT) = $4)
    AND ($5 = '' OR agent_ids = '[]' OR ${dialect.contains('agent_ids', '$5')})`;
  const isLong = `EXISTS (SELECT 1 FROM workflows WHERE workspace_id = $1 AND octet_length(doc) > ${ordinaryBytes})`;
  const listSql = boundedPageSql(dialect, kind, 'id', listed, isLong);
  const listedVersions = (place: string) =>
    `FROM workflow_versions WHERE workspace_id = $1 AND version < ${place} AND workflow_id = $4`;
  const hasLongVersion = `EXISTS (SELECT 1 FROM workflow_versions
    WHERE workspace_id = $1 AND workflow_id = $4 AND octet_length(doc) > ${ordinaryBytes})`;
  const versionsSql = boundedPageSql(dialect, versionKind, 'version', listedVersions, hasLongVersion);
  const readPage = createPageReader(database, kind);
  const readVersions = createPageReader(database, versionKind);

  const find = async (
    queries: Reads,
    workspaceId: string,
    id: string,
    lock = '',
  ): Promise<StoredWorkflow | undefined> => {
    if (!isId('wfl', id)) return undefined;
    const sql = `SELECT ${columns} FROM workflows WHERE workspace_id = $1 AND id = $2 ${lock}`;
    const row = await queries.get<WorkflowRow>(sql, [workspaceId, id]);
    if (row === undefined) return undefined;
    const { doc, doc_version: documentVersion } = row;
    const workflow = kind.parse<Workflow>(doc, documentVersion);
    return { workflow, etag: documentVersion < kind.version ? tagOf(workflow) : row.etag, documentVersion };
  };

  const lock = async (queries: Queries, workspaceId: string, id: string, how: string) => {
    const locked = await find(queries, workspaceId, id, how);
    if (locked !== undefined) kind.requireWritable(locked.documentVersion);
    return locked;
  };

  return {
    page: (workspaceId: string, beforeId: string | null, limit: number, { enabled, agentId }: WorkflowFilters) =>
      readPage<Workflow>(listSql, [
        workspaceId,
        beforeId ?? afterEveryId,
        limit,
        enabled === undefined ? '' : String(Number(enabled)),
        agentId === undefined ? '' : JSON.stringify(agentId),
      ]),

    find: (queries: Reads, workspaceId: string, id: string) => find(queries, workspaceId, id),

    /** Locks it until the transaction ends. Runs can still be added. */
    lock: (queries: Queries, workspaceId: string, id: string) => lock(queries, workspaceId, id, dialect.forFieldUpdate),

    /** The same for a workflow that is about to be deleted: runs that are being added are waited for. */
    lockForDeletion: (queries: Queries, workspaceId: string, id: string) =>
      lock(queries, workspaceId, id, dialect.forUpdate),

    /** Keeps it from being deleted until the transaction ends. */
    share: async (queries: Queries, workspaceId: string, id: string) =>
      (await find(queries, workspaceId, id, dialect.forReference))?.workflow,

    /** `busy`: another transaction has locked it, or only processes of a newer release know its steps. `missing`: it was deleted. */
    lockIfFree: async (queries: Queries, workspaceId: string, id: string): Promise<'locked' | 'busy' | 'missing'> => {
      const sql = 'SELECT doc_version FROM workflows WHERE workspace_id = $1 AND id = $2';
      const free = await queries.get<{ doc_version: number }>(`${sql} ${dialect.forFieldUpdateSkipLocked}`, [
        workspaceId,
        id,
      ]);
      if (free !== undefined) return kind.isNewer(free.doc_version) ? 'busy' : 'locked';
      return (await queries.get(sql, [workspaceId, id])) === undefined ? 'missing' : 'busy';
    },

    /** Concurrent creations wait for each other here, so that together they cannot exceed the limit. */
    requireRoom: async (queries: Queries, workspaceId: string): Promise<void> => {
      await queries.get(`SELECT id FROM workspaces WHERE id = $1 ${dialect.forUpdate}`, [workspaceId]);
      const sql = 'SELECT count(*) AS count FROM workflows WHERE workspace_id = $1';
      const { count = 0 } = (await queries.get<{ count: number }>(sql, [workspaceId])) ?? {};
      if (count >= maxWorkflows) throw limitReached('workflows', maxWorkflows);
    },

    /** Resolves to its tag. */
    insert: async (queries: Queries, workflow: Workflow): Promise<string> => {
      const etag = tagOf(workflow);
      await queries.write(
        `INSERT INTO workflows (workspace_id, id, version, enabled, event, agent_ids, start_when, failures, etag, doc, doc_version)
          VALUES ($1, $2, $3, 0, $4, $5, $6, 0, $7, $8, $9)`,
        [workflow.workspaceId, workflow.id, ...matchedValues(workflow), etag, JSON.stringify(workflow), kind.version],
      );
      return etag;
    },

    /** Replaces one that is locked. `enabledAt`: it was enabled just now, and its failures are forgotten. Resolves to its tag. */
    replace: async (queries: Queries, workflow: Workflow, enabledAt: number | null): Promise<string> => {
      const { workspaceId, id, enabled } = workflow;
      const etag = tagOf(workflow);
      await queries.write(
        `UPDATE workflows SET version = $3, event = $4, agent_ids = $5, start_when = $6, enabled = $7,
            enabled_at = coalesce($8, enabled_at), failures = CASE WHEN $8 IS NULL THEN failures ELSE 0 END,
            etag = $9, doc = $10, doc_version = $11
          WHERE workspace_id = $1 AND id = $2`,
        [
          workspaceId,
          id,
          ...matchedValues(workflow),
          Number(enabled),
          enabledAt,
          etag,
          JSON.stringify(workflow),
          kind.version,
        ],
      );
      return etag;
    },

    remove: async (queries: Queries, workspaceId: string, id: string): Promise<void> => {
      await queries.write('DELETE FROM workflows WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
    },

    addVersion: async (queries: Queries, { workspaceId, id }: Workflow, version: WorkflowVersion): Promise<void> => {
      await queries.write(
        `INSERT INTO workflow_versions (workspace_id, workflow_id, version, doc, doc_version) VALUES ($1, $2, $3, $4, $5)`,
        [workspaceId, id, version.version, JSON.stringify(version), versionKind.version],
      );
    },

    versionPage: (
      workspaceId: string,
      id: string,
      before: number | null,
      limit: number,
    ): Promise<Page<WorkflowVersion>> =>
      readVersions(versionsSql, [workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit, id]),

    /** Versions stay as long as they have runs, also of a workflow that was deleted. */
    version: async (queries: Reads, workflowId: string, version: number): Promise<WorkflowVersion | undefined> => {
      const sql = 'SELECT doc, doc_version FROM workflow_versions WHERE workflow_id = $1 AND version = $2';
      const row = await queries.get<WorkflowRow>(sql, [workflowId, version]);
      return row === undefined ? undefined : versionKind.parse<WorkflowVersion>(row.doc, row.doc_version);
    },

    /**
     * When a workflow that is about to be enabled was, by a clock of the workspace that only goes forward: what is enabled
     * later is later, also if the clocks of processes differ or are set back. Others wait until the transaction ends.
     */
    nextEnabling: async (queries: Queries, workspaceId: string, now: number): Promise<number> => {
      await queries.get(`SELECT id FROM workspaces WHERE id = $1 ${dialect.forFieldUpdate}`, [workspaceId]);
      const sql = 'SELECT max(enabled_at) AS newest FROM workflows WHERE workspace_id = $1';
      const { newest } = (await queries.get<{ newest: number | null }>(sql, [workspaceId])) ?? { newest: null };
      return newest === null ? now : Math.max(now, newest + 1);
    },

    /** By the same clock, when the newest of the workflows that are enabled for an event was. Null: there is none. */
    newestEnabling: async (queries: Reads, workspaceId: string, event: string): Promise<number | null> => {
      const sql =
        'SELECT max(enabled_at) AS newest FROM workflows WHERE workspace_id = $1 AND event = $2 AND enabled = 1';
      return (await queries.get<{ newest: number | null }>(sql, [workspaceId, event]))?.newest ?? null;
    },

    /**
     * Workflows that were enabled by a time of that clock, and still are. They cannot be deleted before the transaction
     * ends. Throws if only processes of a newer release know what one of them starts with.
     */
    enabledUntil: async (
      queries: Queries,
      workspaceId: string,
      event: string,
      newestEnabling: number,
    ): Promise<EnabledWorkflow[]> => {
      const rows = await queries.all<{ id: string; version: number; start_when: string; doc_version: number }>(
        `SELECT id, version, start_when, doc_version FROM workflows
          WHERE workspace_id = $1 AND event = $2 AND enabled = 1 AND enabled_at <= $3 ORDER BY id ${dialect.forReference}`,
        [workspaceId, event, newestEnabling],
      );
      for (const { doc_version } of rows) kind.requireWritable(doc_version);
      return rows.map(({ id, version, start_when }) => ({ id, version, trigger: JSON.parse(start_when) as Trigger }));
    },

    /** The enabled workflows whose documents contain a text. */
    enabledWith: async (queries: Reads, workspaceId: string, part: string): Promise<Workflow[]> => {
      const rows = await queries.all<WorkflowRow>(
        `SELECT ${columns} FROM workflows WHERE workspace_id = $1 AND enabled = 1 AND ${dialect.contains('doc', '$2')} ORDER BY id`,
        [workspaceId, part],
      );
      return rows.map(({ doc, doc_version }) => kind.parse<Workflow>(doc, doc_version));
    },

    /** A run has ended. Resolves to how many have failed in a row; null if the workflow is gone. */
    countRun: async (queries: Queries, workspaceId: string, id: string, hasFailed: boolean): Promise<number | null> => {
      const key = [workspaceId, id];
      if (!hasFailed) {
        await queries.write(
          'UPDATE workflows SET failures = 0 WHERE workspace_id = $1 AND id = $2 AND failures > 0',
          key,
        );
        return 0;
      }
      const sql = 'UPDATE workflows SET failures = failures + 1 WHERE workspace_id = $1 AND id = $2 RETURNING failures';
      return (await queries.get<{ failures: number }>(sql, key))?.failures ?? null;
    },
  };
}

/** What is read without the document. */
function matchedValues({ version, trigger }: Workflow) {
  return [version, trigger.event, JSON.stringify(trigger.agentIds), JSON.stringify(trigger)];
}

export function storedWorkflows({ documents: { workflow, workflowVersion } }: Database): StoredDocuments[] {
  const derived = (document: Workflow) => ({ etag: tagOf(document), start_when: JSON.stringify(document.trigger) });
  return [
    { kind: workflow, table: 'workflows', key: ['workspace_id', 'id'], derived },
    { kind: workflowVersion, table: 'workflow_versions', key: ['workflow_id', 'version'] },
  ];
}

interface WorkflowRow extends Row {
  doc: string;
  doc_version: number;
  etag: string;
}
