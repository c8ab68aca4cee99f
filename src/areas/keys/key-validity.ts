import { LRUCache } from 'lru-cache';
import { type ApiKey, isAlive } from './store.ts';

/** The same as for the keys of requests: a revoked key must be refused everywhere within a second. */
const maxTrustMs = 500;
const maxCached = 10_000;

interface Lookup {
  readonly workspaceId: string;
  readonly keyId: string;
}

/**
 * Whether a key is still valid, for access tokens that it has created. The result is cached for half a second, and
 * requests that arrive during a lookup share it.
 */
export function createKeyValidity(
  find: (lookup: Lookup) => Promise<ApiKey | undefined>,
  now: () => number,
): (workspaceId: string, keyId: string) => Promise<boolean> {
  const keys = new LRUCache<string, { readonly key: ApiKey | undefined }, Lookup>({
    max: maxCached,
    ttl: maxTrustMs,
    fetchMethod: async (_, __, { context, options }) => {
      const startedAt = performance.now();
      const key = await find(context);
      // Counted from before the lookup, because the result is only known to be valid at that time.
      options.ttl = Math.max(1, maxTrustMs - (performance.now() - startedAt));
      return { key };
    },
  });
  return async (workspaceId, keyId) => {
    const found = await keys.fetch(`${workspaceId} ${keyId}`, { context: { workspaceId, keyId } });
    return found?.key !== undefined && isAlive(found.key, now());
  };
}
