import type { Workflow } from '../../../../sdk/src/index.ts';
import { checkWorkflow, contentOfWorkflow, type WorkflowContent } from '../../workflows/content.ts';
import { type LocalFile, readLocalFiles, withoutDuplicates } from '../beside/local-files.ts';
import { digest } from '../content.ts';

/** The directory of the workflow files, beside those of the agents. */
export const workflowsFolder = 'workflows';

export type WorkflowFile = LocalFile<WorkflowContent>;

/** A file says everything: without `enabled`, the workflow is disabled. */
export async function readWorkflowFiles(folder: string): Promise<WorkflowFile[]> {
  const files = await readLocalFiles(folder, workflowsFolder, (value) => {
    const result = checkWorkflow(value);
    if ('issues' in result) return result;
    return { content: { ...result.content, enabled: result.content.enabled ?? false } };
  });
  return withoutDuplicates(files, 'name');
}

/** What a workflow was on the server, independent of the names of files. */
export function digestOfWorkflow(workflow: Workflow): string {
  return digest(JSON.stringify(contentOfWorkflow(workflow)));
}
