import { z } from 'zod';
import { defineContract } from '../area.ts';
import { defineOperation } from '../operation.ts';

/** The length of each period and of one data point in it. */
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
      description: `${share} of the requests took at most this long, in milliseconds. Null if there were no requests.`,
      examples: [2.5],
    });

export const figuresPoint = z
  .strictObject({
    at: z.iso.datetime().meta({ description: 'The start of the interval.', examples: ['2026-11-15T09:30:00.000Z'] }),
    requests: z
      .int()
      .min(0)
      .meta({ description: 'The number of requests in the workspace.', examples: [120] }),
    refusals: z
      .int()
      .min(0)
      .meta({ description: 'The number of requests with a status from 400 to 499.', examples: [3] }),
    errors: z
      .int()
      .min(0)
      .meta({ description: 'The number of requests with a status of 500 or above.', examples: [0] }),
    p50Ms: milliseconds('50%'),
    p95Ms: milliseconds('95%'),
    p99Ms: milliseconds('99%'),
  })
  .meta({ id: 'FiguresPoint', description: 'Traffic in one interval.' });

export type FiguresPoint = z.infer<typeof figuresPoint>;

export const maxAgentsCounted = 100_000;

export const figures = z
  .strictObject({
    period: z.enum(['hour', 'day']).meta({ description: 'The period covered.', examples: ['hour'] }),
    stepSeconds: z.int().meta({ description: 'The length of one interval, in seconds.', examples: [60] }),
    agents: z
      .int()
      .min(0)
      .meta({ description: 'The number of agents in the workspace.', examples: [42] }),
    hasMoreAgents: z.boolean().meta({
      description: `True if there are more than ${maxAgentsCounted} agents; counting stops there.`,
      examples: [false],
    }),
    points: z.array(figuresPoint).meta({
      description: 'One data point per interval, oldest first, without gaps. The last interval is still in progress.',
    }),
  })
  .meta({ id: 'Figures', description: 'Traffic statistics of a workspace.' });

export type Figures = z.infer<typeof figures>;

export const getFigures = defineOperation({
  id: 'figures.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/figures',
  scope: 'agents:read',
  risk: 'standard',
  summary: 'Get traffic statistics',
  description:
    'Returns the number of requests in the workspace, how many were rejected or failed, and their latency, over the last hour or day. New requests are included within ten seconds.',
  params: z.object({}),
  query: z.object({
    period: z
      .enum(['hour', 'day'])
      .default('hour')
      .meta({
        description: 'The last hour in 1-minute intervals, or the last day in 10-minute intervals.',
        examples: ['day'],
      }),
  }),
  body: null,
  success: { status: 200, description: 'The statistics.', body: figures },
});

export const figuresContract = defineContract({
  tag: { name: 'Figures', description: 'Traffic statistics of the workspace.' },
  idPrefixes: [],
  scopes: {},
  operations: [getFigures],
});
