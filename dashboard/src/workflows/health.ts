import type { Workflow, WorkflowRun } from '../../../sdk/src/index.ts';

export type WorkflowHealth = 'active' | 'failing' | 'disabled_failing' | 'disabled';

/** Failing: the newest run that has ended by itself failed, or the service gave up. */
export function healthOf(workflow: Workflow, newest: readonly WorkflowRun[]): WorkflowHealth {
  if (workflow.disabledReason === 'failing') return 'disabled_failing';
  if (!workflow.enabled) return 'disabled';
  const last = newest.find(
    ({ workflowId, status }) => workflowId === workflow.id && (status === 'succeeded' || status === 'failed'),
  );
  return last?.status === 'failed' ? 'failing' : 'active';
}

export function isFailing(health: WorkflowHealth): boolean {
  return health === 'failing' || health === 'disabled_failing';
}
