import type { Agent } from '../contract/agents/agent.ts';
import { fill, type Room, roomBesides, type Warn } from './text/variables.ts';
import type { Variables } from './variables.ts';

/** The agent with the values of a call in its begin message. Prompts and flows are filled by their engines. */
export function filledAgent(agent: Agent, variables: Variables, warn: Warn): Agent {
  const { beginMessage } = agent;
  return beginMessage === null ? agent : { ...agent, beginMessage: filled(beginMessage, variables, warn) };
}

export function filledKeywords({ boostedKeywords }: Agent, variables: Variables, warn: Warn): readonly string[] {
  const room = roomBesides();
  return boostedKeywords.map((keyword) => filled(keyword, variables, warn, room));
}

function filled(text: string, variables: Variables, warn: Warn, room?: Room): string {
  return fill(text, (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined), warn, room);
}

/** How long a reply may take before `latency_exceeded` says so. */
export function latencyBudgetOf({ agentSettings }: Agent): number | undefined {
  const { calls } = (agentSettings ?? {}) as { readonly calls?: { readonly latencyBudgetMs?: number } };
  return calls?.latencyBudgetMs;
}
