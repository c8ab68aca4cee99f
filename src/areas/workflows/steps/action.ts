import { isTimeZone } from '../../../contract/agents/settings/time-zone.ts';
import { type CreateCall, createCallBody } from '../../../contract/calls/requests.ts';
import { externalId as externalIdSchema } from '../../../contract/calls/values.ts';
import type { Step, StepOf } from '../../../contract/workflows/definition.ts';
import type { RunRequest } from '../../../contract/workflows/run.ts';
import { end, timeOfDay } from '../../../contract/workflows/step-issues.ts';
import { maxWaitSeconds } from '../../../contract/workflows/step-schemas.ts';
import { instantOf } from '../../../core/filter.ts';
import { check } from '../../../core/issues.ts';
import { nextTimeOfDay } from '../../../core/zoned-time.ts';
import { StepFailure } from '../step-failure.ts';
import type { TemplateContext } from '../templates/context.ts';
import { Renderer, textOf } from '../templates/renderer.ts';
import { renderedRequest } from '../templates/request.ts';
import { conditionMatcher } from './filters.ts';

/** What a step does, with the values that its call and the earlier steps have now. */
export type StepAction =
  | { readonly type: 'http_request'; readonly request: RunRequest }
  | { readonly type: 'wait'; readonly resumeAtMs: number }
  /** `matched`: the index of the route. Null: none has matched. `target`: its step, or `end`. */
  | { readonly type: 'condition'; readonly matched: number | null; readonly target: string }
  /** `externalId`: undefined if it stays. */
  | {
      readonly type: 'update_call';
      readonly metadata: Readonly<Record<string, unknown>>;
      readonly externalId: string | undefined;
    }
  | { readonly type: 'create_call'; readonly call: CreateCall };

/** The only place that decides what a step does: runs and tests of workflows use it. Throws a StepFailure. */
export function actionOf(step: Step, context: TemplateContext): StepAction {
  const renderer = new Renderer(context);
  switch (step.type) {
    case 'http_request':
      return { type: step.type, request: renderedRequest(step, renderer, `${context.run.id}.${step.id}`) };
    case 'wait':
      return { type: step.type, resumeAtMs: resumeTime(step, renderer, context.nowMs) };
    case 'condition': {
      const matches = conditionMatcher(context);
      const matched = step.routes.findIndex((route) => matches(route.if));
      const route = step.routes[matched];
      if (route === undefined) return { type: step.type, matched: null, target: step.otherwise };
      return { type: step.type, matched, target: route.next };
    }
    case 'update_call':
      return {
        type: step.type,
        metadata: renderer.json(step.metadata) as Readonly<Record<string, unknown>>,
        externalId: externalIdOf(step, renderer),
      };
    case 'create_call':
      return { type: step.type, call: createdCall(step, renderer) };
    default:
      return step satisfies never;
  }
}

/** The index of the step after this one; null ends the run. */
export function followingIndex(steps: readonly Step[], index: number, target: string | null): number | null {
  if (target === end) return null;
  const following = target === null ? index + 1 : steps.findIndex(({ id }) => id === target);
  return following > index && following < steps.length ? following : null;
}

function resumeTime({ seconds, until, at, timeZone }: StepOf<'wait'>, renderer: Renderer, nowMs: number): number {
  if (seconds !== null) return nowMs + seconds * 1000;
  if (until !== null) {
    const time = instantOf(renderer.value(until));
    if (time === undefined) throw new StepFailure('template_error', 'until is not a time with its values.');
    if (time > nowMs + maxWaitSeconds * 1000)
      throw new StepFailure('wait_too_long', 'until is more than 30 days ahead.');
    return Math.max(time, nowMs);
  }
  const time = renderer.text(at as string);
  const zone = timeZone === null ? 'UTC' : renderer.text(timeZone);
  if (!timeOfDay.test(time)) throw new StepFailure('template_error', 'at is not a time of day with its values.');
  if (!isTimeZone(zone)) throw new StepFailure('template_error', 'timeZone is not a time zone with its values.');
  return nextTimeOfDay(time, zone, nowMs);
}

function externalIdOf({ externalId }: StepOf<'update_call'>, renderer: Renderer): string | undefined {
  const value = externalId === null ? null : renderer.value(externalId);
  if (value === null) return undefined;
  const checked = check(externalIdSchema, textOf(value));
  if ('issues' in checked) throw refused(checked.issues, 'externalId');
  return checked.value;
}

/** Numbers, such as those in metadata, are texts here; what is null is left out. */
function createdCall({ call }: StepOf<'create_call'>, renderer: Renderer): CreateCall {
  const fields = Object.entries(call).flatMap(([name, given]) => {
    const value = renderer.json(given);
    if (value === null || value === undefined) return [];
    return [[name, typeof given === 'string' && typeof value !== 'object' ? textOf(value) : value]];
  });
  const checked = check(createCallBody, Object.fromEntries(fields));
  if ('issues' in checked) throw refused(checked.issues, 'call');
  return checked.value;
}

function refused(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[], root: string) {
  const [first] = issues;
  const place = [root, ...(first?.path ?? [])].map(String).join('.');
  return new StepFailure('VALIDATION_ERROR', `${place} ${first?.message ?? 'is not valid'}.`);
}
