import { createAuditStore } from '../areas/audit/store.ts';
import { isoTime } from '../areas/keys/routes.ts';
import { type ApiKey, createKeyStore, isAlive, type KeyStore, type NewApiKey } from '../areas/keys/store.ts';
import { readDatabaseLocation } from '../config.ts';
import type { Scope } from '../contract/scopes.ts';
import { createIdGenerator } from '../core/ids.ts';
import type { Database, Queries } from '../storage/database.ts';
import { migrate } from '../storage/migrate.ts';
import { openDatabase } from '../storage/open.ts';
import { CommandError } from './command-error.ts';
import { table } from './table.ts';
import { jsonLine } from './terminal-text.ts';

export interface JsonOption {
  readonly json?: boolean;
}

export interface CreateKeyOptions extends JsonOption {
  readonly workspace: string;
  readonly scopes: readonly Scope[];
  readonly name?: string;
}

export interface ListKeysOptions extends JsonOption {
  readonly workspace?: string;
}

export interface RotateKeyOptions extends JsonOption {
  readonly grace: number;
}

type Environment = NodeJS.ProcessEnv;

export async function createKey(environment: Environment, options: CreateKeyOptions): Promise<string> {
  const { workspace, scopes, name = null, json } = options;
  const key = await change(environment, 'apiKeys.create', async ({ keys, queries }) => {
    const workspaceId = await keys.ensureWorkspace(queries, workspace);
    return keys.create(queries, { workspaceId, name, scopes, expiresAt: null });
  });
  return json ? jsonLine(newToJson(key)) : describeNew(key);
}

export async function listKeys(environment: Environment, { workspace, json }: ListKeysOptions): Promise<string> {
  const found = await withDatabase(environment, ({ keys }) => keys.listEverywhere(workspace ?? null));
  return json ? found.map((key) => jsonLine(toJson(key))).join('') : describeList(found);
}

export async function revokeKey(environment: Environment, id: string, { json }: JsonOption): Promise<string> {
  const key = await change(environment, 'apiKeys.revoke', async ({ keys, queries }) => {
    const found = await keys.findAnywhere(queries, id);
    if (found === undefined)
      throw new CommandError(`no such key ${shown(id)}: run "voice-agents keys list" to see all keys`);
    return keys.revoke(queries, found);
  });
  return json ? jsonLine(toJson(key)) : `${key.id} revoked.\n`;
}

export async function rotateKey(environment: Environment, id: string, options: RotateKeyOptions): Promise<string> {
  const key = await change(environment, 'apiKeys.rotate', async ({ keys, queries }) => {
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

async function withDatabase<T>(environment: NodeJS.ProcessEnv, work: (tools: Tools) => Promise<T>): Promise<T> {
  const database = openDatabase(readDatabaseLocation(environment), (error) => {
    process.stderr.write(`voice-agents: ${error.message}\n`);
  });
  try {
    await migrate(database, Date.now);
    return await work({ database, keys: createKeyStore(database, createIdGenerator(), Date.now) });
  } finally {
    await database.close();
  }
}

/** Records the change in the audit trail in the same transaction, without a key id. */
function change<K extends ApiKey>(
  environment: NodeJS.ProcessEnv,
  routeId: string,
  work: (tools: Tools & { readonly queries: Queries }) => Promise<K>,
): Promise<K> {
  return withDatabase(environment, (tools) => {
    const audit = createAuditStore(tools.database, createIdGenerator(), Date.now);
    return tools.database.transaction(async (queries) => {
      const key = await work({ ...tools, queries });
      const { workspaceId, id: resourceId } = key;
      await audit.record(queries, { workspaceId, resourceId, routeId, keyId: null, requestId: null });
      return key;
    });
  });
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
