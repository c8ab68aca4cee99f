import type { Agent } from '../../../../sdk/src/index.ts';
import { contentOfWorkflow, shortWorkflow } from '../../workflows/content.ts';
import { pullBeside } from '../beside/pull.ts';
import type { Format } from '../document.ts';
import { nameKey, newFileNames } from '../file-names.ts';
import type { PulledFile } from '../pulled-file.ts';
import type { WorkspaceState } from '../state.ts';
import { withFileNames } from './names.ts';
import { followRenamedWorkflows, namesakes, type SeenWorkflows } from './plan.ts';
import { digestOfWorkflow, type WorkflowFile, workflowsFolder } from './workflow-file.ts';

interface PullWorkflowsInput extends SeenWorkflows {
  readonly folder: string;
  readonly files: readonly WorkflowFile[];
  readonly agents: readonly Agent[];
  readonly state: WorkspaceState;
  readonly format: Format;
  readonly isForced: boolean;
}

/** Updates the files of the workflows to the state of the server, without overwriting local changes. */
export async function pullWorkflows(input: PullWorkflowsInput): Promise<PulledFile[]> {
  const { folder, files, workflows, state, format, isForced } = input;
  followRenamedWorkflows(state, files, workflows);
  const byPath = new Map(files.map((file) => [file.file, file]));
  const pathOf = new Map([...state.workflows].map(([id, { path }]) => [id, path]));
  const isManaged = new Set(pathOf.values());
  for (const { file, content } of files) {
    const [first, second] = content === null || isManaged.has(file) ? [] : namesakes(content.name, workflows, state);
    if (first !== undefined && second === undefined) pathOf.set(first.id, file);
  }
  const fresh = workflows.filter(({ id }) => !pathOf.has(id));
  const baseName = (path: string) => nameKey(path.slice(workflowsFolder.length + 1));
  const taken = new Set([...byPath.keys(), ...pathOf.values()].map(baseName));
  const newNames = newFileNames(fresh, `.${format}`, taken);
  const source = {
    thing: 'workflow',
    resources: workflows.map((workflow) => ({
      key: workflow.id,
      id: workflow.id,
      name: workflow.name,
      content: withFileNames(contentOfWorkflow(workflow), input),
      digest: digestOfWorkflow(workflow),
    })),
    entries: state.workflows,
    localOf: (id: string) => {
      const file = byPath.get(pathOf.get(id) ?? '');
      const content = file?.content ?? null;
      return file === undefined || content === null ? file : { ...file, content: withFileNames(content, input) };
    },
    newFile: ({ key }: { readonly key: string }) => pathOf.get(key) ?? `${workflowsFolder}/${newNames.get(key)}`,
    short: shortWorkflow,
    remember: ({ key, digest }: { readonly key: string; readonly digest: string }, path: string, file: string) =>
      void state.workflows.set(key, { path, content: digest, file }),
  };
  return pullBeside(folder, source, isForced);
}
