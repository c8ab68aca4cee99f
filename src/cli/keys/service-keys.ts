import type { ApiKey, NewApiKey } from '../../../sdk/src/schema.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { type PageOptions, showPages } from '../resources/pages.ts';
import type { Cell } from '../terminal/table.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import { describeTime } from '../terminal/time.ts';
import type { CreateKeyOptions, JsonOption, RotateKeyOptions } from './options.ts';

/** The same as `keys.ts` on a running service, in the workspace of the key of the login. */
export async function createServiceKey(
  { scopes, name, json, ...options }: Omit<CreateKeyOptions, 'workspace'> & ConnectionOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const { client } = await connect(options, environment);
  const key = await client.apiKeys.create({ scopes: [...scopes], ...(name === undefined ? {} : { name }) });
  await print(stdout, json ? jsonLine(newToJson(key)) : describeNew(key));
}

export async function listServiceKeys(
  options: PageOptions & ConnectionOptions,
  context: CommandContext,
): Promise<void> {
  const { client } = await connect(options, context.environment);
  await showPages((limit) => client.apiKeys.list({ limit }), options, context, {
    head: ['ID', 'NAME', 'KEY', 'SCOPES', 'STATE', 'LAST USED'],
    row: (key) => [
      key.id,
      key.name ?? '',
      key.hint,
      key.scopes.join(','),
      stateOf(key),
      key.lastUsedAt === null ? '' : describeTime(key.lastUsedAt, context.stdout),
    ],
    table: { dispensable: ['LAST USED', 'KEY', 'SCOPES'], elastic: 'NAME' },
    none: 'No API keys yet.\n',
  });
}

export async function revokeServiceKey(
  id: string,
  { json, ...options }: JsonOption & ConnectionOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const { client } = await connect(options, environment);
  const key = await client.apiKeys.revoke(id);
  await print(stdout, json ? jsonLine(key) : `${key.id} revoked.\n`);
}

export async function rotateServiceKey(
  id: string,
  { grace, json, ...options }: RotateKeyOptions & ConnectionOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const { client } = await connect(options, environment);
  const key = await client.apiKeys.rotate(id, { graceSeconds: grace / 1000 });
  await print(stdout, json ? jsonLine(newToJson(key)) : describeNew(key));
}

function newToJson({ id, key, workspaceId, scopes }: NewApiKey): Record<string, unknown> {
  return { id, key, workspaceId, scopes };
}

function describeNew({ id, key, workspaceId, scopes }: NewApiKey): string {
  const lines = [
    ['Key', `${key}   (shown only once: store it now)`],
    ['Id', id],
    ['Workspace', workspaceId],
    ['Scopes', scopes.join(', ')],
  ];
  return `\n${lines.map(([label = '', text = '']) => `  ${label.padEnd(9)}  ${visible(text)}`).join('\n')}\n\n`;
}

function stateOf({ revokedAt, expiresAt }: ApiKey): Cell {
  if (revokedAt !== null) return { text: `revoked ${revokedAt}`, format: 'red' };
  if (expiresAt === null) return { text: 'active', format: 'green' };
  const isOver = Date.parse(expiresAt) <= Date.now();
  return { text: `${isOver ? 'expired' : 'expires'} ${expiresAt}`, format: isOver ? 'red' : 'yellow' };
}
