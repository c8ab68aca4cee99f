import type { Call } from '../../../contract/calls/call.ts';
import { metadataLimits, sizeIssues } from '../../../contract/calls/values.ts';
import type { Definition, Step } from '../../../contract/workflows/definition.ts';
import type { StepError } from '../../../contract/workflows/run.ts';
import type { TestedStep, WorkflowMock } from '../../../contract/workflows/test-operation.ts';
import { mergePatch } from '../../../core/merge-patch.ts';
import { isSuccess } from '../../../net/partner/outcome.ts';
import { keptOutput } from '../running/kept-content.ts';
import { StepFailure } from '../step-failure.ts';
import { actionOf, followingIndex, type StepAction } from '../steps/action.ts';
import type { StepResult, TemplateContext } from '../templates/context.ts';
import { readsTranscript } from '../templates/renderer.ts';

export interface Transcript {
  /** Null: there is none, or no step reads it. */
  readonly text: string | null;
  /** Why steps that read it fail. */
  readonly failure: StepFailure | null;
}

export interface TestRunOptions {
  readonly steps: Definition['steps'];
  readonly call: Call;
  readonly transcript: Transcript;
  readonly workflowId: string;
  readonly nowMs: number;
  /** By the id of a step, what its request comes to. */
  readonly mocks: Readonly<Record<string, WorkflowMock>>;
}

/** How a step of a test ends. */
interface StepOutcome {
  readonly output: StepResult['output'];
  readonly error: StepError | null;
  readonly isAssumed: boolean;
  /** What the next steps see. */
  readonly call?: Call;
}

const testRunId = 'run_test';
/** The id of the call that a test does not create. */
const testCallId = 'call_test';

/** What a run would do, step by step, with the code that runs use. Nothing is sent, stored or created. */
export class TestRun {
  readonly #options: TestRunOptions;
  readonly #results = new Map<string, StepResult>();
  readonly #tested = new Map<string, TestedStep>();
  #call: Call;
  #index: number | null = 0;
  #hasFailed = false;

  constructor(options: TestRunOptions) {
    this.#options = options;
    this.#call = options.call;
  }

  get isOver(): boolean {
    return this.#index === null;
  }

  /** All steps, also those that the run does not reach. */
  get steps(): TestedStep[] {
    return this.#options.steps.map(({ id }) => this.#tested.get(id) ?? notReached(id));
  }

  get end(): 'succeeded' | 'failed' {
    return this.#hasFailed ? 'failed' : 'succeeded';
  }

  step(): void {
    const { steps } = this.#options;
    const index = this.#index as number;
    const step = steps[index] as Step;
    const action = this.#actionOf(step);
    const { error, output, isAssumed, call } =
      action instanceof StepFailure
        ? failed({ code: action.code, message: action.message })
        : this.#outcomeOf(step, action);
    const rendered = action instanceof StepFailure ? null : renderedOf(action);
    this.#tested.set(step.id, {
      id: step.id,
      reached: true,
      rendered,
      assumed: isAssumed,
      problems: error === null ? [] : [error],
    });
    this.#call = call ?? this.#call;
    const kept = output === null ? null : keptOutput(output, this.#call.dataStorageSetting);
    this.#results.set(step.id, { status: error === null ? 'succeeded' : 'failed', output: kept });
    const isFailure = error !== null;
    const target =
      action instanceof StepFailure || action.type !== 'condition' ? targetOf(step, isFailure) : action.target;
    this.#hasFailed = isFailure && target === null;
    this.#index = this.#hasFailed ? null : followingIndex(steps, index, target);
  }

  #actionOf(step: Step): StepAction | StepFailure {
    const { transcript } = this.#options;
    if (transcript.failure !== null && readsTranscript(step)) return transcript.failure;
    try {
      return actionOf(step, this.#context);
    } catch (error) {
      if (error instanceof StepFailure) return error;
      throw error;
    }
  }

  get #context(): TemplateContext {
    const { transcript, workflowId, nowMs } = this.#options;
    return {
      call: this.#call,
      transcriptText: transcript.text,
      steps: this.#results,
      run: { id: testRunId, startedAt: new Date(nowMs).toISOString() },
      workflow: { id: workflowId },
      nowMs,
    };
  }

  #outcomeOf(step: Step, action: StepAction): StepOutcome {
    const mock = this.#options.mocks[step.id];
    switch (action.type) {
      case 'wait':
        return succeeded({ resumedAt: new Date(action.resumeAtMs).toISOString() });
      case 'condition':
        return succeeded({ matched: action.matched });
      case 'update_call':
        return this.#updateOutcome(action);
      case 'http_request':
        return answered(step.type === 'http_request' ? step.expect : null, mock);
      case 'create_call': {
        if (mock !== undefined && 'error' in mock) return mockedFailure(mock.error);
        return { output: { callId: testCallId }, error: null, isAssumed: mock === undefined };
      }
      default:
        return action satisfies never;
    }
  }

  #updateOutcome({ metadata, externalId }: Extract<StepAction, { type: 'update_call' }>): StepOutcome {
    const call = this.#call;
    const hasMetadata = Object.keys(metadata).length > 0;
    if (hasMetadata && call.dataStorageSetting === 'basic_attributes_only') {
      return failed({ code: 'not_stored', message: 'Only basic attributes of this call are stored.' });
    }
    const merged = mergePatch(call.metadata, metadata) as Call['metadata'];
    const [issue] = sizeIssues(merged, metadataLimits);
    if (issue !== undefined) return failed({ code: 'VALIDATION_ERROR', message: `metadata ${issue}.` });
    const changed = { ...call, metadata: merged, externalId: externalId ?? call.externalId };
    return { output: {}, error: null, isAssumed: false, call: changed };
  }
}

function answered(expect: readonly number[] | null, mock: WorkflowMock | undefined): StepOutcome {
  if (mock === undefined)
    return { output: { statusCode: expect?.[0] ?? 200, body: null }, error: null, isAssumed: true };
  if ('error' in mock) return mockedFailure(mock.error);
  const { statusCode, body = null } = mock;
  const output = { statusCode, body };
  const isExpected = expect === null ? isSuccess(statusCode) : expect.includes(statusCode);
  if (isExpected) return succeeded(output);
  const code = statusCode >= 300 && statusCode <= 399 ? 'redirect' : 'http_error';
  return { ...failed({ code, message: `The receiver answered ${statusCode}.` }), output };
}

function mockedFailure(code: string): StepOutcome {
  return failed({ code, message: 'The step fails as the test asks for.' });
}

function succeeded(output: Readonly<Record<string, unknown>>): StepOutcome {
  return { output, error: null, isAssumed: false };
}

function failed(error: StepError): StepOutcome {
  return { output: null, error, isAssumed: false };
}

/** Null after a failure: the run fails. */
function targetOf(step: Step, isFailure: boolean): string | null {
  if (step.type === 'condition') return null;
  return isFailure ? step.otherwise : step.next;
}

function renderedOf(action: StepAction): Readonly<Record<string, unknown>> {
  switch (action.type) {
    case 'http_request':
      return { ...action.request };
    case 'wait':
      return { resumeAt: new Date(action.resumeAtMs).toISOString() };
    case 'condition':
      return { matched: action.matched, next: action.target };
    case 'update_call':
      return { metadata: action.metadata, ...(action.externalId !== undefined && { externalId: action.externalId }) };
    case 'create_call':
      return { ...action.call };
    default:
      return action satisfies never;
  }
}

function notReached(id: string): TestedStep {
  return { id, reached: false, rendered: null, assumed: false, problems: [] };
}
