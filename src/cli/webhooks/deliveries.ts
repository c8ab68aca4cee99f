import type { DeliveryQuery } from '../../../sdk/src/index.ts';
import type { ReplayWebhook, WebhookDelivery } from '../../../sdk/src/schema.ts';
import { connect } from '../connection/connection.ts';
import { type CommandContext, type Format, print } from '../context.ts';
import { showPages } from '../resources/pages.ts';
import type { Cell } from '../terminal/table.ts';
import { jsonLine } from '../terminal/text.ts';
import { describeTime } from '../terminal/time.ts';
import { checkedId, listOf } from './names.ts';
import type { ListDeliveriesOptions, ReplayOptions, WebhookCommandOptions } from './options.ts';

const formats: Readonly<Partial<Record<WebhookDelivery['status'], Format>>> = {
  succeeded: 'green',
  failed: 'red',
  skipped: 'yellow',
};

export async function listDeliveries(
  id: string,
  options: ListDeliveriesOptions,
  context: CommandContext,
): Promise<void> {
  const webhookId = checkedId('whk', id);
  const { client } = await connect(options, context.environment);
  // The service checks the values.
  const query = {
    status: listOf(options.status),
    eventType: listOf(options.type),
    trigger: listOf(options.trigger),
  } as DeliveryQuery;
  await showPages((limit) => client.webhooks.deliveries.list(webhookId, { limit, ...query }), options, context, {
    head: ['ID', 'EVENT', 'STATUS', 'ATTEMPTS', 'ANSWER', 'CREATED', 'NEXT ATTEMPT'],
    row: (delivery) => [
      delivery.id,
      delivery.eventType,
      statusOf(delivery),
      String(delivery.attemptCount),
      answerOf(delivery),
      describeTime(delivery.createdAt, context.stdout),
      delivery.nextAttemptAt === null ? '' : describeTime(delivery.nextAttemptAt, context.stdout),
    ],
    table: { dispensable: ['NEXT ATTEMPT', 'ATTEMPTS', 'CREATED'], elastic: 'ANSWER' },
    none: 'No deliveries.\n',
  });
}

export async function resendDelivery(
  id: string,
  delivery: string,
  { json = false, ...options }: WebhookCommandOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const [webhookId, deliveryId] = [checkedId('whk', id), checkedId('dlv', delivery)];
  const { client } = await connect(options, environment);
  const made = await client.webhooks.deliveries.resend(webhookId, deliveryId);
  await print(stdout, json ? jsonLine(made) : `${made.eventId} is sent again: ${made.id}.\n`);
}

export async function replayWebhook(
  id: string,
  { json = false, since, until, statuses, types, ...options }: ReplayOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const webhookId = checkedId('whk', id);
  const { client } = await connect(options, environment);
  const chosen = statuses === 'all' ? 'all' : listOf(statuses);
  const body = { since, until, statuses: chosen, eventTypes: listOf(types) } as ReplayWebhook;
  const replay = await client.webhooks.replay(webhookId, body);
  const text = `${replay.matched} ${replay.matched === 1 ? 'event is' : 'events are'} sent again: ${replay.id}.\n`;
  await print(stdout, json ? jsonLine(replay) : text);
}

function statusOf({ status, reason }: WebhookDelivery): Cell {
  const text = reason === null ? status : `${status} (${reason})`;
  const format = formats[status];
  return format === undefined ? text : { text, format };
}

/** What came of the last attempt. */
function answerOf({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return '';
  return last.statusCode === null ? last.outcome : String(last.statusCode);
}
