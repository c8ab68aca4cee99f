import { z } from 'zod';
import { defineContract } from './area.ts';
import { defineOperation } from './operation.ts';

/** How long each period goes back, and what one point of it stands for. */
export const periods = {
  hour: { seconds: 3600, stepSeconds: 60 },
  day: { seconds: 86_400, stepSeconds: 600 },
} as const;

export type Period = keyof typeof periods;

const milliseconds = (share: string) =>
  z
    .number()
    .min(0)
    .nullable()
    .meta({
      description: `${share} of the requests took no longer, in milliseconds. Null: there were none.`,
      examples: [2.5],
    });

export const figuresPoint = z
  .strictObject({
    at: z.iso.datetime().meta({ description: 'When the point begins.', examples: ['2026-11-15T09:30:00.000Z'] }),
    requests: z
      .int()
      .min(0)
      .meta({ description: 'Requests of the workspace that were answered.', examples: [120] }),
    refusals: z
      .int()
      .min(0)
      .meta({ description: 'Those of them that were answered with a status from 400 to 499.', examples: [3] }),
    errors: z
      .int()
      .min(0)
      .meta({ description: 'Those of them that were answered with 500 or above.', examples: [0] }),
    p50Ms: milliseconds('Half'),
    p95Ms: milliseconds('95 %'),
    p99Ms: milliseconds('99 %'),
  })
  .meta({ id: 'FiguresPoint', description: 'What was asked of the service in one step of time.' });

export type FiguresPoint = z.infer<typeof figuresPoint>;

export const maxAgentsCounted = 100_000;

export const figures = z
  .strictObject({
    period: z.enum(['hour', 'day']).meta({ description: 'How far back it goes.', examples: ['hour'] }),
    stepSeconds: z.int().meta({ description: 'How long one point is, in seconds.', examples: [60] }),
    agents: z
      .int()
      .min(0)
      .meta({ description: 'How many agents the workspace has.', examples: [42] }),
    hasMoreAgents: z.boolean().meta({
      description: `True where there are more than ${maxAgentsCounted}: no more are counted.`,
      examples: [false],
    }),
    points: z
      .array(figuresPoint)
      .meta({ description: 'One for each step, oldest first, without a gap. The last one is not over yet.' }),
  })
  .meta({ id: 'Figures', description: 'How the service has fared for a workspace.' });

export type Figures = z.infer<typeof figures>;

export const getFigures = defineOperation({
  id: 'figures.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/figures',
  scope: 'agents:read',
  risk: 'standard',
  summary: 'See how the service fares',
  description:
    'How many requests the workspace has made, how many were refused or failed and how long they took, over the last hour or day. A request is in it after ten seconds at the latest.',
  params: z.object({}),
  query: z.object({
    period: z
      .enum(['hour', 'day'])
      .default('hour')
      .meta({ description: 'How far back: an hour in minutes, or a day in steps of ten.', examples: ['day'] }),
  }),
  body: null,
  success: { status: 200, description: 'The figures.', body: figures },
});

export const trafficContract = defineContract({
  tag: { name: 'Figures', description: 'How the service fares.' },
  idPrefixes: [],
  scopes: {},
  operations: [getFigures],
});
