import { z } from 'zod';
import { agentVersion } from '../agents/version.ts';
import { defineOperation } from '../operation.ts';
import { text } from '../text.ts';

/** Every route of the largest flow, with what can be said at any time. */
export const maxRoutes = 30_000;
export const maxFindings = 1000;

const findingKinds = [
  'unreachable_skill',
  'dead_end',
  'endless_retry',
  'loop_without_listening',
  'route_never_taken',
  'phrase_never_matched',
  'option_never_understood',
  'answer_never_understood',
] as const;

const skillId = z.string().meta({ description: 'The id of the skill.', examples: ['greet'] });
const skillOrNone = skillId.nullable();

const finding = z
  .strictObject({
    kind: z.enum(findingKinds).meta({ description: 'What is wrong.', examples: ['phrase_never_matched'] }),
    skillId: skillOrNone.meta({
      description: 'The skill. Null for what can be said at any time.',
      examples: ['greet'],
    }),
    path: z.string().meta({
      description: 'Its place in `agentSettings`.',
      examples: ['flow.skills.0.routes.1.when.0'],
    }),
    message: z.string().meta({ description: 'What is wrong, in English.', examples: ['routes.0 takes it'] }),
    related: z.array(z.string()).meta({
      description: 'The skills of a loop in order, or the routes that take a phrase instead. Empty for other kinds.',
      examples: [['routes.0']],
    }),
  })
  .meta({ id: 'ExplorationFinding', description: 'A problem that an exploration found in a flow.' });

const exploredRoute = z
  .strictObject({
    skillId: skillOrNone.meta({
      description: 'The skill that the route leaves. Null for what can be said at any time.',
      examples: ['greet'],
    }),
    route: z.string().meta({
      description:
        'The route: `next`, `otherwise`, `routes.2` (the third of `routes`), `anytime.0` (the first of `anytime`), or `retry` (the question is asked again).',
      examples: ['routes.0'],
    }),
    isTaken: z.boolean().meta({ description: 'Whether any conversation takes it.', examples: [true] }),
  })
  .meta({ id: 'ExploredRoute', description: 'A route of a flow, and whether it can be taken.' });

const scriptedResult = z
  .strictObject({
    result: z
      .unknown()
      .optional()
      .meta({ description: 'What the tool returns.', examples: [{ variables: { available: true } }] }),
    error: z
      .string()
      .optional()
      .meta({ description: 'The error that it returns instead.', examples: ['failed'] }),
  })
  .meta({ id: 'ExploredResult', description: 'The result of a tool call in a script.' });

const exploredEnd = z
  .strictObject({
    skillId: skillId.meta({ description: 'The skill that ends the call.', examples: ['done'] }),
    script: z
      .strictObject({
        variables: z
          .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
          .optional()
          .meta({ description: 'The variables of the call.', examples: [{ shop: 'Ginza' }] }),
        tools: z
          .record(z.string(), z.array(scriptedResult))
          .optional()
          .meta({
            description: 'What each tool returns, one result per call.',
            examples: [{ book: [{ result: { variables: { available: true } } }] }],
          }),
        steps: z.array(z.string()).meta({
          description: 'The steps, in order.',
          examples: [['expect agent says /Would you like/', 'say "yes"', 'expect end agent_hangup']],
        }),
      })
      .meta({ id: 'ExploredScript', description: 'A script for `simulations.run`.' }),
  })
  .meta({ id: 'ExploredEnd', description: 'An end of a flow, with the shortest script that reaches it.' });

export const exploration = z
  .strictObject({
    findings: z
      .array(finding)
      .max(maxFindings)
      .meta({ description: `What is wrong with the flow, at most ${maxFindings} problems.` }),
    coverage: z
      .strictObject({
        percent: z
          .number()
          .min(0)
          .max(100)
          .meta({ description: 'The share of routes taken.', examples: [96.4] }),
        routes: z
          .int()
          .min(0)
          .meta({ description: 'How many routes there are.', examples: [28] }),
        taken: z
          .int()
          .min(0)
          .meta({ description: 'How many of them are taken.', examples: [27] }),
      })
      .meta({ id: 'ExplorationCoverage', description: 'How many routes can be taken, with retries.' }),
    routes: z.array(exploredRoute).max(maxRoutes).meta({ description: 'Every route of the flow.' }),
    longestPath: z.array(skillId).meta({
      description: 'The most skills that one conversation passes through, each once.',
      examples: [['greet', 'day', 'done']],
    }),
    ends: z.array(exploredEnd).meta({
      description:
        'The shortest script to each end that can be reached. Those that do not fit into several megabytes are left out.',
    }),
    situations: z
      .int()
      .min(0)
      .meta({ description: 'How many situations were tried.', examples: [64] }),
    isComplete: z.boolean().meta({
      description: 'False if the flow has more situations than could be tried.',
      examples: [true],
    }),
    tookMs: z
      .int()
      .min(0)
      .meta({ description: 'How long it took, in milliseconds.', examples: [12] }),
  })
  .meta({ id: 'Exploration', description: 'What an exploration found out about a flow.' });

export type Exploration = z.infer<typeof exploration>;

export const exploreSimulation = defineOperation({
  id: 'simulations.explore',
  kind: 'read',
  method: 'POST',
  path: '/api/v1/simulations/explore',
  scope: 'calls:write',
  risk: 'standard',
  summary: 'Explore a flow',
  description:
    'Walks every route, retry and silence of the flow of an agent, without a model or a tool, and reports what is wrong with it, which routes can be taken, and the shortest script to each end. Nothing is stored, and no external system is called. It may take up to 5 seconds.',
  params: z.object({}),
  query: z.object({}),
  body: z
    .object({
      agentId: text({ min: 1, max: 64 }).meta({
        description: 'The agent.',
        examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'],
      }),
      agentVersion,
    })
    .meta({ id: 'ExploreFlow', description: 'The flow to explore.' }),
  bodyExample: { agentId: 'agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz', agentVersion: 'latest' },
  success: { status: 200, description: 'What was found.', body: exploration },
});
