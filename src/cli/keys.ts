import type { Command } from 'commander';
import { createAuditStore } from '../audit/store.ts';
import { readDatabaseLocation } from '../config.ts';
import { allScopes, isScope, type Scope } from '../contract/scopes.ts';
import { createIdGenerator } from '../ids.ts';
import { isoTime } from '../keys/routes.ts';
import { type ApiKey, createKeyStore, isAlive, type KeyStore, type NewApiKey } from '../keys/store.ts';
import type { Database, Queries } from '../storage/database.ts';
import { migrate } from '../storage/migrate.ts';
import { openDatabase } from '../storage/open.ts';
import { CommandError } from './command-error.ts';
import { table } from './table.ts';

type Print = (text: string) => unknown;

/** `voice-agents keys …`: on the database itself, beside a running service or without one. */
export function addKeyCommands(program: Command, environment: NodeJS.ProcessEnv, print: Print): void {
  const keys = program
    .command('keys')
    .description('make, show and end API keys, beside a running service or without one');
  const json = ['--json', 'print one line of JSON'] as const;

  keys
    .command('create')
    .description('make a key, and the workspace when it is new; the secret is shown this once')
    .requiredOption('--workspace <name>', 'the workspace that the key belongs to', parseWorkspace)
    .requiredOption('--scopes <list>', `what the key may do, with commas between: ${allScopes.join(',')}`, parseScopes)
    .option('--name <text>', 'a name to tell the key by', parseName)
    .option(...json)
    .action(async ({ workspace, scopes, name, json }: CreateOptions) => {
      const key = await change(environment, 'apiKeys.create', async ({ keys, queries }) => {
        const workspaceId = await keys.ensureWorkspace(queries, workspace);
        return keys.create(queries, { workspaceId, name: name ?? null, scopes, expiresAt: null });
      });
      print(json ? jsonLine(newToJson(key)) : describeNew(key));
    });

  keys
    .command('list')
    .description('show every key, or those of one workspace; never a secret')
    .option('--workspace <name>', 'only the keys of this workspace')
    .option(...json)
    .action(async ({ workspace, json }: { workspace?: string; json?: boolean }) => {
      const found = await withDatabase(environment, ({ keys }) => keys.listEverywhere(workspace ?? null));
      print(json ? found.map((key) => jsonLine(toJson(key))).join('') : describeList(found));
    });

  keys
    .command('revoke <key-id>')
    .description('end a key; every instance refuses it within a second')
    .option(...json)
    .action(async (id: string, { json }: { json?: boolean }) => {
      const key = await change(environment, 'apiKeys.revoke', async ({ keys, queries }) => {
        const found = await keys.findAnywhere(queries, id);
        if (found === undefined)
          throw new CommandError(`there is no key ${shown(id)}: "voice-agents keys list" shows them`);
        return keys.revoke(queries, found);
      });
      print(json ? jsonLine(toJson(key)) : `${key.id} is revoked.\n`);
    });

  keys
    .command('rotate <key-id>')
    .description('make a new secret with the same rights; the old one goes on for the grace period')
    .option(
      '--grace <time>',
      'how long the old secret goes on, such as 0s, 30m, 24h or 7d',
      parseDuration,
      24 * 3_600_000,
    )
    .option(...json)
    .action(async (id: string, { grace, json }: { grace: number; json?: boolean }) => {
      const key = await change(environment, 'apiKeys.rotate', async ({ keys, queries }) => {
        const found = await keys.findAnywhere(queries, id);
        if (found === undefined || !isAlive(found, Date.now())) {
          throw new CommandError(`there is no living key ${shown(id)}: "voice-agents keys list" shows them`);
        }
        if (found.rotatedAt !== null)
          throw new CommandError(`${id} has been rotated already: rotate its successor instead`);
        return keys.rotate(queries, found, grace);
      });
      print(json ? jsonLine(newToJson(key)) : describeNew(key));
    });
}

interface CreateOptions {
  workspace: string;
  scopes: Scope[];
  name?: string;
  json?: boolean;
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

/** A change goes into the audit trail of its workspace with it, as one that was made without a key. */
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

/** What stands in place of an id may be a key itself, and a terminal's lines are kept: only an id is repeated. */
function shown(id: string): string {
  return /^key_\w*$/.test(id) ? id : 'with this id (ids begin with key_)';
}

function parseWorkspace(text: string): string {
  return parseText('--workspace', text, 1);
}

function parseName(text: string): string {
  return parseText('--name', text, 0);
}

function parseText(option: string, text: string, least: number): string {
  const length = [...text].length;
  if (length < least || length > 255 || text.includes('\0') || !text.isWellFormed()) {
    throw new CommandError(`${option} must be ${least} to 255 characters of text`);
  }
  return text;
}

function parseScopes(text: string): Scope[] {
  const given = [...new Set(text.split(',').map((scope) => scope.trim()))].filter((scope) => scope !== '');
  const unknown = given.filter((scope) => !isScope(scope));
  if (given.length === 0 || unknown.length > 0) {
    const fault = given.length === 0 ? '--scopes must name at least one' : `unknown scope ${unknown.join(', ')}`;
    throw new CommandError(`${fault}; there are ${allScopes.join(', ')}`);
  }
  return given.filter(isScope);
}

function parseDuration(text: string): number {
  const match = /^(\d{1,6})(s|m|h|d)$/.exec(text);
  if (match === null) throw new CommandError('--grace must be a time such as 0s, 30m, 24h or 7d');
  const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as 's' | 'm' | 'h' | 'd'];
  return Number(match[1]) * unit;
}

function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function newToJson({ id, secret, workspaceId, scopes }: NewApiKey): Record<string, unknown> {
  return { id, key: secret, workspaceId, scopes };
}

function describeNew(key: NewApiKey): string {
  return `\n  Key        ${key.secret}   (shown this once: keep it)\n  Id         ${key.id}\n  Workspace  ${key.workspaceId}\n  Scopes     ${key.scopes.join(', ')}\n\n`;
}

function describeList(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return 'There are no keys yet: "voice-agents keys create --help" tells how to make one.\n';
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
