import type { Command } from 'commander';
import { addConnectionOptions } from '../connection/connection.ts';
import { type CommandContext, lazily } from '../context.ts';

/** `voice-agents secrets …`: the secrets of the workspace, through the SDK; `reset` works on the database. */
export function addSecretCommands(program: Command, context: CommandContext): void {
  const secrets = program
    .command('secrets')
    .description('list, set and delete the secrets that tools send in headers; recover from a lost data key')
    .addHelpText('after', help);

  addConnectionOptions(secrets.command('set <name>'))
    .description('create a secret or replace it; the value is read from standard input or a prompt')
    .requiredOption('--hosts <list>', 'the hosts that the secret may be sent to, comma-separated')
    .option('--json', 'print JSON')
    .addHelpText('after', setHelp)
    .action(lazily(context, () => import('./secrets.ts'), 'setSecret'));

  secrets
    .command('reset')
    .description('start again after the data key was lost; works on the database of a stopped service')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', resetHelp)
    .action(lazily(context, () => import('./reset.ts'), 'resetSecrets'));
}

const help = `
Headers of tools use a secret as {{secrets.NAME}}. Its value cannot be read again.

Examples:
  voice-agents secrets list
  voice-agents secrets delete SHOP_TOKEN
`;

const setHelp = `
There is no option for the value, because command lines are visible to all
users of a machine. A line break at the end of the input is not part of it.

Examples:
  voice-agents secrets set SHOP_TOKEN --hosts shop.example.com
  printenv SHOP_TOKEN | voice-agents secrets set SHOP_TOKEN --hosts shop.example.com
`;

const resetHelp = `
Reads DATABASE_URL and DATA_KEY like the service. What the available keys cannot
open is given up: webhooks get new secrets, secrets of tools are deleted, open
calls that cannot continue are ended, and all of them are named. If the keys
open everything, nothing is changed.

Restore the key instead if you can: nothing is lost then.

Examples:
  voice-agents secrets reset
  DATABASE_URL=postgres://… voice-agents secrets reset --yes
`;
