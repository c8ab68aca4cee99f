import type { JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries, Row, Value } from '../../../storage/database.ts';

export type CancelReason = 'by_user' | 'workflow_deleted' | 'content_removed';

export type Cancellation = ReturnType<typeof createCancellation>;

/** A batch is one transaction, which other writes wait for on SQLite. */
const batch = 500;

/**
 * Cancels open runs. A process that has one keeps its lease, so that a request in flight can still be recorded; nothing
 * follows it.
 */
export function createCancellation(database: Database, jobs: JobQueue, now: () => number) {
  const isOpen = 'completed_at IS NULL';
  const ofWorkflow = `workspace_id = $3 AND workflow_id = $4 AND ${isOpen}`;
  const chosen = database.dialect.textsIn('$1');

  /** Resolves to how many there were. `which`: a condition with parameters from $3 on. */
  const cancel = async (
    queries: Queries,
    reason: CancelReason,
    which: string,
    parameters: readonly Value[],
  ): Promise<number> => {
    const at = now();
    const rows = await queries.all<{ id: string } & Row>(
      `UPDATE workflow_runs SET status = 'canceled', reason = $1, due_at = NULL, completed_at = $2
        WHERE ${which} AND ${isOpen} RETURNING id`,
      [reason, at, ...parameters],
    );
    if (rows.length === 0) return 0;
    await queries.write(
      `UPDATE workflow_steps SET status = 'canceled', next_attempt_at = NULL, completed_at = $2
        WHERE run_id IN (${chosen}) AND status IN ('pending', 'running', 'waiting')`,
      [JSON.stringify(rows.map(({ id }) => id)), at],
    );
    return rows.length;
  };
  const cancelSome = (queries: Queries, workspaceId: string, workflowId: string): Promise<number> =>
    cancel(queries, 'workflow_deleted', `id IN (SELECT id FROM workflow_runs WHERE ${ofWorkflow} LIMIT ${batch})`, [
      workspaceId,
      workflowId,
    ]);

  /** A workflow can have 100,000 open runs. None of them starts any more, because their workflow is gone. */
  const rest: JobKind<{ readonly workspaceId: string; readonly workflowId: string }> = {
    name: 'cancel runs of a deleted workflow',
    maxAttempts: 100,
    retryDelaysMs: [1000, 5000, 30_000],
    timeoutMs: 600_000,
    concurrency: 4,
    run: async ({ payload: { workspaceId, workflowId } }, { signal }) => {
      for (let count = batch; count === batch; ) {
        signal.throwIfAborted();
        count = await database.transaction((queries) => cancelSome(queries, workspaceId, workflowId), {
          isBackground: true,
        });
      }
    },
  };

  return {
    kind: rest,

    ofRun: (queries: Queries, runId: string, reason: CancelReason) => cancel(queries, reason, 'id = $3', [runId]),

    ofCall: (queries: Queries, callId: string) => cancel(queries, 'content_removed', 'call_id = $3', [callId]),

    /** Cancels the runs in progress, and the first of the others: a job cancels the rest. */
    ofWorkflow: async (queries: Queries, workspaceId: string, workflowId: string): Promise<void> => {
      const inProgress = `${ofWorkflow} AND lease_until IS NOT NULL`;
      await cancel(queries, 'workflow_deleted', inProgress, [workspaceId, workflowId]);
      await cancelSome(queries, workspaceId, workflowId);
    },

    /** What is left of a workflow that was just deleted. */
    beginRest: async (queries: Queries, workspaceId: string, workflowId: string): Promise<void> => {
      const sql = `SELECT 1 AS one FROM workflow_runs WHERE workspace_id = $1 AND workflow_id = $2 AND ${isOpen} LIMIT 1`;
      if ((await queries.get(sql, [workspaceId, workflowId])) === undefined) return;
      await jobs.add(queries, rest, { payload: { workspaceId, workflowId }, workspaceId, dedupeKey: workflowId });
    },
  };
}
