import { createAuditStore } from '../../areas/audit/store.ts';
import { isoTime } from '../../areas/keys/routes.ts';
import { type ApiKey, createKeyStore, isAlive, type KeyStore } from '../../areas/keys/store.ts';
import { readDatabaseLocation } from '../../config.ts';
import { createIdGenerator } from '../../core/ids.ts';
import type { Database, Queries } from '../../storage/database.ts';
import { migrate } from '../../storage/migrate.ts';
import type { CommandOptions } from '../connection/connection.ts';
import { type CommandContext, print, printResult } from '../context.ts';
import { requireDatabaseFile, requireTables, withDatabase } from '../database.ts';
import { CommandError, invalidUsage } from '../failures.ts';
import { keyState } from '../resources/views.ts';
import { describeFields } from '../terminal/fields.ts';
import { table } from '../terminal/table.ts';
import { jsonLine } from '../terminal/text.ts';
import { type CreateKeyOptions, printNewKey, type RotateKeyOptions } from './service-keys.ts';

export async function createKey(options: CreateKeyOptions, context: CommandContext): Promise<void> {
  const { workspace, scopes, name = null } = options;
  if (workspace === undefined) throw invalidUsage('--workspace is required, or --service');
  const key = await change(context, 'apiKeys.create', async ({ keys, queries }) => {
    const workspaceId = await keys.ensureWorkspace(queries, workspace);
    return keys.create(queries, { workspaceId, name, scopes, expiresAt: null });
  });
  await printNewKey({ ...key, key: key.secret }, options, context);
}

export async function listKeys(
  { workspace, json }: CommandOptions & { readonly workspace?: string },
  context: CommandContext,
): Promise<void> {
  const found = await withKeys(context, ({ keys }) => keys.listEverywhere(workspace ?? null));
  const keys = found.map(toJson);
  await print(context.stdout, json ? keys.map(jsonLine).join('') : describeList(keys));
}

export async function getKey(id: string, options: CommandOptions, context: CommandContext): Promise<void> {
  const key = await withKeys(context, ({ keys, database }) => keys.findAnywhere(database, id));
  if (key === undefined) throw missing(id);
  await printResult(toJson(key), describeFields(Object.entries(toJson(key))), options, context);
}

export async function revokeKey(id: string, options: CommandOptions, context: CommandContext): Promise<void> {
  const key = await change(context, 'apiKeys.revoke', async ({ keys, queries }) => {
    const found = await keys.findAnywhere(queries, id);
    if (found === undefined) throw missing(id);
    return keys.revoke(queries, found);
  });
  await printResult(toJson(key), `${key.id} revoked.\n`, options, context);
}

export async function rotateKey(id: string, options: RotateKeyOptions, context: CommandContext): Promise<void> {
  const key = await change(context, 'apiKeys.rotate', async ({ keys, queries }) => {
    const found = await keys.findAnywhere(queries, id);
    if (found === undefined || !isAlive(found, Date.now())) throw missing(id, 'active');
    if (found.rotatedAt !== null) throw new CommandError(`${id} has already been rotated: rotate its successor`);
    return keys.rotate(queries, found, options.grace);
  });
  await printNewKey({ ...key, key: key.secret }, options, context);
}

interface Tools {
  readonly keys: KeyStore;
  readonly database: Database;
}

async function withKeys<T>(context: CommandContext, work: (tools: Tools) => Promise<T>): Promise<T> {
  const location = readDatabaseLocation(context.environment);
  requireDatabaseFile(location);
  return withDatabase(location, context, async (database) => {
    await requireTables(database, location);
    await migrate(database, Date.now);
    return work({ database, keys: createKeyStore(database, createIdGenerator(), Date.now) });
  });
}

/** Records the change in the audit trail in the same transaction, without a key id. */
function change<K extends ApiKey>(
  context: CommandContext,
  routeId: string,
  work: (tools: Tools & { readonly queries: Queries }) => Promise<K>,
): Promise<K> {
  return withKeys(context, (tools) => {
    const audit = createAuditStore(tools.database, createIdGenerator(), Date.now);
    return tools.database.transaction(async (queries) => {
      const key = await work({ ...tools, queries });
      const { workspaceId, id: resourceId, name: resourceName } = key;
      await audit.record(queries, { workspaceId, resourceId, resourceName, routeId, keyId: null, requestId: null });
      return key;
    });
  });
}

/** The argument may be an API key pasted by mistake, so it is echoed only if it looks like an id. */
function missing(id: string, state = 'such'): CommandError {
  const shown = /^key_\w*$/.test(id) ? id : 'with this id (ids start with key_)';
  return new CommandError(`no ${state} key ${shown}: run "voice-agents keys list" to see all keys`);
}

function describeList(keys: readonly ReturnType<typeof toJson>[]): string {
  if (keys.length === 0) return 'No API keys yet. Create one with "voice-agents keys create".\n';
  const rows = keys.map((key) => {
    const { id, workspaceName, name, hint, scopes } = key;
    return [id, workspaceName, name ?? '', hint, scopes.join(','), keyState(key)];
  });
  return table(['ID', 'WORKSPACE', 'NAME', 'KEY', 'SCOPES', 'STATE'], rows);
}

function toJson({ createdAt, expiresAt, revokedAt, rotatedAt, lastUsedAt, ...rest }: ApiKey) {
  return {
    ...rest,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    revokedAt: isoTime(revokedAt),
    rotatedAt: isoTime(rotatedAt),
    lastUsedAt: isoTime(lastUsedAt),
  };
}
