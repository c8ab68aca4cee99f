import type { CreateWebhook, ReplayWebhook, TestWebhook, UpdateWebhook } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, printResult } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { checkedId, listOf } from '../resources/ids.ts';
import { defaultText } from '../resources/views.ts';
import { visible } from '../terminal/text.ts';

interface WriteOptions extends CommandOptions {
  readonly url?: string;
  readonly events?: string;
  readonly agents?: string;
  readonly include?: string;
  readonly description?: string;
  readonly status?: string;
}

export async function createWebhook(options: WriteOptions, context: CommandContext): Promise<void> {
  const { url, events, ...rest } = fieldsOf(options);
  if (url === undefined || events === undefined) throw invalidUsage('a webhook needs --url and --events');
  const { client } = await connect(options, context.environment);
  const { secret, ...webhook } = await client.webhooks.create({ url, events, ...rest } as CreateWebhook);
  const text = `${defaultText(webhook, context)}\nSecret for verifying requests: ${secret}\n`;
  await printResult({ ...webhook, secret }, text, options, context);
}

export async function updateWebhook(id: string, options: WriteOptions, context: CommandContext): Promise<void> {
  const webhookId = checkedId('webhook', id);
  const fields = fieldsOf(options);
  if (Object.keys(fields).length === 0) throw invalidUsage('nothing to update: see "webhooks update --help"');
  const { client } = await connect(options, context.environment);
  const webhook = await client.webhooks.update(webhookId, fields as UpdateWebhook);
  await printResult(webhook, defaultText(webhook, context), options, context);
}

/** Only the given fields. */
function fieldsOf({ url, events, agents, include, description, status }: WriteOptions) {
  const fields = {
    url,
    events: listOf(events),
    agentIds: listOf(agents),
    include: listOf(include),
    description: description === '' ? null : description,
    status,
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<typeof fields>;
}

export async function testWebhook(
  id: string,
  options: CommandOptions & { readonly type: string },
  context: CommandContext,
): Promise<void> {
  const webhookId = checkedId('webhook', id);
  const { client } = await connect(options, context.environment);
  const result = await client.webhooks.test(webhookId, { type: options.type } as TestWebhook);
  const status = result.statusCode === null ? '' : ` with status ${result.statusCode}`;
  const reason = result.errorMessage === null ? '' : `\n${visible(result.errorMessage)}`;
  await printResult(result, `${result.outcome}${status} after ${result.durationMs} ms.${reason}\n`, options, context);
  if (result.outcome !== 'succeeded') context.setExitCode(exitCodes.failed);
}

export async function showSecret(id: string, options: CommandOptions, context: CommandContext): Promise<void> {
  const webhookId = checkedId('webhook', id);
  const { client } = await connect(options, context.environment);
  const found = await client.webhooks.secret.get(webhookId);
  await printResult(found, `${found.secret}\n`, options, context);
}

export async function rotateSecret(
  id: string,
  options: CommandOptions & { readonly graceSeconds: number },
  context: CommandContext,
): Promise<void> {
  const webhookId = checkedId('webhook', id);
  const { client } = await connect(options, context.environment);
  const rotated = await client.webhooks.secret.rotate(webhookId, { graceSeconds: options.graceSeconds });
  await printResult(rotated, `${rotated.secret}\n`, options, context);
  if (options.json) return;
  const { previousSecretExpiresAt: end } = rotated;
  const note = end === null ? 'is no longer used' : `also signs requests until ${end}`;
  context.stderr.write(`The old secret ${note}.\n`);
}

export async function resendDelivery(
  id: string,
  delivery: string,
  options: CommandOptions,
  context: CommandContext,
): Promise<void> {
  const webhookId = checkedId('webhook', id);
  const deliveryId = checkedId('delivery', delivery, 'dlv', 'webhooks deliveries');
  const { client } = await connect(options, context.environment);
  const made = await client.webhooks.deliveries.resend(webhookId, deliveryId);
  await printResult(made, `${made.eventId} is sent again: ${made.id}.\n`, options, context);
}

interface ReplayOptions extends CommandOptions {
  readonly since: string;
  readonly until?: string;
  readonly statuses?: string;
  readonly types?: string;
}

export async function replayWebhook(id: string, options: ReplayOptions, context: CommandContext): Promise<void> {
  const webhookId = checkedId('webhook', id);
  const { since, until, types } = options;
  const { client } = await connect(options, context.environment);
  const statuses = options.statuses === 'all' ? 'all' : listOf(options.statuses);
  const body = { since, until, statuses, eventTypes: listOf(types) } as ReplayWebhook;
  const replay = await client.webhooks.replay(webhookId, body);
  const text = `${replay.matched} ${replay.matched === 1 ? 'event is' : 'events are'} sent again: ${replay.id}.\n`;
  await printResult(replay, text, options, context);
}
