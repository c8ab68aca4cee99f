import type { Agent } from '../../contract/agents/agent.ts';
import { patternIssues } from '../../contract/agents/patterns.ts';
import { maxPromptCharacters } from '../../contract/agents/settings/knowledge.ts';
import { withoutPlaceholders } from '../../contract/agents/settings/tool-url.ts';
import { testAnalysisModels, testModelPrefix, testModels } from '../../contract/agents/test-models.ts';
import { isObject } from '../../contract/json-object.ts';
import { callEventTypes } from '../../contract/webhooks/events.ts';
import { type Issue, shortened } from '../../core/issues.ts';
import { addressIssue } from '../../net/address.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import type { Queries } from '../../storage/database.ts';
import { flowIssues } from '../../voice/engines/flow/validate.ts';
import { textVariableWarnings } from '../../voice/engines/variable-warnings.ts';
import type { AttachedBase } from '../../voice/knowledge.ts';
import { agentSettingsIssues, knowledgeBaseIdsIn, toolsIn, transferNamesIn } from '../../voice/settings.ts';
import { secretUses } from '../../voice/tools/secret-uses.ts';

/** The part of an agent that decides whether it can be published. */
export type PublishableContent = Pick<
  Agent,
  | 'adaptiveSpeechRate'
  | 'agentGlobalPrompt'
  | 'agentSettings'
  | 'agentVariables'
  | 'beginMessage'
  | 'boostedKeywords'
  | 'language'
  | 'postCallAnalysisData'
  | 'postCallAnalysisModel'
  | 'pronunciationDictionary'
  | 'responseEngine'
  | 'startSkillId'
  | 'webhookEvents'
  | 'webhookUrl'
>;

/** The secrets that exist, and the hosts that each may be sent to. */
export type SecretHosts = ReadonlyMap<string, readonly string[]>;

export type FindKnowledgeBases = (
  workspaceId: string,
  ids: readonly string[],
  transaction?: Queries,
) => Promise<readonly AttachedBase[]>;

/** What a workspace has of what its agents name. Null, or absent: it is not checked. */
export interface WorkspaceParts {
  readonly secrets?: SecretHosts | null;
  readonly bases?: readonly AttachedBase[] | null;
  /** The agent is called, not published: bases that have grown since do not prevent it. */
  readonly isCalled?: boolean;
}

export type FindSecretHosts = (
  workspaceId: string,
  names: readonly string[],
  transaction?: Queries,
) => Promise<SecretHosts>;

/** Variables that every call has. */
const builtInVariables = [
  'current_date',
  'current_weekday',
  'current_time',
  'time_zone',
  'call_id',
  'agent_name',
  'direction',
  'from_number',
  'to_number',
];

export interface Publishability {
  /** What prevents publishing. Every path starts with a field of the agent. */
  readonly errors: readonly Issue[];
  /** What is probably a mistake, but prevents nothing. */
  readonly warnings: readonly Issue[];
}

/**
 * Everything that a draft may contain but a published agent may not, at once. The same rules apply when an agent is
 * published, when it is checked before, and when a call is created from a version that was published under older rules.
 * Secrets and knowledge bases are checked where those of the workspace are given.
 */
export function publishability(
  agent: PublishableContent,
  allowedNetworks: AllowedNetworks,
  { secrets = null, bases = null, isCalled = false }: WorkspaceParts = {},
): Publishability {
  const known = knownVariables(agent);
  const flow = flowFindings(agent, known);
  return {
    errors: [
      ...incompleteness(agent),
      ...modelIssues(agent),
      ...addressIssues(agent, allowedNetworks),
      ...eventIssues(agent),
      ...agentSettingsIssues(agent.agentSettings).map(inSettings),
      ...secretIssues(agent, secrets),
      ...(bases === null ? [] : knowledgeIssues(agent, bases)),
      ...(bases === null || isCalled ? [] : promptKnowledgeIssues(agent, bases)),
      ...flow.errors,
    ],
    warnings: [...textVariableWarnings(agent, known), ...flow.warnings],
  };
}

function incompleteness(agent: PublishableContent): Issue[] {
  const { responseEngine, adaptiveSpeechRate: rate, postCallAnalysisData, pronunciationDictionary } = agent;
  const issues: Issue[] = [];
  if (responseEngine.type === 'custom_llm' && responseEngine.llmWebsocketUrl === undefined) {
    issues.push({ path: ['responseEngine', 'llmWebsocketUrl'], message: 'is required for type custom_llm' });
  }
  if (rate !== undefined && rate.minSpeed > rate.maxSpeed) {
    issues.push({ path: ['adaptiveSpeechRate', 'minSpeed'], message: 'must not be greater than maxSpeed' });
  }
  const names = new Set<string>();
  for (const [index, { name, type, options }] of postCallAnalysisData.entries()) {
    if (names.has(name)) issues.push({ path: ['postCallAnalysisData', index, 'name'], message: 'must be unique' });
    names.add(name);
    if (type === 'enum' && (options === undefined || options.length === 0)) {
      issues.push({ path: ['postCallAnalysisData', index, 'options'], message: 'is required for type enum' });
    }
  }
  for (const { path, message } of patternIssues(pronunciationDictionary ?? [])) {
    issues.push({ path: ['pronunciationDictionary', ...path], message });
  }
  return issues;
}

/** A name that starts like a test model never leaves the process, so a misspelled one would never reply. */
function modelIssues({ responseEngine, postCallAnalysisModel, agentSettings }: PublishableContent): Issue[] {
  const check = (path: readonly PropertyKey[], model: unknown, known: readonly string[]): Issue[] =>
    typeof model === 'string' && model.startsWith(testModelPrefix) && !known.includes(model)
      ? [{ path, message: `is not a test model: use one of ${known.join(', ')}` }]
      : [];
  const { fallbackModels } = (agentSettings as { llm?: { fallbackModels?: unknown } } | null | undefined)?.llm ?? {};
  return [
    ...check(['responseEngine', 'model'], responseEngine.model, testModels),
    ...check(['postCallAnalysisModel'], postCallAnalysisModel, testAnalysisModels),
    ...(Array.isArray(fallbackModels) ? fallbackModels : []).flatMap((model, index) =>
      check(['agentSettings', 'llm', 'fallbackModels', index], model, testModels),
    ),
  ];
}

function addressIssues(agent: PublishableContent, allowedNetworks: AllowedNetworks): Issue[] {
  const { webhookUrl, responseEngine, agentSettings } = agent;
  const check = (path: readonly PropertyKey[], address: unknown, scheme: 'https' | 'wss'): Issue[] => {
    const message =
      typeof address === 'string' ? addressIssue(address, { schemes: [scheme], allowedNetworks }) : undefined;
    return message === undefined ? [] : [{ path, message }];
  };
  return [
    ...check(['webhookUrl'], webhookUrl, 'https'),
    ...check(['responseEngine', 'llmWebsocketUrl'], responseEngine.llmWebsocketUrl, 'wss'),
    ...toolsIn(agentSettings).flatMap(({ index, tool: { url } }) =>
      check(
        ['agentSettings', 'tools', index, 'url'],
        typeof url === 'string' ? withoutPlaceholders(url) : url,
        'https',
      ),
    ),
  ];
}

function secretIssues({ agentSettings }: PublishableContent, secrets: SecretHosts | null): Issue[] {
  if (secrets === null) return [];
  return secretUses(agentSettings).flatMap(({ index, header, name, host }) => {
    const hosts = secrets.get(name);
    const path = ['agentSettings', 'tools', index, 'headers', header];
    if (hosts === undefined) return [{ path, message: `uses the secret ${name}, which does not exist` }];
    if (host === undefined || hosts.includes(host)) return [];
    return [{ path, message: `uses the secret ${name}, which may not be sent to ${shortened(host)}` }];
  });
}

function knowledgeIssues({ agentSettings }: PublishableContent, bases: readonly AttachedBase[]): Issue[] {
  return knowledgeBaseIdsIn(agentSettings).flatMap(({ index, id }) =>
    bases.some((base) => base.id === id)
      ? []
      : [
          {
            path: ['agentSettings', 'knowledge', 'bases', index, 'id'],
            message: 'is not a knowledge base of the workspace',
          },
        ],
  );
}

/** What fits into the instructions of a model when the agent is published; later, larger bases are searched. */
function promptKnowledgeIssues({ agentSettings }: PublishableContent, bases: readonly AttachedBase[]): Issue[] {
  const { knowledge } = (agentSettings ?? {}) as { readonly knowledge?: { readonly mode?: unknown } | null };
  const characters = bases.reduce((sum, { characterCount }) => sum + characterCount, 0);
  if (knowledge?.mode !== 'prompt' || characters <= maxPromptCharacters) return [];
  const message = `must be auto: the knowledge bases have ${characters} characters, and prompt is for up to ${maxPromptCharacters}`;
  return [{ path: ['agentSettings', 'knowledge', 'mode'], message }];
}

function eventIssues({ webhookEvents }: PublishableContent): Issue[] {
  return webhookEvents.flatMap((name, index) =>
    (callEventTypes as readonly string[]).includes(name)
      ? []
      : [{ path: ['webhookEvents', index], message: `must be one of: ${callEventTypes.join(', ')}` }],
  );
}

/** The variables that every call of the agent has. */
function knownVariables({ agentVariables = [] }: PublishableContent): string[] {
  const own = agentVariables.flatMap((item) => (isObject(item) && typeof item.name === 'string' ? [item.name] : []));
  return [...builtInVariables, ...own];
}

function flowFindings(agent: PublishableContent, variableNames: readonly string[]): Publishability {
  const { agentSettings, responseEngine, startSkillId, language } = agent;
  const flow = isObject(agentSettings) ? agentSettings.flow : undefined;
  if (flow === undefined) {
    const warning = { path: ['startSkillId'], message: 'has no effect: agentSettings has no flow' };
    return { errors: [], warnings: startSkillId === undefined ? [] : [warning] };
  }
  const { errors, warnings } = flowIssues(flow, {
    ...(startSkillId === undefined ? {} : { startSkillId }),
    toolNames: toolsIn(agentSettings).flatMap(({ tool: { name } }) => (typeof name === 'string' ? [name] : [])),
    transferNames: transferNamesIn(agentSettings),
    hasKnowledge: isObject(agentSettings) && agentSettings.knowledge !== undefined,
    variableNames,
    language,
  });
  const unused = {
    path: ['agentSettings', 'flow'],
    message: `has no effect: the response engine is of type ${responseEngine.type}`,
  };
  return {
    errors,
    warnings: [...warnings, ...(responseEngine.type === 'conversation_flow' ? [] : [unused])],
  };
}

function inSettings({ path, message }: Issue): Issue {
  return { path: ['agentSettings', ...path], message };
}
