import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { it } from 'node:test';
import { pino } from 'pino';
import { newBase, splittingOf } from '../../../../src/areas/knowledge/bases/knowledge-base.ts';
import { createBaseStore } from '../../../../src/areas/knowledge/bases/store.ts';
import { createChunkStore } from '../../../../src/areas/knowledge/documents/chunks.ts';
import { newDocumentRow, withFields } from '../../../../src/areas/knowledge/documents/document.ts';
import { createDocumentStore } from '../../../../src/areas/knowledge/documents/store.ts';
import { createEmbedJobs } from '../../../../src/areas/knowledge/embeddings/jobs.ts';
import { createFetching } from '../../../../src/areas/knowledge/fetching/fetching.ts';
import { createFetchJobs } from '../../../../src/areas/knowledge/fetching/jobs.ts';
import { createBaseChanges } from '../../../../src/areas/knowledge/ingestion/base-changes.ts';
import { createDocumentFiles } from '../../../../src/areas/knowledge/ingestion/files.ts';
import { createIngestion } from '../../../../src/areas/knowledge/ingestion/ingestion.ts';
import type { DocumentEvent } from '../../../../src/areas/knowledge/ingestion/settling.ts';
import { createIdGenerator } from '../../../../src/core/ids.ts';
import { RemovedContent } from '../../../../src/storage/removed-content.ts';
import { type Process, TestClock, useJobs } from '../../../jobs/support.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { contentOf, testGuard, testMedia, website } from './support.ts';

const newId = createIdGenerator();
const guard = testGuard();
const media = testMedia();
const workspaceId = 'wsp_1';
const hourMs = 3_600_000;

/** Everything that documents need, except what makes chunks of their content. */
function openDocuments({ database, queue: jobs }: Process, clock: TestClock) {
  const { now } = clock;
  const logger = pino({ level: 'silent' });
  const bases = createBaseStore(database);
  const documents = createDocumentStore(database);
  const chunks = createChunkStore(database, newId);
  const files = createDocumentFiles({ database, jobs, media, documents, now });
  const fetching = createFetching({ guard, media, userAgent: 'voice-agents/1' });
  const fetchJobs = createFetchJobs({ database, jobs, media, fetching, documents: () => ingestion.fetched, now });
  const embedJobs = createEmbedJobs({
    database,
    jobs,
    logger,
    embeddingsOf: () => null,
    bases: () => baseChanges.embedded,
  });
  const search = { changed: () => {}, removed: () => {} };
  const baseChanges = createBaseChanges({ database, bases, embedJobs, search });
  const removedContent = new RemovedContent(database);
  const events: DocumentEvent[] = [];
  const ingestion = createIngestion({
    ...{ database, jobs, bases, documents, chunks, baseChanges, files, fetchJobs, embedJobs, removedContent, now },
    writeEvent: async (_, event) => events.push(event),
    forgetSubject: async () => {},
  });
  const ids = { id: newId('doc'), knowledgeBaseId: newId('kb') };
  const document = { workspaceId, documentId: ids.id };
  const read = async () => {
    const row = await documents.read(database, workspaceId, ids.id);
    assert.ok(row);
    return row;
  };
  const locked = async <T>(
    change: (
      queries: Parameters<typeof ingestion.lock>[0],
      row: Awaited<ReturnType<typeof ingestion.lock>> & object,
    ) => Promise<T>,
  ): Promise<T> =>
    database.transaction(async (queries) => {
      const found = await ingestion.lock(queries, document);
      assert.ok(found);
      return change(queries, found);
    });

  return {
    fetchJobs,
    events,
    document,
    read,
    create: async (url: string, refreshEveryHours: number | null = 24): Promise<void> => {
      await database.run('INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3)', [workspaceId, 'w', 0]);
      const at = new Date(now()).toISOString();
      const settings = { description: null, language: 'ja', chunkSize: 600, synonyms: [], useEmbeddings: true };
      const base = newBase(ids.knowledgeBaseId, workspaceId, { name: 'FAQ', ...settings }, at);
      const fields = { url, metadata: {}, refreshEveryHours };
      await database.transaction(async (queries) => {
        await bases.insert(queries, base);
        await ingestion.create(queries, base, newDocumentRow(workspaceId, ids, fields, at), fields);
      });
    },
    /** As if what was fetched had been indexed. */
    serve: (): Promise<void> =>
      locked(async (queries, { base, row }) => {
        const { sha256 = null, validators = null } = row.source ?? {};
        const fields = { status: 'ready', revision: 1, contentSha256: sha256 } as const;
        const served = { ...withFields(row, fields), splitting: splittingOf(base) };
        await documents.replace(queries, { ...served, validators, source: null });
      }),
    refresh: () => locked((queries, { base, row }) => ingestion.refresh(queries, base, row)),
    replace: (url: string) => locked((queries, { base, row }) => ingestion.replace(queries, base, row, { url })),
    delete: () => locked((queries, { base, row }) => ingestion.delete(queries, base, row)),
    hasStatus: (status: string): Promise<boolean> =>
      eventually(async () => (await read()).document.status === status, status),
    filesOf: async (): Promise<string[]> => (await media.filesIn(`knowledge/${ids.id}`)).map(({ name }) => name),
    dueInMs: async (): Promise<number | undefined> => (await jobs.due(['knowledge_fetch']))[0]?.dueInMs,
  };
}

onEachEngine('fetching documents', (engine) => {
  const jobs = useJobs(engine);
  const start = async (listener: RequestListener, refreshEveryHours?: number | null) => {
    const clock = new TestClock();
    const [opened] = await jobs.openProcesses(1, clock.now);
    const process = opened as Process;
    const documents = openDocuments(process, clock);
    const site = await website(listener);
    await documents.create(`${site}/faq`, refreshEveryHours);
    const run = () => jobs.startWorker(process, [documents.fetchJobs.kind]);
    return { ...documents, clock, process, site, run };
  };

  it('hands the content over to extraction', async () => {
    const { read, run, hasStatus, process } = await start((_, response) =>
      response.setHeader('content-type', 'text/html').setHeader('etag', '"v1"').end('<p>10時から</p>'),
    );
    run();
    await hasStatus('extracting');
    const { source } = await read();
    assert.ok(source?.file);
    assert.equal(await contentOf(media, source.file), '<p>10時から</p>');
    assert.equal(source.contentType, 'text/html');
    assert.equal(source.validators?.etag, '"v1"');
    const waiting = await process.queue.due(['knowledge_index', 'knowledge_fetch']);
    assert.deepEqual(
      waiting.map(({ kind }) => kind),
      ['knowledge_index'],
    );
  });

  it('does nothing more if the page is the same, by its validators or by its content', async () => {
    for (const hasValidators of [true, false]) {
      const seen: (string | undefined)[] = [];
      const documents = await start(({ headers }, response) => {
        seen.push(headers['if-none-match']);
        if (hasValidators) response.setHeader('etag', '"v1"');
        if (headers['if-none-match'] === '"v1"') response.writeHead(304).end();
        else response.end('same');
      });
      const { run, hasStatus, serve, refresh, clock, read } = documents;
      run();
      await hasStatus('extracting');
      await serve();
      clock.time += 1000;
      await refresh();
      await hasStatus('ready');
      const { document, source } = await read();
      assert.equal(document.lastFetchedAt, new Date(clock.time).toISOString());
      assert.equal(document.revision, 1);
      assert.equal(source, null);
      assert.deepEqual(seen, [undefined, hasValidators ? '"v1"' : undefined]);
      assert.ok(Math.abs(Date.parse(document.nextRefreshAt ?? '') - clock.time - 24 * hourMs) <= 2.4 * hourMs);
      assert.equal(await documents.dueInMs(), Date.parse(document.nextRefreshAt ?? '') - clock.time);
      assert.deepEqual(documents.events, []);
    }
  });

  it('refreshes the page when it is due', async () => {
    let text = 'first';
    const { run, hasStatus, serve, refresh, read, clock } = await start((_, response) => response.end(text));
    run();
    await hasStatus('extracting');
    await serve();
    await refresh();
    await hasStatus('ready');
    text = 'second';
    clock.time = Date.parse((await read()).document.nextRefreshAt ?? '');
    await hasStatus('extracting');
  });

  it('fails with the reason, serves what it had, and tries again after 10 minutes', async () => {
    let isDown = false;
    const documents = await start((_, response) => response.writeHead(isDown ? 500 : 200).end('text'));
    const { run, hasStatus, serve, refresh, read, clock } = documents;
    run();
    await hasStatus('extracting');
    await serve();
    isDown = true;
    await refresh();
    await hasStatus('failed');
    const { document } = await read();
    const error = { code: 'fetch_failed', message: 'The server answered 500.', retryable: true };
    assert.deepEqual(document.error, error);
    assert.equal(document.revision, 1);
    assert.equal(document.staleSince, new Date(clock.time).toISOString());
    assert.ok(Math.abs(((await documents.dueInMs()) as number) - 600_000) <= 60_000);
    assert.deepEqual(
      documents.events.map(({ type }) => type),
      ['document_failed'],
    );
    isDown = false;
    clock.time = Date.parse(document.nextRefreshAt ?? '');
    await hasStatus('ready');
    assert.equal((await read()).document.staleSince, null);
  });

  it('fetches only on request without an interval', async () => {
    const documents = await start((_, response) => response.writeHead(404).end(), null);
    documents.run();
    await documents.hasStatus('failed');
    assert.equal((await documents.read()).document.nextRefreshAt, null);
    assert.equal(await documents.dueInMs(), undefined);
  });

  it('drops what arrives for a document that was deleted, or has another address now', async () => {
    for (const end of ['delete', 'replace'] as const) {
      const arrived = Promise.withResolvers<() => void>();
      const documents = await start(({ url }, response) => {
        if (url === '/new') response.end('new');
        else arrived.resolve(() => response.end('old'));
      });
      const { reports } = documents.run();
      const send = await arrived.promise;
      if (end === 'delete') await documents.delete();
      else await documents.replace(`${documents.site}/new`);
      send();
      await eventually(() => reports.some(({ outcome }) => outcome === 'lost'));
      if (end === 'replace') {
        await documents.hasStatus('extracting');
        const { source } = await documents.read();
        assert.equal(await contentOf(media, source?.file ?? ''), 'new');
        assert.deepEqual(await documents.filesOf(), [source?.file]);
      } else assert.deepEqual(await documents.filesOf(), []);
    }
  });

  it('gives up after three lost processes', async () => {
    const { run, hasStatus, read, process, document } = await start((_, response) => response.end('text'));
    await process.database.run('UPDATE jobs SET attempt = 3 WHERE kind = $1', ['knowledge_fetch']);
    run();
    await hasStatus('failed');
    assert.equal((await read()).document.error?.code, 'internal');
    assert.deepEqual(await media.filesIn(`knowledge/${document.documentId}`), []);
  });
});
