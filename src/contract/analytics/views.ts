import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { text } from '../text.ts';
import { none, savedQuery } from './query.ts';

export const maxViews = 200;
export const charts = ['line', 'bar', 'table', 'number', 'heatmap'] as const;

const viewId = z
  .string()
  .meta({ description: 'The id of the view.', examples: ['viw_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] });
const time = z.iso.datetime();
const name = text({ min: 1, max: 255 }).meta({ description: 'The name.', examples: ['予約の割合'] });
const description = text({ max: 1000 })
  .nullable()
  .meta({ description: 'A note for your own reference.', examples: ['週次の定例で使う'] });
const chart = z.enum(charts).meta({ description: 'How the dashboard shows it.', examples: ['line'] });

const storedQuery = z.record(z.string(), z.unknown()).meta({
  description: 'The body of analytics.query, as it was given.',
  examples: [{ range: { last: '7d' }, interval: 'day', metrics: ['calls'] }],
});

export const view = z
  .strictObject({
    id: viewId.max(64),
    name,
    description,
    query: storedQuery,
    chart,
    createdAt: time.meta({ description: 'When it was created.', examples: ['2026-12-18T09:30:00.000Z'] }),
    updatedAt: time.meta({ description: 'When it last changed.', examples: ['2026-12-18T09:30:00.000Z'] }),
  })
  .meta({ id: 'View', description: 'A saved query, and how to show it.' });

export type View = z.infer<typeof view>;

export const createViewBody = z
  .object({ name, description: description.default(null), query: savedQuery, chart: chart.default('line') })
  .meta({ id: 'CreateView', description: 'A new view.' });

export const updateViewBody = z
  .object({
    name: name.optional(),
    description: description.optional(),
    query: savedQuery.optional(),
    chart: chart.optional(),
  })
  .meta({ id: 'UpdateView', description: 'The fields to change. `query` is replaced as a whole.' });

const etag = { ETag: 'The entity tag of the view.' };
const bodyExample = { name: '予約の割合', query: { range: { last: '7d' }, interval: 'day', metrics: ['calls'] } };
const oneView = { params: z.object({ id: viewId }), query: none, body: null } as const;

export const listViews = defineOperation({
  id: 'analytics.views.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/analytics/views',
  scope: 'analytics:read',
  risk: 'standard',
  summary: 'List views',
  description: 'Returns the saved views of the workspace, newest first.',
  params: none,
  query: z.object(pageParameters),
  body: null,
  success: pageSuccess('ViewPage', view, 'A page of views.'),
});

export const createView = defineOperation({
  id: 'analytics.views.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/analytics/views',
  scope: 'analytics:write',
  risk: 'standard',
  summary: 'Create a view',
  description: 'Saves a query. It is validated as analytics.query does. A workspace can have up to 200 views (422).',
  params: none,
  query: none,
  body: createViewBody,
  bodyExample,
  success: { status: 201, description: 'The new view.', body: view, headers: etag },
});

export const getView = defineOperation({
  ...oneView,
  id: 'analytics.views.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/analytics/views/{id}',
  scope: 'analytics:read',
  risk: 'standard',
  summary: 'Get a view',
  description: 'Returns a view.',
  success: { status: 200, description: 'The view.', body: view, headers: etag },
});

export const updateView = defineOperation({
  ...oneView,
  id: 'analytics.views.update',
  kind: 'change',
  method: 'PATCH',
  path: '/api/v1/analytics/views/{id}',
  scope: 'analytics:write',
  risk: 'standard',
  summary: 'Update a view',
  description: 'Changes the given fields.',
  body: updateViewBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { chart: 'bar' },
  condition: 'If-Match',
  success: { status: 200, description: 'The view.', body: view, headers: etag },
});

export const deleteView = defineOperation({
  ...oneView,
  id: 'analytics.views.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/analytics/views/{id}',
  scope: 'analytics:write',
  risk: 'destructive',
  summary: 'Delete a view',
  description: 'Deletes a view.',
  condition: 'If-Match',
  success: {
    status: 200,
    description: 'The view has been deleted.',
    body: z
      .strictObject({
        id: viewId.max(64),
        deleted: z.literal(true).meta({ description: 'Always true.', examples: [true] }),
      })
      .meta({ id: 'DeletedView', description: 'Confirms the deletion.' }),
  },
});
