import type { Queries } from '../../storage/database.ts';
import type { OnCallSettled } from '../area.ts';
import type { Cancellation } from './runs/cancellation.ts';

const ofCall = 'SELECT id FROM workflow_runs WHERE call_id = $1';

/** After a call was redacted or deleted, nothing of it is left in its runs, and no open one goes on. */
export function createRemoval(cancellation: Pick<Cancellation, 'ofCall'>): OnCallSettled {
  const clear = async (queries: Queries, callId: string): Promise<void> => {
    await cancellation.ofCall(queries, callId);
    await queries.write('UPDATE workflow_runs SET content_removed = 1 WHERE call_id = $1', [callId]);
    await queries.write(`UPDATE workflow_steps SET request = NULL, output = NULL WHERE run_id IN (${ofCall})`, [
      callId,
    ]);
    await queries.write(`UPDATE workflow_attempts SET response_body = NULL WHERE run_id IN (${ofCall})`, [callId]);
  };
  return async (queries, { what, call }) => {
    if (what === 'redacted' || what === 'deleted') await clear(queries, call.id);
  };
}
