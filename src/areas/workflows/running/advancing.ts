import type { Logger } from 'pino';
import type { EventData } from '../../../contract/webhooks/events.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { RunRow } from '../runs/run-rows.ts';
import type { DueRun, RunEnding } from '../runs/store.ts';
import type { WorkflowStore } from '../store.ts';
import { failingWorkflow } from '../workflow.ts';
import { type Advance, Execution, type ExecutionParts, type Received } from './execution.ts';
import { RunSteps } from './run-steps.ts';

export type WriteWorkflowEvent = (
  queries: Queries,
  event: {
    readonly workspaceId: string;
    readonly subjectId: string;
    readonly sequence: null;
    readonly agentId: null;
    readonly agentWebhook: null;
  } & (
    | { readonly type: 'workflow_run_failed'; readonly data: EventData<'workflow_run_failed'> }
    | { readonly type: 'workflow_disabled'; readonly data: EventData<'workflow_disabled'> }
  ),
) => Promise<unknown>;

export interface AdvancingParts extends ExecutionParts {
  readonly database: Database;
  readonly workflows: WorkflowStore;
  readonly writeEvent: WriteWorkflowEvent;
  readonly logger: Logger;
}

/** After so many failed runs in a row, a workflow is disabled. */
export const maxFailures = 20;

/**
 * Takes a run to its next request, its next wait or its end, in one transaction, with the result of its last request.
 * `lost`: another process has it. `canceled`: it was.
 */
export function createAdvancing(parts: AdvancingParts) {
  const { database, workflows, store, calls, writeEvent, now, logger } = parts;

  const disable = async (queries: Queries, workspaceId: string, id: string): Promise<void> => {
    const found = await workflows.lock(queries, workspaceId, id);
    if (found === undefined || !found.workflow.enabled) return;
    await workflows.replace(queries, failingWorkflow(found.workflow, new Date(now()).toISOString()), null);
    await writeEvent(queries, {
      ...eventOf(workspaceId, id),
      type: 'workflow_disabled',
      data: { workflowId: id, reason: 'failing' },
    });
    logger.warn({ workspaceId, workflowId: id }, 'workflow disabled after repeated failures');
  };

  /** After everything else, because it locks the workflow. */
  const end = async (queries: Queries, row: RunRow, ending: RunEnding, startedAt: number): Promise<void> => {
    await store.settle(queries, row.id, ending, startedAt);
    if (ending.status === 'waiting') return;
    const { workspace_id: workspaceId, workflow_id: workflowId, id: runId, call_id: callId } = row;
    const failures = await workflows.countRun(queries, workspaceId, workflowId, ending.status === 'failed');
    if (ending.status !== 'failed') return;
    const { step: stepId, reason: code } = ending;
    const data = { workflowId, runId, callId, stepId, code };
    await writeEvent(queries, { ...eventOf(workspaceId, workflowId), type: 'workflow_run_failed', data });
    if (failures !== null && failures >= maxFailures) await disable(queries, workspaceId, workflowId);
  };

  return (
    owner: string,
    workflow: { readonly workspaceId: string; readonly id: string },
    { id, callId, version }: DueRun,
    received: Received | null,
  ): Promise<Advance | { readonly kind: 'lost' | 'canceled' }> =>
    database.transaction(async (queries) => {
      const found = await workflows.version(queries, workflow.id, version);
      const definition = found?.steps ?? [];
      // Before the run, as when the call is redacted or deleted.
      const isUpdating = definition.some(({ type }) => type === 'update_call');
      const call = isUpdating ? await calls.lock(queries, workflow.workspaceId, callId) : null;
      const row = await store.lockOwned(queries, owner, id);
      if (row === undefined) return { kind: 'lost' };
      // A run that has not started has none: one round trip less for most runs.
      const steps = new RunSteps(row.started_at === null ? [] : await store.steps(queries, id));
      const execution = new Execution(parts, queries, { row, definition, steps, call });
      if (row.completed_at !== null) {
        if (received !== null) await execution.recordCanceled(received);
        await store.saveSteps(queries, id, steps.changed);
        await store.letGo(queries, id);
        return { kind: 'canceled' };
      }
      const advance = await execution.run(received);
      await store.saveSteps(queries, id, steps.changed);
      const { startedAt } = execution;
      if (advance.kind === 'request') await store.progress(queries, id, advance.step.id, startedAt);
      else await end(queries, row, advance.ending, startedAt);
      return advance;
    });
}

function eventOf(workspaceId: string, subjectId: string) {
  return { workspaceId, subjectId, sequence: null, agentId: null, agentWebhook: null } as const;
}
