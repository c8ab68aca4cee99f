import { connectionOptions, type Declaration, jsonOption, lazily, requiredOption, yesOption } from '../declaration.ts';

/** The secrets of the workspace, through the SDK; `reset` works on the database. */
export const secretCommands: readonly Declaration[] = [
  {
    name: 'secrets',
    description: 'list, set and delete the secrets that tools send in headers; recover from a lost data key',
    about: `Use a secret in the headers of a tool as {{secrets.NAME}}. Its value cannot be read
again.

Examples:
  voice-agents secrets list
  voice-agents secrets delete SHOP_TOKEN`,
  },
  {
    name: 'secrets set <name>',
    description: 'create a secret or replace it; the value is read from standard input or a prompt',
    options: [
      ...connectionOptions,
      requiredOption('--hosts <list>', 'the hosts that the secret may be sent to, separated by commas'),
      jsonOption,
    ],
    about: `There is no option for the value, because command lines are visible to all
users of a machine. A trailing line break is removed.

Examples:
  voice-agents secrets set SHOP_TOKEN --hosts shop.example.com
  printenv SHOP_TOKEN | voice-agents secrets set SHOP_TOKEN --hosts shop.example.com`,
    run: lazily(() => import('./secrets.ts'), 'setSecret'),
  },
  {
    name: 'secrets reset',
    description: 'recover from a lost data key; works on the database of a stopped service',
    options: [yesOption, jsonOption],
    about: `Reads DATABASE_URL and DATA_KEY like the service. Gives up everything that the
available keys cannot decrypt, and lists it: webhooks get new secrets, secrets of
tools and keys of providers are deleted, and open calls that cannot continue are ended. If the keys can
decrypt everything, nothing is changed.

If you can restore the key, do that instead: then nothing is lost.

Examples:
  voice-agents secrets reset
  DATABASE_URL=postgres://… voice-agents secrets reset --yes`,
    run: lazily(() => import('./reset.ts'), 'resetSecrets'),
  },
];
