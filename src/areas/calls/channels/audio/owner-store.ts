import type { Turn } from '../../../../contract/calls/turn.ts';
import type { Database } from '../../../../storage/database.ts';
import { resumeMs } from '../../lifecycle/due.ts';

export type OwnerStore = ReturnType<typeof createOwnerStore>;

/** SQL that only web calls need. */
export function createOwnerStore(database: Database) {
  const isLive = "type = 'web' AND status = 'ongoing' AND owner = $1";
  return {
    /** The measured times of the turns, which are kept with every storage setting. */
    turnLatencies: async (callId: string): Promise<Pick<Turn, 'role' | 'latency'>[]> => {
      const rows = await database.all<{ role: Turn['role']; latency: string | null }>(
        'SELECT role, latency FROM call_turns WHERE call_id = $1 ORDER BY turn_index',
        [callId],
      );
      return rows.map(({ role, latency }) => ({ role, latency: latency === null ? null : JSON.parse(latency) }));
    },

    /** Renews the leases of all web calls that a process has; resolves to their ids. */
    renewLeases: (owner: string, leaseUntil: number): Promise<ReadonlySet<string>> =>
      database.transaction(async (queries) => {
        // What is stored of the others is not enough to resume them.
        const update = `UPDATE calls SET lease_until = $2, due_at = $3 WHERE ${isLive} AND data_storage_setting`;
        await queries.write(`${update} = 'everything'`, [owner, leaseUntil, leaseUntil + resumeMs]);
        await queries.write(`${update} <> 'everything'`, [owner, leaseUntil, leaseUntil]);
        const rows = await queries.all<{ id: string }>(`SELECT id FROM calls WHERE ${isLive}`, [owner]);
        return new Set(rows.map(({ id }) => id));
      }),
  };
}
