import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions, profileOption } from './connection.ts';
import type { JsonOption } from './login.ts';
import type { Surroundings } from './surroundings.ts';

/** `voice-agents login`, and what belongs to it: the services that are known, and the keys to them. */
export function addLoginCommands(program: Command, surroundings: Surroundings): void {
  const work = () => import('./login.ts');

  addConnectionOptions(program.command('login'))
    .description('keep the address of a service and a key to it, for all other commands')
    .addHelpText('after', loginHelp)
    .action(async (options: ConnectionOptions) => (await work()).login(options, surroundings));

  program
    .command('logout')
    .description('forget a profile; the key itself goes on until it is revoked')
    .addOption(profileOption())
    .addHelpText('after', '\nExamples:\n  voice-agents logout\n  voice-agents logout --profile staging\n')
    .action(async (options: { profile?: string }) => (await work()).logout(options, surroundings));

  const profiles = program
    .command('profiles')
    .description('show the profiles of "voice-agents login", or choose one')
    .option('--json', 'print one line of JSON for each')
    .option('--names', 'print the names alone')
    .addHelpText('after', profilesHelp)
    .action(async (options: JsonOption & { names?: boolean }) => (await work()).listProfiles(options, surroundings));
  profiles
    .command('use <profile>')
    .description('make a profile the one that is used unless another is named')
    .addHelpText('after', '\nExample:\n  voice-agents profiles use staging\n')
    .action(async (name: string) => (await work()).useProfile(name, surroundings));

  addConnectionOptions(program.command('whoami'))
    .description('show the workspace and the scopes of the key')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nExamples:\n  voice-agents whoami\n  voice-agents whoami --json | jq -r .workspaceId\n')
    .action(async (options: ConnectionOptions & JsonOption) => (await work()).whoami(options, surroundings));
}

const loginHelp = `
Asks for what is not given. In a pipe, the key is read from standard input. It
is tried before it is kept, in a file that its owner alone can read. The profile
is "default" unless named, and becomes the current one.

VOICE_AGENTS_API_KEY and VOICE_AGENTS_BASE_URL go before any profile.

Examples:
  voice-agents login
  voice-agents login --profile staging --base-url https://staging.example.com
  echo "$KEY" | voice-agents login --base-url http://127.0.0.1:8080
`;

const profilesHelp = `
The current one has a star. Of a key only its beginning is shown.

Examples:
  voice-agents profiles
  voice-agents profiles use staging
  VOICE_AGENTS_PROFILE=staging voice-agents agents list
`;
