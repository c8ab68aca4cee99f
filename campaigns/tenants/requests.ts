import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import type { RequestOptions } from '../connection.ts';

export type ResourceKind = 'agt' | 'key';

/** What stands in the path: the values of its parameters, as they are to be sent. */
export interface Names {
  readonly id: string;
  readonly version: string;
}

/** One operation, with all that the campaign has to know of it, taken from the table itself. */
export interface Target {
  readonly operation: Operation;
  /** What the `{id}` in its path names; null where there is none. */
  readonly kind: ResourceKind | null;
  readonly isList: boolean;
  /** The query parameters of a list that are neither its size nor its place. */
  readonly filters: readonly string[];
  /** Scopes that the caller hands out by it, and must have beside the one of the operation. */
  readonly handsOut: readonly Scope[];
}

const kinds: Readonly<Record<string, ResourceKind>> = { agents: 'agt', 'api-keys': 'key' };
const knownParameters = new Set(['id', 'version']);
/** The keys that the campaign makes, and the example of the contract, have this scope. */
export const scopesOfMadeKeys: readonly Scope[] = ['agents:read'];
const handingOut = new Set(['apiKeys.create', 'apiKeys.rotate']);

/** Every operation of the table. One that it cannot make a request for is told to `blame`, and not passed over. */
export function targetsOf(blame: (what: string) => void): Target[] {
  return (operations as readonly Operation[]).flatMap((operation) => {
    const { id, path, query, body, bodyExample } = operation;
    const unknown = [...path.matchAll(/\{(\w+)\}/g)].filter(([, name]) => !knownParameters.has(name as string));
    const owner = /\/([\w-]+)\/\{id\}/.exec(path)?.[1];
    const kind = owner === undefined ? null : kinds[owner];
    if (unknown.length > 0 || kind === undefined || (body !== null && bodyExample === undefined)) {
      blame(`the campaign does not know how to ask for ${id}: it has to be described in campaigns/tenants/requests.ts`);
      return [];
    }
    const parameters = Object.keys(query.shape);
    const isList = parameters.includes('cursor');
    const filters = isList ? parameters.filter((name) => name !== 'limit' && name !== 'cursor') : [];
    return [{ operation, kind, isList, filters, handsOut: handingOut.has(id) ? scopesOfMadeKeys : [] }];
  });
}

export function pathOf({ operation }: Target, names: Names, query: Readonly<Record<string, string>> = {}): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name as keyof Names]);
  const given = new URLSearchParams({ ...requiredQuery(operation), ...query }).toString();
  return given === '' ? path : `${path}?${given}`;
}

/** What the query cannot do without, by the examples of the contract. */
function requiredQuery({ query }: Operation): Record<string, string> {
  const entries = Object.entries(query.shape)
    .filter(
      ([, schema]) => !(schema as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined).success,
    )
    .map(([name, schema]) => [name, String((schema as { meta(): { examples?: unknown[] } }).meta().examples?.[0])]);
  return Object.fromEntries(entries);
}

export function bodyOf({ operation: { body, bodyExample } }: Target): RequestOptions {
  return body === null ? {} : { body: bodyExample };
}

export function mayUse({ operation: { scope } }: Target, scopes: readonly Scope[]): boolean {
  return scope === null || scopes.some((held) => held === scope);
}

/** Whether a well-formed request about something of one's own succeeds. */
export function maySucceed(target: Target, scopes: readonly Scope[]): boolean {
  return mayUse(target, scopes) && target.handsOut.every((scope) => scopes.includes(scope));
}

/** How a request reaches the service: in one piece, or cut after its first byte. */
export const ways = ['whole', 'cut'] as const;
export type Way = (typeof ways)[number];

/** Where the caller puts the key. */
export function credentialsOf(style: 'bearer' | 'own header' | 'both', secret: string): Record<string, string> {
  const bearer = { Authorization: `Bearer ${secret}` };
  if (style === 'bearer') return bearer;
  return style === 'both' ? { ...bearer, 'X-API-Key': secret } : { 'X-API-Key': secret };
}
