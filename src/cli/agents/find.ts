import { PermissionError } from '../../../sdk/src/errors.ts';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Agent } from '../../../sdk/src/schema.ts';
import { CommandError, exitCodes, invalidUsage } from '../failures.ts';
import { checkedId } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';

export interface FoundAgent {
  readonly id: string;
  /** Null if the key may not read agents. */
  readonly name: string | null;
  /** How many older agents have the same name. */
  readonly olderCount: number;
}

/** The most agents that a message about an ambiguous name lists. */
const maxListed = 5;

/**
 * An agent by its id or name. A name must be that of one agent, or a part of the name of only one; with `prefersNewest`,
 * the newest of several agents with exactly this name is used.
 */
export async function findAgent(
  client: VoiceAgents,
  target: string,
  { prefersNewest = false } = {},
): Promise<FoundAgent> {
  if (/^(agt|vak)_/.test(target)) return withName(client, checkedId('agent', target));
  const found: Agent[] = [];
  // A longer list would not help either.
  if (target.trim() !== '') found.push(...(await client.agents.list({ q: target, limit: 100 })).items);
  const exact = found.filter(({ name }) => name === target);
  const candidates = exact.length > 0 ? exact : found;
  // Lists are sorted newest first.
  const [newest] = candidates;
  if (newest === undefined) throw new CommandError(`there is no agent "${visible(target)}"`, exitCodes.notFound);
  const isClear = candidates.length === 1 || (prefersNewest && exact.length > 0);
  if (!isClear) throw ambiguous(target, candidates);
  return { id: newest.id, name: newest.name, olderCount: candidates.length - 1 };
}

async function withName(client: VoiceAgents, id: string): Promise<FoundAgent> {
  try {
    return { id, name: (await client.agents.get(id)).name, olderCount: 0 };
  } catch (error) {
    if (error instanceof PermissionError) return { id, name: null, olderCount: 0 };
    throw error;
  }
}

function ambiguous(target: string, agents: readonly Agent[]): CommandError {
  const lines = agents.slice(0, maxListed).map(({ id, name }) => `\n  ${id}  ${visible(name)}`);
  const more = agents.length > maxListed ? '\n  …' : '';
  return invalidUsage(`several agents match "${visible(target)}": use an id${lines.join('')}${more}`);
}
