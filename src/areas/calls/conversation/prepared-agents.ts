import { LRUCache } from 'lru-cache';
import type { Agent } from '../../../contract/agents/agent.ts';
import { knowledgeSettingsOf, phoneSettingsOf, timeZoneOf, toolsOf } from '../../../voice/engines/agent-parts.ts';
import { engineFor } from '../../../voice/engines/choose.ts';
import type { NewEngine } from '../../../voice/engines/create.ts';
import { agentVariables, policyOf } from '../../../voice/policy.ts';
import type { ToolDefinition } from '../../../voice/tools/definition.ts';
import type { TurnPolicy } from '../../../voice/turn/events.ts';
import type { Variables } from '../../../voice/variables.ts';
import type { PinnedAgents } from '../record/pinned-agents.ts';

/** An agent with everything that its calls share. */
export interface PreparedAgent {
  readonly agent: Agent;
  readonly newEngine: NewEngine;
  readonly policy: TurnPolicy;
  readonly tools: readonly ToolDefinition[];
  /** Tools are not called: each returns its example. */
  readonly usesExamples: boolean;
  readonly timeZone: string;
  /** The agent's defaults for variables. */
  readonly variables: Variables;
  /** Whether something in the agent may name a variable. */
  readonly usesVariables: boolean;
  /** Whether the engine reads the transcript. */
  readonly needsHistory: boolean;
}

/** A chat has no recognizer. */
const recognizer = { hasPartials: true, waitMs: 0, hasEcho: false };

/** Compiling a large flow takes milliseconds, so the agents of recent calls are kept, up to this length as JSON. */
const maxPreparedBytes = 16 * 1024 * 1024;

export type PreparedAgents = ReturnType<typeof createPreparedAgents>;

/** `modelOf`: whether a workspace has a language model, which can change while its calls go on. */
export function createPreparedAgents(agents: PinnedAgents, modelOf: (workspaceId: string) => boolean) {
  const cache = new LRUCache<string, PreparedAgent>({ maxSize: maxPreparedBytes });
  return async (workspaceId: string, digest: string): Promise<PreparedAgent> => {
    const hasModel = modelOf(workspaceId);
    const name = `${workspaceId} ${digest} ${hasModel}`;
    const known = cache.get(name);
    if (known !== undefined) return known;
    const agent = await agents.read(undefined, workspaceId, digest);
    if (agent === undefined) throw new Error('the agent of an open call is missing');
    // With the first call: a service without calls takes 4 MB less without the engines and their libraries.
    const { prepareEngine } = await import('../../../voice/engines/create.ts');
    const engine = engineFor(agent, hasModel);
    const isPromptOrFlow = engine === 'prompt' || engine === 'flow';
    const isCustom = engine === 'custom_llm';
    const prepared: PreparedAgent = {
      agent,
      newEngine: prepareEngine(agent, hasModel),
      policy: policyOf(agent, { isChat: true, isFlow: engine === 'flow', recognizer }).turn,
      tools: toolsOf(agent),
      usesExamples: agent.toolResults === 'example',
      timeZone: timeZoneOf(agent),
      variables: agentVariables(agent),
      usesVariables:
        isPromptOrFlow ||
        isCustom ||
        [agent.beginMessage ?? '', ...agent.boostedKeywords, JSON.stringify(phoneSettingsOf(agent))].some((text) =>
          text.includes('{{'),
        ),
      needsHistory: isCustom || (isPromptOrFlow && hasModel) || knowledgeSettingsOf(agent) !== null,
    };
    cache.set(name, prepared, { size: JSON.stringify(agent).length });
    return prepared;
  };
}
