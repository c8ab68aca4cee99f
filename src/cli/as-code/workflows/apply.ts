import type { VoiceAgents, Workflow } from '../../../../sdk/src/index.ts';
import { changedFields, createWorkflow, type WorkflowContent } from '../../workflows/content.ts';
import { referencesIn } from '../../workflows/references.ts';
import { applyItems, changedSincePlan } from '../beside/apply.ts';
import type { Outcome } from '../beside/planned-item.ts';
import type { WorkspaceState } from '../state.ts';
import { withIds } from './names.ts';
import { listNumbers, type PlannedWorkflow, type WorkflowPlan } from './plan.ts';
import { digestOfWorkflow } from './workflow-file.ts';

interface ApplyWorkflowsInput {
  readonly client: VoiceAgents;
  readonly plan: WorkflowPlan;
  readonly state: WorkspaceState;
  readonly save: () => Promise<void>;
  readonly isStopped: () => boolean;
}

/** After agents and numbers, because a file may name some that were just created. */
export async function applyWorkflows(input: ApplyWorkflowsInput): Promise<Outcome<PlannedWorkflow>[]> {
  const { state, plan, save, isStopped } = input;
  const remember = (item: PlannedWorkflow, seen: Workflow | null) => {
    if (seen === null || item.file === null) return;
    const { file: path, digest } = item.file;
    for (const [id, entry] of state.workflows) if (entry.path === path) state.workflows.delete(id);
    state.workflows.set(seen.id, { path, content: digestOfWorkflow(seen), file: digest });
  };
  return applyItems(plan.items, {
    remember: (item) => remember(item, item.seen),
    apply: async (item) => remember(item, await applyWorkflow(item, input)),
    save,
    isStopped,
  });
}

/** Returns the workflow as it is now; null if it was deleted. */
async function applyWorkflow(
  item: PlannedWorkflow,
  { client, plan, state }: ApplyWorkflowsInput,
): Promise<Workflow | null> {
  const { action, seen, changes } = item;
  if (action === 'delete' && seen !== null) {
    await client.workflows.delete(seen.id, { ifMatch: await unchangedTag(client, seen) });
    state.workflows.delete(seen.id);
    return null;
  }
  const given = item.file?.content as WorkflowContent;
  // An apply may just have imported the number.
  const calls = referencesIn(given).numbers.some((number) => number.startsWith('+'));
  const numbers = calls ? await listNumbers(client) : [];
  const content = withIds(given, { ...plan.known, numbers, state });
  if (seen === null) return createWorkflow(client, content);
  const ifMatch = await unchangedTag(client, seen);
  return client.workflows.update(seen.id, changedFields(content, changes), { ifMatch });
}

/** The ETag of the workflow, if it still is what the plan was made from. */
async function unchangedTag(client: VoiceAgents, seen: Workflow): Promise<string | null> {
  const { data, response } = await client.workflows.get(seen.id).withResponse();
  if (digestOfWorkflow(data) === digestOfWorkflow(seen)) return response.etag;
  throw changedSincePlan();
}
