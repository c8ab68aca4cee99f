import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Agent, AgentState } from '../../../sdk/src/schema.ts';
import type { Cell } from '../terminal/table.ts';

/** Reads which versions of the agents on a page are published, in one request. */
export async function readStates(client: VoiceAgents, agents: readonly Agent[]): Promise<Map<string, AgentState>> {
  if (agents.length === 0) return new Map();
  const { items } = await client.agents.states.list({ agentId: agents.map(({ id }) => id) });
  return new Map(items.map((state) => [state.agentId, state]));
}

/** `Live v1 · Draft v2`. An agent that was deleted in the meantime has no state: then only its own version is known. */
export function describeState(agent: Agent, state: AgentState | undefined): Exclude<Cell, string> {
  const live = state === undefined && agent.isPublished ? agent.version : (state?.publishedVersion ?? null);
  const draft = state === undefined && !agent.isPublished ? agent.version : (state?.draftVersion ?? null);
  const parts = [live === null ? [] : [`Live v${live}`], draft === null ? [] : [`Draft v${draft}`]].flat();
  return { text: parts.join(' · '), format: draft === null ? 'green' : 'yellow' };
}
