import { type Command, Option } from 'commander';
import { addConnectionOptions } from '../connection/connection.ts';
import { type CommandContext, lazily } from '../context.ts';
import { exitCodeHelp } from '../failures.ts';

/** `voice-agents webhooks …` besides the commands of every resource, `events tail` and `listen`. */
export function addWebhookCommands(program: Command, context: CommandContext): void {
  const webhooks = program
    .command('webhooks')
    .description('create, update and test webhooks, and see their deliveries')
    .addHelpText('after', `${webhooksHelp}${exitCodeHelp}`);
  addWebhooks(webhooks, context);
  addDeliveries(webhooks, context);
  for (const made of webhooks.commands) addConnectionOptions(made.option('--json', 'print JSON'));
  // People look for it in both places.
  addListen(webhooks, context);
  addListen(program, context);
  addTail(program, context);
}

function addWebhooks(webhooks: Command, context: CommandContext): void {
  const work = () => import('./webhooks.ts');
  withFields(webhooks.command('create'))
    .description('create a webhook, and print its secret')
    .addHelpText('after', createHelp)
    .action(lazily(context, work, 'createWebhook'));

  withFields(webhooks.command('update <id>'))
    .description('update a webhook; omitted options keep their value')
    .option('--status <status>', 'active, paused or disabled')
    .addHelpText('after', updateHelp)
    .action(lazily(context, work, 'updateWebhook'));

  webhooks
    .command('test <id>')
    .description('send an example event')
    .option('--type <type>', 'the event type', 'webhook_test')
    .addHelpText('after', testHelp)
    .action(lazily(context, work, 'testWebhook'));

  webhooks
    .command('secret <id>')
    .description('print the secret of a webhook; recorded in the audit trail')
    .action(lazily(context, work, 'showSecret'));

  webhooks
    .command('rotate-secret <id>')
    .description('replace the secret of a webhook, and print the new one')
    .option('--grace-seconds <seconds>', 'how long the old secret also signs requests', Number, 86_400)
    .action(lazily(context, work, 'rotateSecret'));
}

function addDeliveries(webhooks: Command, context: CommandContext): void {
  const work = () => import('./webhooks.ts');
  webhooks
    .command('resend <id> <delivery>')
    .description('send the event of a delivery again')
    .action(lazily(context, work, 'resendDelivery'));

  webhooks
    .command('replay <id>')
    .description('send failed and skipped events again')
    .requiredOption('--since <time>', 'events from this time on')
    .option('--until <time>', 'events before this time')
    .option('--statuses <list>', 'failed, skipped, or all for every event')
    .option('--types <list>', 'only events of these types')
    .addHelpText('after', replayHelp)
    .action(lazily(context, work, 'replayWebhook'));
}

function addTail(program: Command, context: CommandContext): void {
  const events = program.command('events').description('list events, or print them as they happen');
  const tail = events
    .command('tail')
    .description('print events as they happen')
    .option('--type <list>', 'only events of these types')
    .option('--since <time>', 'start with events of this time (default: now)')
    .addOption(new Option('--cursor <cursor>', 'continue where an earlier run stopped').conflicts(['type', 'since']))
    .option('--json', 'print JSON, one event per line')
    .addHelpText('after', tailHelp)
    .action(lazily(context, () => import('./listen.ts'), 'tailEvents'));
  addConnectionOptions(tail);
}

function addListen(parent: Command, context: CommandContext): void {
  const listen = parent
    .command('listen')
    .description('forward events to a server on this machine, signed like webhooks')
    .requiredOption('--forward <url>', 'the URL to send events to')
    .option('--type <list>', 'only events of these types')
    .addHelpText('after', listenHelp)
    .action(lazily(context, () => import('./listen.ts'), 'listen'));
  addConnectionOptions(listen);
}

function withFields(made: Command): Command {
  return made
    .option('--url <url>', 'the URL to send events to')
    .option('--events <list>', 'the event types, separated by commas; * for all')
    .option('--agents <list>', 'only events of these agents, by id')
    .option('--include <list>', 'transcript, to add it to call_ended and call_analyzed')
    .option('--description <text>', 'a note for people');
}

const webhooksHelp = `
All commands operate on the workspace of the API key. With --json, the output is
JSON as the service returns it.

Examples:
  voice-agents webhooks create --url https://shop.example.com/hooks --events call_ended
  voice-agents webhooks deliveries whk_… --status failed
  voice-agents webhooks replay whk_… --since 2026-11-15T00:00:00Z
`;

const createHelp = `
Examples:
  voice-agents webhooks create --url https://shop.example.com/hooks --events '*'
  voice-agents webhooks create --url https://shop.example.com/hooks \\
    --events call_ended,call_analyzed --include transcript
`;

const updateHelp = `
Examples:
  voice-agents webhooks update whk_… --status paused
  voice-agents webhooks update whk_… --events call_ended --agents agt_…
`;

const testHelp = `
Prints the response of the receiver. The exit code is 1 if its status is not 2xx.

Examples:
  voice-agents webhooks test whk_… --type call_ended
`;

const replayHelp = `
Examples:
  voice-agents webhooks replay whk_… --since 2026-11-15T00:00:00Z
  voice-agents webhooks replay whk_… --since 2026-11-15T00:00:00Z --statuses all --types call_ended
`;

const tailHelp = `
Stop it with Ctrl-C. It then prints the cursor to continue with.

Examples:
  voice-agents events tail
  voice-agents events tail --type call_ended --json | jq .body.data.call.id
`;

const listenHelp = `
For development: the service does not have to reach this machine. Each event is
sent once, with the headers of a webhook. It is signed with the secret in
VOICE_AGENTS_WEBHOOK_SECRET, or with a new one, which is printed.

Examples:
  voice-agents listen --forward http://127.0.0.1:3000/hook
`;
