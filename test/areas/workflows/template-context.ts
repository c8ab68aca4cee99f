import type { StepResult, TemplateContext } from '../../../src/areas/workflows/templates/context.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import { definitionSchema, type Step, type StepOf, type StepType } from '../../../src/contract/workflows/definition.ts';
import { check } from '../../../src/core/issues.ts';
import { callWith } from '../../support/stored-calls.ts';

export interface ContextOptions {
  readonly call?: Partial<Call>;
  readonly transcriptText?: string | null;
  readonly steps?: Readonly<Record<string, StepResult>>;
  readonly now?: string;
}

/** What the templates of a step can read in a test. */
export function contextWith({
  call = {},
  transcriptText = null,
  steps = {},
  now,
}: ContextOptions = {}): TemplateContext {
  return {
    call: callWith({ workspaceId: 'ws_1', id: 'call_1', ...call }),
    transcriptText,
    steps: new Map(Object.entries(steps)),
    run: { id: 'run_1', startedAt: '2026-11-18T09:00:00.000Z' },
    workflow: { id: 'wfl_1' },
    nowMs: Date.parse(now ?? '2026-11-18T09:30:00.000Z'),
  };
}

/** A step with its defaults, after earlier ones. */
export function stepOf<Type extends StepType>(
  type: Type,
  fields: Readonly<Record<string, unknown>>,
  earlier: readonly Readonly<Record<string, unknown>>[] = [],
): StepOf<Type> {
  const given = [...earlier, { id: 'tested', type, ...fields }];
  return stepsOf(given).at(-1) as StepOf<Type>;
}

/** Steps with their defaults. Throws if they are not valid. */
export function stepsOf(steps: readonly Readonly<Record<string, unknown>>[]): readonly Step[] {
  const checked = check(definitionSchema, { trigger: { event: 'call_analyzed' }, steps });
  if ('value' in checked) return checked.value.steps;
  throw new Error(JSON.stringify(checked.issues));
}
