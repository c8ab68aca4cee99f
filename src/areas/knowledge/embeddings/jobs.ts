import type { Logger } from 'pino';
import type { SemanticIndex } from '../../../contract/knowledge/knowledge-base.ts';
import type { JobContext, JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries, Row } from '../../../storage/database.ts';
import { createPauses } from '../pauses.ts';
import { type Embeddings, EmbeddingsError } from './embeddings.ts';
import { isSameSemantic, semanticOf } from './semantic.ts';
import { type MissingChunk, missingChunks, removeVectors, storeVector, vectorCounts } from './store.ts';

export interface BaseKey {
  readonly workspaceId: string;
  readonly baseId: string;
}

export interface EmbeddedBase {
  readonly useEmbeddings: boolean;
  readonly semantic: SemanticIndex;
}

/** What the job needs of bases. */
export interface EmbeddedBases {
  /** Locks the row of the base until the end of the transaction. Null if it is gone. */
  lock(queries: Queries, base: BaseKey): Promise<EmbeddedBase | null>;
  /**
   * Stores `semantic` of the base, which is locked. `documentIds`: those whose chunks have new vectors, which search has
   * to see, so that the revision of the base changes; if there are none, it stays.
   */
  update(queries: Queries, base: BaseKey, semantic: SemanticIndex, documentIds: readonly string[]): Promise<void>;
}

export interface EmbedJobParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly logger: Logger;
  /** The current embeddings of a workspace. Null: it has none. */
  readonly embeddingsOf: (workspaceId: string) => Embeddings | null;
  readonly bases: () => EmbeddedBases;
  /** Chunks whose vectors are committed together. Search reads the documents of each commit again. */
  readonly chunksPerCommit?: number;
  /** For one run. Others get the slot then, and the base is continued after them. */
  readonly maxRunMs?: number;
}

export type EmbedJobs = ReturnType<typeof createEmbedJobs>;

interface Payload {
  readonly baseId: string;
}

interface ProviderPayload {
  readonly workspaceId: string;
}

interface BaseRow extends Row {
  workspace_id: string;
  id: string;
  doc: string;
}

const minuteMs = 60_000;
const firstRetryMs = 10_000;
const retryDelaysMs = [firstRetryMs, minuteMs, 10 * minuteMs, 60 * minuteMs];
const hoursOfRetries = 7 * 24;
const basesPerPage = 100;
/** Chunks that the provider refuses, of one run: with more, something else is wrong. */
const maxRefused = 1000;
/** By then, every instance knows of the change: what one of them does before is put right. */
const knownEverywhereMs = 1500;

/** Makes the vectors of chunks. A base has at most one job that is not finished. */
export function createEmbedJobs(parts: EmbedJobParts) {
  const { database, jobs, logger, embeddingsOf, bases, chunksPerCommit = 512, maxRunMs = 5 * minuteMs } = parts;
  const kind: JobKind<Payload> = {
    name: 'knowledge_embed',
    // The last of the delays repeats.
    maxAttempts: retryDelaysMs.length + hoursOfRetries,
    retryDelaysMs,
    timeoutMs: maxRunMs + 5 * minuteMs,
    concurrency: 2,
    concurrencyPerWorkspace: 1,
    run: async ({ workspaceId, payload: { baseId } }, context) => {
      if (workspaceId === null) return;
      await new EmbedRun({ ...parts, chunksPerCommit, maxRunMs, add }, { workspaceId, baseId }, context).run();
    },
  };

  const add = async (queries: Queries, { workspaceId, baseId }: BaseKey, delayMs = 0): Promise<void> => {
    await jobs.add(queries, kind, { workspaceId, payload: { baseId }, dedupeKey: baseId, delayMs });
  };

  const changed = async (queries: Queries, base: BaseKey, useEmbeddings: boolean): Promise<SemanticIndex> => {
    const embeddings = embeddingsOf(base.workspaceId);
    if (embeddings === null || !useEmbeddings) {
      await jobs.remove(queries, kind, base.baseId);
      return semanticOff;
    }
    const semantic = await semanticIn(queries, base, embeddings, false);
    if (semantic.status !== 'ready') await add(queries, base);
    return semantic;
  };

  /** The provider may have changed since the vectors were made. */
  const ensure = (base: BaseKey): Promise<void> =>
    database.transaction(async (queries) => {
      const locked = await bases().lock(queries, base);
      if (locked === null) return;
      const semantic = await changed(queries, base, locked.useEmbeddings);
      if (!isSameSemantic(semantic, locked.semantic)) await bases().update(queries, base, semantic, []);
    });

  const ensureAll = async (signal: AbortSignal): Promise<void> => {
    for (let after = ''; !signal.aborted; ) {
      const rows = await database.all<BaseRow>(
        'SELECT workspace_id, id, doc FROM knowledge_bases WHERE id > $1 ORDER BY id LIMIT $2',
        [after, basesPerPage],
      );
      for (const { workspace_id: workspaceId, id: baseId, doc } of rows) {
        after = baseId;
        const isDue = !isCurrent(JSON.parse(doc), embeddingsOf(workspaceId));
        if (!signal.aborted && isDue) await ensure({ workspaceId, baseId });
      }
      if (rows.length < basesPerPage) return;
    }
  };

  const providerChange = createProviderChange(database, jobs, ensure);

  let stopping = new AbortController();
  let starting: Promise<void> = Promise.resolve();
  return {
    kind: kind as JobKind,
    providerKind: providerChange.kind,
    providerChanged: providerChange.begin,

    /**
     * The chunks of the base have changed, or `useEmbeddings` has: in the transaction that has locked the base, after the
     * change. Resolves to what the base is to store as `semantic`; a job makes the vectors that are missing.
     */
    changed,

    /** The name of a document is part of what its vectors are made of: they are made again. Before `changed`. */
    renamed: (queries: Queries, documentId: string): Promise<void> => removeVectors(queries, documentId),

    /** The base is being deleted. */
    remove: (queries: Queries, baseId: string): Promise<void> => jobs.remove(queries, kind, baseId),

    /** Looks for bases whose vectors are not those of the configured provider. */
    start: (): void => {
      stopping = new AbortController();
      starting = ensureAll(stopping.signal).catch(({ name, message }: Error) => {
        logger.warn({ err: { type: name, message } }, 'vectors of knowledge bases could not be checked');
      });
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      await starting;
    },
  };
}

/** A workspace gets other embeddings: its bases get other vectors soon after it. */
function createProviderChange(database: Database, jobs: JobQueue, ensure: (base: BaseKey) => Promise<void>) {
  const kind: JobKind<ProviderPayload> = {
    name: 'knowledge_embeddings_changed',
    maxAttempts: retryDelaysMs.length,
    retryDelaysMs,
    timeoutMs: minuteMs,
    concurrency: 2,
    concurrencyPerWorkspace: 1,
    run: async ({ payload: { workspaceId } }) => {
      const sql = 'SELECT id FROM knowledge_bases WHERE workspace_id = $1 ORDER BY id';
      for (const { id } of await database.all<{ id: string }>(sql, [workspaceId])) {
        await ensure({ workspaceId, baseId: id });
      }
    },
  };
  return {
    kind: kind as JobKind,
    /** In the transaction of the change. */
    begin: async (queries: Queries, workspaceId: string): Promise<void> => {
      await jobs.remove(queries, kind, workspaceId);
      await jobs.add(queries, kind, {
        workspaceId,
        payload: { workspaceId },
        dedupeKey: workspaceId,
        delayMs: knownEverywhereMs,
      });
    },
  };
}

const semanticOff = semanticOf({ model: null, dimensions: null, chunks: 0, embedded: 0, hasFailed: false });

async function semanticIn(
  queries: Queries,
  { baseId }: BaseKey,
  { model, dimensions }: Embeddings,
  hasFailed: boolean,
): Promise<SemanticIndex> {
  return semanticOf({ model, ...(await vectorCounts(queries, baseId, { model, dimensions })), hasFailed });
}

/** Whether a base needs no look at its chunks: without vectors, or complete, by the same provider as before. */
function isCurrent({ useEmbeddings, semantic }: EmbeddedBase, embeddings: Embeddings | null): boolean {
  if (embeddings === null || !useEmbeddings) return semantic.status === 'off';
  const { model, dimensions } = embeddings;
  const isSameKind = semantic.model === model && (dimensions === null || semantic.dimensions === dimensions);
  return isSameKind && semantic.status === 'ready';
}

interface RunParts extends Required<EmbedJobParts> {
  readonly add: (queries: Queries, base: BaseKey, delayMs?: number) => Promise<void>;
}

/** One attempt to make the missing vectors of a base. */
class EmbedRun {
  readonly #parts: RunParts;
  readonly #base: BaseKey;
  readonly #context: JobContext;
  #hasProgress = false;
  /** Ids of chunks that the provider refuses by themselves. They stay without a vector, and do not hold up the others. */
  readonly #refused = new Set<string>();

  constructor(parts: RunParts, base: BaseKey, context: JobContext) {
    this.#parts = parts;
    this.#base = base;
    this.#context = context;
  }

  async run(): Promise<void> {
    const { maxRunMs } = this.#parts;
    const { signal } = this.#context;
    const endsAt = performance.now() + maxRunMs;
    for (;;) {
      const found = await this.#missing();
      if (found === null) return;
      const { missing, embeddings } = found;
      try {
        if (missing.length === 0 || this.#refused.size > maxRefused) throw refusedTexts(this.#refused.size);
        const vectors = await embeddings.embed(
          missing.map(({ text }) => text),
          signal,
        );
        await this.#store(embeddings, missing, vectors);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof EmbeddingsError)) throw error;
        await this.#noteFailure(embeddings, error);
        // What is missing now starts with the first of the delays again.
        if (this.#hasProgress) return this.#continueLater(firstRetryMs);
        throw error;
      }
      if (performance.now() > endsAt) return this.#continueLater(0);
    }
  }

  /**
   * Null if there is nothing more to do, and the job has ended. An empty list: only what is refused is left. The provider
   * may be another one each time.
   */
  #missing(): Promise<{ readonly missing: readonly MissingChunk[]; readonly embeddings: Embeddings } | null> {
    const { database, bases, embeddingsOf, chunksPerCommit } = this.#parts;
    const embeddings = embeddingsOf(this.#base.workspaceId);
    // The chunks of a base change only while it is locked, so that no job ends while some are added.
    return database.transaction(async (queries) => {
      const locked = await bases().lock(queries, this.#base);
      const wanted = locked?.useEmbeddings === true ? embeddings : null;
      const limit = chunksPerCommit + this.#refused.size;
      const found = wanted === null ? [] : await missingChunks(queries, this.#base.baseId, wanted, limit);
      if (wanted !== null && found.length > 0) {
        return { missing: found.filter(({ id }) => !this.#refused.has(id)), embeddings: wanted };
      }
      const isOwn = await this.#context.complete(queries);
      if (isOwn && locked !== null && wanted !== null) await this.#update(queries, wanted, locked, false, []);
      return null;
    });
  }

  async #store(
    embeddings: Embeddings,
    missing: readonly MissingChunk[],
    vectors: readonly (Int8Array | null)[],
  ): Promise<void> {
    const { database, bases } = this.#parts;
    const stored = await database.transaction(
      async (queries) => {
        const locked = await bases().lock(queries, this.#base);
        if (locked?.useEmbeddings !== true) return 0;
        const documentIds = new Set<string>();
        const pause = createPauses();
        for (const [index, chunk] of missing.entries()) {
          const vector = vectors[index] ?? null;
          if (vector === null) this.#refused.add(chunk.id);
          else if (await storeVector(queries, chunk, embeddings.model, vector)) documentIds.add(chunk.documentId);
          await pause();
        }
        await this.#update(queries, embeddings, locked, false, [...documentIds]);
        return documentIds.size;
      },
      { isBackground: true },
    );
    if (stored > 0) this.#hasProgress = true;
  }

  async #noteFailure(embeddings: Embeddings, { code, message }: EmbeddingsError): Promise<void> {
    const { database, bases, logger } = this.#parts;
    logger.warn({ knowledgeBaseId: this.#base.baseId, code }, message);
    await database.transaction(async (queries) => {
      const locked = await bases().lock(queries, this.#base);
      if (locked?.useEmbeddings === true) await this.#update(queries, embeddings, locked, true, []);
    });
  }

  async #update(
    queries: Queries,
    embeddings: Embeddings,
    { semantic: before }: EmbeddedBase,
    hasFailed: boolean,
    documentIds: readonly string[],
  ): Promise<void> {
    const { bases } = this.#parts;
    const semantic = await semanticIn(queries, this.#base, embeddings, hasFailed);
    if (documentIds.length === 0 && isSameSemantic(semantic, before)) return;
    await bases().update(queries, this.#base, semantic, documentIds);
  }

  async #continueLater(delayMs: number): Promise<void> {
    const { database, add } = this.#parts;
    await database.transaction(async (queries) => {
      if (await this.#context.complete(queries)) await add(queries, this.#base, delayMs);
    });
  }
}

function refusedTexts(count: number): EmbeddingsError {
  return new EmbeddingsError(
    'refused_texts',
    `The provider of embeddings refuses the texts of ${count} chunks.`,
    false,
  );
}
