import type {
  NewWorkflowFields,
  Workflow,
  WorkflowChanges,
  WorkflowVersion,
} from '../../contract/workflows/workflow.ts';
import { etagOf } from '../../core/etag.ts';
import { isSameJson } from '../../core/merge-patch.ts';

export interface NewWorkflow {
  readonly id: string;
  readonly workspaceId: string;
  readonly fields: NewWorkflowFields;
  readonly now: string;
}

export function newWorkflow({ id, workspaceId, fields, now }: NewWorkflow): Workflow {
  const { name, description, trigger, steps } = fields;
  return {
    id,
    workspaceId,
    name,
    description,
    version: 1,
    enabled: false,
    disabledReason: null,
    trigger,
    steps,
    createdAt: now,
    updatedAt: now,
  };
}

/** The same object if nothing has changed. */
export function changedWorkflow(workflow: Workflow, changes: WorkflowChanges, now: string): Workflow {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const next: Workflow = { ...workflow, ...given };
  if (isSameJson(next, workflow)) return workflow;
  const isNewVersion = !hasSameDefinition(next, workflow);
  return {
    ...withEnabled(next, workflow),
    version: workflow.version + (isNewVersion ? 1 : 0),
    updatedAt: now,
  };
}

export function hasSameDefinition(one: Workflow, other: Workflow): boolean {
  return isSameJson(one.trigger, other.trigger) && isSameJson(one.steps, other.steps);
}

function withEnabled(next: Workflow, before: Workflow): Workflow {
  if (next.enabled === before.enabled) return next;
  return { ...next, disabledReason: next.enabled ? null : 'by_user' };
}

/** The workflow as it is once the service has disabled it after repeated failures. */
export function failingWorkflow(workflow: Workflow, now: string): Workflow {
  return { ...workflow, enabled: false, disabledReason: 'failing', updatedAt: now };
}

export function versionOf({ version, trigger, steps }: Workflow, createdAt: string, keyId: string): WorkflowVersion {
  return { version, trigger, steps, createdAt, keyId };
}

export function tagOf(workflow: Workflow): string {
  return etagOf(JSON.stringify(workflow));
}
