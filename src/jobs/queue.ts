import type { Database, Queries, Row } from '../storage/database.ts';
import { errorText } from './error-text.ts';
import type { JobKind } from './kind.ts';
import { type ClaimedRow, createLeases, type LeasedTable } from './leases.ts';

export interface NewJob<Payload> {
  readonly payload: Payload;
  readonly workspaceId?: string | null;
  readonly delayMs?: number;
  /** While an unfinished job of the kind has the same key, no other is added. */
  readonly dedupeKey?: string;
}

export interface ClaimedJob extends ClaimedRow {
  readonly kind: string;
  readonly workspace_id: string | null;
  /** JSON. */
  readonly payload: string;
  readonly max_attempts: number;
}

/** The outcome of a run. */
export type Outcome =
  | { readonly jobId: string; readonly as: 'succeeded' }
  | {
      readonly jobId: string;
      readonly as: 'retried';
      readonly error: unknown;
      readonly attempt: number;
      readonly delayMs: number;
    }
  | { readonly jobId: string; readonly as: 'failed'; readonly error: unknown; readonly attempt: number }
  /** Not completed, for reasons other than the job itself. */
  | { readonly jobId: string; readonly as: 'released'; readonly delayMs: number };

/** Jobs of a kind in a workspace; `workspaceId` is empty for those of no workspace. */
export interface JobGroup {
  readonly kind: string;
  readonly workspaceId: string;
}

export interface DueJobs extends JobGroup {
  /** The time until the first of them can be claimed; 0 or less: now. */
  readonly dueInMs: number;
}

export interface WantedJobs extends JobGroup {
  readonly limit: number;
}

const table: LeasedTable = {
  name: 'jobs',
  runAt: 'run_at',
  isOpen: 'finished_at IS NULL',
  among: "kind = $5 AND coalesce(workspace_id, '') = $6",
  whenClaimed: "state = 'running'",
  whenReleased: "state = 'queued'",
  columns: ['kind', 'workspace_id', 'payload', 'max_attempts'],
};

const maxPayloadLength = 256 * 1024;
/** Long enough to see recent jobs. Failed jobs are kept for investigation. */
const succeededKeptMs = 3_600_000;
const failedKeptMs = 30 * 24 * 3_600_000;
/** Rows removed per step, so that cleanup does not block writes for long. */
const cleaningStep = 500;

export type JobQueue = ReturnType<typeof createJobQueue>;

/** The jobs of all processes on one database. `now` is for tests: it replaces the clock of PostgreSQL, too. */
export function createJobQueue(database: Database, newId: (prefix: string) => string, now?: () => number) {
  const leases = createLeases(database, table, now);
  const { time, given, dueAt } = leases;
  const listeners = new Set<(kind: string) => void>();
  const workspace = "coalesce(jobs.workspace_id, '')";

  const sql = {
    add: `INSERT INTO jobs
        (id, kind, workspace_id, payload, dedupe_key, state, run_at, attempt, max_attempts, created_at)
      VALUES ($2, $3, $4, $5, $6, 'queued', ${time} + $7, 0, $8, ${time}) ON CONFLICT DO NOTHING`,
    // Probes of the index for each kind and workspace that have unfinished jobs, however many those are.
    due: (kinds: number) => `WITH RECURSIVE found (kind, workspace_id) AS (
        SELECT column1, (SELECT ${workspace} FROM jobs WHERE kind = column1 AND finished_at IS NULL
          ORDER BY ${workspace} LIMIT 1)
        FROM (VALUES ${Array.from({ length: kinds }, (_, index) => `($${index + 2})`).join(', ')}) AS kinds
        UNION ALL
        SELECT found.kind, (SELECT ${workspace} FROM jobs WHERE jobs.kind = found.kind AND finished_at IS NULL
          AND ${workspace} > found.workspace_id ORDER BY ${workspace} LIMIT 1)
        FROM found WHERE found.workspace_id IS NOT NULL)
      SELECT found.kind, found.workspace_id, (SELECT ${dueAt} FROM jobs WHERE jobs.kind = found.kind
          AND finished_at IS NULL AND ${workspace} = found.workspace_id ORDER BY ${dueAt}, id LIMIT 1)
          - ${time} AS due_in_ms
      FROM found WHERE found.workspace_id IS NOT NULL`,
    remove: `DELETE FROM jobs WHERE id IN
      (SELECT id FROM jobs WHERE state = $2 AND finished_at <= ${time} - $3 ORDER BY finished_at, id LIMIT $4)`,
  };
  const succeeded = `state = 'succeeded', last_error = NULL, finished_at = ${time}`;
  const retried = `state = 'queued', last_error = $4, attempt = $5, run_at = ${time} + $6`;
  const failed = `state = 'failed', last_error = $4, attempt = $5, finished_at = ${time}`;

  return {
    /**
     * Adds a job in the caller's transaction: it runs after the commit, and never without one. Resolves to its id, or to
     * null if the dedupe key is taken.
     */
    add: async <Payload>(
      queries: Queries,
      kind: Pick<JobKind<Payload>, 'name' | 'maxAttempts'>,
      job: NewJob<Payload>,
    ): Promise<string | null> => {
      const { workspaceId = null, delayMs = 0, dedupeKey = null } = job;
      const payload = JSON.stringify(job.payload) as string | undefined;
      if (payload === undefined) throw new TypeError(`The payload of a job "${kind.name}" must be a JSON value.`);
      if (payload.length > maxPayloadLength)
        throw new RangeError(`The payload of a job "${kind.name}" is longer than ${maxPayloadLength} characters.`);
      if (!(delayMs >= 0)) throw new RangeError(`The delay of a job "${kind.name}" must be 0 or more.`);
      const id = newId('job');
      const own = [id, kind.name, workspaceId, payload, dedupeKey];
      const added = await queries.run(sql.add, [given(), ...own, Math.round(delayMs), kind.maxAttempts]);
      if (added === 0) return null;
      // After the commit. If the transaction was rolled back, the worker finds nothing.
      queries.atEnd(() => {
        for (const listener of listeners) listener(kind.name);
      });
      return id;
    },

    /** Removes unfinished jobs, in the caller's transaction. A run of one cannot complete any more. */
    remove: async (queries: Queries, kind: Pick<JobKind, 'name'>, dedupeKey: string): Promise<void> => {
      await queries.write('DELETE FROM jobs WHERE kind = $1 AND dedupe_key = $2 AND finished_at IS NULL', [
        kind.name,
        dedupeKey,
      ]);
    },

    /** Ends a job as succeeded, in the caller's transaction, if the owner still holds it. */
    complete: async (queries: Queries, owner: string, jobId: string): Promise<boolean> =>
      (await leases.settle(queries, owner, [jobId], succeeded, [])).has(jobId),

    /** Calls `listener` whenever this process has committed a job. Returns a function that removes it. */
    onAdded: (listener: (kind: string) => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    /** The workspaces with unfinished jobs of these kinds. */
    due: async (kinds: readonly string[]): Promise<DueJobs[]> => {
      if (kinds.length === 0) return [];
      const rows = await database.all<DueRow>(sql.due(kinds.length), [given(), ...kinds]);
      return rows.map(({ kind, workspace_id, due_in_ms }) => ({
        kind,
        workspaceId: workspace_id,
        dueInMs: due_in_ms,
      }));
    },

    /**
     * Records outcomes and claims the next jobs, up to the given number per workspace, in one transaction. Resolves to the
     * claimed jobs, and to the ids of the runs that had lost their lease, whose outcomes were not recorded.
     */
    exchange: (
      owner: string,
      outcomes: readonly Outcome[],
      wanted: readonly WantedJobs[],
      leaseMs: number,
    ): Promise<{ claimed: ClaimedJob[]; lost: string[] }> =>
      database.transaction(async (queries) => {
        const recorded = new Set<string>();
        const note = (ids: Set<string>): void => {
          for (const id of ids) recorded.add(id);
        };
        const ends = outcomes.filter(({ as }) => as === 'succeeded').map(({ jobId }) => jobId);
        if (ends.length > 0) note(await leases.settle(queries, owner, ends, succeeded, []));
        for (const outcome of outcomes) {
          const ids = [outcome.jobId];
          if (outcome.as === 'released') {
            note(await leases.release(queries, owner, ids, outcome.delayMs));
          } else if (outcome.as === 'retried') {
            const values = [errorText(outcome.error), outcome.attempt, outcome.delayMs];
            note(await leases.settle(queries, owner, ids, retried, values));
          } else if (outcome.as === 'failed') {
            const values = [errorText(outcome.error), outcome.attempt];
            note(await leases.settle(queries, owner, ids, failed, values));
          }
        }
        const claimed: ClaimedJob[] = [];
        for (const { kind, workspaceId, limit } of wanted) {
          const claim = { owner, leaseMs, limit, parameters: [kind, workspaceId] };
          claimed.push(...(await leases.claim<ClaimedJob>(queries, claim)));
        }
        const lost = outcomes.map(({ jobId }) => jobId).filter((id) => !recorded.has(id));
        return { claimed, lost };
      }),

    /** Resolves to the ids that the owner still holds. */
    renew: leases.renew,

    /** Removes a batch of old jobs. Resolves to true if there may be more. */
    removeFinished: async (): Promise<boolean> => {
      const remove = (state: string, keptMs: number) =>
        database.run(sql.remove, [given(), state, keptMs, cleaningStep]);
      const removed = [await remove('succeeded', succeededKeptMs), await remove('failed', failedKeptMs)];
      return removed.includes(cleaningStep);
    },
  };
}

interface DueRow extends Row {
  kind: string;
  workspace_id: string;
  due_in_ms: number;
}
