import type { Database, Row } from '../../src/storage/database.ts';
import { counters } from './definitions.ts';
import type { Arrival } from './receiver.ts';
import type { Restore } from './restores.ts';
import { inFlightMs } from './settings.ts';

export interface Checked {
  readonly database: Database;
  readonly workspaceId: string;
  /** The names of the workflows by their ids. */
  readonly workflows: ReadonlyMap<string, string>;
  readonly arrivals: readonly Arrival[];
  /** When the cancellation of a run was confirmed. */
  readonly canceledMs: ReadonlyMap<string, number>;
  /** In their order. */
  readonly restores: readonly Restore[];
  readonly found: (what: string) => void;
}

interface StoredRun extends Row {
  id: string;
  workflow_id: string;
  call_id: string;
  event_id: string | null;
  status: string;
  reason: string | null;
  completed_at: number | null;
}

interface StoredStep extends Row {
  run_id: string;
  step_id: string;
  status: string;
  /** Those of processes that were killed count, too. */
  attempt_count: number;
  request: string | null;
}

interface StoredAttempt extends Row {
  run_id: string;
  step_id: string;
  outcome: string;
  count: number;
}

/** Compares the database with what the receiver has seen. Nothing is open any more. */
export async function checkAll(parts: Checked): Promise<Readonly<Record<string, number>>> {
  const { database, workspaceId, workflows, found } = parts;
  const runs = await database.all<StoredRun>(
    `SELECT id, workflow_id, call_id, event_id, status, reason, completed_at FROM workflow_runs WHERE workspace_id = $1`,
    [workspaceId],
  );
  const steps = await database.all<StoredStep>(
    `SELECT run_id, step_id, status, attempt_count, request FROM workflow_steps
      WHERE run_id IN (SELECT id FROM workflow_runs WHERE workspace_id = $1)`,
    [workspaceId],
  );
  await checkStarts(parts, runs);
  for (const { status, completed_at } of runs) {
    if ((completed_at === null) !== ['pending', 'running', 'waiting'].includes(status)) found(`a run is ${status}`);
    if (completed_at === null) found('a run has not ended');
  }
  const nameOf = new Map(runs.map(({ id, workflow_id }) => [id, workflows.get(workflow_id) ?? '']));
  await checkCounters(parts, runs, steps, nameOf);
  const calls = await checkCalls(parts, steps);
  const requests = await checkRequests(parts, steps);
  const count = (status: string) => runs.filter((run) => run.status === status).length;
  return {
    runs: runs.length,
    succeeded: count('succeeded'),
    failed: count('failed'),
    canceled: count('canceled'),
    'calls created': calls,
    ...requests,
  };
}

/** At most one run of a workflow and an event, and none is missing. */
async function checkStarts({ database, workspaceId, workflows, restores, found }: Checked, runs: readonly StoredRun[]) {
  const events = await database.all<{ id: string }>(
    `SELECT events.id FROM events JOIN calls ON calls.id = events.subject_id
      WHERE events.workspace_id = $1 AND events.type = 'call_ended' AND events.is_test = 0 AND calls.type = 'chat'`,
    [workspaceId],
  );
  const started = Map.groupBy(
    runs.filter(({ event_id }) => event_id !== null),
    ({ workflow_id, event_id }) => `${workflow_id} ${event_id}`,
  );
  for (const several of started.values()) if (several.length > 1) found('an event has started a workflow twice');
  for (const { id } of events) {
    for (const workflow of workflows.keys()) {
      if (!started.has(`${workflow} ${id}`)) found('an event has not started a workflow');
    }
  }
  for (const [start, [run]] of started) {
    const isOther = restores.some(({ startedBefore }) => (startedBefore.get(start) ?? run?.id) !== run?.id);
    if (isOther) found('after a restore, an event has started a run with another id');
  }
  if (started.size > events.length * workflows.size) found('a run was started by no call of the campaign');
}

/** What was counted in a call is what its runs have counted. */
async function checkCounters(
  { database, workspaceId, found }: Checked,
  runs: readonly StoredRun[],
  steps: readonly StoredStep[],
  nameOf: ReadonlyMap<string, string>,
): Promise<void> {
  const callOf = new Map(runs.map(({ id, call_id }) => [id, call_id]));
  const expected = new Map<string, number>();
  for (const { run_id, step_id, status } of steps) {
    const counter = counters[`${nameOf.get(run_id)} ${step_id}`];
    if (counter === undefined || status !== 'succeeded') continue;
    const key = `${callOf.get(run_id)} ${counter}`;
    expected.set(key, (expected.get(key) ?? 0) + 1);
  }
  const rows = await database.all<{ id: string; doc: string }>(
    "SELECT id, doc FROM calls WHERE workspace_id = $1 AND type = 'chat'",
    [workspaceId],
  );
  for (const { id, doc } of rows) {
    const { metadata } = JSON.parse(doc);
    for (const counter of new Set(Object.values(counters))) {
      const count = String(metadata[counter] ?? 'n').length - 1;
      const steps = expected.get(`${id} ${counter}`) ?? 0;
      if (count > steps) found('a call was changed twice by one step, or by a step that has not succeeded');
      if (count < steps) found('a step has succeeded that has not changed the call');
    }
  }
}

async function checkCalls({ database, workspaceId, found }: Checked, steps: readonly StoredStep[]): Promise<number> {
  const rows = await database.all<{ doc: string }>("SELECT doc FROM calls WHERE workspace_id = $1 AND type = 'phone'", [
    workspaceId,
  ]);
  const created = new Map<string, number>();
  for (const { doc } of rows) {
    const { workflowRunId } = JSON.parse(doc);
    created.set(workflowRunId, (created.get(workflowRunId) ?? 0) + 1);
  }
  for (const { run_id, step_id, status } of steps) {
    if (step_id !== 'call_back') continue;
    const count = created.get(run_id) ?? 0;
    if (count > 1) found('a step has created two calls');
    else if (count !== Number(status === 'succeeded')) found(`a step is ${status} and has created ${count} calls`);
  }
  return rows.length;
}

async function checkRequests(parts: Checked, steps: StoredStep[]) {
  const { database, workspaceId, arrivals, canceledMs, restores, found } = parts;
  const attempts = await database.all<StoredAttempt>(
    `SELECT run_id, step_id, outcome, count(*) AS count FROM workflow_attempts
      WHERE run_id IN (SELECT id FROM workflow_runs WHERE workspace_id = $1) GROUP BY run_id, step_id, outcome`,
    [workspaceId],
  );
  const recorded = Map.groupBy(attempts, ({ run_id, step_id }) => `${run_id}.${step_id}`);
  const received = Map.groupBy(arrivals, ({ key }) => key);
  const sending = steps.filter(({ request, step_id }) => request !== null && step_id !== 'call_back');
  const counts = { 'attempts recorded': 0, 'attempts lost': 0, 'rendered again after a restore': 0 };
  const isUndone = ({ era, atMs }: Arrival): boolean =>
    atMs >= (restores[era]?.backupFromMs ?? Number.POSITIVE_INFINITY);
  for (const { run_id, step_id, status, attempt_count } of sending) {
    const key = `${run_id}.${step_id}`;
    const own = received.get(key) ?? [];
    received.delete(key);
    const arrived = own.length;
    const known = own.filter((arrival) => !isUndone(arrival)).length;
    counts['rendered again after a restore'] += checkContents(key, own, restores, found);
    const attempts = recorded.get(key) ?? [];
    const shown = attempts.reduce((sum, { count }) => sum + Number(count), 0);
    // A request that was not answered may have got lost before it arrived.
    const answered = attempts.reduce(
      (sum, { outcome, count }) => sum + (unanswered.has(outcome) ? 0 : Number(count)),
      0,
    );
    if (arrived === 0 && (status === 'succeeded' || status === 'failed')) found('a key has never arrived');
    if (known > attempt_count) found('more requests have arrived than attempts have started');
    if (answered > arrived) found('an attempt is shown that has not arrived');
    if (shown > attempt_count) found('more attempts are shown than have started');
    if (status === 'succeeded' && shown === 0) found('a step has succeeded without an attempt');
    counts['attempts recorded'] += shown;
    counts['attempts lost'] += attempt_count - shown;
  }
  // The requests of runs that a restore has undone are in no step.
  for (const [key, lost] of received) if (lost.every(isUndone)) received.delete(key);
  if (received.size > 0) found('a request has arrived with a key that no step has');
  for (const { key, atMs } of arrivals) {
    const confirmedMs = canceledMs.get(key.split('.')[0] ?? '');
    if (confirmedMs !== undefined && atMs > confirmedMs + inFlightMs) found('a canceled run has sent a request');
  }
  return { ...counts, 'requests received': arrivals.length };
}

/**
 * A key has one content. Only a request that was rendered after a backup is rendered again after its restore: it then
 * has one content before, and one afterwards. Returns how often.
 */
function checkContents(
  key: string,
  arrivals: readonly Arrival[],
  restores: readonly Restore[],
  found: (what: string) => void,
): number {
  let changes = 0;
  for (const [place, { content, era }] of arrivals.entries()) {
    const before = arrivals[place - 1];
    if (before === undefined || before.content === content) continue;
    const between = restores.slice(before.era, era);
    if (between.length > 0 && between.some(({ rendered }) => !rendered.has(key))) changes += 1;
    else found('a key has arrived with two different contents');
  }
  return changes;
}

const unanswered: ReadonlySet<string> = new Set(['timeout', 'connection_failed', 'tls_failed']);
