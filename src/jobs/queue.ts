import type { Database, Queries, Row } from '../storage/database.ts';
import { errorText } from './error-text.ts';
import type { JobKind } from './kind.ts';
import { type ClaimedRow, createLeases, type LeasedTable } from './leases.ts';

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed';

/** A job as it is stored. Times are in milliseconds, by the clock of the database. */
export interface StoredJob {
  readonly id: string;
  readonly kind: string;
  readonly workspaceId: string | null;
  readonly payload: string;
  readonly state: JobState;
  readonly runAt: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Of the last attempt that failed; null once one succeeded. */
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

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

/** What came of a run. */
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
  /** Not run to its end, and not the job's fault. */
  | { readonly jobId: string; readonly as: 'released'; readonly delayMs: number };

const table: LeasedTable = {
  name: 'jobs',
  runAt: 'run_at',
  isOpen: 'finished_at IS NULL',
  among: 'kind = $5',
  whenClaimed: "state = 'running'",
  whenReleased: "state = 'queued'",
  columns: ['kind', 'workspace_id', 'payload', 'max_attempts'],
};

const maxPayloadLength = 256 * 1024;
/** Long enough to see what has run lately. A job that failed is looked into later. */
const succeededKeptMs = 3_600_000;
const failedKeptMs = 30 * 24 * 3_600_000;
/** Rows removed in one step, so that cleaning never holds up a write for long. */
const cleaningStep = 500;

export type JobQueue = ReturnType<typeof createJobQueue>;

/** The jobs of all processes on one database. `now` is for tests: it replaces the clock of PostgreSQL, too. */
export function createJobQueue(database: Database, newId: (prefix: string) => string, now?: () => number) {
  const leases = createLeases(database, table, now);
  const { time, given, dueAt } = leases;
  const listeners = new Set<(kind: string) => void>();

  const sql = {
    add: `INSERT INTO jobs
        (id, kind, workspace_id, payload, dedupe_key, state, run_at, attempt, max_attempts, created_at)
      VALUES ($2, $3, $4, $5, $6, 'queued', ${time} + $7, 0, $8, ${time}) ON CONFLICT DO NOTHING`,
    find: 'SELECT * FROM jobs WHERE id = $1',
    dueIn: (kinds: number) => `SELECT column1 AS kind,
        (SELECT ${dueAt} FROM jobs WHERE kind = column1 AND finished_at IS NULL ORDER BY ${dueAt}, id LIMIT 1)
          - ${time} AS due_in_ms
      FROM (VALUES ${Array.from({ length: kinds }, (_, index) => `($${index + 2})`).join(', ')}) AS kinds`,
    remove: `DELETE FROM jobs WHERE id IN
      (SELECT id FROM jobs WHERE state = $2 AND finished_at <= ${time} - $3 ORDER BY finished_at, id LIMIT $4)`,
  };
  const succeeded = `state = 'succeeded', last_error = NULL, finished_at = ${time}`;
  const retried = `state = 'queued', last_error = $4, attempt = $5, run_at = ${time} + $6`;
  const failed = `state = 'failed', last_error = $4, attempt = $5, finished_at = ${time}`;

  return {
    /**
     * Adds a job in the caller's transaction: it runs once that is committed, and never if it is not. Resolves to its id,
     * or to null where the dedupe key is taken.
     */
    add: async <Payload>(queries: Queries, kind: JobKind<Payload>, job: NewJob<Payload>): Promise<string | null> => {
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
      // After the commit. Where it was undone instead, the worker looks and finds nothing.
      queries.atEnd(() => {
        for (const listener of listeners) listener(kind.name);
      });
      return id;
    },

    /** Calls `listener` whenever this process has committed a job. Returns how to end that. */
    onAdded: (listener: (kind: string) => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    find: async (id: string): Promise<StoredJob | undefined> => {
      const row = await database.get(sql.find, [id]);
      return row === undefined ? undefined : storedJob(row);
    },

    /** How long it is until the next job of each kind may be claimed; kinds without any are left out. */
    dueIn: async (kinds: readonly string[]): Promise<Map<string, number>> => {
      const rows = await database.all<{ kind: string; due_in_ms: number | null }>(sql.dueIn(kinds.length), [
        given(),
        ...kinds,
      ]);
      return new Map(rows.flatMap(({ kind, due_in_ms }) => (due_in_ms === null ? [] : [[kind, due_in_ms]])));
    },

    /**
     * Records what came of runs and claims the next jobs, up to the given number of each kind, in one transaction.
     * Resolves to the jobs claimed, and to the ids of the runs that had lost their lease: of those nothing was recorded.
     */
    exchange: (
      owner: string,
      outcomes: readonly Outcome[],
      wanted: ReadonlyMap<string, number>,
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
        for (const [kind, limit] of wanted) {
          const claim = { owner, leaseMs, limit, parameters: [kind] };
          claimed.push(...(await leases.claim<ClaimedJob>(queries, claim)));
        }
        const lost = outcomes.map(({ jobId }) => jobId).filter((id) => !recorded.has(id));
        return { claimed, lost };
      }),

    /** Resolves to the ids that the owner still holds. */
    renew: (owner: string, jobIds: readonly string[], leaseMs: number): Promise<Set<string>> =>
      database.transaction((queries) => leases.renew(queries, owner, jobIds, leaseMs)),

    /** Removes a few jobs that ended long ago; true where more may be left. */
    removeFinished: async (): Promise<boolean> => {
      const remove = (state: JobState, keptMs: number) =>
        database.run(sql.remove, [given(), state, keptMs, cleaningStep]);
      const removed = [await remove('succeeded', succeededKeptMs), await remove('failed', failedKeptMs)];
      return removed.includes(cleaningStep);
    },
  };
}

function storedJob(row: Row): StoredJob {
  return {
    id: row.id as string,
    kind: row.kind as string,
    workspaceId: row.workspace_id as string | null,
    payload: row.payload as string,
    state: row.state as JobState,
    runAt: row.run_at as number,
    attempt: row.attempt as number,
    maxAttempts: row.max_attempts as number,
    lastError: row.last_error as string | null,
    createdAt: row.created_at as number,
    finishedAt: row.finished_at as number | null,
  };
}
