import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { UpdateWorkflow, VoiceAgents, Workflow } from '../../../sdk/src/index.ts';
import { isObject } from '../../contract/json-object.ts';
import { storedStepsSchema, storedTriggerSchema } from '../../contract/workflows/definition.ts';
import { createWorkflowBody } from '../../contract/workflows/workflow.ts';
import { check, type Issue } from '../../core/issues.ts';
import { issuePerKey } from '../as-code/agent-file.ts';
import { changesBetween, type FieldChange } from '../as-code/changes.ts';

/** What a file says about a workflow, with defaults filled in. */
export interface WorkflowContent {
  readonly name: string;
  readonly description: string | null;
  /** Null: the file says nothing about it. */
  readonly enabled: boolean | null;
  readonly trigger: Workflow['trigger'];
  readonly steps: Workflow['steps'];
}

/** The fields of create; unlike a request, a file is refused if it has a field that does not exist. */
const fileSchema = z.strictObject({
  name: createWorkflowBody.shape.name,
  description: createWorkflowBody.shape.description,
  enabled: z.boolean().nullable().default(null),
  trigger: storedTriggerSchema,
  steps: storedStepsSchema,
});

/** Files name agents and phone numbers as people do, which may be longer than an id. */
const maxReference = 300;
const placeholder = 'agt_of_the_file';

export function checkWorkflow(value: unknown): { readonly content: WorkflowContent } | { readonly issues: Issue[] } {
  const agentIds = isObject(value) && isObject(value.trigger) ? value.trigger.agentIds : undefined;
  const isNamed = Array.isArray(agentIds) && agentIds.every((name) => isReference(name));
  const given = isNamed
    ? withAgentIds(
        value,
        agentIds.map(() => placeholder),
      )
    : value;
  const strict = check(fileSchema, given);
  const request = check(createWorkflowBody, given);
  if ('value' in strict && 'value' in request) {
    const content = JSON.parse(JSON.stringify(strict.value)) as WorkflowContent;
    return { content: isNamed ? (withAgentIds(content, agentIds) as WorkflowContent) : content };
  }
  // What both refuse is in the second; the first adds unknown fields.
  const unknown = 'issues' in strict ? strict.issues.filter((issue) => 'keys' in issue) : [];
  const refused = 'issues' in request ? request.issues : [];
  const all = unknown.length + refused.length === 0 && 'issues' in strict ? strict.issues : [...unknown, ...refused];
  return { issues: all.flatMap((issue) => issuePerKey(issue, () => 'is not a known field')) };
}

function isReference(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= maxReference;
}

function withAgentIds(value: unknown, agentIds: readonly unknown[]): unknown {
  const { trigger, ...rest } = value as { readonly trigger: object };
  return { ...rest, trigger: { ...trigger, agentIds } };
}

/** What is said about a workflow on the server. */
export function contentOfWorkflow({ name, description, enabled, trigger, steps }: Workflow): WorkflowContent {
  return { name, description, enabled, trigger, steps };
}

/** The content without defaults, as it is written to a file. */
export function shortWorkflow({
  name,
  description,
  enabled,
  trigger,
  steps,
}: WorkflowContent): Record<string, unknown> {
  return {
    name,
    ...(description === null ? {} : { description }),
    ...(enabled === true ? { enabled } : {}),
    trigger: withoutDefaults(storedTriggerSchema, trigger),
    steps: steps.map((step) => withoutDefaults(storedStepsSchema.element, step)),
  };
}

function withoutDefaults(schema: z.ZodType, value: object): Record<string, unknown> {
  const kept = { ...value } as Record<string, unknown>;
  for (const name of Object.keys(value)) {
    const { [name]: _, ...rest } = kept;
    const result = schema.safeParse(rest);
    if (result.success && isDeepStrictEqual(result.data, value)) delete kept[name];
  }
  return kept;
}

/** The differences, with steps by their ids: by their places, a new first step would look like changes of all. */
export function workflowChanges(from: WorkflowContent | null, to: WorkflowContent): FieldChange[] {
  if (from === null) return changesBetween({}, byId(to));
  const order = (content: WorkflowContent) => ({ [orderField]: content.steps.map(({ id }) => id) });
  const given = { ...to, enabled: to.enabled ?? from.enabled };
  return changesBetween({ ...byId(from), ...order(from) }, { ...byId(given), ...order(to) });
}

/** How a change of the order of steps is shown. */
const orderField = 'order of steps';

function byId(content: WorkflowContent): Record<string, unknown> {
  const { steps, ...fields } = shortWorkflow(content) as { readonly steps: readonly { readonly id: string }[] };
  const rest = steps.map(({ id, ...step }) => [id, step] as const);
  return { ...fields, enabled: content.enabled ?? false, steps: Object.fromEntries(rest) };
}

/** The request that makes the changes. */
export function changedFields(content: WorkflowContent, changes: readonly FieldChange[]): UpdateWorkflow {
  const names = new Set(changes.map(({ path }) => (path[0] === orderField ? 'steps' : path[0])));
  return Object.fromEntries(Object.entries(content).filter(([name]) => names.has(name)));
}

/** A new workflow is disabled, so that one that is to be enabled takes two requests. */
export async function createWorkflow(client: VoiceAgents, { enabled, ...fields }: WorkflowContent): Promise<Workflow> {
  const { data, response } = await client.workflows.create(fields).withResponse();
  if (enabled !== true) return data;
  return client.workflows.update(data.id, { enabled }, { ifMatch: response.etag });
}
