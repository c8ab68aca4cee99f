import type { Database } from '../../storage/database.ts';

const dayMs = 24 * 3_600_000;
/** Rows removed per step, so that cleanup does not block writes for long. */
const rowsPerStep = 500;
/** A call can be scheduled 30 days ahead, by a run of up to 45 days: until then, its depth must be known. */
const createdCallsKeptMs = 90 * dayMs;

/** Removes runs that have ended, versions that nothing needs any more, and the records of calls that runs have created. */
export function createRetention(database: Database, now: () => number, retentionDays: number) {
  const removeRuns = `DELETE FROM workflow_runs WHERE id IN
    (SELECT id FROM workflow_runs WHERE completed_at IS NOT NULL AND completed_at < $1 ORDER BY completed_at LIMIT ${rowsPerStep})`;
  const removeVersions = `DELETE FROM workflow_versions WHERE (workflow_id, version) IN
    (SELECT workflow_id, version FROM workflow_versions AS old WHERE NOT EXISTS
        (SELECT 1 FROM workflows WHERE workflows.workspace_id = old.workspace_id AND workflows.id = old.workflow_id)
      AND NOT EXISTS (SELECT 1 FROM workflow_runs WHERE workflow_runs.workflow_id = old.workflow_id)
    LIMIT ${rowsPerStep})`;
  const removeCalls = `DELETE FROM workflow_calls WHERE call_id IN
    (SELECT call_id FROM workflow_calls WHERE created_at < $1 ORDER BY created_at LIMIT ${rowsPerStep})`;

  /** Resolves to true if there is more to remove. */
  return async (): Promise<boolean> => {
    const removed = [
      await database.run(removeRuns, [now() - retentionDays * dayMs]),
      await database.run(removeVersions),
      await database.run(removeCalls, [now() - createdCallsKeptMs]),
    ];
    return removed.includes(rowsPerStep);
  };
}
