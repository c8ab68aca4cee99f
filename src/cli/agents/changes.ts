import type { VoiceAgents } from '../../../sdk/src/client.ts';
import type { Agent, CreateAgent, UpdateAgent } from '../../../sdk/src/schema.ts';
import { connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { CommandError, describeFailure, exitCodeFor, exitCodes, invalidUsage } from '../failures.ts';
import { withDialog } from '../terminal/dialog.ts';
import { createProgress, watched } from '../terminal/progress.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import { type Fields, readFields, setField, unsetField } from './fields.ts';
import { checkedId, checkedVersion } from './names.ts';
import type { AgentOptions, ConditionOptions, FieldOptions, RepeatOptions } from './options.ts';

/** Reports misspelled fields, which the service would otherwise ignore. */
const strict = { headers: { prefer: 'handling=strict' } };

export async function createAgent(
  options: AgentOptions & FieldOptions & RepeatOptions & { readonly name?: string; readonly voiceId?: string },
  context: CommandContext,
): Promise<void> {
  const { file, name, voiceId } = options;
  const fields: Fields = file === undefined ? {} : await readFields(file, context.stdin);
  if (name !== undefined) fields.name = name;
  if (voiceId !== undefined) fields.voiceId = voiceId;
  for (const assignment of options.set ?? []) setField(fields, assignment);
  // Null means "not set" in a response, so in a new agent it is the same as leaving the field out.
  const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  const { client } = await connect(options, context.environment);
  // Not validated here: the service reports problems field by field.
  const agent = await client.agents.create(body as unknown as CreateAgent, { ...strict, ...repeatOf(options) });
  await show('created', agent, options, context);
}

export async function updateAgent(
  id: string,
  options: AgentOptions & FieldOptions & ConditionOptions & { readonly unset?: readonly string[] },
  context: CommandContext,
): Promise<void> {
  const agentId = checkedId(id);
  const { file, set = [], unset = [] } = options;
  if (file === undefined && set.length + unset.length === 0) {
    throw invalidUsage('nothing to update: use --set, --unset or --file');
  }
  const fields: Fields = file === undefined ? {} : await readFields(file, context.stdin);
  for (const assignment of set) setField(fields, assignment);
  for (const path of unset) unsetField(fields, path);
  const { client } = await connect(options, context.environment);
  const agent = await client.agents.update(agentId, fields as UpdateAgent, { ...strict, ...conditionOf(options) });
  await show('updated', agent, options, context);
}

export async function deleteAgents(
  ids: readonly string[],
  options: AgentOptions & ConditionOptions & { readonly yes?: boolean },
  context: CommandContext,
): Promise<void> {
  const agentIds = [...new Set(ids.map(checkedId))];
  if (options.ifMatch !== undefined && agentIds.length > 1) {
    throw invalidUsage('--if-match works with a single agent only: each agent has its own ETag');
  }
  const { client } = await connect(options, context.environment);
  if (!options.yes) await confirmDeletion(client, agentIds, context);
  const { stdout, stderr } = context;
  const progress = createProgress('Deleting', stderr);
  let exitCode: number = exitCodes.done;
  let done = 0;
  await watched(progress, async () => {
    for (const id of agentIds) {
      if (agentIds.length > 1 && !stdout.isTTY) progress.show(done, agentIds.length);
      try {
        const deleted = await client.agents.delete(id, conditionOf(options));
        done += 1;
        await print(stdout, options.json ? jsonLine(deleted) : `${id} deleted.\n`);
      } catch (error) {
        if (agentIds.length === 1 || !isAboutOne(error)) throw error;
        exitCode ||= exitCodeFor(error);
        progress.end();
        stderr.write(describeFailure(error).replace('voice-agents: ', `voice-agents: ${id}: `));
      }
    }
  });
  if (exitCode !== exitCodes.done) {
    throw new CommandError(`${done} of ${agentIds.length} agents deleted`, exitCode);
  }
}

/** A missing agent does not affect the others; a bad key or an unreachable service affects all of them. */
function isAboutOne(error: unknown): boolean {
  return exitCodeFor(error) === exitCodes.notFound;
}

async function confirmDeletion(client: VoiceAgents, ids: readonly string[], context: CommandContext): Promise<void> {
  const { stdin, stderr } = context;
  if (!stdin.isTTY || !stderr.isTTY) {
    throw invalidUsage('cannot ask for confirmation without a terminal: use --yes');
  }
  for (const id of ids) {
    const { name, version, isPublished } = await client.agents.get(id);
    stderr.write(`  ${id}  ${visible(name)}  (version ${version}, ${isPublished ? 'published' : 'draft'})\n`);
  }
  const what = ids.length === 1 ? 'this agent with all its' : `these ${ids.length} agents with all their`;
  const answer = await withDialog(context, ({ ask }) => ask(`Delete ${what} versions? [y/N] `));
  if (!/^y(es)?$/i.test(answer)) throw new CommandError('aborted: nothing was deleted');
}

export async function duplicateAgent(
  id: string,
  options: AgentOptions & RepeatOptions & { readonly name?: string },
  context: CommandContext,
): Promise<void> {
  const agentId = checkedId(id);
  const { client } = await connect(options, context.environment);
  const body = options.name === undefined ? {} : { name: options.name };
  const agent = await client.agents.duplicate(agentId, body, repeatOf(options));
  await show(`created as a copy of ${agentId}`, agent, options, context);
}

export async function publishAgent(
  id: string,
  options: AgentOptions & ConditionOptions & RepeatOptions & { readonly description?: string },
  context: CommandContext,
): Promise<void> {
  const agentId = checkedId(id);
  const { client } = await connect(options, context.environment);
  const body = options.description === undefined ? {} : { versionDescription: options.description };
  const agent = await client.agents.publish(agentId, body, { ...conditionOf(options), ...repeatOf(options) });
  await show('published', agent, options, context);
}

export async function restoreAgent(
  id: string,
  version: string,
  options: AgentOptions & ConditionOptions & RepeatOptions,
  context: CommandContext,
): Promise<void> {
  const agentId = checkedId(id);
  const earlier = checkedVersion(version);
  const { client } = await connect(options, context.environment);
  const how = { ...conditionOf(options), ...repeatOf(options) };
  const agent = await client.agents.versions.restore(agentId, earlier, {}, how);
  await show(`restored from version ${earlier}`, agent, options, context);
}

async function show(what: string, agent: Agent, { json }: AgentOptions, { stdout }: CommandContext): Promise<void> {
  const { id, name, version, isPublished } = agent;
  const state = `version ${version}, ${isPublished ? 'published' : 'draft'}`;
  await print(stdout, json ? jsonLine(agent) : `${id} ${what}: ${visible(name)} (${state}).\n`);
}

function conditionOf({ ifMatch }: ConditionOptions): { ifMatch?: string } {
  return ifMatch === undefined ? {} : { ifMatch };
}

function repeatOf({ idempotencyKey }: RepeatOptions): { idempotencyKey?: string } {
  return idempotencyKey === undefined ? {} : { idempotencyKey };
}
