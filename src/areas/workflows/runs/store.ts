import type { Run } from '../../../contract/workflows/run.ts';
import { type ClaimedRow, createLeases } from '../../../jobs/leases.ts';
import type { Source } from '../../../jobs/source-slots.ts';
import type { Database, Queries, Reads, Value } from '../../../storage/database.ts';
import { afterEveryId, maxPageBytes, type Page } from '../../../storage/page.ts';
import type { WorkflowStore } from '../store.ts';
import { type AttemptRow, type RunRow, runOf, type StepRow } from './run-rows.ts';

export interface NewRun {
  readonly workspaceId: string;
  readonly id: string;
  readonly workflowId: string;
  readonly version: number;
  readonly callId: string;
  readonly eventId: string | null;
  readonly depth: number;
  readonly createdAt: number;
  /** Null: it starts at once. */
  readonly skipped: 'loop' | 'limit_reached' | null;
}

export interface RunFilters {
  readonly workflowId?: string | undefined;
  readonly callId?: string | undefined;
  readonly status?: readonly string[] | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
}

/** A claimed run. */
export interface DueRun {
  readonly id: string;
  readonly callId: string;
  readonly version: number;
}

/** How a run goes on when its process lets it go. */
export type RunEnding =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly reason: string; readonly step: string | null }
  | { readonly status: 'waiting'; readonly step: string; readonly delayMs: number };

export interface ChangedStep {
  readonly stepId: string;
  readonly status: string;
  /** JSON. */
  readonly request: string | null;
  readonly attemptCount: number;
  readonly failures: number;
  /** Null: it is not waiting. */
  readonly waitMs: number | null;
  /** JSON. */
  readonly output: string | null;
  /** JSON. */
  readonly error: string | null;
  readonly startedAt: number;
  readonly completedAt: number | null;
}

export type NewAttempt = Omit<AttemptRow, 'run_id'>;

export type RunStore = ReturnType<typeof createRunStore>;

const columns = `id, workspace_id, workflow_id, workflow_version, call_id, event_id, status, reason, triggered_by, depth,
  step, due_at, lease_owner, lease_until, content_removed, created_at, started_at, completed_at`;
const stepColumns = [
  'status',
  'request',
  'attempt_count',
  'failures',
  'next_attempt_at',
  'output',
  'error',
  'started_at',
  'completed_at',
];

/** What a run with all its steps has besides its content, about; and an attempt, with its address. */
const runHeadBytes = 8 * 1024;
const attemptHeadBytes = 2 * 1024;

/** SQL for runs, their steps and attempts. `clock` replaces that of PostgreSQL in tests. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createRunStore(
  database: Database,
  workflows: Pick<WorkflowStore, 'version'>,
  now: () => number,
  clock: (() => number) | undefined,
) {
  const { dialect } = database;
  const leases = createLeases(
    database,
    {
      name: 'workflow_runs',
      runAt: 'due_at',
      isOpen: 'completed_at IS NULL',
      among: 'workspace_id = $5 AND workflow_id = $6',
      whenClaimed: "status = 'running'",
      whenReleased: "status = CASE WHEN started_at IS NULL THEN 'pending' ELSE 'waiting' END",
      columns: ['call_id', 'workflow_version'],
    },
    clock ?? (dialect.engine === 'sqlite' ? now : undefined),
  );
  const { time, given, dueAt } = leases;
  const chosen = dialect.textsIn('$1');
  const sql = {
    insert: `INSERT INTO workflow_runs (due_at, workspace_id, id, workflow_id, workflow_version, call_id, event_id, status,
          reason, triggered_by, depth, attempt, content_removed, created_at, completed_at)
      VALUES (CASE WHEN $8 = 'pending' THEN ${time} END, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0, $12, $13)
      ON CONFLICT DO NOTHING`,
    // A lease that has ended belongs to a process that is lost.
    inFlight: `SELECT count(*) AS count FROM workflow_runs
      WHERE workflow_id = $2 AND lease_until IS NOT NULL AND lease_until > ${time} AND completed_at IS NULL`,
    lockOwned: `SELECT ${columns} FROM workflow_runs WHERE id = $1 AND lease_owner = $2 ${dialect.forUpdate}`,
    lock: `SELECT ${columns} FROM workflow_runs WHERE workspace_id = $1 AND id = $2 ${dialect.forUpdate}`,
    get: `SELECT ${columns} FROM workflow_runs WHERE workspace_id = $1 AND id = $2`,
    list: `SELECT ${columns} FROM workflow_runs WHERE workspace_id = $1 AND id < $2
        AND ($3 = '' OR workflow_id = $3) AND ($4 = '' OR call_id = $4)
        AND ($5 = '[]' OR status IN (${dialect.textsIn('$5')})) AND created_at >= $6 AND created_at < $7
      ORDER BY id DESC LIMIT $8`,
    steps: `SELECT run_id, step_id, ${stepColumns.join(', ')} FROM workflow_steps WHERE run_id IN (${chosen})`,
    attempts: `SELECT run_id, step_id, number, started_at, duration_ms, outcome, status_code, response_body, error_message
      FROM workflow_attempts WHERE run_id IN (${chosen}) ORDER BY run_id, step_id, number`,
    stepLengths: `SELECT run_id, sum(coalesce(octet_length(request), 0) + coalesce(octet_length(output), 0)) AS bytes
      FROM workflow_steps WHERE run_id IN (${chosen}) GROUP BY run_id`,
    attemptLengths: `SELECT run_id, sum(coalesce(octet_length(response_body), 0) + ${attemptHeadBytes}) AS bytes
      FROM workflow_attempts WHERE run_id IN (${chosen}) GROUP BY run_id`,
    open: `SELECT count(*) AS count FROM workflow_runs WHERE workspace_id = $1 AND completed_at IS NULL`,
    addAttempt: `INSERT INTO workflow_attempts (run_id, step_id, number, started_at, duration_ms, outcome, status_code,
          response_body, error_message) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
    progress: `UPDATE workflow_runs SET status = 'running', step = $2, started_at = coalesce(started_at, $3) WHERE id = $1`,
    letGo: `UPDATE workflow_runs SET lease_owner = NULL, lease_until = NULL WHERE id = $1`,
    settle: `UPDATE workflow_runs SET lease_owner = NULL, lease_until = NULL, status = $3, reason = $4, step = $5,
        due_at = ${time} + CAST($6 AS BIGINT), started_at = coalesce(started_at, $7), completed_at = $8 WHERE id = $2`,
    backlog: `SELECT count(*) AS count FROM workflow_runs WHERE completed_at IS NULL AND ${dueAt} <= ${time}`,
  };
  /** One statement for all: on PostgreSQL, each waits for the server. */
  const saveSteps = (count: number): string => {
    const rows = Array.from({ length: count }, (_, row) => {
      const [stepId, status, request, attempts, failures, waitMs, ...rest] = Array.from(
        { length: 10 },
        (_value, index) => `$${3 + row * 10 + index}`,
      );
      const wait = `${time} + CAST(${waitMs} AS BIGINT)`;
      return `($2, ${[stepId, status, request, attempts, failures, wait, ...rest].join(', ')})`;
    });
    return `INSERT INTO workflow_steps (run_id, step_id, ${stepColumns.join(', ')}) VALUES ${rows.join(', ')}
      ON CONFLICT (run_id, step_id) DO UPDATE SET ${stepColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  };
  const countOf = async (queries: Reads, text: string, parameters: readonly Value[]): Promise<number> =>
    Number((await queries.get<{ count: number }>(text, parameters))?.count ?? 0);

  const withSteps = async (queries: Reads, rows: readonly RunRow[]): Promise<Run[]> => {
    if (rows.length === 0) return [];
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const steps = Map.groupBy(await queries.all<StepRow>(sql.steps, [ids]), ({ run_id }) => run_id);
    const attempts = Map.groupBy(await queries.all<AttemptRow>(sql.attempts, [ids]), ({ run_id }) => run_id);
    const definitions = new Map<string, Awaited<ReturnType<WorkflowStore['version']>>>();
    const runs: Run[] = [];
    for (const row of rows) {
      const key = `${row.workflow_id} ${row.workflow_version}`;
      const known = definitions.get(key) ?? (await workflows.version(queries, row.workflow_id, row.workflow_version));
      definitions.set(key, known);
      runs.push(runOf(row, known?.steps ?? [], steps.get(row.id) ?? [], attempts.get(row.id) ?? []));
    }
    return runs;
  };
  /** The first of these rows, as many as fit on a page. A run can have megabytes. */
  const fitting = async (queries: Reads, rows: readonly RunRow[]): Promise<readonly RunRow[]> => {
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const bytes = new Map<string, number>();
    for (const length of [sql.stepLengths, sql.attemptLengths]) {
      const lengths = await queries.all<{ run_id: string; bytes: number | string }>(length, [ids]);
      for (const { run_id, bytes: more } of lengths) bytes.set(run_id, (bytes.get(run_id) ?? 0) + Number(more));
    }
    let total = 0;
    return rows.filter(({ id }, index) => {
      total += (bytes.get(id) ?? 0) + runHeadBytes;
      return index === 0 || total <= maxPageBytes;
    });
  };
  const read = async (queries: Reads, row: RunRow | undefined): Promise<Run | undefined> =>
    row === undefined ? undefined : (await withSteps(queries, [row]))[0];

  return {
    leases,

    /** How many runs of a workflow are in progress, in all processes. */
    inFlight: (queries: Queries, workflowId: string): Promise<number> =>
      countOf(queries, sql.inFlight, [given(), workflowId]),

    claim: async (
      queries: Queries,
      { workspaceId, id }: Source,
      { owner, leaseMs, limit }: { owner: string; leaseMs: number; limit: number },
    ): Promise<DueRun[]> => {
      const claim = { owner, leaseMs, limit, parameters: [workspaceId, id] };
      const rows = await leases.claim<ClaimedRun>(queries, claim);
      return rows.map((row) => ({ id: row.id, callId: row.call_id, version: row.workflow_version }));
    },

    /** Resolves to false if the workflow has a run of this event already. */
    insert: async (queries: Queries, run: NewRun): Promise<boolean> => {
      const { workspaceId, id, workflowId, version, callId, eventId, skipped, depth, createdAt } = run;
      const status = skipped === null ? 'pending' : 'skipped';
      const trigger = eventId === null ? 'manual' : 'event';
      const key = [workspaceId, id, workflowId, version, callId, eventId];
      const rest = [status, skipped, trigger, depth, createdAt, skipped === null ? null : createdAt];
      return (await queries.run(sql.insert, [given(), ...key, ...rest])) > 0;
    },

    /** The run, locked, if the process still has its lease. */
    lockOwned: (queries: Queries, owner: string, id: string) => queries.get<RunRow>(sql.lockOwned, [id, owner]),

    /** The run, locked. */
    lock: (queries: Queries, workspaceId: string, id: string) => queries.get<RunRow>(sql.lock, [workspaceId, id]),

    steps: (queries: Reads, runId: string) => queries.all<StepRow>(sql.steps, [JSON.stringify([runId])]),

    saveSteps: async (queries: Queries, runId: string, steps: readonly ChangedStep[]): Promise<void> => {
      if (steps.length === 0) return;
      const values = steps.flatMap((step) => {
        const { stepId, status, request, attemptCount, failures, waitMs, output, error, startedAt, completedAt } = step;
        return [stepId, status, request, attemptCount, failures, waitMs, output, error, startedAt, completedAt];
      });
      await queries.write(saveSteps(steps.length), [given(), runId, ...values]);
    },

    addAttempt: async (queries: Queries, runId: string, attempt: NewAttempt): Promise<void> => {
      const { step_id, number, started_at, duration_ms, outcome, status_code, response_body, error_message } = attempt;
      const result = [duration_ms, outcome, status_code, response_body, error_message];
      await queries.write(sql.addAttempt, [runId, step_id, number, started_at, ...result] as Value[]);
    },

    /** The run has come to this step, and the process keeps it. */
    progress: async (queries: Queries, runId: string, step: string, startedAt: number): Promise<void> => {
      await queries.write(sql.progress, [runId, step, startedAt]);
    },

    /** The run was canceled while the process had it. */
    letGo: async (queries: Queries, runId: string): Promise<void> => {
      await queries.write(sql.letGo, [runId]);
    },

    settle: async (queries: Queries, runId: string, ending: RunEnding, startedAt: number): Promise<void> => {
      const isWaiting = ending.status === 'waiting';
      const reason = ending.status === 'failed' ? ending.reason : null;
      const step = ending.status === 'succeeded' ? null : ending.step;
      const completedAt = isWaiting ? null : now();
      const values = [ending.status, reason, step, isWaiting ? ending.delayMs : null, startedAt, completedAt];
      await queries.write(sql.settle, [given(), runId, ...values]);
    },

    get: async (queries: Reads, workspaceId: string, id: string): Promise<Run | undefined> =>
      read(queries, await queries.get<RunRow>(sql.get, [workspaceId, id])),

    page: async (
      workspaceId: string,
      beforeId: string | null,
      limit: number,
      { workflowId = '', callId = '', status = [], createdAfter, createdBefore }: RunFilters,
    ): Promise<Page<Run>> => {
      const filters = [workflowId, callId, JSON.stringify(status)];
      const times = [createdAfter ?? 0, createdBefore ?? Number.MAX_SAFE_INTEGER];
      const place = beforeId ?? afterEveryId;
      const rows = await database.all<RunRow>(sql.list, [workspaceId, place, ...filters, ...times, limit + 1]);
      const page = await fitting(database, rows.slice(0, limit));
      const documents = (await withSteps(database, page)).map((run) => JSON.stringify(run));
      const hasMore = rows.length > page.length;
      return { items: Buffer.from(documents.join(',')), next: hasMore ? (page.at(-1)?.id ?? null) : null };
    },

    /**
     * Failed runs go on at their failed step, with as many attempts as at first. Resolves to how many. `which`: a
     * condition with parameters from $2 on.
     */
    resume: async (queries: Queries, which: string, parameters: readonly Value[]): Promise<number> => {
      const rows = await queries.all<{ id: string }>(
        `UPDATE workflow_runs SET status = 'waiting', reason = NULL, completed_at = NULL, due_at = ${time}
          WHERE ${which} AND status = 'failed' AND content_removed = 0 RETURNING id`,
        [given(), ...parameters],
      );
      if (rows.length === 0) return 0;
      await queries.write(
        `UPDATE workflow_steps SET status = 'pending', failures = 0, completed_at = NULL, next_attempt_at = ${time}
          WHERE status = 'failed' AND run_id IN (${dialect.textsIn('$2')})
            AND step_id = (SELECT step FROM workflow_runs WHERE workflow_runs.id = workflow_steps.run_id)`,
        [given(), JSON.stringify(rows.map(({ id }) => id))],
      );
      return rows.length;
    },

    countOpen: (queries: Reads, workspaceId: string): Promise<number> => countOf(queries, sql.open, [workspaceId]),

    /** How many runs of all workspaces are due. */
    backlog: () => countOf(database, sql.backlog, [given()]),
  };
}

interface ClaimedRun extends ClaimedRow {
  readonly call_id: string;
  readonly workflow_version: number;
}
