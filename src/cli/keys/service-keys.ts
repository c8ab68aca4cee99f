import type { NewApiKey } from '../../../sdk/src/schema.ts';
import { type CommandOptions, type ConnectionOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import type { CreateKeyOptions, RotateKeyOptions } from './options.ts';

/** The same as `keys.ts` on a running service, in the workspace of the key of the login. */
export async function createServiceKey(
  { scopes, name, json, ...options }: Omit<CreateKeyOptions, 'workspace'> & ConnectionOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const { client } = await connect(options, environment);
  const key = await client.apiKeys.create({ scopes: [...scopes], ...(name === undefined ? {} : { name }) });
  await print(stdout, json ? jsonLine(newToJson(key)) : describeNew(key));
}

export async function revokeServiceKey(
  id: string,
  { json, ...options }: CommandOptions,
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
