import { createAuditStore } from '../../areas/audit/store.ts';
import { isoTime } from '../../areas/keys/routes.ts';
import { type ApiKey, createKeyStore, isAlive, type KeyStore, type NewApiKey } from '../../areas/keys/store.ts';
import { readDatabaseLocation } from '../../config.ts';
import { createIdGenerator } from '../../core/ids.ts';
import type { Database, Queries } from '../../storage/database.ts';
import { migrate } from '../../storage/migrate.ts';
import type { CommandContext } from '../context.ts';
import { openExistingDatabase, requireTables } from '../database.ts';
import { CommandError } from '../failures.ts';
import { describeFields } from '../terminal/fields.ts';
import { table } from '../terminal/table.ts';
import { jsonLine } from '../terminal/text.ts';
import type { CreateKeyOptions, ListKeysOptions, RotateKeyOptions } from './options.ts';

export async function createKey(options: CreateKeyOptions, context: CommandContext): Promise<string> {
  const { workspace, scopes, name = null, json } = options;
  const key = await change(context, 'apiKeys.create', async ({ keys, queries }) => {
    const workspaceId = await keys.ensureWorkspace(queries, workspace);
    return keys.create(queries, { workspaceId, name, scopes, expiresAt: null });
  });
  return json ? jsonLine(newToJson(key)) : describeNew(key);
}

export async function listKeys({ workspace, json }: ListKeysOptions, context: CommandContext): Promise<string> {
  const found = await withDatabase(context, ({ keys }) => keys.listEverywhere(workspace ?? null));
  return json ? found.map((key) => jsonLine(toJson(key))).join('') : describeList(found);
}

export async function getKey(
  id: string,
  { json }: { readonly json?: boolean },
  context: CommandContext,
): Promise<string> {
  const key = await withDatabase(context, ({ keys, database }) => keys.findAnywhere(database, id));
  if (key === undefined) throw missing(id);
  return json ? jsonLine(toJson(key)) : describeFields(Object.entries(toJson(key)));
}

export async function revokeKey(
  id: string,
  { json }: { readonly json?: boolean },
  context: CommandContext,
): Promise<string> {
  const key = await change(context, 'apiKeys.revoke', async ({ keys, queries }) => {
    const found = await keys.findAnywhere(queries, id);
    if (found === undefined) throw missing(id);
    return keys.revoke(queries, found);
  });
  return json ? jsonLine(toJson(key)) : `${key.id} revoked.\n`;
}

export async function rotateKey(id: string, options: RotateKeyOptions, context: CommandContext): Promise<string> {
  const key = await change(context, 'apiKeys.rotate', async ({ keys, queries }) => {
    const found = await keys.findAnywhere(queries, id);
    if (found === undefined || !isAlive(found, Date.now())) {
      throw new CommandError(`no active key ${shown(id)}: run "voice-agents keys list" to see all keys`);
    }
    if (found.rotatedAt !== null)
      throw new CommandError(`${id} has already been rotated: rotate its successor instead`);
    return keys.rotate(queries, found, options.grace);
  });
  return options.json ? jsonLine(newToJson(key)) : describeNew(key);
}

interface Tools {
  readonly keys: KeyStore;
  readonly database: Database;
}

async function withDatabase<T>(
  { environment, stderr }: CommandContext,
  work: (tools: Tools) => Promise<T>,
): Promise<T> {
  const location = readDatabaseLocation(environment);
  const database = openExistingDatabase(location, stderr);
  try {
    await requireTables(database, location);
    await migrate(database, Date.now);
    return await work({ database, keys: createKeyStore(database, createIdGenerator(), Date.now) });
  } finally {
    await database.close();
  }
}

/** Records the change in the audit trail in the same transaction, without a key id. */
function change<K extends ApiKey>(
  context: CommandContext,
  routeId: string,
  work: (tools: Tools & { readonly queries: Queries }) => Promise<K>,
): Promise<K> {
  return withDatabase(context, (tools) => {
    const audit = createAuditStore(tools.database, createIdGenerator(), Date.now);
    return tools.database.transaction(async (queries) => {
      const key = await work({ ...tools, queries });
      const { workspaceId, id: resourceId, name: resourceName } = key;
      await audit.record(queries, { workspaceId, resourceId, resourceName, routeId, keyId: null, requestId: null });
      return key;
    });
  });
}

function missing(id: string): CommandError {
  return new CommandError(`no such key ${shown(id)}: run "voice-agents keys list" to see all keys`);
}

/** The argument may be an API key pasted by mistake, so it is echoed only if it looks like an id. */
function shown(id: string): string {
  return /^key_\w*$/.test(id) ? id : 'with this id (ids start with key_)';
}

function newToJson({ id, secret, workspaceId, scopes }: NewApiKey): Record<string, unknown> {
  return { id, key: secret, workspaceId, scopes };
}

function describeNew(key: NewApiKey): string {
  return `\n  Key        ${key.secret}   (shown only once: store it now)\n  Id         ${key.id}\n  Workspace  ${key.workspaceId}\n  Scopes     ${key.scopes.join(', ')}\n\n`;
}

function describeList(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return 'No API keys yet. See "voice-agents keys create --help".\n';
  const rows = keys.map((key) => [
    key.id,
    key.workspaceName,
    key.name ?? '',
    key.hint,
    key.scopes.join(','),
    stateOf(key),
  ]);
  return table(['ID', 'WORKSPACE', 'NAME', 'KEY', 'SCOPES', 'STATE'], rows);
}

function stateOf(key: ApiKey): string {
  if (key.revokedAt !== null) return `revoked ${isoTime(key.revokedAt)}`;
  if (key.expiresAt === null) return 'active';
  return `${isAlive(key, Date.now()) ? 'expires' : 'expired'} ${isoTime(key.expiresAt)}`;
}

function toJson({ createdAt, expiresAt, revokedAt, rotatedAt, lastUsedAt, ...rest }: ApiKey): Record<string, unknown> {
  return {
    ...rest,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    revokedAt: isoTime(revokedAt),
    rotatedAt: isoTime(rotatedAt),
    lastUsedAt: isoTime(lastUsedAt),
  };
}
