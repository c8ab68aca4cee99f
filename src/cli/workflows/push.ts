import type { VoiceAgents, Workflow } from '../../../sdk/src/index.ts';
import type { FieldChange } from '../as-code/changes.ts';
import { describeChange } from '../as-code/field-lines.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, paint, print, printResult } from '../context.ts';
import { checkedId } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';
import { changedFields, contentOfWorkflow, createWorkflow, type WorkflowContent, workflowChanges } from './content.ts';
import { findWorkflow, workflowNamed } from './find.ts';
import { readWorkflowFile, type WorkflowFile, withIds } from './workflow-file.ts';

interface PushOptions extends CommandOptions {
  readonly id?: string;
  readonly ifMatch?: string;
  readonly dryRun?: boolean;
}

/** A workflow on the server, as it was read. */
interface Existing {
  readonly workflow: Workflow;
  readonly etag: string | null;
}

/** Creates the workflow of a file, or updates the one with its name. */
export async function pushWorkflow(file: string, options: PushOptions, context: CommandContext): Promise<void> {
  const { dryRun = false, json = false } = options;
  const given = await readWorkflowFile(file);
  const { client } = await connect(options, context.environment);
  const content = await withIds(client, given.content);
  const existing = await existingOf(client, given, options.id);
  const current = existing === null ? null : contentOfWorkflow(existing.workflow);
  const changes = workflowChanges(current, content);
  if (!json) await print(context.stdout, describeChanges(content.name, changes, existing, context.stdout));
  if (dryRun || (existing !== null && changes.length === 0)) {
    if (json) await printResult(dryRun ? { changes } : existing?.workflow, '', options, context);
    return;
  }
  const saved =
    existing === null
      ? await createWorkflow(client, content)
      : await updated(client, existing, content, changes, options.ifMatch);
  await printResult(saved, savedText(saved, existing === null), options, context);
}

async function existingOf(
  client: VoiceAgents,
  file: WorkflowFile,
  target: string | undefined,
): Promise<Existing | null> {
  const found = await (target !== undefined
    ? findWorkflow(client, target)
    : file.id !== null
      ? client.workflows.get(checkedId('workflow', file.id, 'wfl'))
      : workflowNamed(client, file.content.name));
  if (found === null) return null;
  const { data, response } = await client.workflows.get(found.id).withResponse();
  return { workflow: data, etag: response.etag };
}

async function updated(
  client: VoiceAgents,
  { workflow, etag }: Existing,
  content: WorkflowContent,
  changes: readonly FieldChange[],
  ifMatch = etag,
): Promise<Workflow> {
  return client.workflows.update(workflow.id, changedFields(content, changes), { ifMatch });
}

function describeChanges(
  name: string,
  changes: readonly FieldChange[],
  existing: Existing | null,
  stdout: NodeJS.WriteStream,
): string {
  const shown = visible(name);
  if (existing !== null && changes.length === 0) return `  unchanged  ${shown}\n`;
  const head = existing === null ? paint('green', '+ create', stdout) : paint('yellow', '~ update', stdout);
  const lines = changes.flatMap((change) => describeChange(change, stdout)).map((line) => `    ${line}\n`);
  return `${head}  ${shown}${existing === null ? '' : `  ${existing.workflow.id}`}\n${lines.join('')}\n`;
}

function savedText({ id, version, enabled, disabledReason }: Workflow, isNew: boolean): string {
  const state = enabled ? 'enabled' : `disabled${disabledReason === 'failing' ? ', because its runs failed' : ''}`;
  const hint = enabled ? '' : ` Enable it with "voice-agents workflows enable ${id}".`;
  return `${isNew ? 'Created' : 'Updated'} ${id}, version ${version}, ${state}.${hint}\n`;
}
