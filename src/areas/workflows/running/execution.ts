import type { Call } from '../../../contract/calls/call.ts';
import type { CreateCall } from '../../../contract/calls/requests.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import { errorCodes } from '../../../contract/errors.ts';
import type { Step, StepOf } from '../../../contract/workflows/definition.ts';
import type { RunRequest, StepError } from '../../../contract/workflows/run.ts';
import { AppError } from '../../../core/errors.ts';
import type { Queries, Reads } from '../../../storage/database.ts';
import type { RunRow } from '../runs/run-rows.ts';
import type { RunEnding, RunStore } from '../runs/store.ts';
import { StepFailure } from '../step-failure.ts';
import { actionOf, followingIndex, type StepAction } from '../steps/action.ts';
import type { TemplateContext } from '../templates/context.ts';
import { readsTranscript } from '../templates/renderer.ts';
import { transcriptText } from '../templates/transcript.ts';
import { keptOutput, keptResponse } from './kept-content.ts';
import { outputTooLarge, type RunSteps } from './run-steps.ts';
import { maxRunAgeMs, retryDelayMs } from './schedule.ts';
import type { AttemptResult, SendResult } from './sending.ts';

/** What runs need of calls, in their own transactions. */
export interface CallsOfRuns {
  find(queries: Reads, workspaceId: string, id: string): Promise<Call | undefined>;
  lock(queries: Queries, workspaceId: string, id: string): Promise<Call | undefined>;
  turns(queries: Reads, call: Call): AsyncIterable<Turn>;
  update(
    queries: Queries,
    workspaceId: string,
    id: string,
    changes: { readonly metadata?: Readonly<Record<string, unknown>>; readonly externalId?: string },
  ): Promise<Call>;
  create(
    queries: Queries,
    workspaceId: string,
    body: CreateCall,
    options: { readonly runId: string; readonly isAllowed: () => Promise<boolean> },
  ): Promise<Call | null>;
}

export interface ExecutionParts {
  readonly store: RunStore;
  readonly calls: CallsOfRuns;
  /** Whether this number may be called once more, and how a call to it is noted. */
  readonly destinations: {
    isAllowed(queries: Queries, workspaceId: string, to: string): Promise<boolean>;
    note(queries: Queries, call: Call, to: string, depth: number): Promise<void>;
  };
  readonly now: () => number;
  /** From 0 to 1, for the jitter of the schedule. */
  readonly random: () => number;
  readonly retryDelaysMs: readonly number[];
  /** A step could not be evaluated, which is a defect. */
  readonly onDefect: (error: Error) => void;
}

/** A run that is locked, as it is stored. */
export interface LockedRun {
  readonly row: RunRow;
  /** The steps of its version. */
  readonly definition: readonly Step[];
  readonly steps: RunSteps;
  /** If it is locked, too; null: not yet read. */
  readonly call: Call | null | undefined;
}

/** How a run goes on after a transaction. */
export type Advance =
  | {
      readonly kind: 'request';
      readonly step: StepOf<'http_request'>;
      readonly attempt: number;
      readonly request: RunRequest;
    }
  | { readonly kind: 'ended'; readonly ending: RunEnding };

/** What an attempt of a step came to. */
export interface Received {
  readonly stepId: string;
  readonly attempt: number;
  readonly result: SendResult;
}

/** How a step ends, or why it does not yet. `next`: the index of the step after it; null ends the run. */
type StepEnd =
  | { readonly kind: 'next'; readonly next: number | null }
  | { readonly kind: 'failed'; readonly error: StepError }
  | { readonly kind: 'waiting'; readonly delayMs: number }
  | { readonly kind: 'request'; readonly request: RunRequest };

/** How often a call is tried that has no free slot. */
const maxCallAttempts = 5;

/**
 * Takes the steps of a run that is locked in a transaction, up to one that has to wait for something outside of it. All
 * that these steps do is part of the transaction, so that it happens exactly once.
 */
export class Execution {
  readonly #parts: ExecutionParts;
  readonly #queries: Queries;
  readonly #row: RunRow;
  readonly #definition: readonly Step[];
  readonly #steps: RunSteps;
  readonly startedAt: number;
  /** As it is stored now. Undefined: it was deleted. Null: not yet read. */
  #call: Call | null | undefined;

  constructor(parts: ExecutionParts, queries: Queries, { row, definition, steps, call }: LockedRun) {
    this.#call = call;
    this.#parts = parts;
    this.#queries = queries;
    this.#row = row;
    this.#definition = definition;
    this.#steps = steps;
    this.startedAt = row.started_at ?? parts.now();
  }

  async run(given: Received | null): Promise<Advance> {
    await this.#readCall();
    let index = this.#row.step === null ? 0 : this.#definition.findIndex(({ id }) => id === this.#row.step);
    let received = this.#isExpected(given) ? given.result : null;
    for (;;) {
      const step = this.#definition[index];
      // Also if its version is of another release, which has been rolled back.
      if (step === undefined) throw new Error('the step of the run is not in its version');
      if (received === null && this.#ageMs >= maxRunAgeMs) return this.#timeout(step);
      const end = await this.#perform(step, index, received);
      received = null;
      if (end.kind === 'request') return this.#requestOf(step as StepOf<'http_request'>, end.request);
      if (end.kind === 'waiting') {
        const delayMs = Math.min(end.delayMs, Math.max(0, maxRunAgeMs - this.#ageMs));
        return { kind: 'ended', ending: { status: 'waiting', step: step.id, delayMs } };
      }
      const next = end.kind === 'next' ? end.next : this.#afterFailure(step, index);
      if (next === undefined) {
        const { code: reason } = (end as { readonly error: StepError }).error;
        return { kind: 'ended', ending: { status: 'failed', reason, step: step.id } };
      }
      if (next === null) return { kind: 'ended', ending: { status: 'succeeded' } };
      index = next;
    }
  }

  /** Records what was in flight when the run was canceled. Nothing follows it. */
  async recordCanceled(received: Received): Promise<void> {
    const { stepId, result } = received;
    const step = this.#definition.find(({ id }) => id === stepId);
    if (step === undefined || this.#steps.get(stepId)?.attemptCount !== received.attempt) return;
    if (result.kind === 'refused') return;
    await this.#readCall();
    await this.#recordAttempt(step, result.attempt);
    const { outcome } = result.attempt;
    if (outcome === 'succeeded') this.#steps.succeed(step, this.#outputOf(result.attempt), this.#parts.now());
  }

  /** A transaction may have been committed although its process was not told: what it has recorded is over. */
  #isExpected(received: Received | null): received is Received {
    if (received === null || received.stepId !== this.#row.step) return false;
    const known = this.#steps.get(received.stepId);
    return known?.status === 'running' && known.attemptCount === received.attempt;
  }

  #requestOf(step: StepOf<'http_request'>, request: RunRequest): Advance {
    return { kind: 'request', step, request, attempt: this.#steps.get(step.id)?.attemptCount ?? 1 };
  }

  get #ageMs(): number {
    return this.#parts.now() - this.#row.created_at;
  }

  async #readCall(): Promise<void> {
    if (this.#call !== null) return;
    const { workspace_id, call_id } = this.#row;
    this.#call = await this.#parts.calls.find(this.#queries, workspace_id, call_id);
  }

  /** `undefined`: the run fails. */
  #afterFailure(step: Step, index: number): number | null | undefined {
    if (step.type === 'condition' || step.otherwise === null) return undefined;
    return followingIndex(this.#definition, index, step.otherwise);
  }

  #timeout(step: Step): Advance {
    const error = { code: 'timeout', message: 'The run is older than 45 days.' };
    if (this.#steps.get(step.id) !== undefined) this.#steps.fail(step, error, this.#parts.now());
    return { kind: 'ended', ending: { status: 'failed', reason: error.code, step: step.id } };
  }

  async #perform(step: Step, index: number, result: SendResult | null): Promise<StepEnd> {
    const { now } = this.#parts;
    const known = this.#steps.get(step.id);
    if (step.type === 'http_request' && result !== null) return this.#settleRequest(step, index, result);
    if (step.type === 'wait' && known?.status === 'waiting')
      return this.#succeed(step, index, { resumedAt: isoTime(now()) });
    if (known?.request != null && step.type === 'http_request') {
      this.#steps.start(step, now());
      return { kind: 'request', request: JSON.parse(known.request) as RunRequest };
    }
    if (known?.request != null && step.type === 'create_call') {
      this.#steps.start(step, now());
      return this.#createCall(step, index, JSON.parse(known.request) as CreateCall);
    }
    const action = await this.#actionOf(step);
    if ('error' in action) {
      this.#steps.start(step, now());
      return this.#fail(step, action.error);
    }
    const request =
      action.type === 'http_request' ? action.request : action.type === 'create_call' ? action.call : null;
    this.#steps.start(step, now(), request);
    return this.#act(step, index, action);
  }

  async #act(step: Step, index: number, action: StepAction): Promise<StepEnd> {
    const { now } = this.#parts;
    switch (action.type) {
      case 'http_request':
        return { kind: 'request', request: action.request };
      case 'wait': {
        const delayMs = action.resumeAtMs - now();
        if (delayMs <= 0) return this.#succeed(step, index, { resumedAt: isoTime(now()) });
        this.#steps.wait(step, delayMs, null);
        return { kind: 'waiting', delayMs };
      }
      case 'condition':
        return this.#succeed(step, index, { matched: action.matched }, action.target);
      case 'update_call':
        return this.#updateCall(step, index, action);
      case 'create_call':
        return this.#createCall(step as StepOf<'create_call'>, index, action.call);
      default:
        return action satisfies never;
    }
  }

  async #actionOf(step: Step): Promise<StepAction | { readonly error: StepError }> {
    try {
      return actionOf(step, await this.#contextOf(step));
    } catch (error) {
      if (error instanceof StepFailure) return { error: { code: error.code, message: error.message } };
      if (error instanceof AppError || !(error instanceof Error)) throw error;
      this.#parts.onDefect(error);
      return { error: { code: 'internal_error', message: 'The step could not be evaluated.' } };
    }
  }

  async #contextOf(step: Step): Promise<TemplateContext> {
    const { workflow_id, id } = this.#row;
    const { calls, now } = this.#parts;
    const call = this.#call;
    if (call == null) throw new StepFailure('NOT_FOUND', 'The call does not exist any more.');
    const transcript = readsTranscript(step) ? await transcriptText(calls.turns(this.#queries, call)) : null;
    return {
      call,
      transcriptText: transcript,
      steps: this.#steps.results,
      run: { id, startedAt: isoTime(this.startedAt) },
      workflow: { id: workflow_id },
      nowMs: now(),
    };
  }

  #succeed(step: Step, index: number, output: Readonly<Record<string, unknown>>, target?: string): StepEnd {
    if (!this.#steps.succeed(step, output, this.#parts.now())) return { kind: 'failed', error: outputTooLarge };
    const following = target ?? (step.type === 'condition' ? null : step.next);
    return { kind: 'next', next: followingIndex(this.#definition, index, following) };
  }

  #fail(step: Step, error: StepError, output: Readonly<Record<string, unknown>> | null = null): StepEnd {
    this.#steps.fail(step, error, this.#parts.now(), output);
    return { kind: 'failed', error };
  }

  #retry(step: Step, error: StepError, retryAfterMs: number | null): StepEnd {
    const { random, retryDelaysMs } = this.#parts;
    const failures = (this.#steps.get(step.id)?.failures ?? 0) + 1;
    const delayMs = retryDelayMs(failures, retryAfterMs, random(), retryDelaysMs);
    this.#steps.wait(step, delayMs, error);
    return { kind: 'waiting', delayMs };
  }

  async #settleRequest(step: StepOf<'http_request'>, index: number, result: SendResult): Promise<StepEnd> {
    if (result.kind === 'refused') return this.#fail(step, result.error);
    const { attempt } = result;
    await this.#recordAttempt(step, attempt);
    const output = this.#outputOf(attempt);
    if (attempt.outcome === 'succeeded') return this.#succeed(step, index, output);
    const error = errorOf(attempt);
    const failures = (this.#steps.get(step.id)?.failures ?? 0) + 1;
    if (attempt.isRetried && failures < step.maxAttempts) return this.#retry(step, error, attempt.retryAfterMs);
    return this.#fail(step, error, attempt.statusCode === null ? null : output);
  }

  get #setting(): Call['dataStorageSetting'] {
    return this.#call == null || this.#row.content_removed === 1
      ? 'basic_attributes_only'
      : this.#call.dataStorageSetting;
  }

  #outputOf({ statusCode, body }: AttemptResult): Readonly<Record<string, unknown>> {
    return keptOutput({ statusCode, body }, this.#setting);
  }

  async #recordAttempt(step: Step, attempt: AttemptResult): Promise<void> {
    const { startedAt, durationMs, outcome, statusCode, responseBody, errorMessage } = attempt;
    await this.#parts.store.addAttempt(this.#queries, this.#row.id, {
      step_id: step.id,
      number: this.#steps.get(step.id)?.attemptCount ?? 1,
      started_at: startedAt,
      duration_ms: durationMs,
      outcome,
      status_code: statusCode,
      response_body: keptResponse(responseBody, this.#setting),
      error_message: errorMessage,
    });
  }

  async #updateCall(
    step: Step,
    index: number,
    { metadata, externalId }: Extract<StepAction, { type: 'update_call' }>,
  ): Promise<StepEnd> {
    const { workspace_id, call_id } = this.#row;
    const hasMetadata = Object.keys(metadata).length > 0;
    if (hasMetadata && this.#call?.dataStorageSetting === 'basic_attributes_only') {
      return this.#fail(step, { code: 'not_stored', message: 'Only basic attributes of this call are stored.' });
    }
    const changes = { ...(hasMetadata && { metadata }), ...(externalId !== undefined && { externalId }) };
    try {
      this.#call = await this.#parts.calls.update(this.#queries, workspace_id, call_id, changes);
    } catch (error) {
      return this.#fail(step, refusalOf(error).error);
    }
    return this.#succeed(step, index, {});
  }

  async #createCall(step: StepOf<'create_call'>, index: number, body: CreateCall): Promise<StepEnd> {
    const { calls, destinations } = this.#parts;
    const { workspace_id: workspaceId, id: runId, depth } = this.#row;
    const to = body.to as string;
    const isAllowed = () => destinations.isAllowed(this.#queries, workspaceId, to);
    try {
      const call = await calls.create(this.#queries, workspaceId, body, { runId, isAllowed });
      if (call === null) return this.#fail(step, destinationLimit);
      await destinations.note(this.#queries, call, to, depth);
      return this.#succeed(step, index, { callId: call.id });
    } catch (error) {
      const refusal = refusalOf(error);
      const failures = (this.#steps.get(step.id)?.failures ?? 0) + 1;
      if (refusal.isRetried && failures < maxCallAttempts) return this.#retry(step, refusal.error, null);
      return this.#fail(step, refusal.error);
    }
  }
}

const destinationLimit: StepError = {
  code: 'destination_limit',
  message: 'Workflows have called this number 3 times within 24 hours.',
};

function errorOf({ outcome, errorMessage }: AttemptResult): StepError {
  return { code: outcome, message: errorMessage ?? outcome };
}

/** What calls.create or calls.update refuses. Any other error is one of the database, and ends the transaction. */
function refusalOf(error: unknown): { readonly error: StepError; readonly isRetried: boolean } {
  if (!(error instanceof AppError)) throw error;
  const { status } = errorCodes[error.code];
  const isRefusal = error.isExpected || status < 500;
  // Another release is taking over, and will go on.
  if (!isRefusal || error.code === 'STATE_CONFLICT') throw error;
  const isRetried = error.code === 'CONCURRENCY_LIMIT_REACHED' || status === 503;
  return { error: { code: error.code, message: error.message.slice(0, maxMessageLength) }, isRetried };
}

const maxMessageLength = 1000;

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
