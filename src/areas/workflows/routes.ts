import type { Workflow } from '../../contract/workflows/workflow.ts';
import { notFound } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import { requireMatch } from '../../http/operations/conditions.ts';
import type { Database, Queries } from '../../storage/database.ts';
import type { WorkflowHandlers } from './handlers.ts';
import type { Cancellation } from './runs/cancellation.ts';
import type { StoredWorkflow, WorkflowStore } from './store.ts';
import { changedWorkflow, hasSameDefinition, newWorkflow, versionOf } from './workflow.ts';

type Handlers = Pick<
  WorkflowHandlers,
  | 'workflows.list'
  | 'workflows.create'
  | 'workflows.get'
  | 'workflows.update'
  | 'workflows.delete'
  | 'workflows.versions.list'
>;

export interface WorkflowRouteParts {
  readonly database: Database;
  readonly store: WorkflowStore;
  /** Throws 400 for a definition that cannot work here, and 422 if it names what does not exist. */
  readonly checkDefinition: (queries: Queries, workspaceId: string, definition: Workflow) => Promise<void>;
  readonly cancellation: Cancellation;
  readonly forgetSubject: (queries: Queries, workspaceId: string, id: string) => Promise<void>;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
}

export function workflowRoutes(parts: WorkflowRouteParts): Handlers {
  const { database, store, checkDefinition, cancellation, forgetSubject, newId, now } = parts;
  const timestamp = () => new Date(now()).toISOString();

  return {
    'workflows.list': async ({ caller, query: { limit, enabled, agentId }, position, nextPage }) =>
      nextPage(await store.page(caller.workspaceId, position?.after ?? null, limit, { enabled, agentId })),

    'workflows.create': async ({ caller: { workspaceId, keyId }, body, queries }) => {
      const at = timestamp();
      const workflow = newWorkflow({ id: newId('wfl'), workspaceId, fields: body, now: at });
      await checkDefinition(queries, workspaceId, workflow);
      await store.requireRoom(queries, workspaceId);
      const etag = await store.insert(queries, workflow);
      await store.addVersion(queries, workflow, versionOf(workflow, at, keyId));
      return { body: workflow, headers: { etag }, resourceId: workflow.id, resourceName: workflow.name };
    },

    'workflows.get': async ({ caller, params }) => {
      const { workflow, etag } = found(await store.find(database, caller.workspaceId, params.id));
      return { body: workflow, headers: { etag } };
    },

    'workflows.update': async ({ caller: { workspaceId, keyId }, params: { id }, body, ifMatch, queries }) => {
      const { workflow, etag } = found(await store.lock(queries, workspaceId, id));
      requireMatch(ifMatch, etag);
      const at = timestamp();
      const next = changedWorkflow(workflow, body, at);
      const named = { resourceId: id, resourceName: next.name };
      if (next === workflow) return { body: workflow, headers: { etag }, ...named };
      const isSame = hasSameDefinition(next, workflow);
      const isEnabledNow = next.enabled && !workflow.enabled;
      // While it was disabled, what it names may have been deleted.
      if (!isSame || isEnabledNow) await checkDefinition(queries, workspaceId, next);
      const enabledAt = isEnabledNow ? await store.nextEnabling(queries, workspaceId, now()) : null;
      const changedTag = await store.replace(queries, next, enabledAt);
      if (!isSame) await store.addVersion(queries, next, versionOf(next, at, keyId));
      return { body: next, headers: { etag: changedTag }, ...named };
    },

    'workflows.delete': async ({ caller: { workspaceId }, params: { id }, ifMatch, queries }) => {
      // Runs before their workflow, as when a run ends.
      const before = found(await store.find(queries, workspaceId, id));
      requireMatch(ifMatch, before.etag);
      await cancellation.ofWorkflow(queries, workspaceId, id);
      const { workflow, etag } = found(await store.lockForDeletion(queries, workspaceId, id));
      requireMatch(ifMatch, etag);
      await store.remove(queries, workspaceId, id);
      await cancellation.beginRest(queries, workspaceId, id);
      await forgetSubject(queries, workspaceId, id);
      return { body: { id, deleted: true }, resourceId: id, resourceName: workflow.name };
    },

    'workflows.versions.list': async ({ caller: { workspaceId }, params: { id }, query, position, nextPage }) => {
      if (!isId('wfl', id)) throw notFound('workflow');
      found(await store.find(database, workspaceId, id));
      const before = position === null ? null : Number(position.after);
      return nextPage(await store.versionPage(workspaceId, id, before, query.limit));
    },
  };
}

/** The same for a workflow of another workspace and for one that does not exist. */
export function found(stored: StoredWorkflow | undefined): StoredWorkflow {
  if (stored === undefined) throw notFound('workflow');
  return stored;
}
