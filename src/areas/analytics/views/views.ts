import { maxViews, type View } from '../../../contract/analytics/views.ts';
import { notFound } from '../../../core/errors.ts';
import { etagOf } from '../../../core/etag.ts';
import { isSameJson } from '../../../core/merge-patch.ts';
import { requireMatch } from '../../../http/operations/conditions.ts';
import type { Kernel } from '../../area.ts';
import type { AnalyticsHandlers } from '../handlers.ts';
import { refuseTranscripts } from '../query/transcripts.ts';
import { createStoredResources, type StoredResource } from '../stored-resources.ts';

type Handlers = Pick<
  AnalyticsHandlers,
  | 'analytics.views.list'
  | 'analytics.views.create'
  | 'analytics.views.get'
  | 'analytics.views.update'
  | 'analytics.views.delete'
>;

/** Saved queries. */
export function createViews({ database, newId, now }: Pick<Kernel, 'database' | 'newId' | 'now'>) {
  const store = createStoredResources<View>(database, {
    kind: database.documents.view,
    table: 'analytics_views',
    idPrefix: 'viw',
    plural: 'views',
    maxCount: maxViews,
    tagOf: (view) => etagOf(JSON.stringify(view)),
  });
  const timestamp = () => new Date(now()).toISOString();

  const handlers: Handlers = {
    'analytics.views.list': async ({ caller, query: { limit }, position, nextPage }) =>
      nextPage(await store.page(caller.workspaceId, position?.after ?? null, limit)),

    'analytics.views.create': async ({ caller: { workspaceId }, body, queries }) => {
      await store.requireRoom(queries, workspaceId);
      const { name, description, query, chart } = body;
      refuseTranscripts(query, ['query']);
      const at = timestamp();
      const view: View = { id: newId('viw'), name, description, query, chart, createdAt: at, updatedAt: at };
      const etag = await store.insert(queries, workspaceId, view);
      return { body: view, headers: { etag }, resourceId: view.id, resourceName: name };
    },

    'analytics.views.get': async ({ caller, params }) => {
      const { resource, etag } = found(await store.read(caller.workspaceId, params.id));
      return { body: resource, headers: { etag } };
    },

    'analytics.views.update': async ({ caller: { workspaceId }, params: { id }, body, ifMatch, queries }) => {
      const { resource: view, etag } = found(await store.lock(queries, workspaceId, id));
      requireMatch(ifMatch, etag);
      if (body.query !== undefined) refuseTranscripts(body.query, ['query']);
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      const next: View = { ...view, ...given };
      const named = { resourceId: id, resourceName: next.name };
      if (isSameJson(next, view)) return { body: view, headers: { etag }, ...named };
      const changed = { ...next, updatedAt: timestamp() };
      return { body: changed, headers: { etag: await store.replace(queries, workspaceId, changed) }, ...named };
    },

    'analytics.views.delete': async ({ caller: { workspaceId }, params: { id }, ifMatch, queries }) => {
      const { resource, etag } = found(await store.lock(queries, workspaceId, id));
      requireMatch(ifMatch, etag);
      await store.remove(queries, workspaceId, id);
      return { body: { id, deleted: true }, resourceId: id, resourceName: resource.name };
    },
  };
  return { handlers, documents: store.documents };
}

/** The same for a view of another workspace and for one that does not exist. */
function found(stored: StoredResource<View> | undefined): StoredResource<View> {
  if (stored === undefined) throw notFound('view');
  return stored;
}
