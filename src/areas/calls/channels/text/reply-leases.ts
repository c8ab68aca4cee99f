import type { Database } from '../../../../storage/database.ts';

/** A reply in progress; `owner` is unique to it. */
export interface ReplyLease {
  readonly workspaceId: string;
  readonly callId: string;
  readonly owner: string;
}

/** SQL for the leases of replies. */
export function createReplyLeases(database: Database) {
  const { textsIn } = database.dialect;
  return {
    /** Keeps replies in progress of a workspace from being taken over. Those that were are left as they are. */
    renew: async (workspaceId: string, replies: readonly ReplyLease[], leaseUntil: number): Promise<void> => {
      const [ids, owners] = [replies.map(({ callId }) => callId), replies.map(({ owner }) => owner)];
      await database.unqueued.run(
        `UPDATE calls SET lease_until = $4 WHERE workspace_id = $1 AND id IN (${textsIn('$2')})
          AND owner IN (${textsIn('$3')})`,
        [workspaceId, JSON.stringify(ids), JSON.stringify(owners), leaseUntil],
      );
    },

    release: async ({ workspaceId, callId, owner }: ReplyLease): Promise<void> => {
      await database.run(
        'UPDATE calls SET owner = NULL, lease_until = NULL WHERE workspace_id = $1 AND id = $2 AND owner = $3',
        [workspaceId, callId, owner],
      );
    },

    /** Who is replying in each of these calls of a workspace. Null: nobody is, such as in a call that is over. */
    ownersOf: async (workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> => {
      const rows = await database.all<{ id: string; owner: string | null }>(
        `SELECT id, owner FROM calls WHERE workspace_id = $1 AND id IN (${textsIn('$2')})`,
        [workspaceId, JSON.stringify(ids)],
      );
      return new Map(rows.map(({ id, owner }) => [id, owner]));
    },
  };
}
