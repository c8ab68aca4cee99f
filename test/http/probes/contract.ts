import { z } from 'zod';
import { defineContract } from '../../../src/contract/area.ts';
import { defineOperation } from '../../../src/contract/operation.ts';
import { pageParameters, pageSuccess, searchSuccess, waitParameter } from '../../../src/contract/pagination.ts';
import { commaSeparated, queryBoolean, queryTime } from '../../../src/contract/query.ts';

const none = z.object({});
const params = z.object({ id: z.string() });
const shared = { risk: 'standard', params: none, query: none, summary: 'x', description: 'x' } as const;
const probe = z.strictObject({ id: z.string() }).meta({ id: 'Probe' });
export type Probe = z.infer<typeof probe>;
const one = { status: 200, description: 'The probe.', body: probe } as const;

const probePage = pageSuccess('ProbePage', probe, 'A page of probes.');

/** An area with everything that an operation of the table can be. */
export const probesContract = defineContract({
  tag: { name: 'Probes', description: 'For tests.' },
  idPrefixes: ['prb'],
  scopes: {},
  operations: [
    defineOperation({
      ...shared,
      id: 'probes.get',
      kind: 'read',
      method: 'GET',
      path: '/api/v1/probes/{id}',
      scope: 'calls:read',
      params,
      body: null,
      success: one,
    }),
    defineOperation({
      ...shared,
      id: 'probes.list',
      kind: 'read',
      method: 'GET',
      path: '/api/v1/probes',
      scope: 'calls:read',
      query: z.object({
        ...pageParameters,
        status: commaSeparated(z.enum(['queued', 'ongoing', 'ended']))
          .optional()
          .meta({ description: 'States.', examples: [['ongoing', 'ended']] }),
        version: commaSeparated(z.int().min(1)).optional(),
        agentId: commaSeparated(z.string()).optional(),
        successful: queryBoolean.optional().meta({ description: 'Whether.', examples: [true] }),
        createdAfter: queryTime.optional().meta({ description: 'From.', examples: ['2026-01-31T09:00:00Z'] }),
      }),
      body: null,
      success: probePage,
    }),
    defineOperation({
      ...shared,
      id: 'probes.search',
      kind: 'read',
      method: 'POST',
      path: '/api/v1/probes/search',
      scope: 'calls:read',
      list: 'body',
      body: z.object({ filter: z.object({ field: z.string(), value: z.unknown() }), ...pageParameters }),
      success: searchSuccess(probePage),
    }),
    defineOperation({
      ...shared,
      id: 'probes.create',
      kind: 'change',
      method: 'POST',
      path: '/api/v1/probes',
      scope: 'calls:write',
      rateLimit: { name: 'calls' },
      body: z.object({}),
      isBodyOptional: true,
      success: { ...one, status: 201 },
    }),
    defineOperation({
      ...shared,
      id: 'probes.end',
      kind: 'change',
      method: 'POST',
      path: '/api/v1/probes/{id}/end',
      scope: 'calls:write',
      acceptsAccessToken: true,
      params,
      body: z.object({ fail: z.boolean().optional() }),
      isBodyOptional: true,
      success: one,
    }),
    defineOperation({
      ...shared,
      id: 'probes.stream',
      kind: 'read',
      method: 'POST',
      path: '/api/v1/probes/{id}/stream',
      scope: 'calls:write',
      params,
      body: z.object({}),
      isBodyOptional: true,
      success: { ...one, media: { type: 'text/event-stream', description: 'Events.' } },
    }),
    defineOperation({
      ...shared,
      id: 'probes.watch',
      kind: 'read',
      method: 'GET',
      path: '/api/v1/probes/{id}/watch',
      scope: 'calls:read',
      acceptsAccessToken: true,
      isLongPoll: true,
      params,
      query: z.object({ ...waitParameter, ...pageParameters }),
      body: null,
      success: probePage,
    }),
  ],
});

export type ProbeOperation = (typeof probesContract.operations)[number];
