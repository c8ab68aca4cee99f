import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { addConnectionOptions, type ConnectionOptions, profileOption } from './connection.ts';
import type { JsonOption } from './login.ts';

/** `voice-agents login` and related commands: the saved profiles. */
export function addLoginCommands(program: Command, context: CommandContext): void {
  const work = () => import('./login.ts');

  addConnectionOptions(program.command('login'))
    .description('save the URL of a service and an API key for it')
    .addHelpText('after', loginHelp)
    .action(async (options: ConnectionOptions) => (await work()).login(options, context));

  program
    .command('logout')
    .description('remove a profile; this does not revoke the key')
    .addOption(profileOption())
    .addHelpText('after', '\nExamples:\n  voice-agents logout\n  voice-agents logout --profile staging\n')
    .action(async (options: { profile?: string }) => (await work()).logout(options, context));

  const profiles = program
    .command('profiles')
    .description('list profiles, or switch between them')
    .option('--json', 'print JSON, one profile per line')
    .option('--names', 'print only the names')
    .addHelpText('after', profilesHelp)
    .action(async (options: JsonOption & { names?: boolean }) => (await work()).listProfiles(options, context));
  profiles
    .command('use <profile>')
    .description('switch to a profile')
    .addHelpText('after', '\nExample:\n  voice-agents profiles use staging\n')
    .action(async (name: string) => (await work()).useProfile(name, context));

  addConnectionOptions(program.command('whoami'))
    .description('show the workspace and the scopes of the API key')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nExamples:\n  voice-agents whoami\n  voice-agents whoami --json | jq -r .workspaceId\n')
    .action(async (options: ConnectionOptions & JsonOption) => (await work()).whoami(options, context));
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
  voice-agents profiles
  voice-agents profiles use staging
  VOICE_AGENTS_PROFILE=staging voice-agents agents list
`;
