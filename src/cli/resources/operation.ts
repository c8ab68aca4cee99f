/**
 * A list, get or delete operation, reduced to what its command needs. `operations.ts` is generated from the contract,
 * whose schemas take longer to load than a command takes to run.
 */
export interface ResourceOperation {
  /** Such as `webhooks.deliveries.list`; the last part is the verb. */
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly params: readonly PathParameter[];
  readonly query: readonly QueryParameter[];
  readonly isPaged?: true;
  /** A get whose response has an ETag, or a delete that takes one. */
  readonly hasEtag?: true;
}

export interface PathParameter {
  readonly name: string;
  /** What it identifies, such as `agent`. */
  readonly noun: string;
  /** Such as `agt_…`. */
  readonly example: string;
}

export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly isRequired?: true;
  readonly isList?: true;
  readonly isTime?: true;
  /** All possible values. */
  readonly values?: readonly string[];
}

export type Verb = 'list' | 'get' | 'delete';

export function verbOf({ id }: ResourceOperation): Verb {
  return id.slice(id.lastIndexOf('.') + 1) as Verb;
}

/** Resources whose command is shorter than their name in the API. */
const names: Readonly<Record<string, string>> = {
  apiKeys: 'keys',
  auditLog: 'audit',
  analysis: 'analyses',
  phoneNumbers: 'numbers',
  knowledgeBases: 'knowledge',
};

/** `voice-agents <group> <command>`: the verb, or the name of a resource inside another, such as `webhooks deliveries`. */
export function commandOf(operation: ResourceOperation): { readonly group: string; readonly command: string } {
  const [resource = '', inner = '', ...rest] = operation.id.split('.').map((part) => names[part] ?? kebab(part));
  if (rest.length === 0) return { group: resource, command: inner };
  return { group: resource, command: verbOf(operation) === 'delete' ? `delete-${inner}` : inner };
}

/** Parameters whose option has a shorter name. */
const optionNames: Readonly<Record<string, string>> = {
  q: 'search',
  agentId: 'agent',
  carrierId: 'carrier',
  phoneNumberId: 'number',
  resourceId: 'resource',
  keyId: 'key',
  routeId: 'action',
  subjectId: 'subject',
  eventType: 'type',
  workflowId: 'workflow',
  callId: 'call',
};

/** The name of an option, without its dashes. */
export function optionName(parameter: QueryParameter): string {
  return optionNames[parameter.name] ?? kebab(parameter.name);
}

export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
