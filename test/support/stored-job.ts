import type { Database, Row } from '../../src/storage/database.ts';

/** A job as it is stored. Times are in milliseconds, by the clock of the database. */
export interface StoredJob {
  readonly kind: string;
  readonly workspaceId: string | null;
  readonly payload: string;
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed';
  readonly runAt: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** The error of the last attempt; null once one succeeded. */
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

export async function findJob(database: Database, id: string): Promise<StoredJob | undefined> {
  const row: Row | undefined = await database.get(
    `SELECT kind, workspace_id AS "workspaceId", payload, state, run_at AS "runAt", attempt,
        max_attempts AS "maxAttempts", last_error AS "lastError",
        created_at AS "createdAt", finished_at AS "finishedAt"
      FROM jobs WHERE id = $1`,
    [id],
  );
  return row as StoredJob | undefined;
}
