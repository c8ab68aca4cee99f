import type { KnowledgeBase } from '../../../contract/knowledge/knowledge-base.ts';
import { notFound, resourceInUse } from '../../../core/errors.ts';
import { isId } from '../../../core/ids.ts';
import { isSameJson } from '../../../core/merge-patch.ts';
import { requireMatch } from '../../../http/operations/conditions.ts';
import type { Queries, Reads } from '../../../storage/database.ts';
import type { EmbedJobs } from '../embeddings/jobs.ts';
import type { KnowledgeHandlers } from '../handlers.ts';
import type { BaseChanging } from '../ingestion/base-changes.ts';
import type { Ingestion } from '../ingestion/ingestion.ts';
import { changedBase, isSearchedDifferently, newBase, splittingOf } from './knowledge-base.ts';
import type { BaseRow, BaseStore } from './store.ts';

export interface BaseRouteParts {
  readonly reads: Reads;
  readonly bases: BaseStore;
  readonly baseChanges: BaseChanging;
  readonly ingestion: Ingestion;
  readonly embedJobs: Pick<EmbedJobs, 'changed' | 'remove'>;
  /** The agents whose newest published version names the base, up to 20 ids. */
  readonly usersOf: (queries: Queries, workspaceId: string, id: string) => Promise<readonly string[]>;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
}

type Handlers = Pick<
  KnowledgeHandlers,
  | 'knowledgeBases.create'
  | 'knowledgeBases.list'
  | 'knowledgeBases.get'
  | 'knowledgeBases.update'
  | 'knowledgeBases.delete'
>;

/** The same 404 for a base of another workspace and for one that does not exist. */
export function foundBase(row: BaseRow | undefined): BaseRow {
  if (row === undefined) throw notFound('knowledge base');
  return row;
}

function keyOf({ workspaceId, id }: KnowledgeBase) {
  return { workspaceId, baseId: id };
}

export function baseRoutes(parts: BaseRouteParts): Handlers {
  const { reads, bases, baseChanges, ingestion, embedJobs, usersOf, newId, now } = parts;
  const timestamp = () => new Date(now()).toISOString();

  return {
    'knowledgeBases.create': async ({ caller: { workspaceId }, body, queries }) => {
      await bases.requireRoom(queries, workspaceId);
      const created = newBase(newId('kb'), workspaceId, body, timestamp());
      const base = { ...created, semantic: await embedJobs.changed(queries, keyOf(created), created.useEmbeddings) };
      const etag = await bases.insert(queries, base);
      return { body: base, headers: { etag }, resourceId: base.id, resourceName: base.name };
    },

    'knowledgeBases.list': async ({ caller, query: { limit, q }, position, nextPage }) =>
      nextPage(await bases.page(caller.workspaceId, position?.after ?? null, limit, q)),

    'knowledgeBases.get': async ({ caller: { workspaceId }, params: { id } }) => {
      const { base, etag } = foundBase(isId('kb', id) ? await bases.read(reads, workspaceId, id) : undefined);
      return { body: base, headers: { etag } };
    },

    'knowledgeBases.update': async ({ caller: { workspaceId }, params: { id }, body, ifMatch, queries }) => {
      const row = foundBase(isId('kb', id) ? await bases.lock(queries, workspaceId, id) : undefined);
      requireMatch(ifMatch, row.etag);
      const named = (base: KnowledgeBase) => ({ resourceId: id, resourceName: base.name });
      const changed = changedBase(row.base, body);
      if (isSameJson(changed, row.base)) return { body: row.base, headers: { etag: row.etag }, ...named(row.base) };
      if (splittingOf(changed) !== splittingOf(row.base)) await ingestion.splitAll(queries, { base: changed });
      const isVisible = isSearchedDifferently(changed, row.base);
      const { base, etag } = await baseChanges.recount(queries, { ...changed, updatedAt: timestamp() }, isVisible);
      return { body: base, headers: { etag }, ...named(base) };
    },

    'knowledgeBases.delete': async ({ caller: { workspaceId }, params: { id }, ifMatch, queries }) => {
      const { base, etag } = foundBase(
        isId('kb', id) ? await bases.lockForDeletion(queries, workspaceId, id) : undefined,
      );
      requireMatch(ifMatch, etag);
      const usedBy = await usersOf(queries, workspaceId, id);
      if (usedBy.length > 0) throw resourceInUse('knowledge base', usedBy);
      await ingestion.deleteAll(queries, base);
      await embedJobs.remove(queries, id);
      await bases.remove(queries, base);
      baseChanges.removed(queries, base);
      return { body: { id, deleted: true }, resourceId: id, resourceName: base.name };
    },
  };
}
