import type { Call } from '../../../contract/calls/call.ts';
import { terminalStatuses } from '../../../contract/calls/call.ts';
import type { Run } from '../../../contract/workflows/run.ts';
import { maxResumedRuns } from '../../../contract/workflows/workflow-operations.ts';
import { notFound, stateConflict, unprocessable } from '../../../core/errors.ts';
import { isId } from '../../../core/ids.ts';
import type { Database, Queries, Reads } from '../../../storage/database.ts';
import type { WorkflowHandlers } from '../handlers.ts';
import type { WorkflowStore } from '../store.ts';
import type { Cancellation } from './cancellation.ts';
import type { NewRuns } from './new-runs.ts';
import type { RunRow } from './run-rows.ts';
import type { RunStore } from './store.ts';

type Handlers = Pick<
  WorkflowHandlers,
  | 'workflows.resume'
  | 'workflows.runs.create'
  | 'workflows.runs.list'
  | 'workflows.runs.get'
  | 'workflows.runs.resume'
  | 'workflows.runs.cancel'
>;

export interface RunRouteParts {
  readonly database: Database;
  readonly workflows: WorkflowStore;
  readonly store: RunStore;
  readonly newRuns: NewRuns;
  readonly cancellation: Cancellation;
  readonly lockCall: (queries: Queries, workspaceId: string, callId: string) => Promise<Call | undefined>;
  /** Runs were added, or are due again. */
  readonly onDue: () => void;
}

export function runRoutes(parts: RunRouteParts): Handlers {
  const { database, workflows, store, newRuns, cancellation, lockCall, onDue } = parts;

  const read = async (queries: Reads, workspaceId: string, id: string): Promise<Run> => {
    const run = isId('run', id) ? await store.get(queries, workspaceId, id) : undefined;
    if (run === undefined) throw notFound('run');
    return run;
  };
  const lock = async (queries: Queries, workspaceId: string, id: string): Promise<RunRow> => {
    const row = isId('run', id) ? await store.lock(queries, workspaceId, id) : undefined;
    if (row === undefined) throw notFound('run');
    return row;
  };
  const changed = async (queries: Queries, workspaceId: string, id: string) => {
    queries.atEnd(onDue);
    const run = await read(queries, workspaceId, id);
    // Runs have no name: in the audit log, people find them by that of their workflow.
    const resourceName = (await workflows.find(queries, workspaceId, run.workflowId))?.workflow.name ?? null;
    return { body: run, resourceId: id, resourceName, callContent: { callId: run.callId, isSealed: false } };
  };
  const requireWorkflow = async (queries: Reads, workspaceId: string, id: string) => {
    const found = await workflows.find(queries, workspaceId, id);
    if (found === undefined) throw notFound('workflow');
    return found.workflow;
  };

  return {
    'workflows.runs.list': async ({ caller, query: { limit, cursor: _, ...filters }, position, nextPage }) =>
      nextPage(await store.page(caller.workspaceId, position?.after ?? null, limit, filters)),

    'workflows.runs.get': async ({ caller, params: { id } }) => ({
      body: await read(database, caller.workspaceId, id),
    }),

    'workflows.runs.create': async ({ caller: { workspaceId }, params, body: { callId }, queries }) => {
      await requireWorkflow(queries, workspaceId, params.id);
      const call = isId('call', callId) ? await lockCall(queries, workspaceId, callId) : undefined;
      checkCall(call);
      // From here on, the workflow cannot be deleted.
      const workflow = await workflows.share(queries, workspaceId, params.id);
      if (workflow === undefined) throw notFound('workflow');
      return changed(queries, workspaceId, await newRuns.manual(queries, call, workflow.id, workflow.version));
    },

    'workflows.runs.resume': async ({ caller: { workspaceId }, params: { id }, queries }) => {
      const row = await lock(queries, workspaceId, id);
      const { status, content_removed: isRemoved, workflow_id: workflowId } = row;
      if (status !== 'failed') throw stateConflict('run', { status, allowed: ['failed'] });
      if (isRemoved === 1) throw stateConflict('run', { status, allowed: [], reason: 'content_removed' });
      if ((await workflows.share(queries, workspaceId, workflowId)) === undefined) {
        throw stateConflict('run', { status, allowed: [], reason: 'workflow_deleted' });
      }
      await store.resume(queries, 'id = $2', [id]);
      return changed(queries, workspaceId, id);
    },

    'workflows.runs.cancel': async ({ caller: { workspaceId }, params: { id }, queries }) => {
      await lock(queries, workspaceId, id);
      await cancellation.ofRun(queries, id, 'by_user');
      return changed(queries, workspaceId, id);
    },

    'workflows.resume': async ({ caller: { workspaceId }, params: { id }, body: { since, until }, queries }) => {
      const workflow = await requireWorkflow(queries, workspaceId, id);
      const matched = await store.resume(
        queries,
        `id IN (SELECT id FROM workflow_runs WHERE workspace_id = $2 AND workflow_id = $3 AND status = 'failed'
          AND content_removed = 0 AND completed_at >= $4 AND completed_at < $5 ORDER BY completed_at LIMIT ${maxResumedRuns})`,
        [workspaceId, id, Date.parse(since), until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until)],
      );
      queries.atEnd(onDue);
      return { body: { matched }, resourceId: id, resourceName: workflow.name };
    },
  };
}

/** Runs are about calls that are over and still have their content. */
function checkCall(call: Call | undefined): asserts call is Call {
  if (call === undefined) throw unprocessable({ callId: ['is not a call of this workspace'] });
  const { status, transcriptStatus } = call;
  if (!(terminalStatuses as readonly string[]).includes(status)) {
    throw stateConflict('call', { status, allowed: terminalStatuses });
  }
  if (transcriptStatus === 'deleted') throw unprocessable({ callId: ['is a call whose content was removed'] });
}
