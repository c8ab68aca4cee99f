import { agentsContract } from '../../contract/agents.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import { ReadCache } from '../../storage/cache/read-cache.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { agentRoutes } from './routes.ts';
import { type AgentStore, createAgentStore } from './store.ts';

const readCacheBytes = 32 * 1024 * 1024;

const uncached: Pick<ReadCache, 'read'> = { read: (_workspaceId, _name, load) => load() };

export interface AgentOptions {
  /** False: searches do not use the name index, and none is built. */
  readonly hasNameIndex: boolean;
  /** False: every read goes to the database. The responses are the same. */
  readonly hasReadCache: boolean;
  /** What the addresses in a published agent may point to besides public ones. */
  readonly allowedNetworks: AllowedNetworks;
}

export function createAgents(
  { database, newId, now }: Kernel,
  { hasNameIndex, hasReadCache, allowedNetworks }: AgentOptions,
): { area: Area; count: AgentStore['count'] } {
  const cache = new ReadCache(database, readCacheBytes);
  const store = createAgentStore(database, { hasNameIndex, onWrite: cache.invalidateWith.bind(cache) });
  const area = defineArea(agentsContract, {
    handlers: agentRoutes(store, hasReadCache ? cache : uncached, newId, now, allowedNetworks),
    tasks: [{ name: 'build the index of names', everyMs: 100, run: store.buildNameIndex }],
  });
  return { area, count: store.count };
}
