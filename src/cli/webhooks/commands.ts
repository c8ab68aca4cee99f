import { Option } from 'commander';
import { connectionOptions, type Declaration, lazily, type OptionWords, requiredOption } from '../declaration.ts';
import { exitCodeHelp, invalidUsage } from '../failures.ts';
import type { Action } from '../resources/action.ts';
import { listOf } from '../resources/ids.ts';
import type { Item } from '../resources/views.ts';
import { visible } from '../terminal/text.ts';

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

const webhookFields: readonly OptionWords[] = [
  ['--url <url>', 'the URL to send events to'],
  ['--events <list>', 'the event types, separated by commas; * for all'],
  ['--agents <list>', 'only events of these agents, by id'],
  ['--include <list>', 'transcript, to add it to call_ended and call_analyzed'],
  ['--description <text>', 'a note for people'],
];

/** Besides list, get and delete, and the deliveries. */
export const webhookCommands: readonly (Declaration | Action)[] = [
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
  {
    name: 'webhooks create',
    description: 'create a webhook, and print its secret',
    options: webhookFields,
    examples: [
      "--url https://shop.example.com/hooks --events '*'",
      `--url https://shop.example.com/hooks \\
    --events call_ended,call_analyzed --include transcript`,
    ],
    body: (options) => {
      const fields = webhookBody(options);
      if (fields.url === undefined || fields.events === undefined)
        throw invalidUsage('a webhook needs --url and --events');
      return fields;
    },
    send: ({ webhooks }, _, body) => webhooks.create(body),
    text: async ({ secret, ...webhook }, shown) => {
      const { defaultText } = await import('../resources/views.ts');
      return `${defaultText(webhook, shown)}\nSecret for verifying requests: ${secret}\n`;
    },
  },
  {
    name: 'webhooks update <id>',
    description: 'update a webhook; omitted options keep their value',
    options: [...webhookFields, ['--status <status>', 'active, paused or disabled']],
    examples: ['whk_… --status paused', 'whk_… --events call_ended --agents agt_…'],
    body: (options) => {
      const fields = webhookBody(options);
      if (Object.values(fields).some((value) => value !== undefined)) return fields;
      throw invalidUsage('nothing to update: see "webhooks update --help"');
    },
    send: ({ webhooks }, [id], body) => webhooks.update(id, body),
  },
  {
    name: 'webhooks test <id>',
    description: 'send an example event',
    options: [['--type <type>', 'the event type', 'webhook_test']],
    about: 'Prints the response of the receiver. The exit code is 1 if its status is not 2xx.',
    examples: ['whk_… --type call_ended'],
    body: ({ type }) => ({ type }),
    send: ({ webhooks }, [id], body) => webhooks.test(id, body),
    text: ({ outcome, statusCode, durationMs, errorMessage }) => {
      const status = statusCode === null ? '' : ` with status ${statusCode}`;
      const reason = errorMessage === null ? '' : `\n${visible(errorMessage)}`;
      return `${outcome}${status} after ${durationMs} ms.${reason}\n`;
    },
    hasFailed: ({ outcome }) => outcome !== 'succeeded',
  },
  {
    name: 'webhooks secret <id>',
    description: 'print the secret of a webhook; recorded in the audit trail',
    send: ({ webhooks }, [id]) => webhooks.secret.get(id),
    text: ({ secret }) => `${secret}\n`,
  },
  {
    name: 'webhooks rotate-secret <id>',
    description: 'replace the secret of a webhook, and print the new one',
    options: [['--grace-seconds <seconds>', 'how long the old secret also signs requests', Number, 86_400]],
    body: ({ graceSeconds }) => ({ graceSeconds }),
    send: ({ webhooks }, [id], body) => webhooks.secret.rotate(id, body),
    text: ({ secret }) => `${secret}\n`,
    note: ({ previousSecretExpiresAt: end }) =>
      `The old secret ${end === null ? 'is no longer used' : `also signs requests until ${end}`}.\n`,
  },
  {
    name: 'webhooks resend <id> <delivery>',
    description: 'send the event of a delivery again',
    send: ({ webhooks }, [id, delivery]) => webhooks.deliveries.resend(id, delivery),
    text: ({ id, eventId }) => `${eventId} is sent again: ${id}.\n`,
  },
  {
    name: 'webhooks replay <id>',
    description: 'send failed and skipped events again',
    options: [
      requiredOption('--since <time>', 'events from this time on'),
      ['--until <time>', 'events before this time'],
      ['--statuses <list>', 'failed, skipped, or all for every event'],
      ['--types <list>', 'only events of these types'],
    ],
    examples: [
      'whk_… --since 2026-11-15T00:00:00Z',
      'whk_… --since 2026-11-15T00:00:00Z --statuses all --types call_ended',
    ],
    body: ({ since, until, statuses, types }) => {
      return { since, until, statuses: statuses === 'all' ? 'all' : listOf(statuses), eventTypes: listOf(types) };
    },
    send: ({ webhooks }, [id], body) => webhooks.replay(id, body),
    text: ({ id, matched }) => `${matched} ${matched === 1 ? 'event is' : 'events are'} sent again: ${id}.\n`,
  },
];

/** An empty description removes it. */
function webhookBody({ url, events, agents, include, description, status }: Item) {
  return {
    url,
    events: listOf(events),
    agentIds: listOf(agents),
    include: listOf(include),
    description: description === '' ? null : description,
    status,
  };
}
