import type { CreateWebhook, TestWebhook, UpdateWebhook } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { checkedId, listOf } from '../resources/ids.ts';
import { defaultText } from '../resources/views.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import type { WriteWebhookOptions } from './options.ts';

export async function createWebhook(
  { json = false, ...options }: WriteWebhookOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const { url, events, ...rest } = fieldsOf(options);
  if (url === undefined || events === undefined) {
    throw invalidUsage('a webhook needs --url and --events');
  }
  const { client } = await connect(options, environment);
  const { secret, ...webhook } = await client.webhooks.create({ url, events, ...rest } as CreateWebhook);
  if (json) return print(stdout, jsonLine({ ...webhook, secret }));
  await print(stdout, `${defaultText(webhook, { stdout })}\nSecret, to verify requests with: ${secret}\n`);
}

export async function updateWebhook(
  id: string,
  { json = false, ...options }: WriteWebhookOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const checked = checkedId('webhook', id);
  const fields = fieldsOf(options);
  if (Object.keys(fields).length === 0) throw invalidUsage('nothing to change');
  const { client } = await connect(options, environment);
  const webhook = await client.webhooks.update(checked, fields as UpdateWebhook);
  await print(stdout, json ? jsonLine(webhook) : defaultText(webhook, { stdout }));
}

export async function testWebhook(
  id: string,
  { json = false, type, ...options }: CommandOptions & { readonly type: string },
  { environment, stdout, setExitCode }: CommandContext,
): Promise<void> {
  const checked = checkedId('webhook', id);
  const { client } = await connect(options, environment);
  const result = await client.webhooks.test(checked, { type } as TestWebhook);
  const answer = result.statusCode === null ? '' : ` with status ${result.statusCode}`;
  const why = result.errorMessage === null ? '' : `\n${visible(result.errorMessage)}`;
  const text = `${result.outcome}${answer} after ${result.durationMs} ms.${why}\n`;
  await print(stdout, json ? jsonLine(result) : text);
  if (result.outcome !== 'succeeded') setExitCode(exitCodes.failed);
}

export async function showSecret(
  id: string,
  { json = false, ...options }: CommandOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const checked = checkedId('webhook', id);
  const { client } = await connect(options, environment);
  const found = await client.webhooks.secret.get(checked);
  await print(stdout, json ? jsonLine(found) : `${found.secret}\n`);
}

export async function rotateSecret(
  id: string,
  { json = false, graceSeconds, ...options }: CommandOptions & { readonly graceSeconds: number },
  { environment, stdout, stderr }: CommandContext,
): Promise<void> {
  const checked = checkedId('webhook', id);
  const { client } = await connect(options, environment);
  const rotated = await client.webhooks.secret.rotate(checked, { graceSeconds });
  if (json) return print(stdout, jsonLine(rotated));
  await print(stdout, `${rotated.secret}\n`);
  const { previousSecretExpiresAt: end } = rotated;
  stderr.write(end === null ? 'The old secret is no longer used.\n' : `The old secret also signs until ${end}.\n`);
}

/** Only what was given. */
function fieldsOf({ url, events, agents, include, description, status }: WriteWebhookOptions) {
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
