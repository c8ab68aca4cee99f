import type { Alert } from '../../../contract/analytics/alert.ts';
import { metricIssues } from '../../../contract/analytics/query-issues.ts';
import type { Filter } from '../../../contract/filter.ts';
import { notFound, unprocessable } from '../../../core/errors.ts';
import { throwIssues } from '../../../core/issues.ts';
import { isSameJson } from '../../../core/merge-patch.ts';
import { transcriptIssues } from '../../../core/transcript-filter.ts';
import { requireMatch } from '../../../http/operations/conditions.ts';
import type { Queries } from '../../../storage/database.ts';
import type { AnalyticsHandlers } from '../handlers.ts';
import type { StoredResource, StoredResources } from '../stored-resources.ts';
import { changedAlert, idleAlert, newAlert } from './alert.ts';
import type { Evaluation } from './evaluation.ts';

type Handlers = Pick<
  AnalyticsHandlers,
  | 'analytics.alerts.list'
  | 'analytics.alerts.create'
  | 'analytics.alerts.get'
  | 'analytics.alerts.update'
  | 'analytics.alerts.delete'
>;

export interface AlertRouteParts {
  readonly store: StoredResources<Alert>;
  readonly evaluation: Evaluation;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly forgetSubject: (queries: Queries, workspaceId: string, id: string) => Promise<void>;
}

export function alertRoutes({ store, evaluation, newId, now, forgetSubject }: AlertRouteParts): Handlers {
  const timestamp = () => new Date(now()).toISOString();

  return {
    'analytics.alerts.list': async ({ caller, query: { limit }, position, nextPage }) =>
      nextPage(await store.page(caller.workspaceId, position?.after ?? null, limit)),

    'analytics.alerts.create': async ({ caller: { workspaceId }, body, queries }) => {
      checkFilter(body.filter);
      await store.requireRoom(queries, workspaceId);
      const alert = newAlert(newId('alr'), body, timestamp());
      const etag = await store.insert(queries, workspaceId, alert);
      await evaluation.begin(queries, workspaceId, alert);
      return { body: alert, headers: { etag }, resourceId: alert.id, resourceName: alert.name };
    },

    'analytics.alerts.get': async ({ caller, params }) => {
      const { resource, etag } = found(await store.read(caller.workspaceId, params.id));
      return { body: resource, headers: { etag } };
    },

    'analytics.alerts.update': async ({ caller: { workspaceId }, params: { id }, body, ifMatch, queries }) => {
      const { resource: alert, etag } = found(await store.lock(queries, workspaceId, id));
      requireMatch(ifMatch, etag);
      const next = changedAlert(alert, body);
      checkMetric(next);
      checkFilter(body.filter);
      const named = { resourceId: id, resourceName: next.name };
      if (isSameJson(next, alert)) return { body: alert, headers: { etag }, ...named };
      const at = timestamp();
      const changed = { ...(next.enabled ? next : idleAlert(next, at)), updatedAt: at };
      const changedTag = await store.replace(queries, workspaceId, changed);
      await evaluation.report(queries, workspaceId, alert, changed);
      // The evaluation starts again: what was measured before no longer counts.
      await evaluation.stop(queries, id);
      await evaluation.begin(queries, workspaceId, changed);
      return { body: changed, headers: { etag: changedTag }, ...named };
    },

    'analytics.alerts.delete': async ({ caller: { workspaceId }, params: { id }, ifMatch, queries }) => {
      const { resource, etag } = found(await store.lock(queries, workspaceId, id));
      requireMatch(ifMatch, etag);
      await store.remove(queries, workspaceId, id);
      await evaluation.stop(queries, id);
      await forgetSubject(queries, workspaceId, id);
      return { body: { id, deleted: true }, resourceId: id, resourceName: resource.name };
    },
  };
}

/** The body alone may be valid, and not together with what is stored. */
function checkMetric({ metric, field }: Alert): void {
  const issues = metricIssues({ metric, field: field ?? undefined });
  if (issues.length > 0) throw unprocessable({ field: issues.map(({ message }) => message) });
}

function checkFilter(filter: Filter | null | undefined): void {
  throwIssues(transcriptIssues(filter, ['filter']), unprocessable);
}

/** The same for an alert of another workspace and for one that does not exist. */
function found(stored: StoredResource<Alert> | undefined): StoredResource<Alert> {
  if (stored === undefined) throw notFound('alert');
  return stored;
}
