import type { Call } from '../../../contract/calls/call.ts';

/** A step that has run. */
export interface StepResult {
  readonly status: 'succeeded' | 'failed';
  /** `http_request`: `statusCode` and `body`, also after a failure with a response. Null: there is none. */
  readonly output: Readonly<Record<string, unknown>> | null;
}

/** What templates and conditions of a step can read. */
export interface TemplateContext {
  /** As it is stored when the step starts. */
  readonly call: Call;
  /** The turns as lines `agent: …` and `caller: …`. Null: there is no transcript, or the step does not read it. */
  readonly transcriptText: string | null;
  /** The steps that have run, by id. */
  readonly steps: ReadonlyMap<string, StepResult>;
  readonly run: { readonly id: string; readonly startedAt: string };
  readonly workflow: { readonly id: string };
  readonly nowMs: number;
}
