import { z } from 'zod';
import { searchFields } from '../calls/fields.ts';
import { nullableFilterSchema } from '../filter.ts';
import { text } from '../text.ts';
import { filterText } from './fields.ts';
import { stepIssues } from './step-issues.ts';
import { maxSteps, type ObjectOf, stepList } from './step-schemas.ts';

export { stepId, stepTypes } from './step-schemas.ts';

export const maxAgentIds = 100;
/** The maximum size of the trigger and the steps, as JSON. */
export const maxDefinitionBytes = 128 * 1024;
export const triggerEvents = ['call_ended', 'call_analyzed'] as const;

function triggerOf(object: ObjectOf) {
  return object({
    event: z.enum(triggerEvents).meta({
      description: '`call_analyzed` also after an analysis that was skipped or failed: filter on `analysis.status`.',
      examples: ['call_analyzed'],
    }),
    agentIds: z
      .array(text({ min: 1, max: 64 }))
      .max(maxAgentIds)
      .default([])
      .meta({
        description: 'Only calls of these agents, up to 100. Empty: of all.',
        examples: [['agt_01m7f8nkmj0000v37e3s3e28jt97kb']],
      }),
    filter: nullableFilterSchema(searchFields)
      .default(null)
      .meta({
        description: `Only calls that match. ${filterText}. Null: all.`,
        examples: [{ field: 'analysis.data.booked', op: 'eq', value: false }],
      }),
    onEveryAnalysis: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Whether every event starts a run, also that of a repeated analysis. Otherwise a call starts at most one.',
        examples: [false],
      }),
    includeDrafts: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether calls on an unpublished version of the agent count, too.', examples: [false] }),
  });
}

const inputName = (name: string) => `Workflow${name}Input`;
const outputName = (name: string) => `Workflow${name}`;
const always = { when: () => true };

const strictObject = z.strictObject as unknown as ObjectOf;

/** As in requests. */
export const triggerSchema = triggerOf(z.object)
  .superRefine((trigger, context) => {
    for (const { path, message } of triggerIssues(trigger)) context.addIssue({ code: 'custom', path, message });
  }, always)
  .meta({ id: inputName('Trigger'), description: 'What starts a run.' });
export const stepsSchema = stepList({ object: z.object, named: inputName }).superRefine((steps, context) => {
  if (!Array.isArray(steps) || steps.length > maxSteps) return;
  const sizeIssue = definitionSizeIssue({ steps });
  if (sizeIssue !== undefined) {
    context.addIssue({ code: 'custom', message: sizeIssue });
    return;
  }
  for (const { path, message } of stepIssues(steps)) context.addIssue({ code: 'custom', path: [...path], message });
}, always);
export const stepSchema = stepsSchema.element;

/** As in responses. */
export const storedTriggerSchema = triggerOf(strictObject).meta({
  id: outputName('Trigger'),
  description: 'What starts a run.',
});
export const storedStepsSchema = stepList({ object: strictObject, named: outputName });

export const definitionSchema = z
  .object({ trigger: triggerSchema, steps: stepsSchema })
  .superRefine(checkDefinitionSize)
  .meta({ id: 'WorkflowDefinition', description: 'A trigger, and the steps that follow.' });

export type Trigger = z.output<typeof triggerSchema>;
export type Step = z.output<typeof stepSchema>;
export type StepType = Step['type'];
export type StepOf<Type extends StepType> = Extract<Step, { type: Type }>;

/** What a version of a workflow consists of. */
export interface Definition {
  readonly trigger: Trigger;
  readonly steps: readonly Step[];
}

/** Adds an issue if trigger and steps together are too large. */
export function checkDefinitionSize({ trigger, steps }: Definition, context: Pick<z.RefinementCtx, 'addIssue'>): void {
  const message = definitionSizeIssue({ trigger, steps });
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['steps'], message });
}

export function definitionSizeIssue({
  trigger,
  steps,
}: {
  readonly trigger?: unknown;
  readonly steps: unknown;
}): string | undefined {
  const isTooLarge = Buffer.byteLength(JSON.stringify({ trigger, steps })) > maxDefinitionBytes;
  return isTooLarge ? `must be at most ${maxDefinitionBytes / 1024} KiB as JSON, together with the trigger` : undefined;
}

/** A call that has ended has no analysis yet, so that such a filter would never match. The trigger may be anything. */
function triggerIssues(trigger: unknown) {
  const { event, filter } = (trigger ?? {}) as { readonly event?: unknown; readonly filter?: unknown };
  if (event !== 'call_ended') return [];
  return leafPaths(filter, ['filter']).flatMap(({ path, field }) =>
    field.startsWith('analysis.')
      ? [{ path: [...path, 'field'], message: 'has no value yet when a call ends: use the event call_analyzed' }]
      : [],
  );
}

function leafPaths(
  filter: unknown,
  path: readonly (string | number)[],
): { path: (string | number)[]; field: string }[] {
  if (typeof filter !== 'object' || filter === null) return [];
  const { all, any, not, field } = filter as Readonly<Record<string, unknown>>;
  const lists = Object.entries({ all, any }).flatMap(([name, list]) =>
    (Array.isArray(list) ? list : []).flatMap((part, index) => leafPaths(part, [...path, name, index])),
  );
  const inner = not === undefined ? [] : leafPaths(not, [...path, 'not']);
  return [...lists, ...inner, ...(typeof field === 'string' ? [{ path: [...path], field }] : [])];
}

/** For the documentation of operations. */
export const definitionExample = {
  trigger: { event: 'call_analyzed', filter: { field: 'analysis.data.booked', op: 'eq', value: false } },
  steps: [
    {
      id: 'crm',
      type: 'http_request',
      url: 'https://crm.example.com/leads/{{call.externalId}}',
      headers: { Authorization: 'Bearer {{secrets.CRM_TOKEN}}' },
      body: { summary: '{{call.analysis.summary}}', guests: '{{call.analysis.data.guests | default: null}}' },
    },
  ],
} as const;
