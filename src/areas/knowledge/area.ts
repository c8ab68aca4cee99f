import { knowledgeContract } from '../../contract/knowledge/index.ts';
import type { Guard } from '../../net/guard.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import type { Queries } from '../../storage/database.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { type BaseRouteParts, baseRoutes } from './bases/routes.ts';
import { type BaseStore, createBaseStore, storedBases } from './bases/store.ts';
import { createChunkStore } from './documents/chunks.ts';
import { documentRoutes } from './documents/routes.ts';
import { createDocumentStore, storedDocuments } from './documents/store.ts';
import { createDocumentUploads } from './documents/uploads.ts';
import type { Embeddings } from './embeddings/embeddings.ts';
import { createEmbedJobs } from './embeddings/jobs.ts';
import type { Extraction } from './extraction/extraction.ts';
import { createFetching } from './fetching/fetching.ts';
import { createFindPages } from './fetching/find-pages.ts';
import { createFetchJobs } from './fetching/jobs.ts';
import { createCallKnowledge } from './for-call.ts';
import { createBaseChanges } from './ingestion/base-changes.ts';
import { createDocumentFiles } from './ingestion/files.ts';
import { createIndexJob } from './ingestion/index-job.ts';
import { createIngestion, type IngestionParts } from './ingestion/ingestion.ts';
import { searchRoutes } from './routes.ts';
import type { KnowledgeSearch } from './search/search.ts';

export interface KnowledgeSettings {
  /** `PUBLIC_URL`, without a slash at the end. */
  readonly publicUrl: string | null;
  readonly allowedNetworks: AllowedNetworks;
  /** The area closes it, and what follows. */
  readonly extraction: Extraction;
  readonly search: KnowledgeSearch;
}

/** What knowledge bases need of other areas. */
export interface KnowledgeDependencies
  extends Pick<IngestionParts, 'writeEvent' | 'forgetSubject'>,
    Pick<BaseRouteParts, 'usersOf'> {
  readonly guard: Guard;
  /** The embeddings of a workspace. Null: its bases are searched by words only. */
  readonly embeddingsOf: (workspaceId: string) => Embeddings | null;
}

export interface KnowledgeArea {
  readonly area: Area;
  /** What an agent knows in a call. */
  readonly forCall: ReturnType<typeof createCallKnowledge>;
  /** Filters out ids that are not bases of the workspace. With a transaction, the bases exist until its end. */
  readonly attached: BaseStore['attached'];
  /** Loads bases that are searched soon. */
  readonly load: KnowledgeSearch['load'];
  /** In the transaction that gives the workspace other embeddings. */
  readonly embeddingsChanged: (queries: Queries, workspaceId: string) => Promise<void>;
}

const userAgent = 'voice-agents-knowledge/1.0';

/** Knowledge bases: their documents, and search in them. */
export function createKnowledge(
  kernel: Kernel,
  settings: KnowledgeSettings,
  dependencies: KnowledgeDependencies,
): KnowledgeArea {
  const { database, jobs, media, mediaUrls, removedContent, logger, newId, now } = kernel;
  const { publicUrl, allowedNetworks, extraction, search } = settings;
  const { guard, embeddingsOf, writeEvent, forgetSubject, usersOf } = dependencies;
  const bases = createBaseStore(database);
  const documents = createDocumentStore(database);
  const chunks = createChunkStore(database, newId);
  const fetching = createFetching({ guard, media, userAgent });
  const fetchJobs = createFetchJobs({ database, jobs, media, fetching, documents: () => ingestion.fetched, now });
  const embedJobs = createEmbedJobs({ database, jobs, logger, embeddingsOf, bases: () => baseChanges.embedded });
  const baseChanges = createBaseChanges({ database, bases, embedJobs, search });
  const files = createDocumentFiles({ database, jobs, media, documents, now });
  const stores = { bases, documents, chunks, baseChanges, fetchJobs, embedJobs };
  const ingestion = createIngestion({
    ...stores,
    database,
    jobs,
    files,
    removedContent,
    writeEvent,
    forgetSubject,
    now,
  });
  const uploads = createDocumentUploads({ database, documents, ingestion, mediaUrls, publicUrl, now });
  const indexJob = createIndexJob({ database, media, bases, documents, extraction, ingestion, now });
  /** So that the first question after a start finds its base in memory. */
  const preload = async (): Promise<void> => {
    if (await bases.hasChunks()) logger.info({ knowledgeBases: await search.preload() }, 'knowledge bases loaded');
  };
  const findPages = createFindPages({ guard, userAgent });
  const shared = { ...stores, reads: database, ingestion, newId, now };

  const area = defineArea(knowledgeContract, {
    handlers: {
      ...baseRoutes({ ...shared, usersOf }),
      ...documentRoutes({ ...shared, uploads, allowedNetworks }),
      ...searchRoutes({ reads: database, bases, search, embeddingsOf, findPages, now }),
    },
    documents: [...storedBases(database), ...storedDocuments(database)],
    jobs: [indexJob, fetchJobs.kind, embedJobs.kind, embedJobs.providerKind, files.kind],
    tasks: [{ name: 'settle overdue documents', everyMs: 1000, run: ingestion.sweep }],
    uploads: uploads.receivers,
    background: {
      start: () => {
        embedJobs.start();
        // Otherwise the first search loads what it needs, and reports what is wrong.
        preload().catch(() => {});
      },
      stop: embedJobs.stop,
    },
    onClose: async () => {
      await extraction.close();
      await search.close();
    },
  });
  const forCall = createCallKnowledge({ database, bases, documents, search, embeddingsOf });
  return {
    area,
    forCall,
    attached: bases.attached,
    load: search.load,
    embeddingsChanged: embedJobs.providerChanged,
  };
}
