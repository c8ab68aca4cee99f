import type { ReplayWebhook } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { checkedId, listOf } from '../resources/ids.ts';
import { jsonLine } from '../terminal/text.ts';
import type { ReplayOptions } from './options.ts';

export async function resendDelivery(
  id: string,
  delivery: string,
  { json = false, ...options }: CommandOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const [webhookId, deliveryId] = [
    checkedId('webhook', id),
    checkedId('delivery', delivery, 'dlv', 'webhooks deliveries'),
  ];
  const { client } = await connect(options, environment);
  const made = await client.webhooks.deliveries.resend(webhookId, deliveryId);
  await print(stdout, json ? jsonLine(made) : `${made.eventId} is sent again: ${made.id}.\n`);
}

export async function replayWebhook(
  id: string,
  { json = false, since, until, statuses, types, ...options }: ReplayOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const webhookId = checkedId('webhook', id);
  const { client } = await connect(options, environment);
  const chosen = statuses === 'all' ? 'all' : listOf(statuses);
  const body = { since, until, statuses: chosen, eventTypes: listOf(types) } as ReplayWebhook;
  const replay = await client.webhooks.replay(webhookId, body);
  const text = `${replay.matched} ${replay.matched === 1 ? 'event is' : 'events are'} sent again: ${replay.id}.\n`;
  await print(stdout, json ? jsonLine(replay) : text);
}
