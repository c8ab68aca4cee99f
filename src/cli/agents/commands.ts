import { type Command, InvalidArgumentError, Option } from 'commander';
import { addConnectionOptions } from '../connection.ts';
import { exitCodeHelp } from '../failures.ts';
import type { Surroundings } from '../surroundings.ts';
import * as help from './help.ts';
import type { AgentOptions, ConditionOptions, FieldOptions, ListOptions, RepeatOptions } from './options.ts';

const usualLimit = 50;

/** `voice-agents agents …`: what the API does with agents, by way of the SDK. */
export function addAgentCommands(program: Command, surroundings: Surroundings): void {
  const agents = program
    .command('agents')
    .description('list, read, change, publish and delete agents')
    .addHelpText('after', `${help.agents}${exitCodeHelp}`);
  addReads(agents, surroundings);
  addChanges(agents, surroundings);
  addSteps(agents, surroundings);
  // Last, so that the help of each begins with what is its own.
  for (const made of agents.commands)
    addConnectionOptions(made.option('--json', 'print JSON, one line for each agent'));
}

function addReads(agents: Command, surroundings: Surroundings): void {
  const listWork = () => import('./list.ts');
  const showWork = () => import('./show.ts');

  withPageOptions(command(agents, 'list', help.list))
    .description('list agents, newest first')
    .option('--search <text>', 'only those with this in their name; case and width do not matter')
    .action(async (options: ListOptions & { search?: string }) => (await listWork()).listAgents(options, surroundings));

  command(agents, 'get <id>', help.get)
    .description('show an agent')
    .option('--version <version>', 'a number, "latest" or "published"; the newest unless told otherwise')
    .option('--etag', 'print its ETag alone, for --if-match')
    .action(async (id: string, options: AgentOptions & { version?: string; etag?: boolean }) =>
      (await showWork()).getAgent(id, options, surroundings),
    );

  withPageOptions(command(agents, 'versions <id>', help.versions))
    .description('list the versions of an agent, newest first')
    .action(async (id: string, options: ListOptions) => (await listWork()).listVersions(id, options, surroundings));

  command(agents, 'diff <id>', help.diff)
    .description('show what differs between two versions, field by field')
    .option('--from <version>', 'a number, "latest" or "published"', 'published')
    .option('--to <version>', 'a number, "latest" or "published"', 'latest')
    .action(async (id: string, options: AgentOptions & { from: string; to: string }) =>
      (await showWork()).diffAgent(id, options, surroundings),
    );
}

function addChanges(agents: Command, surroundings: Surroundings): void {
  const work = () => import('./changes.ts');

  withFieldOptions(command(agents, 'create', help.create))
    .description('make an agent; only its name and its voice have to be given')
    .option('--name <text>', 'what people call it')
    .option('--voice-id <id>', 'the voice that speaks, by the id that its provider gives it')
    .addOption(idempotencyKey())
    .action(async (options: AgentOptions & FieldOptions & RepeatOptions & { name?: string; voiceId?: string }) =>
      (await work()).createAgent(options, surroundings),
    );

  withFieldOptions(command(agents, 'update <id>', help.update))
    .description('change what is given, and leave the rest')
    .option('--unset <field>', 'take an optional field away; may be repeated', collected)
    .addOption(ifMatch())
    .action(
      async (id: string, options: AgentOptions & FieldOptions & ConditionOptions & { unset?: readonly string[] }) =>
        (await work()).updateAgent(id, options, surroundings),
    );

  command(agents, 'delete <id...>', help.remove)
    .description('delete agents with all of their versions; this cannot be taken back')
    .option('--yes', 'do not ask; needed where there is no terminal')
    .addOption(ifMatch())
    .action(async (ids: readonly string[], options: AgentOptions & ConditionOptions & { yes?: boolean }) =>
      (await work()).deleteAgents(ids, options, surroundings),
    );
}

function addSteps(agents: Command, surroundings: Surroundings): void {
  const work = () => import('./changes.ts');

  command(agents, 'duplicate <id>', help.duplicate)
    .description('make a new agent with the content of this one')
    .option('--name <text>', 'the name of the copy, instead of the same')
    .addOption(idempotencyKey())
    .action(async (id: string, options: AgentOptions & RepeatOptions & { name?: string }) =>
      (await work()).duplicateAgent(id, options, surroundings),
    );

  command(agents, 'publish <id>', help.publish)
    .description('freeze the newest version for good')
    .option('--description <text>', 'what this version is about')
    .addOption(ifMatch())
    .addOption(idempotencyKey())
    .action(async (id: string, options: AgentOptions & ConditionOptions & RepeatOptions & { description?: string }) =>
      (await work()).publishAgent(id, options, surroundings),
    );

  command(agents, 'restore <id> <version>', help.restore)
    .description('give the newest version the content of an earlier one, as a draft')
    .addOption(ifMatch())
    .addOption(idempotencyKey())
    .action(async (id: string, version: string, options: AgentOptions & ConditionOptions & RepeatOptions) =>
      (await work()).restoreAgent(id, version, options, surroundings),
    );
}

function command(agents: Command, name: string, text: string): Command {
  return agents.command(name).addHelpText('after', text);
}

function withPageOptions(made: Command): Command {
  return made
    .option('--limit <number>', 'how many at the most', parseCount, usualLimit)
    .addOption(new Option('--all', 'every one there is').conflicts('limit'));
}

function withFieldOptions(made: Command): Command {
  return made
    .option('--set <field=value>', 'a field, such as voiceSpeed=1.2; may be repeated', collected)
    .option('--file <file>', 'fields from a file, JSON or YAML; "-" is standard input');
}

function ifMatch(): Option {
  return new Option('--if-match <etag>', 'only if it still has this ETag ("agents get --etag")');
}

function idempotencyKey(): Option {
  return new Option('--idempotency-key <key>', 'makes a repeat within 24 hours have no second effect');
}

function collected(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}
