import type { Sealer } from '../core/sealer.ts';
import type { Database, Queries, Row, Value } from '../storage/database.ts';
import { errorText } from './error-text.ts';
import type { JobKind } from './kind.ts';
import { type ClaimedRow, createLeases, type LeasedTable } from './leases.ts';
import { nextTime } from './recurrence.ts';

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
  /** The same, sealed. Null: it is in `payload`. */
  readonly sealed_payload: Uint8Array | null;
  readonly run_at: number;
  readonly max_attempts: number;
}

/** The outcome of a run. `nextAt`: when a recurring job is due again. Without it, the job is finished. */
export type Outcome =
  | { readonly jobId: string; readonly as: 'succeeded'; readonly nextAt?: number | null }
  | {
      readonly jobId: string;
      readonly as: 'retried';
      readonly error: unknown;
      readonly attempt: number;
      readonly delayMs: number;
    }
  | {
      readonly jobId: string;
      readonly as: 'failed';
      readonly error: unknown;
      readonly attempt: number;
      readonly nextAt?: number | null;
    }
  /** The job was not completed, for a reason that has nothing to do with it. */
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
  columns: ['kind', 'workspace_id', 'payload', 'sealed_payload', 'max_attempts'],
};

const maxPayloadLength = 256 * 1024;
/** Long enough to see recent jobs. Failed jobs are kept for investigation. */
const succeededKeptMs = 3_600_000;
const failedKeptMs = 30 * 24 * 3_600_000;
/** Rows removed per step, so that cleanup does not block writes for long. */
const cleaningStep = 500;

export type JobQueue = ReturnType<typeof createJobQueue>;

export interface QueueParts {
  readonly database: Database;
  readonly newId: (prefix: string) => string;
  readonly sealer: Sealer;
  /** For tests: it replaces the clock of PostgreSQL, too. */
  readonly now?: (() => number) | undefined;
}

/** The key of the one job of a recurring kind. */
const recurringKey = 'recurring';

/** The jobs of all processes on one database. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createJobQueue({ database, newId, sealer, now }: QueueParts) {
  const leases = createLeases(database, table, now);
  const { time, given, dueAt } = leases;
  const wallClock = now ?? Date.now;
  const listeners = new Set<(kind: string) => void>();
  const workspace = "coalesce(jobs.workspace_id, '')";

  const sql = {
    add: `INSERT INTO jobs
        (id, kind, workspace_id, payload, sealed_payload, dedupe_key, state, run_at, attempt, max_attempts, created_at)
      VALUES ($2, $3, $4, $5, $6, $7, 'queued', ${time} + $8, 0, $9, ${time}) ON CONFLICT DO NOTHING`,
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
  const finished = `sealed_payload = NULL, finished_at = ${time}`;
  const succeeded = `state = 'succeeded', last_error = NULL, ${finished}`;
  const retried = `state = 'queued', last_error = $4, attempt = $5, run_at = ${time} + $6`;
  const failed = `state = 'failed', last_error = $4, attempt = $5, ${finished}`;
  const repeated = `state = 'queued', last_error = $4, attempt = 0, run_at = CASE WHEN $5 > ${time} THEN $5 ELSE ${time} END`;

  const settle = (queries: Queries, owner: string, outcome: Outcome): Promise<Set<string>> => {
    const ids = [outcome.jobId];
    const end = (assignments: string, values: readonly Value[]) =>
      leases.settle(queries, owner, ids, assignments, values);
    switch (outcome.as) {
      case 'succeeded':
        return outcome.nextAt == null ? end(succeeded, []) : end(repeated, [null, outcome.nextAt]);
      case 'retried':
        return end(retried, [errorText(outcome.error), outcome.attempt, outcome.delayMs]);
      case 'failed':
        return outcome.nextAt == null
          ? end(failed, [errorText(outcome.error), outcome.attempt])
          : end(repeated, [errorText(outcome.error), outcome.nextAt]);
      case 'released':
        return leases.release(queries, owner, ids, outcome.delayMs);
    }
  };

  return {
    /**
     * Adds a job in the caller's transaction: it runs after the commit, and never without one. Resolves to its id, or to
     * null if the dedupe key is taken.
     */
    add: async <Payload>(
      queries: Queries,
      kind: Pick<JobKind<Payload>, 'name' | 'maxAttempts' | 'isSealed'>,
      job: NewJob<Payload>,
    ): Promise<string | null> => {
      const { workspaceId = null, delayMs = 0, dedupeKey = null } = job;
      const payload = JSON.stringify(job.payload) as string | undefined;
      if (payload === undefined) throw new TypeError(`The payload of a job "${kind.name}" must be a JSON value.`);
      if (payload.length > maxPayloadLength)
        throw new RangeError(`The payload of a job "${kind.name}" is longer than ${maxPayloadLength} characters.`);
      if (!(delayMs >= 0)) throw new RangeError(`The delay of a job "${kind.name}" must be 0 or more.`);
      const id = newId('job');
      const content = kind.isSealed === true ? ['null', sealer.seal(payload, id)] : [payload, null];
      const own = [id, kind.name, workspaceId, ...content, dedupeKey];
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

    /** As it was added. Throws if it cannot be opened. */
    payloadOf: ({ id, payload, sealed_payload: sealed }: ClaimedJob): unknown =>
      JSON.parse(sealed === null ? payload : String(sealer.open(sealed, id))),

    /** When a job is due again after this run; null if its kind does not recur. */
    nextAt: ({ recurrence }: JobKind, { run_at: runAt }: ClaimedJob): number | null =>
      // The clock of this process may be behind the one that has made the job due.
      recurrence === undefined ? null : nextTime(recurrence, Math.max(wallClock(), runAt)),

    /** Adds the job of a recurring kind, unless there is one. One that is due later, by an earlier version, is due sooner. */
    ensureRecurring: (kind: JobKind): Promise<void> =>
      database.transaction(async (queries) => {
        const { name, maxAttempts, recurrence } = kind;
        if (recurrence === undefined) return;
        const runAt = nextTime(recurrence, wallClock());
        await queries.write(
          `UPDATE jobs SET max_attempts = $3, run_at = CASE WHEN run_at > $4 THEN $4 ELSE run_at END
            WHERE kind = $1 AND dedupe_key = $2 AND finished_at IS NULL`,
          [name, recurringKey, maxAttempts, runAt],
        );
        await queries.write(
          `INSERT INTO jobs (id, kind, payload, dedupe_key, state, run_at, attempt, max_attempts, created_at)
            VALUES ($1, $2, 'null', $3, 'queued', $4, 0, $5, $6) ON CONFLICT DO NOTHING`,
          [newId('job'), name, recurringKey, runAt, maxAttempts, wallClock()],
        );
      }),

    /** When the job of a recurring kind is due, or was if no process runs it any more; null if there is none. */
    recurringAt: async (kind: string): Promise<number | null> => {
      const row = await database.get<{ run_at: number }>(
        'SELECT run_at FROM jobs WHERE kind = $1 AND dedupe_key = $2 AND finished_at IS NULL',
        [kind, recurringKey],
      );
      return row?.run_at ?? null;
    },

    /** Removes unfinished jobs that no process has claimed for so long, of kinds that start with the prefix. */
    removeAbandoned: async (prefix: string, olderThanMs: number): Promise<void> => {
      await database.run(
        `DELETE FROM jobs WHERE kind LIKE $2 AND finished_at IS NULL AND lease_owner IS NULL AND run_at < ${time} - $3`,
        [given(), `${prefix}%`, olderThanMs],
      );
    },

    /** Ends a job whose payload was sealed with a key that is lost. */
    failLost: async (queries: Queries, jobId: string): Promise<void> => {
      await queries.run(
        `UPDATE jobs SET lease_owner = NULL, lease_until = NULL, state = 'failed', last_error = $3, ${finished} WHERE id = $2`,
        [given(), jobId, 'the data key was lost'],
      );
    },

    /** Ends a job as succeeded, in the caller's transaction, if the owner still holds it. */
    complete: async (queries: Queries, owner: string, jobId: string, nextAt: number | null): Promise<boolean> =>
      (await settle(queries, owner, { jobId, as: 'succeeded', nextAt })).has(jobId),

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
        const isEnd = (outcome: Outcome): boolean => outcome.as === 'succeeded' && outcome.nextAt == null;
        const ends = outcomes.filter(isEnd).map(({ jobId }) => jobId);
        if (ends.length > 0) note(await leases.settle(queries, owner, ends, succeeded, []));
        for (const outcome of outcomes) if (!isEnd(outcome)) note(await settle(queries, owner, outcome));
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
