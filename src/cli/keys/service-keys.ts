import type { NewApiKey } from '../../../sdk/src/schema.ts';
import type { Scope } from '../../contract/scopes.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, printResult } from '../context.ts';
import { checkedId } from '../resources/ids.ts';
import { resourceOperation } from '../resources/operations.ts';
import { getResource, listResource, type ResourceOptions } from '../resources/work.ts';
import { labelled } from '../terminal/fields.ts';

export interface CreateKeyOptions extends CommandOptions {
  /** Missing on a service. */
  readonly workspace?: string;
  readonly scopes: readonly Scope[];
  readonly name?: string;
}

export interface RotateKeyOptions extends CommandOptions {
  /** In milliseconds. */
  readonly grace: number;
}

/** The same as `database-keys.ts` on a running service, in the workspace of the key of the login. */
export async function createKey(options: CreateKeyOptions, context: CommandContext): Promise<void> {
  const { scopes, name } = options;
  const { client } = await connect(options, context.environment);
  const key = await client.apiKeys.create({ scopes: [...scopes], ...(name === undefined ? {} : { name }) });
  await printNewKey(key, options, context);
}

export async function listKeys(options: ResourceOptions, context: CommandContext): Promise<void> {
  await listResource(resourceOperation('apiKeys.list'), [], options, context);
}

export async function getKey(id: string, options: ResourceOptions, context: CommandContext): Promise<void> {
  await getResource(resourceOperation('apiKeys.get'), [id], options, context);
}

export async function revokeKey(id: string, options: CommandOptions, context: CommandContext): Promise<void> {
  const keyId = checkedId('key', id);
  const { client } = await connect(options, context.environment);
  const key = await client.apiKeys.revoke(keyId);
  await printResult(key, `${key.id} revoked.\n`, options, context);
}

export async function rotateKey(id: string, options: RotateKeyOptions, context: CommandContext): Promise<void> {
  const keyId = checkedId('key', id);
  const { client } = await connect(options, context.environment);
  const key = await client.apiKeys.rotate(keyId, { graceSeconds: options.grace / 1000 });
  await printNewKey(key, options, context);
}

export async function printNewKey(
  {
    id,
    key,
    workspaceId,
    scopes,
  }: Pick<NewApiKey, 'id' | 'key' | 'workspaceId'> & { readonly scopes: readonly string[] },
  options: CommandOptions,
  context: CommandContext,
): Promise<void> {
  const text = labelled([
    ['Key', `${key}   (shown only once: store it now)`],
    ['Id', id],
    ['Workspace', workspaceId],
    ['Scopes', scopes.join(', ')],
  ]);
  await printResult({ id, key, workspaceId, scopes }, text, options, context);
}
