import type { CreateWorkflow, Workflow } from '../../../sdk/src/index.ts';
import { withValue } from '../flow/flow.ts';
import { isRecord, textOf } from '../parts/json-value.ts';

/** A step, as it is in the definition. While it is edited it may be incomplete, so nothing is certain. */
export interface Step {
  readonly id: string;
  readonly type: string;
  readonly [name: string]: unknown;
}

export type Trigger = Readonly<Record<string, unknown>>;

/** What a workflow consists of, without fields that have their default. */
export interface Definition {
  readonly trigger: Trigger;
  readonly steps: readonly Step[];
}

/** Everything that the form edits. */
export interface WorkflowValues extends Definition {
  readonly name: string;
  readonly description: string;
}

export const stepTypes = ['http_request', 'wait', 'condition', 'update_call', 'create_call'] as const;
export type StepType = (typeof stepTypes)[number];
export const maxSteps = 30;

/** What `next` and `otherwise` name to end the run. */
export const end = 'end';

const stepDefaults: Readonly<Record<string, unknown>> = {
  next: null,
  headers: {},
  body: null,
  form: null,
  expect: null,
  timeoutMs: 15_000,
  maxAttempts: 5,
  seconds: null,
  until: null,
  at: null,
  timeZone: null,
  metadata: {},
  externalId: null,
};
const triggerDefaults: Readonly<Record<string, unknown>> = {
  agentIds: [],
  filter: null,
  onEveryAnalysis: false,
  includeDrafts: false,
};

export function valuesOf({ name, description, trigger, steps }: Workflow): WorkflowValues {
  return { name, description: description ?? '', ...sparse({ trigger, steps } as unknown as Definition) };
}

/** Without what is the default anyway. */
export function sparse({ trigger, steps }: Definition): Definition {
  return {
    trigger: without(trigger, triggerDefaults),
    steps: steps.map((step) => without(step, { ...stepDefaults, otherwise: null }) as Step),
  };
}

function without(value: Readonly<Record<string, unknown>>, defaults: Readonly<Record<string, unknown>>) {
  const kept = Object.entries(value).filter(
    ([name, given]) => !(Object.hasOwn(defaults, name) && JSON.stringify(given) === JSON.stringify(defaults[name])),
  );
  return Object.fromEntries(kept);
}

/** As the service takes it. It checks it, and reports everything that is wrong. */
export function requestOf(values: WorkflowValues): CreateWorkflow {
  const { name, description, trigger, steps } = values;
  return { name, description: description === '' ? null : description, trigger, steps } as unknown as CreateWorkflow;
}

/** Null if it is not an object with a trigger and a list of steps that can be shown. */
export function definitionIn(value: unknown): Definition | null {
  if (!isRecord(value) || !isRecord(value.trigger) || !Array.isArray(value.steps)) return null;
  const isReadable = value.steps.every(
    (step) => isRecord(step) && typeof step.id === 'string' && typeof step.type === 'string',
  );
  return isReadable ? sparse({ trigger: value.trigger, steps: value.steps as Step[] }) : null;
}

export function routesOf(step: Step): readonly Record<string, unknown>[] {
  return Array.isArray(step.routes) ? step.routes.filter(isRecord) : [];
}

/** One way from a step. */
export interface Way {
  /** Where it is in the step: `next`, `otherwise` or `routes.2.next`. */
  readonly path: string;
  /** The id of a later step, or `end`. Empty: the following step, or, for `otherwise`, the run fails. */
  readonly to: string;
}

/** The routes first, as they are checked first. */
export function waysOf(step: Step): readonly Way[] {
  if (step.type === 'condition') {
    return [
      ...routesOf(step).map(({ next }, index) => ({ path: `routes.${index}.next`, to: textOf(next) })),
      { path: 'otherwise', to: textOf(step.otherwise) },
    ];
  }
  return [
    { path: 'next', to: textOf(step.next) },
    { path: 'otherwise', to: textOf(step.otherwise) },
  ];
}

/** The position that a way leads to: `end`, `none` if it leads nowhere, or `broken` if there is no later step with this id. */
export function targetOf(
  steps: readonly Step[],
  position: number,
  { path, to }: Way,
): number | 'end' | 'none' | 'broken' {
  if (to === end) return 'end';
  if (to === '') {
    if (path !== 'next') return 'none';
    return position + 1 < steps.length ? position + 1 : 'end';
  }
  const found = steps.findIndex(({ id }, index) => index > position && id === to);
  return found === -1 ? 'broken' : found;
}

export function withStep(definition: Definition, position: number, step: Step): Definition {
  return { ...definition, steps: definition.steps.with(position, step) };
}

/** Leads a way of the step at a position to a later step, or to the end. Empty: as if nothing was said. */
export function connect(definition: Definition, position: number, path: string, to: string): Definition {
  const step = definition.steps[position];
  if (step === undefined) return definition;
  const isFollowing = path === 'next' && definition.steps[position + 1]?.id === to;
  return withStep(definition, position, withValue(step, path.split('.'), to === '' || isFollowing ? undefined : to));
}

/** A step of a type, with what the type requires, so that it can be edited. */
export function newStep(type: StepType, taken: ReadonlySet<string>): Step {
  const stem = {
    http_request: 'request',
    wait: 'wait',
    condition: 'check',
    update_call: 'update',
    create_call: 'call',
  }[type];
  let id: string = stem;
  for (let number = 2; taken.has(id); number += 1) id = `${stem}_${number}`;
  const required: Readonly<Record<StepType, object>> = {
    http_request: { method: 'POST', url: 'https://', body: { summary: '{{call.analysis.summary | default: ""}}' } },
    wait: { seconds: 3600 },
    condition: { routes: [{ if: { field: 'analysis.successful', op: 'eq', value: true }, next: end }], otherwise: end },
    update_call: { metadata: { followUp: 'done' } },
    create_call: { call: { type: 'phone', agentId: '', fromPhoneNumberId: '', to: '{{call.from}}' } },
  };
  return { id, type, ...required[type] };
}

/** After the step at a position; -1: as the first step. What followed that step then follows the new one. */
export function addStep(
  definition: Definition,
  type: StepType,
  after: number,
): { readonly definition: Definition; readonly position: number } {
  const { steps } = definition;
  const added = newStep(type, new Set(steps.map(({ id }) => id)));
  const position = after + 1;
  const previous = steps[after];
  const following = steps[position]?.id;
  const moved = previous?.type !== 'condition' && typeof previous?.next === 'string' ? previous.next : undefined;
  const own: Step =
    type === 'condition'
      ? { ...added, otherwise: moved ?? following ?? end }
      : { ...added, ...(moved && { next: moved }) };
  const before = steps.slice(0, position).map((step, index) => {
    if (index !== after) return step;
    if (step.type === 'condition') return step.otherwise === (following ?? end) ? { ...step, otherwise: own.id } : step;
    const { next: _, ...rest } = step;
    return rest as Step;
  });
  return { definition: { ...definition, steps: [...before, own, ...steps.slice(position)] }, position };
}

/** What led to the step then leads to the one after it. */
export function removeStep(definition: Definition, position: number): Definition {
  const gone = definition.steps[position];
  if (gone === undefined) return definition;
  const heir = textOf(gone.next) || (definition.steps[position + 1]?.id ?? end);
  const steps = definition.steps.filter((_, index) => index !== position);
  if (steps.some(({ id }) => id === gone.id)) return { ...definition, steps };
  const redirected = steps.map((step) =>
    waysOf(step).reduce((each, { path, to }) => (to === gone.id ? withValue(each, path.split('.'), heir) : each), step),
  );
  return { ...definition, steps: redirected };
}

/** Ways that would lead back are reported as problems, and stay as they are. */
export function moveStep(definition: Definition, position: number, by: 1 | -1): Definition {
  const other = position + by;
  const [one, two] = [definition.steps[position], definition.steps[other]];
  if (one === undefined || two === undefined) return definition;
  return { ...definition, steps: definition.steps.with(position, two).with(other, one) };
}

/** Everything that names the step follows its new id: ways, conditions and templates. */
export function renameStep(definition: Definition, position: number, id: string): Definition {
  const old = definition.steps[position]?.id;
  if (old === undefined) return definition;
  const isUnique = definition.steps.filter((step) => step.id === old).length === 1;
  const steps = definition.steps.map((step, index) => {
    if (index === position) return { ...step, id };
    if (!isUnique || old === '' || id === '') return step;
    const led = waysOf(step).reduce(
      (each, { path, to }) => (to === old ? withValue(each, path.split('.'), id) : each),
      step,
    );
    return withReferences(led, old, id) as Step;
  });
  return { ...definition, steps };
}

function withReferences(value: unknown, old: string, id: string, name = ''): unknown {
  if (typeof value === 'string') {
    const prefix = `steps.${old}.`;
    if (name === 'field' && value.startsWith(prefix)) return `steps.${id}.${value.slice(prefix.length)}`;
    return value.replace(/\{\{(\s*)steps\.([^.|{}\s]+)\./g, (whole, space, named) =>
      named === old ? `{{${space}steps.${id}.` : whole,
    );
  }
  if (Array.isArray(value)) return value.map((item) => withReferences(item, old, id));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withReferences(item, old, id, key)]));
}

/** The steps that can have run before the one at a position. */
export function earlierSteps(steps: readonly Step[], position: number): readonly Step[] {
  const earlier = new Set<number>();
  const open = [position];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (let index = 0; index < at; index += 1) {
      const step = steps[index] as Step;
      const leads = waysOf(step).some((way) => targetOf(steps, index, way) === at);
      if (!leads || earlier.has(index)) continue;
      earlier.add(index);
      open.push(index);
    }
  }
  return steps.filter((_, index) => earlier.has(index));
}
