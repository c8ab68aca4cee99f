import type { VoiceAgents, Workflow } from '../../../sdk/src/index.ts';
import { CommandError, exitCodes, invalidUsage } from '../failures.ts';
import { checkedId } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';

/** A workflow by its id or its name. */
export async function findWorkflow(client: VoiceAgents, target: string): Promise<Workflow> {
  if (/^(wfl|vak)_/.test(target)) return client.workflows.get(checkedId('workflow', target, 'wfl'));
  const found = await workflowNamed(client, target);
  if (found !== null) return found;
  const advice = 'run "voice-agents workflows list" to see them';
  throw new CommandError(`there is no workflow "${visible(target)}": ${advice}`, exitCodes.notFound);
}

/** Null if there is none. Several workflows can have the same name. */
export async function workflowNamed(client: VoiceAgents, name: string): Promise<Workflow | null> {
  const found: Workflow[] = [];
  for await (const workflow of client.workflows.list({ limit: 100 })) if (workflow.name === name) found.push(workflow);
  const [first = null, second] = found;
  if (second === undefined) return first;
  const lines = found.map(({ id }) => `\n  ${id}`);
  throw invalidUsage(`several workflows are called "${visible(name)}": use an id${lines.join('')}`);
}
