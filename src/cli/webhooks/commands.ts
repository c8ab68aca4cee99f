import { Option } from 'commander';
import { connectionOptions, type Declaration, lazily, requiredOption } from '../declaration.ts';
import { exitCodeHelp } from '../failures.ts';

const typeOption = ['--type <list>', 'only events of these types'] as const;

const listen: Declaration = {
  name: 'listen',
  description: 'forward events to a server on this machine, signed like webhooks',
  options: [requiredOption('--forward <url>', 'the URL to send events to'), typeOption, ...connectionOptions],
  about: `For development: the service does not have to reach this machine. Each event is
sent once, with the headers of a webhook. It is signed with the secret in
VOICE_AGENTS_WEBHOOK_SECRET, or with a new one, which is printed.

Examples:
  voice-agents listen --forward http://127.0.0.1:3000/hook`,
  run: lazily(() => import('./listen.ts'), 'listen'),
};

/** `listen` and `events tail`, besides what resources/ declares. */
export const webhookCommands: readonly Declaration[] = [
  {
    name: 'webhooks',
    description: 'create, update and test webhooks, and see their deliveries',
    about: `All commands operate on the workspace of the API key. With --json, the output is
JSON as the service returns it.

Examples:
  voice-agents webhooks create --url https://shop.example.com/hooks --events call_ended
  voice-agents webhooks deliveries whk_… --status failed
  voice-agents webhooks replay whk_… --since 2026-11-15T00:00:00Z
${exitCodeHelp}`,
  },
  // People look for it in both places.
  { ...listen, name: 'webhooks listen' },
  listen,
  { name: 'events', description: 'list events, or print them as they happen' },
  {
    name: 'events tail',
    description: 'print events as they happen',
    options: [
      typeOption,
      ['--since <time>', 'start with events of this time (default: now)'],
      new Option('--cursor <cursor>', 'continue where an earlier run stopped').conflicts(['type', 'since']),
      ['--json', 'print JSON, one event per line'],
      ...connectionOptions,
    ],
    about: 'Stop it with Ctrl-C. It then prints the cursor to continue with.',
    examples: ['', '--type call_ended --json | jq .body.data.call.id'],
    run: lazily(() => import('./listen.ts'), 'tailEvents'),
  },
];
