import { createAlert } from '../../src/contract/analytics/alerts.ts';
import { createView } from '../../src/contract/analytics/views.ts';
import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import { createWorkflow } from '../../src/contract/workflows/workflow-operations.ts';
import type { RequestOptions } from '../connection.ts';

export type ResourceKind =
  | 'agt'
  | 'key'
  | 'call'
  | 'whk'
  | 'evt'
  | 'car'
  | 'num'
  | 'wfl'
  | 'run'
  | 'kb'
  | 'viw'
  | 'alr';

/** The path parameters to send. */
export interface Names {
  readonly id: string;
  readonly version: string;
  /** A delivery of the webhook. */
  readonly deliveryId: string;
  /** To import, or of the do-not-call list. */
  readonly number: string;
  /** A document of the knowledge base. */
  readonly documentId: string;
  /** A chunk of a document of the knowledge base. */
  readonly chunkId: string;
  /** The time from which prices apply. */
  readonly validFrom: string;
  /** A call that is over, which a body names beside the id in the path. */
  readonly callId: string;
}

/** One operation with what the campaign needs to know, derived from the operation table. */
export interface Target {
  readonly operation: Operation;
  /** The type of the resource that it names; null without one. */
  readonly kind: ResourceKind | null;
  /** The field of the body that names the resource, if the path does not. */
  readonly idField: string | null;
  readonly isList: boolean;
  /** The filter parameters of a list that can be an id, or any other text. */
  readonly filters: readonly string[];
  /** Scopes that the operation grants, which the caller must have in addition to the scope of the operation. */
  readonly handsOut: readonly Scope[];
}

const kinds: Readonly<Record<string, ResourceKind>> = {
  agents: 'agt',
  'api-keys': 'key',
  calls: 'call',
  webhooks: 'whk',
  events: 'evt',
  carriers: 'car',
  'phone-numbers': 'num',
  workflows: 'wfl',
  'workflow-runs': 'run',
  'knowledge-bases': 'kb',
  views: 'viw',
  alerts: 'alr',
};
const kindsOfFields = { agentId: 'agt', carrierId: 'car', callId: 'call' } as const;
/** Operations that name an agent, a carrier or a call in their body instead of their path. */
const idFields: Readonly<Record<string, keyof typeof kindsOfFields>> = {
  'simulations.run': 'agentId',
  'simulations.explore': 'agentId',
  'calls.create': 'agentId',
  'phoneNumbers.import': 'carrierId',
  'workflows.test': 'callId',
};
const knownParameters = new Set([
  'id',
  'version',
  'name',
  'deliveryId',
  'number',
  'documentId',
  'chunkId',
  'validFrom',
]);
/** The scope of the keys that the campaign and the example of the contract create. */
export const scopesOfMadeKeys: readonly Scope[] = ['agents:read'];
/** A name is not an id: every workspace may have a secret of this name. */
const secretName = 'SHOP_TOKEN';
/**
 * They need a secret or credentials of their own for each request, or are limited to twenty a minute. What is asked here is
 * in `test/areas/secrets/`, `test/areas/providers/`, `test/areas/agents/tool-test.test.ts` and `test/operations.test.ts`,
 * and what providers see in `provider-keys.ts`.
 */
const coveredElsewhere = new Set([
  'secrets.delete',
  'agents.tools.test',
  'providers.credentials.put',
  'providers.credentials.delete',
  'providers.verify',
]);
/** Nothing listens there: an attempt ends at once. */
export const deadUrl = 'http://127.0.0.1:1024/hook';
/** The name of what is not used again, where a workspace can have only a few: room is made by deleting it. */
export const spare = 'spare';
export const documentBody = { name: 'Returns', text: 'Returns are possible within 30 days.' };
const workflowExample = createWorkflow.bodyExample;
const exampleDefinition = { trigger: workflowExample.trigger, steps: workflowExample.steps };
/** The same throughout the campaign: a repeated request has the same body. */
const bodies: Readonly<Record<string, object>> = {
  // No event matches it.
  'webhooks.create': { url: deadUrl, events: ['webhook_disabled'], description: spare },
  // Examples of other types contain ids.
  'webhooks.test': { type: 'webhook_test' },
  'carriers.create': { name: spare, provider: 'test' },
  // Its number has no agent, so that the call is over at once.
  'phoneNumbers.test': { phone: '08' },
  'webhooks.replay': { since: new Date(Date.now() - 3_600_000).toISOString() },
  'workflows.create': { ...workflowExample, name: spare },
  'workflows.resume': { since: new Date(Date.now() - 3_600_000).toISOString() },
  'knowledgeBases.create': { name: spare },
  'knowledgeBases.pages.find': { url: deadUrl },
  'documents.create': documentBody,
  'analytics.views.create': { ...createView.bodyExample, name: spare },
  // Evaluations would change it, later.
  'analytics.alerts.create': { ...createAlert.bodyExample, name: spare, enabled: false },
};
const handingOut = new Set(['apiKeys.create', 'apiKeys.rotate']);

/** Every operation of the table. Operations for which no request can be built are passed to `report`, not skipped. */
export function targetsOf(report: (what: string) => void): Target[] {
  return (operations as readonly Operation[]).flatMap((operation) => {
    const { id, path, query, body, bodyExample } = operation;
    if (coveredElsewhere.has(id)) return [];
    const unknown = [...path.matchAll(/\{(\w+)\}/g)].filter(([, name]) => !knownParameters.has(name as string));
    const owner = /\/([\w-]+)\/\{id\}/.exec(path)?.[1];
    const idField = idFields[id] ?? null;
    const kindOfField = idField === null ? null : kindsOfFields[idField];
    const kind = owner !== undefined ? kinds[owner] : kindOfField;
    if (unknown.length > 0 || kind === undefined || (body !== null && bodyExample === undefined)) {
      report(
        `the campaign does not know how to ask for ${id}: it has to be described in campaigns/tenants/requests.ts`,
      );
      return [];
    }
    const parameters = Object.keys(query.shape);
    const isList = parameters.includes('cursor');
    const takesText = (name: string) => query.shape[name]?.safeParse(`agt_${'0'.repeat(30)}`).success === true;
    const filters = isList ? parameters.filter((name) => name !== 'cursor' && takesText(name)) : [];
    return [{ operation, kind, idField, isList, filters, handsOut: handingOut.has(id) ? scopesOfMadeKeys : [] }];
  });
}

export function pathOf({ operation }: Target, names: Names, query: Readonly<Record<string, string>> = {}): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'name' ? secretName : name === 'number' ? encodeURIComponent(names.number) : names[name as keyof Names],
  );
  const given = new URLSearchParams({ ...requiredQuery(operation), ...query }).toString();
  return given === '' ? path : `${path}?${given}`;
}

/** The required query parameters, from the examples of the contract. */
function requiredQuery({ query }: Operation): Record<string, string> {
  const entries = Object.entries(query.shape)
    .filter(
      ([, schema]) => !(schema as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined).success,
    )
    .map(([name, schema]) => [name, String((schema as { meta(): { examples?: unknown[] } }).meta().examples?.[0])]);
  return Object.fromEntries(entries);
}

export function bodyOf({ operation: { id, body, bodyExample }, idField }: Target, names: Names): RequestOptions {
  if (body === null) return {};
  if (bodies[id] !== undefined) return { body: bodies[id] };
  if (id === 'doNotCall.add') return { body: { numbers: [names.number] } };
  if (id === 'workflows.runs.create') return { body: { callId: names.callId } };
  if (id === 'workflows.test') return { body: { callId: names.id, definition: exampleDefinition } };
  if (idField === 'carrierId') return { body: { carrierId: names.id, number: names.number } };
  // Agents are drafts, unless the campaign publishes them.
  return { body: idField === null ? bodyExample : { ...bodyExample, agentVersion: 'latest', [idField]: names.id } };
}

/** What a request for something that is not there gets: 404 is for what the path names. */
export function absenceOf({ idField }: Target): number {
  return idField === null ? 404 : 422;
}

export function mayUse({ operation: { scope } }: Target, scopes: readonly Scope[]): boolean {
  return scope === null || scopes.some((each) => each === scope);
}

/** Whether a valid request for an own resource succeeds. */
export function maySucceed(target: Target, scopes: readonly Scope[]): boolean {
  return mayUse(target, scopes) && target.handsOut.every((scope) => scopes.includes(scope));
}

/**
 * What an allowed request for an own resource gets: nothing is recorded yet, nothing listens at the address of pages, and
 * the agents have no flow.
 */
export function successOf({ operation: { id, success } }: Target): number {
  if (id === 'knowledgeBases.pages.find') return 502;
  if (id === 'simulations.explore') return 422;
  return id === 'calls.recording.get' ? 404 : success.status;
}

/** How a request is delivered: in one piece, or split after its first byte. */
export const deliveries = ['whole', 'cut'] as const;
export type Delivery = (typeof deliveries)[number];

/** The headers that contain the key. */
export function credentialsOf(style: 'bearer' | 'own header' | 'both', secret: string): Record<string, string> {
  const bearer = { Authorization: `Bearer ${secret}` };
  if (style === 'bearer') return bearer;
  return style === 'both' ? { ...bearer, 'X-API-Key': secret } : { 'X-API-Key': secret };
}
