import type { Step } from '../../../contract/workflows/definition.ts';
import type { StepError } from '../../../contract/workflows/run.ts';
import type { StepRow } from '../runs/run-rows.ts';
import type { ChangedStep } from '../runs/store.ts';
import type { StepResult } from '../templates/context.ts';

type Output = Readonly<Record<string, unknown>>;

/** Of all steps of a run together, as JSON. */
export const maxOutputBytes = 256 * 1024;

/** A step of a run, as it is in a transaction. */
interface StepState extends ChangedStep {
  readonly isChanged: boolean;
}

/** The steps of a run that have started, and what a transaction changes of them. */
export class RunSteps {
  readonly #states: Map<string, StepState>;

  constructor(rows: readonly StepRow[]) {
    this.#states = new Map(rows.map((row) => [row.step_id, stateOf(row)]));
  }

  get(stepId: string): ChangedStep | undefined {
    return this.#states.get(stepId);
  }

  get changed(): ChangedStep[] {
    return [...this.#states.values()].filter(({ isChanged }) => isChanged);
  }

  /** Those that have run, for templates and conditions. */
  get results(): ReadonlyMap<string, StepResult> {
    const results = new Map<string, StepResult>();
    for (const { stepId, status, output } of this.#states.values()) {
      if (status !== 'succeeded' && status !== 'failed') continue;
      results.set(stepId, { status, output: output === null ? null : JSON.parse(output) });
    }
    return results;
  }

  /** Starts an attempt, or the step itself. `request` stays once it is there. */
  start({ id: stepId }: Step, now: number, request: object | null = null): void {
    const known = this.#states.get(stepId);
    this.#set({
      stepId,
      status: 'running',
      request: known?.request ?? (request === null ? null : JSON.stringify(request)),
      attemptCount: (known?.attemptCount ?? 0) + 1,
      failures: known?.failures ?? 0,
      waitMs: null,
      output: null,
      error: null,
      startedAt: known?.startedAt ?? now,
      completedAt: null,
    });
  }

  /** It goes on after this time. `error`: why its last attempt has failed. */
  wait({ id }: Step, waitMs: number, error: StepError | null): void {
    const known = this.#started(id);
    const failures = known.failures + (error === null ? 0 : 1);
    this.#set({ ...known, status: 'waiting', failures, waitMs, error: error && JSON.stringify(error) });
  }

  /** Resolves to false if the outputs of the run would be too large: the step has then failed. */
  succeed({ id }: Step, output: Output, now: number): boolean {
    const ended = { ...this.#started(id), waitMs: null, completedAt: now };
    if (!this.#fits(id, output)) {
      this.#set({ ...ended, status: 'failed', output: null, error: JSON.stringify(outputTooLarge) });
      return false;
    }
    this.#set({ ...ended, status: 'succeeded', output: JSON.stringify(output), error: null });
    return true;
  }

  /** `output`: what a receiver has answered, which later steps may read. */
  fail({ id }: Pick<Step, 'id'>, error: StepError, now: number, output: Output | null = null): void {
    const kept = output !== null && this.#fits(id, output) ? JSON.stringify(output) : null;
    const ended = { ...this.#started(id), waitMs: null, completedAt: now };
    this.#set({ ...ended, status: 'failed', output: kept, error: JSON.stringify(error) });
  }

  #started(id: string): ChangedStep {
    const known = this.#states.get(id);
    if (known === undefined) throw new Error('the step has not started');
    return known;
  }

  #fits(id: string, output: Output): boolean {
    let bytes = Buffer.byteLength(JSON.stringify(output));
    for (const other of this.#states.values()) {
      if (other.stepId !== id && other.output !== null) bytes += Buffer.byteLength(other.output);
    }
    return bytes <= maxOutputBytes;
  }

  #set(state: ChangedStep): void {
    this.#states.set(state.stepId, { ...state, isChanged: true });
  }
}

export const outputTooLarge: StepError = {
  code: 'output_too_large',
  message: `The outputs of the run are longer than ${maxOutputBytes / 1024} KiB.`,
};

function stateOf(row: StepRow): StepState {
  return {
    stepId: row.step_id,
    status: row.status,
    request: row.request,
    attemptCount: row.attempt_count,
    failures: row.failures,
    waitMs: null,
    output: row.output,
    error: row.error,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    isChanged: false,
  };
}
