import type { Command } from 'commander';
import { addConnectionOptions } from '../connection/connection.ts';
import { type CommandContext, lazily } from '../context.ts';
import { exitCodeHelp } from '../failures.ts';

/** `voice-agents agents …`, besides the commands of every resource. */
export function addAgentCommands(program: Command, context: CommandContext): void {
  const agents = program
    .command('agents')
    .description('list, create, update, check, publish and delete agents')
    .addHelpText('after', `${agentsHelp}${exitCodeHelp}`);
  addReads(agents, context);
  addChanges(agents, context);
  // Added last, so that the help of each command starts with its own options.
  for (const made of agents.commands) addConnectionOptions(made.option('--json', 'print JSON'));
}

function addReads(agents: Command, context: CommandContext): void {
  const show = () => import('./show.ts');
  command(agents, 'get <id>', getHelp)
    .alias('show')
    .description('show an agent')
    .option('--version <version>', 'a number, "latest" or "published" (default: "latest")')
    .option('--etag', 'print only the ETag, for use with --if-match')
    .action(lazily(context, show, 'getAgent'));

  command(agents, 'diff <id>', diffHelp)
    .description('show the differences between two versions')
    .option('--from <version>', 'a number, "latest" or "published"', 'published')
    .option('--to <version>', 'a number, "latest" or "published"', 'latest')
    .action(lazily(context, show, 'diffAgent'));

  command(agents, 'check <id-or-file>', checkHelp)
    .description('check whether an agent, or an agent file, can be published')
    .option('--version <version>', 'a number, "latest" or "published" (default: "latest")')
    .action(lazily(context, () => import('./check.ts'), 'checkAgent'));
}

function addChanges(agents: Command, context: CommandContext): void {
  const changes = () => import('./changes.ts');
  const set = ['--set <field=value>', 'set a field, such as voiceSpeed=1.2; repeatable', collected] as const;
  const file = ['--file <file>', 'read fields from a JSON or YAML file; "-" for standard input'] as const;
  const ifMatch = ['--if-match <etag>', 'only if the agent still has this ETag (see "agents get --etag")'] as const;
  const idempotencyKey = ['--idempotency-key <key>', 'makes the command safe to repeat within 24 hours'] as const;

  command(agents, 'create', createHelp)
    .description('create an agent; only a name and a voice are required')
    .option(...set)
    .option(...file)
    .option('--name <text>', 'the name of the agent')
    .option('--voice-id <id>', 'the id of the voice')
    .option(...idempotencyKey)
    .action(lazily(context, changes, 'createAgent'));

  command(agents, 'update <id>', updateHelp)
    .description('update the given fields of an agent')
    .option(...set)
    .option(...file)
    .option('--unset <field>', 'remove an optional field; repeatable', collected)
    .option(...ifMatch)
    .action(lazily(context, changes, 'updateAgent'));

  command(agents, 'duplicate <id>', duplicateHelp)
    .description('create a copy of an agent')
    .option('--name <text>', 'the name of the copy (default: the same name)')
    .option(...idempotencyKey)
    .action(lazily(context, changes, 'duplicateAgent'));

  command(agents, 'publish <id>', publishHelp)
    .description('publish the latest version')
    .option('--description <text>', 'what changed in this version')
    .option(...ifMatch)
    .option(...idempotencyKey)
    .action(lazily(context, changes, 'publishAgent'));

  command(agents, 'restore <id> <version>', restoreHelp)
    .description('restore an earlier version as a draft')
    .option(...ifMatch)
    .option(...idempotencyKey)
    .action(lazily(context, changes, 'restoreAgent'));
}

function command(agents: Command, name: string, text: string): Command {
  return agents.command(name).addHelpText('after', text);
}

export function collected(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

const agentsHelp = `
All commands operate on the workspace of the API key. With --json, the output is
JSON Lines: one agent per line, exactly as the service returns it.

Examples:
  voice-agents agents list --search recept
  voice-agents agents create --name Reception --voice-id ja-JP-Nanami
  voice-agents agents list --all --json | jq -r .name
`;

const getHelp = `
Examples:
  voice-agents agents get agt_…
  voice-agents agents get agt_… --version published --json | jq .responseEngine
`;

const diffHelp = `
Compares the published version with the latest one by default. Version numbers,
publishing state and timestamps are omitted, except with --json.

Examples:
  voice-agents agents diff agt_…
  voice-agents agents diff agt_… --from 1 --to 3
`;

const checkHelp = `
Lists everything that publishing would reject, and warns about probable mistakes.
The exit code is 1 if the agent cannot be published.

A file is an agent as written by "voice-agents pull", with the extension .yaml,
.yml or .json. It is checked without a service, as a service with default
settings on this machine would check it.

Examples:
  voice-agents agents check agt_… --version published --json | jq .errors
  voice-agents agents check agents/Reception.yaml
`;

const fieldsHelp = `
A value is parsed as JSON if it is valid JSON (1.2, true, null, ["a","b"]), and
is text otherwise. For the text 12, write --set 'name="12"'. Use dots for nested
fields. The file is applied first, then the options from left to right. Unknown
fields are an error. Read-only fields in a file, such as id and version, are
ignored, so you can use the output of "get --json" as a file.
`;

const createHelp = `${fieldsHelp}
Examples:
  voice-agents agents create --name Reception --voice-id ja-JP-Nanami
  voice-agents agents create --name 受付 --voice-id ja-JP-Nanami \\
    --set responseEngine.type=single_prompt \\
    --set "responseEngine.prompt=$(cat prompt.txt)"
  voice-agents agents create --file agent.yaml
`;

const updateHelp = `${fieldsHelp}
Objects are merged, lists are replaced as a whole. Updating a published agent
creates its next version as a draft. Without --if-match, the last write wins.

Examples:
  voice-agents agents update agt_… --set voiceSpeed=1.2 --unset adaptiveSpeechRate
  voice-agents agents update agt_… --file - < change.yaml
  voice-agents agents update agt_… --set name=Desk --if-match '"2NCaJoSYOP4s…"'
`;

const duplicateHelp = `
Examples:
  voice-agents agents duplicate agt_… --name 'Reception, second shop'
`;

const publishHelp = `
Fails if the draft is incomplete, and lists what is missing. Publishing a version
that is already published changes nothing.

Examples:
  voice-agents agents publish agt_… --description 'Initial version'
`;

const restoreHelp = `
Examples:
  voice-agents agents restore agt_… 1
  voice-agents agents restore agt_… published
`;
