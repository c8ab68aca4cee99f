import type { Call } from '../../../contract/calls/call.ts';
import { concurrencyLimitReached } from '../../../core/errors.ts';
import type { Database, Queries, Reads } from '../../../storage/database.ts';
import { channelOf } from '../conversation/channel.ts';

export type Pool = 'voice' | 'chat';

export function poolOf(type: Call['type']): Pool {
  return channelOf({ type }).isSpoken ? 'voice' : 'chat';
}

/** Chats need little, so that a workspace may have more of them. */
const chatsPerVoiceCall = 10;

export type Concurrency = ReturnType<typeof createConcurrency>;

/**
 * How many calls of a workspace may be open at a time. They are counted from the calls themselves, so that there is no
 * counter that could be wrong after a crash.
 */
export function createConcurrency({ dialect }: Database, voiceLimit: number) {
  const limits = { voice: voiceLimit, chat: voiceLimit * chatsPerVoiceCall };
  const isActive = "status IN ('registered', 'ringing', 'ongoing')";
  const ofPool = (pool: Pool) => (pool === 'chat' ? "type = 'chat'" : "type IN ('web', 'phone')");

  const count = async (queries: Reads, workspaceId: string, condition: string): Promise<number> => {
    const row = await queries.get<{ count: number }>(
      `SELECT count(*) AS count FROM calls WHERE workspace_id = $1 AND ${condition}`,
      [workspaceId],
    );
    return row?.count ?? 0;
  };
  const active = (queries: Reads, workspaceId: string, pool: Pool) =>
    count(queries, workspaceId, `${ofPool(pool)} AND ${isActive}`);

  return {
    limits,

    /** The free slots. Others that take one at the same time wait until this transaction ends. */
    free: async (queries: Queries, workspaceId: string, pool: Pool): Promise<number> => {
      await queries.write(
        'INSERT INTO call_pools (workspace_id, pool) VALUES ($1, $2) ON CONFLICT (workspace_id, pool) DO NOTHING',
        [workspaceId, pool],
      );
      await queries.get(`SELECT pool FROM call_pools WHERE workspace_id = $1 AND pool = $2 ${dialect.forUpdate}`, [
        workspaceId,
        pool,
      ]);
      return limits[pool] - (await active(queries, workspaceId, pool));
    },

    refusal: (pool: Pool, free: number) => concurrencyLimitReached(pool, limits[pool], limits[pool] - free),

    read: async (queries: Reads, workspaceId: string) => ({
      limit: limits.voice,
      active: await active(queries, workspaceId, 'voice'),
      reservedInbound: 0 as const,
      queued: await count(queries, workspaceId, "status = 'queued'"),
      chatLimit: limits.chat,
      chatActive: await active(queries, workspaceId, 'chat'),
    }),
  };
}
