import type { CreateWebhook, TestWebhook, UpdateWebhook, Webhook } from '../../../sdk/src/schema.ts';
import { connect } from '../connection/connection.ts';
import { type CommandContext, type Format, paint, print } from '../context.ts';
import { CommandError, exitCodes, invalidUsage } from '../failures.ts';
import { showPages } from '../resources/pages.ts';
import { withDialog } from '../terminal/dialog.ts';
import { describeFields } from '../terminal/fields.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import { describeTime } from '../terminal/time.ts';
import { checkedId, listOf } from './names.ts';
import type { ListWebhooksOptions, WebhookCommandOptions, WriteWebhookOptions } from './options.ts';

const formats: Readonly<Partial<Record<Webhook['status'], Format>>> = { paused: 'yellow', disabled: 'red' };

export async function listWebhooks(options: ListWebhooksOptions, context: CommandContext): Promise<void> {
  const { client } = await connect(options, context.environment);
  const { kind, status, agent } = options;
  // The service checks the values.
  const query = { kind, status, agentId: agent } as Parameters<typeof client.webhooks.list>[0];
  await showPages((limit) => client.webhooks.list({ limit, ...query }), options, context, {
    head: ['ID', 'KIND', 'STATUS', 'EVENTS', 'URL', 'LAST SUCCESS'],
    row: (webhook) => {
      const format = formats[webhook.status];
      return [
        webhook.id,
        webhook.kind,
        format === undefined ? webhook.status : { text: webhook.status, format },
        webhook.events.join(', '),
        webhook.url ?? '',
        webhook.lastSuccessAt === null ? '' : describeTime(webhook.lastSuccessAt, context.stdout),
      ];
    },
    table: { dispensable: ['LAST SUCCESS', 'KIND', 'EVENTS'], elastic: 'URL' },
    none: 'No webhooks. Create one with "voice-agents webhooks create".\n',
  });
}

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
  await print(stdout, `${describe(webhook, stdout)}\nSecret, to verify requests with: ${secret}\n`);
}

export async function getWebhook(
  id: string,
  { json = false, ...options }: WebhookCommandOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const checked = checkedId('whk', id);
  const { client } = await connect(options, environment);
  const webhook = await client.webhooks.get(checked);
  await print(stdout, json ? jsonLine(webhook) : describe(webhook, stdout));
}

export async function updateWebhook(
  id: string,
  { json = false, ...options }: WriteWebhookOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const checked = checkedId('whk', id);
  const fields = fieldsOf(options);
  if (Object.keys(fields).length === 0) throw invalidUsage('nothing to change');
  const { client } = await connect(options, environment);
  const webhook = await client.webhooks.update(checked, fields as UpdateWebhook);
  await print(stdout, json ? jsonLine(webhook) : describe(webhook, stdout));
}

export async function deleteWebhook(
  id: string,
  { json = false, yes = false, ...options }: WebhookCommandOptions & { readonly yes?: boolean },
  context: CommandContext,
): Promise<void> {
  const { environment, stdin, stdout, stderr } = context;
  const checked = checkedId('whk', id);
  if (!yes && !(stdin.isTTY && stderr.isTTY)) {
    throw invalidUsage('cannot ask for confirmation without a terminal: use --yes');
  }
  const { client } = await connect(options, environment);
  if (!yes) {
    const { url } = await client.webhooks.get(checked);
    stderr.write(`  ${checked}  ${visible(url ?? '')}\n`);
    const answer = await withDialog(context, ({ ask }) => ask('Delete this webhook with its deliveries? [y/N] '));
    if (!/^y(es)?$/i.test(answer)) throw new CommandError('aborted: nothing was deleted');
  }
  const deleted = await client.webhooks.delete(checked);
  await print(stdout, json ? jsonLine(deleted) : `${deleted.id} deleted.\n`);
}

export async function testWebhook(
  id: string,
  { json = false, type, ...options }: WebhookCommandOptions & { readonly type: string },
  { environment, stdout, setExitCode }: CommandContext,
): Promise<void> {
  const checked = checkedId('whk', id);
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
  { json = false, ...options }: WebhookCommandOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const checked = checkedId('whk', id);
  const { client } = await connect(options, environment);
  const found = await client.webhooks.secret.get(checked);
  await print(stdout, json ? jsonLine(found) : `${found.secret}\n`);
}

export async function rotateSecret(
  id: string,
  { json = false, graceSeconds, ...options }: WebhookCommandOptions & { readonly graceSeconds: number },
  { environment, stdout, stderr }: CommandContext,
): Promise<void> {
  const checked = checkedId('whk', id);
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

function describe(webhook: Webhook, stream: NodeJS.WriteStream): string {
  const { id, workspaceId: _, ...fields } = webhook;
  const rows = Object.entries(fields).filter(([, value]) => value !== null);
  return `${paint('bold', id, stream)}\n${describeFields(rows)}`;
}
