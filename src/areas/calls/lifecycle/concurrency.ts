import type { Call } from '../../../contract/calls/call.ts';
import { concurrencyLimitReached } from '../../../core/errors.ts';
import type { Database, Queries, Reads } from '../../../storage/database.ts';
import { channelOf, typeIsWhere } from '../conversation/channel.ts';
import { openList } from '../record/store.ts';

export type Pool = 'voice' | 'chat';

export function poolOf(type: Call['type']): Pool {
  return channelOf({ type }).isSpoken ? 'voice' : 'chat';
}

/** A condition of SQL. */
export function isOfPool(pool: Pool): string {
  return typeIsWhere(({ isSpoken }) => isSpoken === (pool === 'voice'));
}

const isOnCarrier = typeIsWhere(({ needsCarrier }) => needsCarrier);

/** Chats need little, so that a workspace may have more of them. */
const chatsPerVoiceCall = 10;

export type Concurrency = ReturnType<typeof createConcurrency>;

/** A carrier's limit on concurrent calls; `max` null: any number. */
export interface CarrierLimit {
  readonly carrierId: string;
  readonly max: number | null;
}

/**
 * How many calls of a workspace may be open at a time. They are counted from the calls themselves, so that there is no
 * counter that could be wrong after a crash. `reservedInbound` slots for voice are for inbound phone calls only.
 */
export function createConcurrency({ dialect }: Database, voiceLimit: number, reservedInbound: number) {
  const limits = { voice: voiceLimit, chat: voiceLimit * chatsPerVoiceCall };
  // Worded like the partial index, which SQLite uses only if told to: otherwise it looks at every call of the workspace.
  const isActive = `status IN (${openList}) AND status <> 'queued'`;
  const openCalls = dialect.engine === 'sqlite' ? 'calls INDEXED BY calls_open' : 'calls';

  const count = async (queries: Reads, sql: string, values: readonly string[]): Promise<number> =>
    (await queries.get<{ count: number }>(`SELECT count(*) AS count FROM ${sql}`, values))?.count ?? 0;
  const countActive = (queries: Reads, condition: string, ...values: readonly string[]): Promise<number> =>
    count(queries, `${openCalls} WHERE workspace_id = $1 AND ${condition} AND ${isActive}`, values);
  const active = (queries: Reads, workspaceId: string, pool: Pool) => countActive(queries, isOfPool(pool), workspaceId);
  const inboundActive = (queries: Reads, workspaceId: string) =>
    countActive(queries, `${isOnCarrier} AND direction = 'inbound'`, workspaceId);

  return {
    limits,

    /**
     * The free slots; fewer than for inbound phone calls if some are reserved for these. Others that take one at the same
     * time wait until this transaction ends.
     */
    free: async (queries: Queries, workspaceId: string, pool: Pool, isInboundPhone = false): Promise<number> => {
      await queries.write(
        'INSERT INTO call_pools (workspace_id, pool) VALUES ($1, $2) ON CONFLICT (workspace_id, pool) DO NOTHING',
        [workspaceId, pool],
      );
      await queries.get(`SELECT pool FROM call_pools WHERE workspace_id = $1 AND pool = $2 ${dialect.forUpdate}`, [
        workspaceId,
        pool,
      ]);
      const all = await active(queries, workspaceId, pool);
      const free = limits[pool] - all;
      if (pool === 'chat' || reservedInbound === 0 || isInboundPhone) return free;
      const others = all - (await inboundActive(queries, workspaceId));
      return Math.min(free, limits.voice - reservedInbound - others);
    },

    /** The calls that the carrier still lets in. Only while the pool is locked by `free`. */
    freeAtCarrier: async (queries: Reads, workspaceId: string, { carrierId, max }: CarrierLimit): Promise<number> => {
      if (max === null) return Number.POSITIVE_INFINITY;
      return max - (await countActive(queries, `${isOnCarrier} AND carrier_id = $2`, workspaceId, carrierId));
    },

    refusal: async (queries: Reads, workspaceId: string, pool: Pool) => {
      const reserved = pool === 'chat' ? 0 : reservedInbound;
      return concurrencyLimitReached(pool, limits[pool], await active(queries, workspaceId, pool), reserved);
    },

    read: async (queries: Reads, workspaceId: string) => ({
      limit: limits.voice,
      active: await active(queries, workspaceId, 'voice'),
      reservedInbound,
      queued: await count(queries, "calls WHERE workspace_id = $1 AND status = 'queued'", [workspaceId]),
      chatLimit: limits.chat,
      chatActive: await active(queries, workspaceId, 'chat'),
    }),
  };
}
