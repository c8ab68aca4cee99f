import type { Agent, CreateAgent, UpdateAgent } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, printResult } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { checkedId, checkedVersion } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';
import { type Fields, readFields, setField, unsetField } from './fields.ts';

/** The options of the commands that change an agent; none has all of them. */
interface ChangeOptions extends CommandOptions {
  readonly file?: string;
  readonly set?: readonly string[];
  readonly unset?: readonly string[];
  readonly name?: string;
  readonly voiceId?: string;
  readonly description?: string;
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
}

/** Reports misspelled fields, which the service would otherwise ignore. */
const strict = { headers: { prefer: 'handling=strict' } };

export async function createAgent(options: ChangeOptions, context: CommandContext): Promise<void> {
  const { file, name, voiceId, idempotencyKey } = options;
  const fields: Fields = file === undefined ? {} : await readFields(file, context.stdin);
  if (name !== undefined) fields.name = name;
  if (voiceId !== undefined) fields.voiceId = voiceId;
  for (const assignment of options.set ?? []) setField(fields, assignment);
  // Null means "not set" in a response, so in a new agent it is the same as leaving the field out.
  const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  const { client } = await connect(options, context.environment);
  // Not validated here: the service reports problems field by field.
  const agent = await client.agents.create(body as unknown as CreateAgent, { ...strict, idempotencyKey });
  await show('created', agent, options, context);
}

export async function updateAgent(id: string, options: ChangeOptions, context: CommandContext): Promise<void> {
  const agentId = checkedId('agent', id);
  const { file, set = [], unset = [], ifMatch } = options;
  if (file === undefined && set.length + unset.length === 0) {
    throw invalidUsage('nothing to update: use --set, --unset or --file');
  }
  const fields: Fields = file === undefined ? {} : await readFields(file, context.stdin);
  for (const assignment of set) setField(fields, assignment);
  for (const path of unset) unsetField(fields, path);
  const { client } = await connect(options, context.environment);
  const agent = await client.agents.update(agentId, fields as UpdateAgent, { ...strict, ifMatch });
  await show('updated', agent, options, context);
}

export async function duplicateAgent(id: string, options: ChangeOptions, context: CommandContext): Promise<void> {
  const agentId = checkedId('agent', id);
  const { name, idempotencyKey } = options;
  const { client } = await connect(options, context.environment);
  const agent = await client.agents.duplicate(agentId, name === undefined ? {} : { name }, { idempotencyKey });
  await show(`created as a copy of ${agentId}`, agent, options, context);
}

export async function publishAgent(id: string, options: ChangeOptions, context: CommandContext): Promise<void> {
  const agentId = checkedId('agent', id);
  const { description, ifMatch, idempotencyKey } = options;
  const { client } = await connect(options, context.environment);
  const body = description === undefined ? {} : { versionDescription: description };
  const agent = await client.agents.publish(agentId, body, { ifMatch, idempotencyKey });
  await show('published', agent, options, context);
}

export async function restoreAgent(
  id: string,
  version: string,
  options: ChangeOptions,
  context: CommandContext,
): Promise<void> {
  const agentId = checkedId('agent', id);
  const earlier = checkedVersion(version);
  const { ifMatch, idempotencyKey } = options;
  const { client } = await connect(options, context.environment);
  const agent = await client.agents.versions.restore(agentId, earlier, {}, { ifMatch, idempotencyKey });
  await show(`restored from version ${earlier}`, agent, options, context);
}

async function show(what: string, agent: Agent, options: CommandOptions, context: CommandContext): Promise<void> {
  const { id, name, version, isPublished } = agent;
  const state = `version ${version}, ${isPublished ? 'published' : 'draft'}`;
  await printResult(agent, `${id} ${what}: ${visible(name)} (${state}).\n`, options, context);
}
