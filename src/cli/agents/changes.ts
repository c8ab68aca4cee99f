import type { Agent, CreateAgent, UpdateAgent } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { checkedId, checkedVersion } from '../resources/ids.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import { type Fields, readFields, setField, unsetField } from './fields.ts';
import type { ConditionOptions, FieldOptions, RepeatOptions } from './options.ts';

/** Reports misspelled fields, which the service would otherwise ignore. */
const strict = { headers: { prefer: 'handling=strict' } };

export async function createAgent(
  options: CommandOptions & FieldOptions & RepeatOptions & { readonly name?: string; readonly voiceId?: string },
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
  options: CommandOptions & FieldOptions & ConditionOptions & { readonly unset?: readonly string[] },
  context: CommandContext,
): Promise<void> {
  const agentId = checkedId('agent', id);
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

export async function duplicateAgent(
  id: string,
  options: CommandOptions & RepeatOptions & { readonly name?: string },
  context: CommandContext,
): Promise<void> {
  const agentId = checkedId('agent', id);
  const { client } = await connect(options, context.environment);
  const body = options.name === undefined ? {} : { name: options.name };
  const agent = await client.agents.duplicate(agentId, body, repeatOf(options));
  await show(`created as a copy of ${agentId}`, agent, options, context);
}

export async function publishAgent(
  id: string,
  options: CommandOptions & ConditionOptions & RepeatOptions & { readonly description?: string },
  context: CommandContext,
): Promise<void> {
  const agentId = checkedId('agent', id);
  const { client } = await connect(options, context.environment);
  const body = options.description === undefined ? {} : { versionDescription: options.description };
  const agent = await client.agents.publish(agentId, body, { ...conditionOf(options), ...repeatOf(options) });
  await show('published', agent, options, context);
}

export async function restoreAgent(
  id: string,
  version: string,
  options: CommandOptions & ConditionOptions & RepeatOptions,
  context: CommandContext,
): Promise<void> {
  const agentId = checkedId('agent', id);
  const earlier = checkedVersion(version);
  const { client } = await connect(options, context.environment);
  const how = { ...conditionOf(options), ...repeatOf(options) };
  const agent = await client.agents.versions.restore(agentId, earlier, {}, how);
  await show(`restored from version ${earlier}`, agent, options, context);
}

async function show(what: string, agent: Agent, { json }: CommandOptions, { stdout }: CommandContext): Promise<void> {
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
