import type { ApiKeyBody, apiKeysContract, NewApiKeyBody } from '../../contract/api-keys/index.ts';
import type { Scope } from '../../contract/scopes.ts';
import { notFound, scopeInsufficient, unprocessable, validationFailed } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import type { Caller } from '../../http/admission/caller.ts';
import type { ChangeReply, Handlers } from '../../http/operations/handlers.ts';
import type { Queries } from '../../storage/database.ts';
import type { StoredItems } from '../../storage/page.ts';
import type { CallerCheck } from './caller-check.ts';
import { type ApiKey, earlierExpiry, isAlive, type KeyStore, type NewApiKey } from './store.ts';

type KeyHandlers = Handlers<(typeof apiKeysContract.operations)[number]>;

export function keyRoutes(store: KeyStore, reads: Queries, checkCaller: CallerCheck, now: () => number): KeyHandlers {
  const find = async (queries: Queries, { workspaceId }: Caller, id: string): Promise<ApiKey> => {
    const key = isId('key', id) ? await store.find(queries, workspaceId, id) : undefined;
    if (key === undefined) throw notFound('API key');
    return key;
  };
  /** Locks the caller's key and the key to change, and returns the current state of the caller's key. */
  const lock = async (queries: Queries, caller: Caller, id: string): Promise<ApiKey> => {
    await store.lock(queries, caller.workspaceId, caller.keyId, isId('key', id) ? id : caller.keyId);
    return checkCaller(queries, caller);
  };
  const revoke = async (queries: Queries, caller: Caller, id: string): Promise<ChangeReply<ApiKeyBody>> => {
    await lock(queries, caller, id);
    const key = await store.revoke(queries, await find(queries, caller, id));
    return { body: bodyOf(key), resourceId: key.id, resourceName: key.name };
  };

  return {
    'apiKeys.create': async ({ caller, body, queries }) => {
      const own = await lock(queries, caller, caller.keyId);
      const asked = body.expiresAt === null ? null : Date.parse(body.expiresAt);
      if (asked !== null && asked <= now()) throw validationFailed({ expiresAt: ['must be in the future'] });
      if (asked !== null && asked > latestTime)
        throw validationFailed({ expiresAt: ['must be before the year 10000'] });
      requireScopes(own, body.scopes, 'apiKeys.create');
      requireNotRotated(own);
      // An expiring key cannot create one that outlives it.
      const expiresAt = earlierExpiry(own.expiresAt, asked);
      const scopes = [...new Set(body.scopes)];
      return made(await store.create(queries, { workspaceId: caller.workspaceId, name: body.name, scopes, expiresAt }));
    },

    'apiKeys.list': async ({ caller, query, position, nextPage }) => {
      const found = await store.list(caller.workspaceId, position?.after ?? null, query.limit);
      const items = found.slice(0, query.limit);
      return nextPage({
        items: Buffer.from(items.map((key) => JSON.stringify(bodyOf(key))).join(',')) as StoredItems<ApiKeyBody>,
        next: found.length > items.length ? (items.at(-1)?.id ?? null) : null,
      });
    },

    'apiKeys.get': async ({ caller, params }) => ({ body: bodyOf(await find(reads, caller, params.id)) }),

    'apiKeys.rotate': async ({ caller, params, body, queries }) => {
      const own = await lock(queries, caller, params.id);
      const key = await find(queries, caller, params.id);
      // The response contains a secret with the rights of the rotated key, which must not exceed those of the caller or
      // outlive it.
      requireScopes(own, key.scopes, 'apiKeys.rotate');
      requireNotRotated(own);
      if (!isAlive(key, now())) throw unprocessable({}, ['the key is revoked or expired; create a new one instead']);
      if (key.rotatedAt !== null)
        throw unprocessable({}, ['the key has already been rotated; rotate its successor instead']);
      const expiresAt = earlierExpiry(own.expiresAt, key.expiresAt);
      const successor = await store.rotate(queries, key, body.graceSeconds * 1000, expiresAt);
      return { ...made(successor), sourceId: key.id, sourceName: key.name };
    },

    'apiKeys.revoke': ({ caller, params, queries }) => revoke(queries, caller, params.id),
    'apiKeys.delete': ({ caller, params, queries }) => revoke(queries, caller, params.id),

    whoami: async ({ caller }) => {
      const key = await find(reads, caller, caller.keyId);
      const { workspaceId, workspaceName, id: keyId, name: keyName, scopes } = key;
      return { body: { workspaceId, workspaceName, keyId, keyName, scopes: [...scopes] } };
    },
  };
}

const latestTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A key cannot grant scopes that it does not have. */
function requireScopes(own: ApiKey, scopes: readonly Scope[], routeId: string): void {
  const lacking = scopes.find((scope) => !own.scopes.includes(scope));
  if (lacking !== undefined) throw scopeInsufficient(lacking, routeId);
}

/**
 * Keys are often rotated because they leaked: during the grace period, the old key must not create a key that outlives
 * it.
 */
function requireNotRotated(own: ApiKey): void {
  if (own.rotatedAt !== null) throw unprocessable({}, ['the calling API key has been rotated; use its successor']);
}

function made({ secret, ...key }: NewApiKey): ChangeReply<NewApiKeyBody> {
  return { body: { ...bodyOf(key), key: secret }, resourceId: key.id, resourceName: key.name };
}

function bodyOf({ workspaceName: _, ...key }: ApiKey): ApiKeyBody {
  return {
    id: key.id,
    workspaceId: key.workspaceId,
    name: key.name,
    hint: key.hint,
    scopes: [...key.scopes],
    createdAt: new Date(key.createdAt).toISOString(),
    expiresAt: isoTime(key.expiresAt),
    revokedAt: isoTime(key.revokedAt),
    lastUsedAt: isoTime(key.lastUsedAt),
  };
}

export function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
