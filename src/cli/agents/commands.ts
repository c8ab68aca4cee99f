import { type Command, Option } from 'commander';
import { addConnectionOptions, type CommandOptions } from '../connection/connection.ts';
import type { CommandContext } from '../context.ts';
import { exitCodeHelp } from '../failures.ts';
import * as help from './help.ts';
import type { ConditionOptions, FieldOptions, RepeatOptions } from './options.ts';

/** `voice-agents agents …`: the agent operations of the API, through the SDK. */
export function addAgentCommands(program: Command, context: CommandContext): void {
  const agents = program
    .command('agents')
    .description('list, create, update, check, publish and delete agents')
    .addHelpText('after', `${help.agents}${exitCodeHelp}`);
  addReads(agents, context);
  addCheck(agents, context);
  addChanges(agents, context);
  addSteps(agents, context);
  // Added last, so that the help of each command starts with its own options.
  for (const made of agents.commands) addConnectionOptions(made.option('--json', 'print JSON, one agent per line'));
}

function addReads(agents: Command, context: CommandContext): void {
  const showWork = () => import('./show.ts');

  command(agents, 'get <id>', help.get)
    .alias('show')
    .description('show an agent')
    .option('--version <version>', 'a number, "latest" or "published" (default: "latest")')
    .option('--etag', 'print only the ETag, for use with --if-match')
    .action(async (id: string, options: CommandOptions & { version?: string; etag?: boolean }) =>
      (await showWork()).getAgent(id, options, context),
    );

  command(agents, 'diff <id>', help.diff)
    .description('show the differences between two versions')
    .option('--from <version>', 'a number, "latest" or "published"', 'published')
    .option('--to <version>', 'a number, "latest" or "published"', 'latest')
    .action(async (id: string, options: CommandOptions & { from: string; to: string }) =>
      (await showWork()).diffAgent(id, options, context),
    );
}

function addCheck(agents: Command, context: CommandContext): void {
  command(agents, 'check <id-or-file>', help.check)
    .description('check whether an agent, or an agent file, can be published')
    .option('--version <version>', 'a number, "latest" or "published" (default: "latest")')
    .action(async (target: string, options: CommandOptions & { version?: string }) =>
      (await import('./check.ts')).checkAgent(target, options, context),
    );
}

function addChanges(agents: Command, context: CommandContext): void {
  const work = () => import('./changes.ts');

  withFieldOptions(command(agents, 'create', help.create))
    .description('create an agent; only a name and a voice are required')
    .option('--name <text>', 'the name of the agent')
    .option('--voice-id <id>', 'the id of the voice')
    .addOption(idempotencyKey())
    .action(async (options: CommandOptions & FieldOptions & RepeatOptions & { name?: string; voiceId?: string }) =>
      (await work()).createAgent(options, context),
    );

  withFieldOptions(command(agents, 'update <id>', help.update))
    .description('update the given fields of an agent')
    .option('--unset <field>', 'remove an optional field; repeatable', collected)
    .addOption(ifMatch())
    .action(
      async (id: string, options: CommandOptions & FieldOptions & ConditionOptions & { unset?: readonly string[] }) =>
        (await work()).updateAgent(id, options, context),
    );
}

function addSteps(agents: Command, context: CommandContext): void {
  const work = () => import('./changes.ts');

  command(agents, 'duplicate <id>', help.duplicate)
    .description('create a copy of an agent')
    .option('--name <text>', 'the name of the copy (default: the same name)')
    .addOption(idempotencyKey())
    .action(async (id: string, options: CommandOptions & RepeatOptions & { name?: string }) =>
      (await work()).duplicateAgent(id, options, context),
    );

  command(agents, 'publish <id>', help.publish)
    .description('publish the latest version')
    .option('--description <text>', 'what changed in this version')
    .addOption(ifMatch())
    .addOption(idempotencyKey())
    .action(async (id: string, options: CommandOptions & ConditionOptions & RepeatOptions & { description?: string }) =>
      (await work()).publishAgent(id, options, context),
    );

  command(agents, 'restore <id> <version>', help.restore)
    .description('restore an earlier version as a draft')
    .addOption(ifMatch())
    .addOption(idempotencyKey())
    .action(async (id: string, version: string, options: CommandOptions & ConditionOptions & RepeatOptions) =>
      (await work()).restoreAgent(id, version, options, context),
    );
}

function command(agents: Command, name: string, text: string): Command {
  return agents.command(name).addHelpText('after', text);
}

function withFieldOptions(made: Command): Command {
  return made
    .option('--set <field=value>', 'set a field, such as voiceSpeed=1.2; repeatable', collected)
    .option('--file <file>', 'read fields from a JSON or YAML file; "-" for standard input');
}

function ifMatch(): Option {
  return new Option('--if-match <etag>', 'only if the agent still has this ETag (see "agents get --etag")');
}

function idempotencyKey(): Option {
  return new Option('--idempotency-key <key>', 'makes the command safe to repeat within 24 hours');
}

function collected(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
