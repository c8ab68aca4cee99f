import { type testAnalysisModels, testModelPrefix } from '../../../contract/agents/test-models.ts';
import type { Clock } from '../../../voice/clock.ts';
import type { Llm, LlmMessage } from '../../../voice/llm.ts';
import { askModel, ModelFailure } from './ask-model.ts';
import { lastStated, repairable, repaired } from './combine.ts';
import { analysisMessages, type Part, repairMessages, summaryMessages } from './messages.ts';
import { outputSchema } from './output-schema.ts';
import { partsOf } from './parts.ts';
import { jsonIn, readOutput } from './read-output.ts';
import { type AnalysisPlan, type AnalyzedCall, cut, type Findings, maxText } from './task.ts';
import { extractedLines } from './test-extract.ts';
import { wait } from './wait.ts';

export type FailureReason = 'model_error' | 'invalid_output' | 'timeout' | 'transcript_too_long';

export type Outcome = (
  | { readonly status: 'completed'; readonly findings: Findings }
  | { readonly status: 'failed'; readonly reason: FailureReason; readonly detail: string }
) & { readonly promptTokens: number; readonly completionTokens: number };

export interface AnalyzerParts {
  /** Null: no language model is connected, and only test models work. */
  readonly llm: Llm | null;
  readonly clock: Clock;
}

export interface Limits {
  /** The waits before each try of a request. */
  readonly tryDelaysMs: readonly number[];
  /** For everything. */
  readonly totalMs: number;
}

/** Provider failures are tried again, each time after a longer wait. */
export const tryDelaysMs: readonly number[] = [0, 10_000, 60_000];

class InvalidOutput extends Error {}
class OutOfTime extends Error {}

export type Analyzer = ReturnType<typeof createAnalyzer>;

/** Reads the transcript of a call with a language model, and checks everything that it says. */
export function createAnalyzer({ llm, clock }: AnalyzerParts) {
  /** Providers that reject a schema get none. What they return is always checked. */
  const modelsWithoutSchema = new Set<string>();

  return async (plan: AnalysisPlan, call: AnalyzedCall, limits: Limits, signal: AbortSignal): Promise<Outcome> => {
    const used = { promptTokens: 0, completionTokens: 0 };
    const timeout = new AbortController();
    const stopTimer = clock.after(limits.totalMs, () => timeout.abort(new OutOfTime()));
    const either = AbortSignal.any([signal, timeout.signal]);

    const ask = async (messages: readonly LlmMessage[], schema: object | null): Promise<string> => {
      const { model } = plan;
      // The names of test models never leave the process.
      if (model.startsWith(testModelPrefix)) throw new ModelFailure('there is no such test model');
      if (llm === null) throw new ModelFailure('no language model is connected');
      const send = (sent: object | null) =>
        askModel(
          llm,
          clock,
          { model, messages, schema: sent },
          ({ promptTokens, completionTokens }) => {
            used.promptTokens += promptTokens;
            used.completionTokens += completionTokens;
          },
          either,
        );
      if (schema === null || modelsWithoutSchema.has(model)) return send(null);
      try {
        return await send(schema);
      } catch (error) {
        if (!(error instanceof ModelFailure) || !error.isRejected) throw error;
        const output = await send(null);
        modelsWithoutSchema.add(model);
        return output;
      }
    };
    const tried = (messages: readonly LlmMessage[], schema: object | null): Promise<string> =>
      withTries(clock, limits.tryDelaysMs, either, () => ask(messages, schema));

    const extract = async (part: Part): Promise<Findings> => {
      const { items } = plan;
      const schema = outputSchema(items);
      const read = (output: string): Findings | null => {
        const json = jsonIn(output);
        return json === null ? null : readOutput(json, items, call.turns);
      };
      const messages = analysisMessages(plan, call, part);
      const output = await tried(messages, schema);
      const first = read(output);
      const issues = first === null ? null : repairable(first);
      if (first !== null && issues?.length === 0) return first;
      const second = await tried(repairMessages(messages, output, issues), schema).then(read, (error: unknown) => {
        // What was right in the first output stays, although nobody could be asked about the rest.
        if (first !== null && isFailureOfModel(error)) return null;
        throw error;
      });
      if (first === null && second === null) throw new InvalidOutput();
      if (first === null || second === null) return (first ?? second) as Findings;
      return repaired(first, second, items);
    };

    const run = async (): Promise<Findings | null> => {
      const parts = partsOf(call);
      if (parts === null) return null;
      const all: Findings[] = [];
      for (const part of parts) all.push(await extract(part));
      const [only] = all;
      if (all.length === 1) return only as Findings;
      const summaries = all.flatMap(({ summary }) => (summary === null ? [] : [summary]));
      if (summaries.length === 0) return lastStated(all, plan.items, null);
      const summary = summaryIn(await tried(summaryMessages(plan, summaries), null));
      return lastStated(all, plan.items, summary === '' ? null : cut(summary, maxText));
    };

    try {
      const findings = isTestModel(plan.model)
        ? await testFindings(plan, call, () => withTries(clock, limits.tryDelaysMs, either, failAlways))
        : await run();
      if (findings === null) {
        return { status: 'failed', reason: 'transcript_too_long', detail: 'the transcript is too long', ...used };
      }
      return { status: 'completed', findings, ...used };
    } catch (error) {
      return { ...failureOf(error, signal), ...used };
    } finally {
      stopTimer();
    }
  };
}

/** The summary of all parts. Some models write JSON even if they were not asked for it. */
function summaryIn(output: string): string {
  const summary = jsonIn(output)?.summary;
  return (typeof summary === 'string' ? summary : output).trim();
}

function isFailureOfModel(error: unknown): boolean {
  return error instanceof ModelFailure || error instanceof OutOfTime;
}

/** Rethrows what is not a failure of the model: a lost lease, a shutdown, a defect. */
function failureOf(error: unknown, signal: AbortSignal) {
  if (signal.aborted) throw error;
  if (error instanceof OutOfTime) return { status: 'failed', reason: 'timeout', detail: 'it took too long' } as const;
  if (error instanceof InvalidOutput) {
    return { status: 'failed', reason: 'invalid_output', detail: 'the model wrote no JSON' } as const;
  }
  if (error instanceof ModelFailure) {
    return { status: 'failed', reason: error.isTimeout ? 'timeout' : 'model_error', detail: error.message } as const;
  }
  throw error;
}

async function withTries<Result>(
  clock: Clock,
  delaysMs: readonly number[],
  signal: AbortSignal,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (const [index, delayMs] of delaysMs.entries()) {
    if (delayMs > 0) await wait(clock, delayMs, signal);
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ModelFailure) || index === delaysMs.length - 1) throw error;
    }
  }
  throw new RangeError('at least one try is needed');
}

type TestModel = (typeof testAnalysisModels)[number];

function isTestModel(model: string): model is TestModel {
  return model === 'test-extract' || model === 'test-fail';
}

const failAlways = (): Promise<never> => Promise.reject(new ModelFailure('test-fail always fails'));

async function testFindings(
  { model, items }: AnalysisPlan,
  { turns }: AnalyzedCall,
  fail: () => Promise<never>,
): Promise<Findings> {
  return model === 'test-fail' ? fail() : readOutput(extractedLines(items, turns), items, turns);
}
