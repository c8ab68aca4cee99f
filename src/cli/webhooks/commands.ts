import { type Command, Option } from 'commander';
import { addConnectionOptions, type CommandOptions } from '../connection/connection.ts';
import type { CommandContext } from '../context.ts';
import { exitCodeHelp } from '../failures.ts';
import * as help from './help.ts';
import type { ListenOptions, ReplayOptions, TailOptions, WriteWebhookOptions } from './options.ts';

/** `voice-agents webhooks …`, `events tail` and `listen`, through the SDK. The implementation is loaded on demand. */
export function addWebhookCommands(program: Command, context: CommandContext): void {
  const webhooks = program
    .command('webhooks')
    .description('create, change and test webhooks, and see what was sent to them')
    .addHelpText('after', `${help.webhooks}${exitCodeHelp}`);
  addWebhooks(webhooks, context);
  addSecrets(webhooks, context);
  addDeliveries(webhooks, context);
  for (const made of webhooks.commands) addConnectionOptions(made.option('--json', 'print JSON, one item per line'));
  addListen(webhooks, context);
  addListen(program, context);
  addEvents(program, context);
}

function addWebhooks(webhooks: Command, context: CommandContext): void {
  const work = () => import('./webhooks.ts');

  withFields(webhooks.command('create'))
    .description('create a webhook; prints its secret')
    .addHelpText('after', help.create)
    .action(async (options: WriteWebhookOptions) => (await work()).createWebhook(options, context));

  withFields(webhooks.command('update <id>'))
    .description('change a webhook; what is not given stays')
    .option('--status <status>', 'active, paused or disabled')
    .addHelpText('after', help.update)
    .action(async (id: string, options: WriteWebhookOptions) => (await work()).updateWebhook(id, options, context));

  webhooks
    .command('test <id>')
    .description('send an example of an event')
    .option('--type <type>', 'the type of event', 'webhook_test')
    .addHelpText('after', help.test)
    .action(async (id: string, options: CommandOptions & { type: string }) =>
      (await work()).testWebhook(id, options, context),
    );
}

function addSecrets(webhooks: Command, context: CommandContext): void {
  const work = () => import('./webhooks.ts');

  webhooks
    .command('secret <id>')
    .description('print the secret of a webhook; recorded in the audit trail')
    .action(async (id: string, options: CommandOptions) => (await work()).showSecret(id, options, context));

  webhooks
    .command('rotate-secret <id>')
    .description('replace the secret of a webhook, and print the new one')
    .option('--grace-seconds <seconds>', 'how long requests are also signed with the old one', Number, 86_400)
    .action(async (id: string, options: CommandOptions & { graceSeconds: number }) =>
      (await work()).rotateSecret(id, options, context),
    );
}

function addDeliveries(webhooks: Command, context: CommandContext): void {
  const work = () => import('./deliveries.ts');

  webhooks
    .command('resend <id> <delivery>')
    .description('send the event of a delivery again')
    .action(async (id: string, delivery: string, options: CommandOptions) =>
      (await work()).resendDelivery(id, delivery, options, context),
    );

  webhooks
    .command('replay <id>')
    .description('send again what failed or was skipped')
    .requiredOption('--since <time>', 'events from this time on')
    .option('--until <time>', 'events before this time')
    .option('--statuses <list>', 'failed, skipped, or all for every event')
    .option('--types <list>', 'only events of these types')
    .addHelpText('after', help.replay)
    .action(async (id: string, options: ReplayOptions) => (await work()).replayWebhook(id, options, context));
}

function addEvents(program: Command, context: CommandContext): void {
  const work = () => import('./listen.ts');
  const events = program.command('events').description('see what happens in the workspace');
  const tail = events
    .command('tail')
    .description('print events as they happen')
    .option('--type <list>', 'only events of these types')
    .option('--since <time>', 'start with events of this time; default: now')
    .addOption(
      new Option('--cursor <cursor>', 'continue where an earlier run has stopped, with the same types').conflicts([
        'type',
        'since',
      ]),
    )
    .option('--json', 'print JSON, one event per line')
    .addHelpText('after', help.tail)
    .action(async (options: TailOptions) => (await work()).tailEvents(options, context));
  addConnectionOptions(tail);
}

/** People look for it in both places: `voice-agents listen` and `voice-agents webhooks listen`. */
function addListen(parent: Command, context: CommandContext): void {
  const listen = parent
    .command('listen')
    .description('forward events to a server on this machine, signed like webhooks')
    .requiredOption('--forward <url>', 'the address to send events to')
    .option('--type <list>', 'only events of these types')
    .addHelpText('after', help.listen)
    .action(async (options: ListenOptions) => (await import('./listen.ts')).listen(options, context));
  addConnectionOptions(listen);
}

function withFields(made: Command): Command {
  return made
    .option('--url <url>', 'the address that events are sent to')
    .option('--events <list>', 'the types of events, comma-separated; * for all')
    .option('--agents <list>', 'only events of these agents, by id')
    .option('--include <list>', 'transcript, to add it to call_ended and call_analyzed')
    .option('--description <text>', 'a note for people');
}
