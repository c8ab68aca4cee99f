import type { KnowledgeBase, SemanticIndex } from '../../../contract/knowledge/knowledge-base.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import { countedBase } from '../bases/knowledge-base.ts';
import type { BaseStore } from '../bases/store.ts';
import type { EmbeddedBases, EmbedJobs } from '../embeddings/jobs.ts';
import type { KnowledgeSearch } from '../search/search.ts';

export interface BaseChangeParts {
  readonly database: Database;
  readonly bases: BaseStore;
  readonly embedJobs: Pick<EmbedJobs, 'changed'>;
  readonly search: Pick<KnowledgeSearch, 'changed' | 'removed'>;
}

export type BaseChanging = ReturnType<typeof createBaseChanges>;

/** What a change of documents changes of their base. */
export function createBaseChanges({ database, bases, embedJobs, search }: BaseChangeParts) {
  const { textsIn } = database.dialect;

  const onCommit = (queries: Queries, callback: () => void): void =>
    queries.atEnd((isCommitted) => isCommitted && callback());

  /** Writes a locked base. `isVisible`: search can see the change, so that there is a new revision. */
  const write = async (queries: Queries, base: KnowledgeBase, isVisible: boolean) => {
    const { id, workspaceId, useEmbeddings } = base;
    const semantic = isVisible
      ? await embedJobs.changed(queries, { workspaceId, baseId: id }, useEmbeddings)
      : base.semantic;
    const changed = { ...base, semantic, revision: base.revision + Number(isVisible) };
    const etag = await bases.replace(queries, changed);
    if (isVisible) onCommit(queries, () => search.changed(workspaceId, id));
    return { base: changed, etag };
  };

  const embedded: EmbeddedBases = {
    lock: async (queries, { workspaceId, baseId }) => (await bases.lock(queries, workspaceId, baseId))?.base ?? null,
    update: async (queries, { workspaceId, baseId }, semantic: SemanticIndex, documentIds) => {
      const row = await bases.lock(queries, workspaceId, baseId);
      if (row === undefined) return;
      // Search compares other vectors with another model.
      const isVisible = documentIds.length > 0 || semantic.model !== row.base.semantic.model;
      const revision = row.base.revision + Number(isVisible);
      await bases.replace(queries, { ...row.base, semantic, revision });
      if (!isVisible) return;
      const sql = `UPDATE documents SET base_revision = $3 WHERE workspace_id = $1 AND id IN (${textsIn('$2')})`;
      await queries.write(sql, [workspaceId, JSON.stringify(documentIds), revision]);
      onCommit(queries, () => search.changed(workspaceId, baseId));
    },
  };

  return {
    embedded,

    /** Counts the documents of a locked base, after they have changed. */
    recount: async (queries: Queries, base: KnowledgeBase, isVisible: boolean) =>
      write(queries, countedBase(base, await bases.counts(queries, base.id)), isVisible),

    removed: (queries: Queries, { workspaceId, id }: KnowledgeBase): void =>
      onCommit(queries, () => search.removed(workspaceId, id)),
  };
}
