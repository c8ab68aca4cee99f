import { checkDefinitionSize, type Definition } from '../../../contract/workflows/definition.ts';
import { unprocessable } from '../../../core/errors.ts';
import { type Issue, shortened, throwIssues } from '../../../core/issues.ts';
import { transcriptIssues } from '../../../core/transcript-filter.ts';
import { addressIssue } from '../../../net/address.ts';
import type { AllowedNetworks } from '../../../net/networks.ts';
import type { Queries } from '../../../storage/database.ts';
import { addressesOf, agentReferences, secretReferences } from './references.ts';

export interface DefinitionCheckParts {
  readonly allowedNetworks: AllowedNetworks;
  /** Filters out ids that are not agents of the workspace. */
  readonly existingAgents: (
    queries: Queries,
    workspaceId: string,
    ids: readonly string[],
  ) => Promise<ReadonlySet<string>>;
  /** The hosts of those of these secrets that exist. They are locked, so that none is deleted before the end. */
  readonly secretHosts: (
    workspaceId: string,
    names: readonly string[],
    transaction: Queries,
  ) => Promise<ReadonlyMap<string, readonly string[]>>;
}

/** `root`: where the definition is in the body of the request. */
export type DefinitionCheck = (
  queries: Queries,
  workspaceId: string,
  definition: Definition,
  root?: readonly string[],
) => Promise<void>;

/** Checks a definition that its schema accepts. Throws 400 for one that cannot work here, 422 if something is missing. */
export function createDefinitionCheck({
  allowedNetworks,
  existingAgents,
  secretHosts,
}: DefinitionCheckParts): DefinitionCheck {
  return async (queries, workspaceId, definition, root = []) => {
    requireAllowedAddresses(definition, allowedNetworks, root);
    const agents = agentReferences(definition);
    const secrets = secretReferences(definition);
    const agentIds = [...new Set(agents.map(({ id }) => id))];
    const names = [...new Set(secrets.map(({ name }) => name))];
    const existing = agentIds.length === 0 ? new Set<string>() : await existingAgents(queries, workspaceId, agentIds);
    const hosts: ReadonlyMap<string, readonly string[]> =
      names.length === 0 ? new Map() : await secretHosts(workspaceId, names, queries);
    const missingAgents = agents
      .filter(({ id }) => !existing.has(id))
      .map(({ path }): Issue => ({ path, message: 'is not an agent of the workspace' }));
    const issues = [
      ...transcripts(definition),
      ...missingAgents,
      ...secrets.flatMap((reference) => secretIssue(reference, hosts)),
    ];
    throwIssues(under(root, issues), unprocessable);
  };
}

/** The names of all secrets in a definition. */
export function secretsNamedBy(definition: Pick<Definition, 'steps'>): string[] {
  return [...new Set(secretReferences(definition).map(({ name }) => name))];
}

/** Throws 400 for what depends on the settings of the service, and for a definition that has become too large. */
export function requireAllowedAddresses(
  definition: Definition,
  allowedNetworks: AllowedNetworks,
  root: readonly string[] = [],
): void {
  const issues: Issue[] = [];
  // A change of the trigger or of the steps alone is within the limit.
  checkDefinitionSize(definition, { addIssue: (issue) => void issues.push(issue as Issue) });
  for (const { path, url } of addressesOf(definition.steps)) {
    const message = addressIssue(url, { schemes: ['https'], allowedNetworks });
    if (message !== undefined) issues.push({ path, message });
  }
  throwIssues(under(root, issues));
}

function transcripts({ trigger, steps }: Definition): Issue[] {
  const inSteps = steps.flatMap((step, index) =>
    step.type === 'condition'
      ? step.routes.flatMap((route, place) => transcriptIssues(route.if, ['steps', index, 'routes', place, 'if']))
      : [],
  );
  return [...transcriptIssues(trigger.filter, ['trigger', 'filter']), ...inSteps];
}

function under(root: readonly string[], issues: readonly Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({ path: [...root, ...path], message }));
}

function secretIssue(
  { path, name, host }: ReturnType<typeof secretReferences>[number],
  hostsOf: ReadonlyMap<string, readonly string[]>,
): Issue[] {
  const hosts = hostsOf.get(name);
  if (hosts === undefined) return [{ path, message: `uses the secret ${name}, which does not exist` }];
  if (hosts.includes(host)) return [];
  return [{ path, message: `uses the secret ${name}, which may not be sent to ${shortened(host)}` }];
}
