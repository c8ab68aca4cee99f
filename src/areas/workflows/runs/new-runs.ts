import type { Call } from '../../../contract/calls/call.ts';
import { idFollowing } from '../../../core/ids.ts';
import type { Queries } from '../../../storage/database.ts';
import type { EnabledWorkflow } from '../store.ts';
import { OpenRuns } from './open-runs.ts';
import type { NewRun, RunStore } from './store.ts';

export const maxOpenRuns = 100_000;
const maxDepth = 3;

export interface NewRunParts {
  readonly store: RunStore;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly maxOpenRuns: number;
}

export type NewRuns = ReturnType<typeof createNewRuns>;

/** Adds runs, in the transaction of the caller. */
export function createNewRuns({ store, newId, now, maxOpenRuns: maxOpen }: NewRunParts) {
  const open = new OpenRuns(store, maxOpen, now);

  /** One more than the run that has created the call. */
  const depthOf = async (queries: Queries, { id, workflowRunId }: Call): Promise<number> => {
    if (workflowRunId === null) return 1;
    const row = await queries.get<{ depth: number }>('SELECT depth FROM workflow_calls WHERE call_id = $1', [id]);
    return (row?.depth ?? 0) + 1;
  };

  const insert = async (
    queries: Queries,
    call: Call,
    runs: readonly Pick<NewRun, 'workflowId' | 'version' | 'eventId'>[],
  ): Promise<string[]> => {
    if (runs.length === 0) return [];
    const depth = await depthOf(queries, call);
    let room = await open.room(queries, call.workspaceId);
    const ids: string[] = [];
    for (const run of runs) {
      const skipped = depth > maxDepth ? 'loop' : room <= 0 ? 'limit_reached' : null;
      // Should a restored backup know nothing of the run, its requests have the same keys again.
      const id = run.eventId === null ? newId('run') : idFollowing('run', run.eventId, run.workflowId);
      const key = { ...run, workspaceId: call.workspaceId, callId: call.id, id };
      const isNew = await store.insert(queries, { ...key, depth, skipped, createdAt: now() });
      if (!isNew) continue;
      ids.push(id);
      if (skipped !== null) continue;
      room -= 1;
      open.added(call.workspaceId);
    }
    return ids;
  };

  return {
    /** At most one for each workflow and call, unless it is to run for every analysis. The call is locked. */
    ofEvent: async (
      queries: Queries,
      call: Call,
      eventId: string,
      workflows: readonly EnabledWorkflow[],
    ): Promise<void> => {
      const rows = await queries.all<{ workflow_id: string }>(
        'SELECT DISTINCT workflow_id FROM workflow_runs WHERE call_id = $1 AND event_id IS NOT NULL',
        [call.id],
      );
      const started = new Set(rows.map((row) => row.workflow_id));
      const starting = workflows.filter(({ id, trigger }) => trigger.onEveryAnalysis || !started.has(id));
      await insert(
        queries,
        call,
        starting.map(({ id: workflowId, version }) => ({ workflowId, version, eventId })),
      );
    },

    /** Resolves to its id. */
    manual: async (queries: Queries, call: Call, workflowId: string, version: number): Promise<string> =>
      (await insert(queries, call, [{ workflowId, version, eventId: null }]))[0] as string,
  };
}
