import type { Command } from 'commander';
import { type CommandContext, lazily } from '../context.ts';
import { addConnectionOptions, type ConnectionOptions, connect, profileOption } from './connection.ts';

/** The commands that save and show connections: `login`, `logout`, `profiles`, `whoami`, `open`; and `mcp`. */
export function addConnectionCommands(program: Command, context: CommandContext): void {
  const work = () => import('./login.ts');
  addConnectionOptions(program.command('login'))
    .description('save the URL of a service and an API key for it')
    .addHelpText('after', loginHelp)
    .action(lazily(context, work, 'login'));

  program
    .command('logout')
    .description('remove a profile; this does not revoke the key')
    .addOption(profileOption())
    .addHelpText('after', '\nExamples:\n  voice-agents logout\n  voice-agents logout --profile staging\n')
    .action(lazily(context, work, 'logout'));

  const profiles = program
    .command('profiles')
    .description('list profiles, or switch between them')
    .option('--json', 'print JSON, one profile per line')
    .option('--names', 'print only the names')
    .addHelpText('after', profilesHelp)
    .action(lazily(context, work, 'listProfiles'));
  profiles
    .command('use <profile>')
    .description('switch to a profile')
    .addHelpText('after', '\nExamples:\n  voice-agents profiles use staging\n')
    .action(lazily(context, work, 'useProfile'));

  addConnectionOptions(program.command('whoami'))
    .description('show the workspace and the scopes of the API key')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  voice-agents whoami\n  voice-agents whoami --json | jq -r .workspaceId\n')
    .action(lazily(context, work, 'whoami'));

  addConnectionOptions(program.command('open'))
    .description('open the dashboard of the service in a browser')
    .addHelpText('after', openHelp)
    .action(lazily(context, () => import('./open.ts'), 'openDashboard'));
}

/** `voice-agents mcp`: an MCP server that exposes the agents as tools. */
export function addMcpCommand(program: Command, context: CommandContext): void {
  addConnectionOptions(program.command('mcp'))
    .description('run an MCP server over standard input and output')
    .option('--write', 'also offer tools that change data: agents and chats')
    .action(async ({ write = false, ...options }: ConnectionOptions & { write?: boolean }) => {
      const { client, baseUrl } = await connect(options, context.environment);
      const { serveMcp } = await import('../../mcp/stdio.ts');
      await serveMcp({ client, baseUrl, version: context.version, doesWrite: write }, context);
    });
}

const loginHelp = `
Prompts for missing values. Without a terminal, the key is read from standard
input. The key is verified, then saved in a file that only you can read. The
profile is named "default" unless you specify a name, and becomes the current
one.

VOICE_AGENTS_API_KEY and VOICE_AGENTS_BASE_URL take precedence over profiles.

Examples:
  voice-agents login
  voice-agents login --profile staging --base-url https://staging.example.com
  echo "$KEY" | voice-agents login --base-url http://127.0.0.1:8080
`;

const profilesHelp = `
The current profile is marked with *. Keys are shown abbreviated.

Examples:
  voice-agents profiles use staging
  VOICE_AGENTS_PROFILE=staging voice-agents agents list
`;

const openHelp = `
Prints the URL if there is no browser, such as in an SSH session.

Examples:
  voice-agents open --profile staging
`;
