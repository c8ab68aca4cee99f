import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { alert, alertId, createAlertBody, updateAlertBody } from './alert.ts';
import { none } from './query.ts';

const etag = { ETag: 'The entity tag of the alert. Its state and its last values do not change it.' };
const oneAlert = { params: z.object({ id: alertId }), query: none, body: null } as const;

export const listAlerts = defineOperation({
  id: 'analytics.alerts.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/analytics/alerts',
  scope: 'analytics:read',
  risk: 'standard',
  summary: 'List alerts',
  description: 'Returns the alerts of the workspace, newest first.',
  params: none,
  query: z.object(pageParameters),
  body: null,
  success: pageSuccess('AlertPage', alert, 'A page of alerts.'),
});

export const createAlert = defineOperation({
  id: 'analytics.alerts.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/analytics/alerts',
  scope: 'analytics:write',
  risk: 'standard',
  summary: 'Create an alert',
  description:
    'Creates an alert, which is evaluated every minute. A change to or from `firing` sends the event `alert_firing` or `alert_resolved` to webhooks. A workspace can have up to 50 alerts (422).',
  params: none,
  query: none,
  body: createAlertBody,
  bodyExample: { name: '応答の遅れ', metric: 'latency.e2eMs.p95', window: '1h', op: 'gt', value: 1500 },
  success: {
    status: 201,
    description: 'The new alert.',
    body: alert,
    headers: etag,
    example: { state: 'no_data', lastValue: null, lastEvaluatedAt: null },
  },
});

export const getAlert = defineOperation({
  ...oneAlert,
  id: 'analytics.alerts.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/analytics/alerts/{id}',
  scope: 'analytics:read',
  risk: 'standard',
  summary: 'Get an alert',
  description: 'Returns an alert.',
  success: { status: 200, description: 'The alert.', body: alert, headers: etag },
});

export const updateAlert = defineOperation({
  ...oneAlert,
  id: 'analytics.alerts.update',
  kind: 'change',
  method: 'PATCH',
  path: '/api/v1/analytics/alerts/{id}',
  scope: 'analytics:write',
  risk: 'standard',
  summary: 'Update an alert',
  description: 'Changes the given fields.',
  body: updateAlertBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { value: 2000 },
  condition: 'If-Match',
  success: { status: 200, description: 'The alert.', body: alert, headers: etag },
});

export const deleteAlert = defineOperation({
  ...oneAlert,
  id: 'analytics.alerts.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/analytics/alerts/{id}',
  scope: 'analytics:write',
  risk: 'destructive',
  summary: 'Delete an alert',
  description: 'Deletes an alert. No event is sent, even if it was firing.',
  condition: 'If-Match',
  success: {
    status: 200,
    description: 'The alert has been deleted.',
    body: z
      .strictObject({
        id: alertId.max(64),
        deleted: z.literal(true).meta({ description: 'Always true.', examples: [true] }),
      })
      .meta({ id: 'DeletedAlert', description: 'Confirms the deletion.' }),
  },
});
