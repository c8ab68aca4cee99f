import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { largestPageSize, onePage } from '../pagination.ts';
import { commaSeparated } from '../query.ts';
import { text } from '../text.ts';

const version = z.number().min(1).nullable();

const agentState = z
  .strictObject({
    agentId: z
      .string()
      .max(64)
      .meta({ description: 'The id of the agent.', examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
    publishedVersion: version.meta({
      description: 'The newest published version, which calls use; null if none is published.',
      examples: [1],
    }),
    draftVersion: version.meta({
      description: 'The version that is a draft; null if the latest version is published.',
      examples: [2],
    }),
  })
  .meta({ id: 'AgentState', description: 'Which version of an agent is published, and which one is a draft.' });

/** An agent has the fields of its latest version only, so a list asks for the states of the agents on a page. */
export const listAgentStates = defineOperation({
  id: 'agents.states.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/agent-states',
  scope: 'agents:read',
  risk: 'standard',
  summary: 'List the states of agents',
  description:
    'Returns which version of each agent is published, and which one is a draft, for up to 200 agents at once. Agents that do not exist are left out.',
  params: z.object({}),
  query: z.object({
    agentId: commaSeparated(text({ min: 1, max: 64 }), largestPageSize).meta({
      description: 'The ids of the agents, up to 200, separated by commas.',
      examples: [['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz']],
    }),
  }),
  body: null,
  success: {
    status: 200,
    description: 'The states of those agents that exist.',
    body: z
      .strictObject({
        items: z.array(agentState).meta({ description: 'The states, newest agent first.' }),
        pagination: onePage,
      })
      .meta({ id: 'AgentStatePage', description: 'The states of agents.' }),
  },
});

export type AgentState = z.infer<typeof agentState>;
