import type { Agent, AgentState } from '../../../sdk/src/schema.ts';
import { connect } from '../connection/connection.ts';
import type { CommandContext } from '../context.ts';
import { showPages } from '../resources/pages.ts';
import type { Cell } from '../terminal/table.ts';
import { describeTime } from '../terminal/time.ts';
import { checkedId } from './names.ts';
import type { ListOptions } from './options.ts';
import { describeState, readStates } from './states.ts';

export async function listAgents(
  options: ListOptions & { readonly search?: string },
  context: CommandContext,
): Promise<void> {
  const { client } = await connect(options, context.environment);
  // Treat an empty search as no search; the service would reject it.
  const search = options.search ? { q: options.search } : {};
  let states = new Map<string, AgentState>();
  await showPages((limit) => client.agents.list({ limit, ...search }), options, context, {
    head: ['ID', 'NAME', 'ENGINE', 'LANGUAGE', 'VOICE', 'STATE', 'CHANGED'],
    load: async (agents) => {
      states = await readStates(client, agents);
    },
    row: (agent) => [
      agent.id,
      agent.name,
      agent.responseEngine.type,
      agent.language,
      agent.voiceId,
      describeState(agent, states.get(agent.id)),
      describeTime(agent.updatedAt, context.stdout),
    ],
    table: { dispensable: ['VOICE', 'LANGUAGE', 'ENGINE', 'CHANGED'], elastic: 'NAME' },
    none: options.search
      ? 'No agents match this search.\n'
      : 'No agents yet. Create one with "voice-agents agents create".\n',
  });
}

export async function listVersions(id: string, options: ListOptions, context: CommandContext): Promise<void> {
  const agentId = checkedId(id);
  const { client } = await connect(options, context.environment);
  let live: number | null = null;
  await showPages((limit) => client.agents.versions.list(agentId, { limit }), options, context, {
    head: ['VERSION', 'STATE', 'CHANGED', 'NAME', 'DESCRIPTION'],
    load: async ([first]) => {
      if (first !== undefined) live = (await readStates(client, [first])).get(agentId)?.publishedVersion ?? null;
    },
    row: (agent) => [
      String(agent.version),
      stateOf(agent, live),
      describeTime(agent.updatedAt, context.stdout),
      agent.name,
      agent.versionDescription ?? '',
    ],
    table: { dispensable: ['NAME'], elastic: 'DESCRIPTION' },
    none: '',
  });
}

/** New calls use one version: of those that are published, the newest. */
function stateOf({ version, isPublished }: Agent, live: number | null): Cell {
  if (!isPublished) return { text: 'draft', format: 'yellow' };
  return version === live ? { text: 'live', format: 'green' } : 'published';
}
