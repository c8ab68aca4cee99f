import { z } from 'zod';
import { defineContract } from '../area.ts';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { commaSeparated, queryTime } from '../query.ts';
import { text } from '../text.ts';
import { auditScopes } from './scopes.ts';

export const auditEntry = z
  .strictObject({
    id: z
      .string()
      .max(64)
      .meta({ description: 'The id of the entry.', examples: ['aud_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
    at: z.iso.datetime().meta({ description: 'When the change was made.', examples: ['2026-11-15T09:30:00.000Z'] }),
    keyId: z
      .string()
      .max(64)
      .nullable()
      .meta({
        description: 'The id of the API key that made the change. Null: it was made on the command line of the server.',
        examples: ['key_01m2k7qv3h0000x4t9w8c5n1r6ybdz'],
      }),
    routeId: z
      .string()
      .max(64)
      .meta({ description: 'The operation, as a route id.', examples: ['agents.publish'] }),
    resourceId: z
      .string()
      .max(64)
      .meta({ description: 'The id of the changed resource.', examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
    resourceName: text({ max: 255 })
      .nullable()
      .optional()
      .meta({
        description:
          'The name of the resource at the time of the change. A run has that of its workflow, a webhook the host of its URL. Null: it has none. Absent in entries that were written before names were recorded.',
        examples: ['予約受付'],
      }),
    requestId: z
      .string()
      .max(128)
      .nullable()
      .meta({
        description: 'The id of the request. Null: the change was not made by a request.',
        examples: ['req_01m2k7qv3h0000x4t9w8c5n1r6ybdz'],
      }),
  })
  .meta({ id: 'AuditEntry', description: 'A recorded change.' });

export type AuditEntry = z.infer<typeof auditEntry>;

export const listAuditLog = defineOperation({
  id: 'auditLog.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/audit-log',
  scope: 'audit:read',
  risk: 'standard',
  summary: 'Read the audit trail',
  description:
    'Returns all changes made in the workspace, newest first: who did what, when and in which request. An entry is written in the same transaction as the change, so one never exists without the other. Filters combine with AND. With `keyId` or `routeId`, a page scans up to 5,000 entries: if few of them match, it can be short or empty, and `nextCursor` continues the list.',
  params: z.object({}),
  query: z.object({
    ...pageParameters,
    resourceId: text({ min: 1, max: 64 })
      .optional()
      .meta({ description: 'Return only changes to this resource.', examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
    keyId: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'Return only changes made with this API key, or `none` for changes made on the command line.',
        examples: ['key_01m2k7qv3h0000x4t9w8c5n1r6ybdz'],
      }),
    routeId: commaSeparated(text({ min: 1, max: 64 }))
      .optional()
      .meta({ description: 'Return only these operations, up to 10.', examples: [['agents.publish']] }),
    createdAfter: queryTime
      .optional()
      .meta({ description: 'Return only changes made at this time or later.', examples: ['2026-11-15T00:00:00Z'] }),
    createdBefore: queryTime
      .optional()
      .meta({ description: 'Return only changes made before this time.', examples: ['2026-11-16T00:00:00Z'] }),
  }),
  body: null,
  success: pageSuccess('AuditPage', auditEntry, 'A page of audit entries.'),
});

export const auditContract = defineContract({
  tag: { name: 'Audit trail', description: 'Who changed what, and when.' },
  idPrefixes: ['aud'],
  scopes: auditScopes,
  operations: [listAuditLog],
});
