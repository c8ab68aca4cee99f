import { Option } from 'commander';
import { connectionOptions, type Declaration, jsonOption, lazily, type OptionWords } from '../declaration.ts';
import { exitCodeHelp } from '../failures.ts';
import type { Action } from '../resources/action.ts';

const limitOptions: readonly OptionWords[] = [
  ['--allowed-countries <list>', 'the countries that may be called, such as JP,US; "numbers" for those of its numbers'],
  ['--max-minutes-per-day <number>', 'minutes of outbound calls per day', Number],
  ['--max-calls-per-second <number>', 'how many calls are dialed per second', Number],
  ['--max-concurrent <number>', 'how many calls may be open at a time; "none" for no limit'],
];

const credentialAbout = `There is no option for the auth token, because command lines are visible to all
users of a machine: it is asked for on a terminal, or read from standard input,
with the secret of the API key on the second line if there is one. --credentials
names a JSON file instead, with authToken, and apiKeySid and apiKeySecret if you
use an API key.`;

const carrierCommands: readonly (Declaration | Action)[] = [
  {
    name: 'carriers',
    description: 'connect accounts at providers of phone calls, verify them, and list their numbers',
    about: `All commands operate on the workspace of the API key. With --json, the output is
JSON as the service returns it. See docs/phone.md.

Examples:
  voice-agents carriers create --provider test
  voice-agents carriers create --provider twilio --account-sid AC…
  voice-agents carriers verify car_…
  voice-agents carriers numbers car_…
${exitCodeHelp}`,
  },
  {
    name: 'carriers create',
    description: 'connect a carrier; credentials are read from a prompt, standard input or a file',
    options: [
      new Option('--provider <name>', 'the provider').choices(['twilio', 'test']).makeOptionMandatory(),
      ['--name <text>', 'a name for the carrier (default: the name of the provider)'],
      ['--account-sid <sid>', 'the SID of the account at Twilio'],
      ['--api-key-sid <sid>', 'the SID of an API key of Twilio, for requests to it'],
      ['--credentials <file>', 'a JSON file with the credentials'],
      ...limitOptions,
    ],
    about: `Nothing is sent to the provider: run "voice-agents carriers verify" next. A carrier
of the provider test is a part of the service and needs no account.

${credentialAbout}

Examples:
  voice-agents carriers create --provider test
  voice-agents carriers create --provider twilio --account-sid AC…
  printenv TWILIO_AUTH_TOKEN |
    voice-agents carriers create --provider twilio --account-sid AC…`,
    body: async (options, context) => (await import('./credentials.ts')).newCarrier(options, context),
    send: ({ carriers }, _, body, options) => carriers.create(body, options),
    text: async (carrier, { stdout }) => (await import('./show.ts')).describeCarrier(carrier, stdout),
    note: ({ id }) => `Verify it with "voice-agents carriers verify ${id}".\n`,
  },
  {
    name: 'carriers update <id>',
    description: 'update a carrier; omitted options keep their value',
    options: [
      ['--name <text>', 'a name for the carrier'],
      ['--account-sid <sid>', 'the SID of the account at Twilio'],
      ['--auth-token', 'replace the auth token: it is asked for, or read from standard input'],
      ['--credentials <file>', 'a JSON file with the credentials to replace; null removes one'],
      ...limitOptions,
    ],
    about: `After a setting or a credential has changed, the carrier is unverified.

${credentialAbout}`,
    examples: ['car_… --allowed-countries JP', 'car_… --auth-token', 'car_… --max-minutes-per-day 60'],
    body: async (options, context) => (await import('./credentials.ts')).carrierChanges(options, context),
    send: ({ carriers }, [id], body) => carriers.update(id, body),
    text: async (carrier, { stdout }) => (await import('./show.ts')).describeCarrier(carrier, stdout),
  },
  {
    name: 'carriers verify <id>',
    description: 'check the credentials of a carrier and the public address of the service',
    about: 'Shows what to do about each check that failed. The exit code is 1 if one did.',
    examples: ['car_…'],
    send: ({ carriers }, [id]) => carriers.verify(id),
    text: async (carrier, { stdout }) => (await import('./show.ts')).describeCarrier(carrier, stdout),
    hasFailed: async (carrier) => (await import('./show.ts')).hasFailedCheck(carrier),
  },
];

const routingOptions: readonly (OptionWords | Option)[] = [
  ['--name <text>', 'a name for the number'],
  ['--agent <id-or-name>', 'the agent that answers; "none" for nobody'],
  ['--agent-version <version>', 'a number, or "published" for the newest published version at the time of each call'],
  ['--fallback <what>', 'if the agent cannot answer: a number to forward to, "reject", or a text that is said'],
  ['--request-url <url>', 'asked before each call is answered; "none" for nothing'],
  ['--from-countries <list>', 'only answer calls from these countries; "all" for all'],
  ['--blocked-numbers <list>', 'reject calls from these numbers; "none" for no number'],
  new Option('--inbound <state>', 'whether calls to the number are answered').choices(['on', 'off']),
  new Option('--outbound <state>', 'whether calls can be made from the number').choices(['on', 'off']),
  ['--outbound-agents <list>', 'only these agents may call from the number, by id or name; "any" for any'],
  ['--ring-timeout <seconds>', 'how long outbound calls ring', Number],
];

const numbers = () => import('./numbers.ts');

const numberCommands: readonly Declaration[] = [
  {
    name: 'numbers',
    description: 'import phone numbers, say who answers them, verify and test them',
    about: `All commands operate on the workspace of the API key. With --json, the output is
JSON as the service returns it. See docs/phone.md.

Examples:
  voice-agents numbers import +99910000001 --agent Reception
  voice-agents numbers update +99910000001 --outbound on
  voice-agents numbers verify +81312345678
  voice-agents numbers test +99910000001
${exitCodeHelp}`,
  },
  {
    name: 'numbers import <number>',
    description: 'import a number that you have at a carrier, and check it',
    options: [
      ['--carrier <id-or-name>', 'the carrier that has the number (default: the only one that can)'],
      ...routingOptions,
      ['--no-configure', 'do not change the voice URL of the number at the carrier'],
      jsonOption,
      ...connectionOptions,
    ],
    about: `Nothing is bought. The voice URL of the number at the carrier is set to this
service; deleting the number here restores the former one. The command waits for
the checks and shows what to do about each that failed; the exit code is 1 if one
did. Numbers of a carrier of the provider test are +9991 and seven digits.`,
    examples: ['+99910000001 --agent Reception', '+81312345678 --agent Reception --fallback +81398765432'],
    run: lazily(numbers, 'importNumber'),
  },
  {
    name: 'numbers update <id-or-number>',
    description: 'change who answers and who may call; omitted options keep their value',
    options: [...routingOptions, jsonOption, ...connectionOptions],
    examples: ['num_… --agent Reception', '+81312345678 --outbound on --outbound-agents Reception'],
    run: lazily(numbers, 'updateNumber'),
  },
  {
    name: 'numbers verify <id-or-number>',
    description: 'check a number, its carrier and its agent',
    options: [jsonOption, ...connectionOptions],
    about: 'Shows what to do about each check that failed. The exit code is 1 if one did.',
    examples: ['num_…', '+81312345678'],
    run: lazily(numbers, 'verifyNumber'),
  },
  {
    name: 'numbers test <id-or-number>',
    description: 'let a program call a number of the provider test, and show the call',
    options: [
      ['--phone <kind>', '01 talks, 08 hangs up at once, 11 is silent, 12 presses 1 2 3 #', '01'],
      ['--caller <number>', 'the number of the caller (default: +999000000 and the phone)'],
      ['--no-wait', 'print the id of the call, and do not wait for its end'],
      ['--json', 'print the call as JSON when it is over'],
      ...connectionOptions,
    ],
    about: `Shows the transcript as it grows. The call is a real one: it is stored, and its
tools are called.`,
    examples: ['+99910000001', '+99910000001 --phone 12'],
    run: lazily(numbers, 'testNumber'),
  },
];

const doNotCallCommands: readonly (Declaration | Action)[] = [
  {
    name: 'do-not-call',
    description: 'list, add and remove numbers that must not be called',
    about: `No outbound call is made to these numbers. People who ask an agent not to be called
again are added, too.

Examples:
  voice-agents do-not-call list --search +8190
  voice-agents do-not-call add +819012345678 --reason "Asked in the shop"
  voice-agents do-not-call delete +819012345678`,
  },
  {
    name: 'do-not-call add [numbers...]',
    description: 'add numbers that must not be called',
    options: [
      ['--file <file>', 'a file with one number per line; - for standard input'],
      ['--reason <text>', 'why they must not be called'],
      jsonOption,
      ...connectionOptions,
    ],
    about: 'If one number is not valid, none is added.',
    examples: ['+819012345678', '--file numbers.txt --reason "Asked in the shop"'],
    run: lazily(() => import('./do-not-call.ts'), 'addDoNotCall'),
  },
];

/** Besides list, get and delete, and the numbers at a carrier. */
export const phoneCommands: readonly (Declaration | Action)[] = [
  ...carrierCommands,
  ...numberCommands,
  ...doNotCallCommands,
];
