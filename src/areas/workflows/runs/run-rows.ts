import type { Step } from '../../../contract/workflows/definition.ts';
import type { Run, RunAttempt, RunRequest, RunStep, StepError } from '../../../contract/workflows/run.ts';
import type { Row } from '../../../storage/database.ts';

export interface RunRow extends Row {
  id: string;
  workspace_id: string;
  workflow_id: string;
  workflow_version: number;
  call_id: string;
  event_id: string | null;
  status: string;
  reason: string | null;
  triggered_by: string;
  depth: number;
  step: string | null;
  due_at: number | null;
  lease_owner: string | null;
  lease_until: number | null;
  content_removed: number;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
}

export interface StepRow extends Row {
  run_id: string;
  step_id: string;
  status: string;
  request: string | null;
  attempt_count: number;
  failures: number;
  next_attempt_at: number | null;
  output: string | null;
  error: string | null;
  started_at: number;
  completed_at: number | null;
}

export interface AttemptRow extends Row {
  run_id: string;
  step_id: string;
  number: number;
  started_at: number;
  duration_ms: number;
  outcome: string;
  status_code: number | null;
  response_body: string | null;
  error_message: string | null;
}

/** A run as the API returns it. */
export function runOf(
  row: RunRow,
  definition: readonly Step[],
  steps: readonly StepRow[],
  attempts: readonly AttemptRow[],
): Run {
  const byId = new Map(steps.map((step) => [step.step_id, step]));
  // Null: it has not started.
  const current = row.step === null ? 0 : definition.findIndex(({ id }) => id === row.step);
  return {
    id: row.id,
    workflowId: row.workflow_id,
    workflowVersion: row.workflow_version,
    callId: row.call_id,
    eventId: row.event_id,
    status: row.status as Run['status'],
    reason: row.reason,
    trigger: row.triggered_by as Run['trigger'],
    depth: row.depth,
    steps: definition.map((step, index) => {
      const started = byId.get(step.id);
      const isPending = row.completed_at === null && index >= current;
      if (started === undefined) return unstarted(step, isPending ? 'pending' : 'not_reached');
      return stepOf(
        step,
        started,
        attempts.filter(({ step_id }) => step_id === step.id),
      );
    }),
    createdAt: new Date(row.created_at).toISOString(),
    startedAt: timeOf(row.started_at),
    completedAt: timeOf(row.completed_at),
  };
}

function unstarted({ id, type }: Step, status: 'pending' | 'not_reached'): RunStep {
  return {
    id,
    type,
    status,
    request: null,
    attempts: [],
    attemptCount: 0,
    nextAttemptAt: null,
    output: null,
    error: null,
    startedAt: null,
    completedAt: null,
  };
}

function stepOf({ id, type }: Step, row: StepRow, attempts: readonly AttemptRow[]): RunStep {
  // The request of a create_call is the body of the call, which the call itself shows.
  const hasRequest = type === 'http_request' && row.request !== null;
  const request = hasRequest ? (JSON.parse(row.request as string) as RunRequest) : null;
  return {
    id,
    type,
    status: row.status as RunStep['status'],
    request,
    attempts: attempts.map((attempt) => attemptOf(attempt, request?.url ?? null)),
    attemptCount: row.attempt_count,
    nextAttemptAt: timeOf(row.next_attempt_at),
    output: row.output === null ? null : (JSON.parse(row.output) as Record<string, unknown>),
    error: row.error === null ? null : (JSON.parse(row.error) as StepError),
    startedAt: timeOf(row.started_at),
    completedAt: timeOf(row.completed_at),
  };
}

/** Every attempt is sent to the same address; it disappears with the request. */
function attemptOf(row: AttemptRow, url: string | null): RunAttempt {
  return {
    number: row.number,
    startedAt: new Date(row.started_at).toISOString(),
    durationMs: row.duration_ms,
    url,
    outcome: row.outcome as RunAttempt['outcome'],
    statusCode: row.status_code,
    responseBody: row.response_body,
    errorMessage: row.error_message,
  };
}

function timeOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
