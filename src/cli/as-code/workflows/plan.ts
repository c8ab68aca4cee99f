import type { PhoneNumber, VoiceAgents, Workflow } from '../../../../sdk/src/index.ts';
import { contentOfWorkflow, type WorkflowContent, workflowChanges } from '../../workflows/content.ts';
import { referencesIn } from '../../workflows/references.ts';
import type { PlannedItem } from '../beside/planned-item.ts';
import { compare } from '../file-names.ts';
import type { PlanOptions } from '../plan.ts';
import type { KnownWorkflow, WorkspaceState } from '../state.ts';
import { type InFiles, type Known, unknownName, withFileNames } from './names.ts';
import { digestOfWorkflow, type WorkflowFile } from './workflow-file.ts';

export interface PlannedWorkflow extends PlannedItem {
  readonly name: string;
  /** Null if the file was removed. */
  readonly file: WorkflowFile | null;
  /** On the server. */
  readonly seen: Workflow | null;
}

export interface WorkflowPlan {
  readonly items: readonly PlannedWorkflow[];
  /** Workflows on the server without a file. */
  readonly unmanaged: readonly Workflow[];
  readonly known: Omit<Known, 'state'>;
}

export const emptyWorkflowPlan: WorkflowPlan = { items: [], unmanaged: [], known: { agents: [], numbers: [] } };

export interface SeenWorkflows {
  /** In order of creation. */
  readonly workflows: readonly Workflow[];
  readonly numbers: Known['numbers'];
}

/** The phone numbers only if a workflow calls from one. */
export async function readWorkflows(
  client: VoiceAgents,
  files: readonly WorkflowFile[],
  hasNumbers: boolean,
): Promise<SeenWorkflows> {
  const workflows: Workflow[] = [];
  for await (const workflow of client.workflows.list({ limit: 200 })) workflows.push(workflow);
  workflows.reverse();
  const contents = [...workflows, ...files.flatMap(({ content }) => content ?? [])];
  const needsNumbers = hasNumbers && contents.some((content) => referencesIn(content).numbers.length > 0);
  return { workflows, numbers: needsNumbers ? await listNumbers(client) : [] };
}

export async function listNumbers(client: VoiceAgents): Promise<PhoneNumber[]> {
  const numbers: PhoneNumber[] = [];
  for await (const number of client.phoneNumbers.list({ limit: 200 })) numbers.push(number);
  return numbers;
}

export interface WorkflowPlanInput extends Known, InFiles {
  readonly files: readonly WorkflowFile[];
  readonly workflows: readonly Workflow[];
  readonly options: PlanOptions;
}

/** Computes the changes that bring the workflows in line with the files. */
export function planWorkflows(input: WorkflowPlanInput): WorkflowPlan {
  const { files, workflows, state, options, agents, numbers } = input;
  followRenamedWorkflows(state, files, workflows);
  const byId = new Map(workflows.map((one) => [one.id, one]));
  const idOfFile = new Map([...state.workflows].map(([id, { path }]) => [path, id]));
  const planned = files.flatMap((file): PlannedWorkflow[] => {
    if (file.content === null) return [];
    const id = idOfFile.get(file.file);
    const entry = id === undefined ? undefined : state.workflows.get(id);
    const seen = id === undefined ? adopted(file.content, input) : byId.get(id);
    return [planFile(file, file.content, { seen: seen ?? null, entry }, input)];
  });
  const paths = new Set(files.map(({ file }) => file));
  const removed = [...state.workflows].flatMap(([id, entry]): PlannedWorkflow[] => {
    const seen = byId.get(id);
    return paths.has(entry.path) || seen === undefined ? [] : [planRemoved(seen, entry, options)];
  });
  const items = [...planned, ...removed].sort((a, b) => compare(a.name, b.name));
  const managed = new Set([...items.map(({ seen }) => seen?.id), ...state.workflows.keys()]);
  return { items, unmanaged: workflows.filter(({ id }) => !managed.has(id)), known: { agents, numbers } };
}

/** A file that has moved belongs to the workflow that it had: with its content, or with its name. */
export function followRenamedWorkflows(
  state: WorkspaceState,
  files: readonly WorkflowFile[],
  workflows: readonly Workflow[],
): void {
  const paths = new Set(files.map(({ file }) => file));
  for (const [id, entry] of state.workflows) {
    if (paths.has(entry.path)) continue;
    const taken = new Set([...state.workflows.values()].map(({ path }) => path));
    const name = workflows.find((workflow) => workflow.id === id)?.name;
    const free = files.filter(({ file }) => !taken.has(file));
    const moved =
      free.find(({ digest }) => digest === entry.file) ?? free.find(({ content }) => content?.name === name);
    if (moved !== undefined) state.workflows.set(id, { ...entry, path: moved.file });
  }
}

/** With --adopt, the only workflow with the name of a new file. */
function adopted({ name }: WorkflowContent, { options, workflows, state }: WorkflowPlanInput): Workflow | undefined {
  const [first, second] = options.adopt === true ? namesakes(name, workflows, state) : [];
  return second === undefined ? first : undefined;
}

export function namesakes(name: string, workflows: readonly Workflow[], state: WorkspaceState): Workflow[] {
  return workflows.filter((workflow) => workflow.name === name && !state.workflows.has(workflow.id));
}

function planFile(
  file: WorkflowFile,
  content: WorkflowContent,
  { seen, entry }: { readonly seen: Workflow | null; readonly entry: KnownWorkflow | undefined },
  input: WorkflowPlanInput,
): PlannedWorkflow {
  const { options, workflows, state } = input;
  const current = seen === null ? null : withFileNames(contentOfWorkflow(seen), input);
  const changes = workflowChanges(current, withFileNames(content, input));
  const base = { name: content.name, file, seen, changes };
  if (seen !== null && changes.length === 0) return { ...base, action: 'none', obstacle: null, isConflict: false };
  const isForced = options.force === true;
  let conflict: string | null = null;
  if (seen === null && entry !== undefined) {
    conflict = 'deleted on the server since the last pull: use --force to create it again';
  } else if (seen === null && namesakes(content.name, workflows, state).length > 0) {
    conflict = 'there is a workflow with this name: use --adopt to link it, or --force to create another one';
  } else if (seen !== null && entry !== undefined && entry.content !== digestOfWorkflow(seen)) {
    conflict =
      'changed on the server since the last pull: run "pull" to get the changes, or use --force to overwrite them';
  }
  if (isForced) conflict = null;
  const obstacle = conflict ?? unknownName(content, input);
  return { ...base, action: seen === null ? 'create' : 'update', obstacle, isConflict: conflict !== null };
}

function planRemoved(seen: Workflow, entry: KnownWorkflow, options: PlanOptions): PlannedWorkflow {
  const isDeleting = options.delete === true;
  const isChanged = digestOfWorkflow(seen) !== entry.content;
  const obstacle =
    isDeleting && isChanged && !options.force ? 'changed on the server since the last pull: use --force' : null;
  return {
    name: seen.name,
    file: null,
    action: isDeleting ? 'delete' : 'none',
    seen,
    changes: [],
    obstacle,
    isConflict: obstacle !== null,
  };
}
