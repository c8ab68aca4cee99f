import { z } from 'zod';
import { agentVersion } from '../agents/version.ts';
import { defineContract } from '../area.ts';
import { callLatency } from '../calls/latency.ts';
import { callScopes } from '../calls/scopes.ts';
import { turn } from '../calls/turn.ts';
import { defineOperation } from '../operation.ts';
import { text } from '../text.ts';
import { cassette } from './cassette.ts';
import { exploreSimulation } from './explore.ts';
import { requestScript } from './script.ts';

export const maxRuns = 1000;
const maxSeed = 2 ** 32 - 1;

const seed = z
  .int()
  .min(0)
  .max(maxSeed)
  .meta({
    description: 'The seed for the random numbers of a run: the same seed gives the same run.',
    examples: [7],
  });

const failure = z
  .strictObject({
    seed: seed.meta({ description: 'The seed of the run. Use it to reproduce the run.', examples: [7] }),
    step: z
      .int()
      .min(0)
      .meta({ description: 'The index of the step that failed, from 0.', examples: [1] }),
    expected: z.string().meta({ description: 'What was expected.', examples: ['agent says /when/ within 2000ms'] }),
    saw: z.string().meta({ description: 'What happened instead.', examples: ['agent says "One moment, please."'] }),
    transcript: z.array(turn).meta({ description: 'The transcript of the run.' }),
  })
  .meta({ id: 'SimulationFailure', description: 'A run that did not meet an expectation.' });

const skillId = z.string().meta({ description: 'The skill that the route leaves.', examples: ['greet'] });
const route = z.string().meta({
  description:
    'The route: `next`, `otherwise`, `routes.2` (the third of `routes`), `anytime.0` (the first of `anytime`), or `retry` (the question was asked again).',
  examples: ['routes.0'],
});

const takenRoute = z
  .strictObject({
    skillId,
    route,
    atMs: z
      .int()
      .min(0)
      .meta({ description: 'When, in milliseconds since the start of the call.', examples: [2400] }),
  })
  .meta({ id: 'SimulationTakenRoute', description: 'A route of the flow that a run took.' });

const countedRoute = z
  .strictObject({
    skillId,
    route,
    count: z
      .int()
      .min(1)
      .meta({ description: 'How often the runs took it.', examples: [12] }),
  })
  .meta({ id: 'SimulationRouteCount', description: 'How often the runs of a simulation took a route of the flow.' });

/** Every route of the largest flow, with what can be said at any time. */
const maxCountedRoutes = 30_000;

export const simulationReport = z
  .strictObject({
    runs: z
      .int()
      .min(1)
      .max(maxRuns)
      .meta({ description: 'The number of runs.', examples: [100] }),
    passed: z
      .int()
      .min(0)
      .max(maxRuns)
      .meta({ description: 'How many runs met all expectations.', examples: [99] }),
    failures: z.array(failure).max(20).meta({ description: 'The first failed runs, at most 20.' }),
    latency: callLatency
      .nullable()
      .meta({ description: 'How long replies took across all runs. Null if there were none.' }),
    transcript: z.array(turn).meta({
      description: 'What was said in the first run. A transcript of several megabytes ends early.',
    }),
    path: z.array(takenRoute).max(2000).meta({
      description:
        'The routes of the flow that the first run took, in order, up to 2,000. Empty for an agent without a flow.',
    }),
    routes: z.array(countedRoute).max(maxCountedRoutes).meta({
      description: 'How often all runs took each route of the flow; those that no run took are missing.',
    }),
    tookMs: z
      .int()
      .min(0)
      .meta({ description: 'How long the simulation took, in milliseconds of real time.', examples: [12] }),
  })
  .meta({ id: 'SimulationReport', description: 'The result of a simulation.' });

export type SimulationReport = z.infer<typeof simulationReport>;

export const runSimulation = defineOperation({
  id: 'simulations.run',
  kind: 'read',
  method: 'POST',
  path: '/api/v1/simulations',
  scope: 'calls:write',
  risk: 'standard',
  summary: 'Simulate a conversation',
  description:
    'Runs a scripted caller against an agent on a simulated clock: minutes of conversation take milliseconds, and the same seed always gives the same result. Nothing is stored, and no external system is called: the script defines what tools return, and a cassette what the language model replies. All runs together can take up to 5 seconds.',
  params: z.object({}),
  query: z.object({}),
  body: z
    .object({
      agentId: text({ min: 1, max: 64 }).meta({
        description: 'The agent.',
        examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'],
      }),
      agentVersion,
      script: requestScript,
      runs: z
        .int()
        .min(1)
        .max(maxRuns)
        .default(1)
        .meta({
          description: 'How many times to run the script. Runs differ if the script has `noise`.',
          examples: [100],
        }),
      seed: seed.optional().meta({
        description: 'The seed of the first run; each subsequent run adds 1. Default: random.',
        examples: [7],
      }),
      cassette: cassette.optional().meta({
        description: 'What the language model replies. Required if the agent uses one.',
      }),
    })
    .meta({ id: 'RunSimulation', description: 'The simulation to run.' }),
  bodyExample: {
    agentId: 'agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz',
    script: { steps: ['say "I would like to book a table."', 'expect agent says /table/ within 2000ms'] },
    runs: 100,
    seed: 7,
  },
  success: { status: 200, description: 'The result.', body: simulationReport },
});

export const simulationsContract = defineContract({
  tag: { name: 'Simulations', description: 'Conversations with a scripted caller.' },
  idPrefixes: [],
  scopes: callScopes,
  operations: [runSimulation, exploreSimulation],
});
