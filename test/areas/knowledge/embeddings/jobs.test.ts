import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { newBase } from '../../../../src/areas/knowledge/bases/knowledge-base.ts';
import { createBaseStore } from '../../../../src/areas/knowledge/bases/store.ts';
import { createChunkStore } from '../../../../src/areas/knowledge/documents/chunks.ts';
import { newDocumentRow, withFields } from '../../../../src/areas/knowledge/documents/document.ts';
import { createDocumentStore } from '../../../../src/areas/knowledge/documents/store.ts';
import type { Embeddings } from '../../../../src/areas/knowledge/embeddings/embeddings.ts';
import { createEmbedJobs, type EmbedJobParts } from '../../../../src/areas/knowledge/embeddings/jobs.ts';
import { quantize } from '../../../../src/areas/knowledge/embeddings/quantize.ts';
import { createBaseChanges } from '../../../../src/areas/knowledge/ingestion/base-changes.ts';
import { createIdGenerator } from '../../../../src/core/ids.ts';
import { type Process, TestClock, useJobs } from '../../../jobs/support.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { connect, sendVectors, startProvider, vectorOf } from './support.ts';

const newId = createIdGenerator();
const workspaceId = 'wsp_1';
const now = '2026-11-18T10:00:00.000Z';

/** The stores of knowledge bases of one process, without what ingests documents. */
function openBases({ database, queue }: Process, embeddings: Embeddings | null, more: Partial<EmbedJobParts> = {}) {
  const bases = createBaseStore(database);
  const documents = createDocumentStore(database);
  const chunks = createChunkStore(database, newId);
  const logger = pino({ level: 'silent' });
  const embeddingsOf = () => embeddings;
  const parts = { database, jobs: queue, logger, embeddingsOf, bases: () => baseChanges.embedded, ...more };
  const embedJobs = createEmbedJobs(parts);
  const search = { changed: () => {}, removed: () => {} };
  const baseChanges = createBaseChanges({ database, bases, embedJobs, search });
  const baseId = newId('kb');
  const read = async (id = baseId) => {
    const row = await bases.read(database, workspaceId, id);
    assert.ok(row);
    return row.base;
  };

  return {
    embedJobs,
    baseId,
    read,
    addBase: async (useEmbeddings = true): Promise<void> => {
      const sql = 'INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
      await database.run(sql, [workspaceId, workspaceId, 0]);
      const fields = { name: 'FAQ', description: null, language: 'ja', chunkSize: 600, synonyms: [], useEmbeddings };
      await database.transaction((queries) => bases.insert(queries, newBase(baseId, workspaceId, fields, now)));
    },
    /** As the transaction that settles a document does it. */
    addDocument: (name: string, texts: readonly string[]): Promise<string> =>
      database.transaction(async (queries) => {
        const locked = await bases.lock(queries, workspaceId, baseId);
        assert.ok(locked);
        const ids = { id: newId('doc'), knowledgeBaseId: baseId };
        const fields = { name, text: texts.join('\n'), metadata: {}, refreshEveryHours: null };
        const chunkCount = texts.length;
        const row = withFields(newDocumentRow(workspaceId, ids, fields, now), {
          revision: 1,
          status: 'ready',
          chunkCount,
        });
        await documents.insert(queries, row);
        const place = { headingPath: ['案内'], page: null, start: 0, end: 1 };
        await chunks.replace(
          queries,
          row,
          texts.map((text, index) => ({ ...place, index, text })),
          { isSameText: false },
        );
        await baseChanges.recount(queries, locked.base, true);
        return ids.id;
      }),
    rename: (documentId: string, name: string): Promise<void> =>
      database.transaction(async (queries) => {
        const locked = await bases.lock(queries, workspaceId, baseId);
        const row = await documents.lock(queries, workspaceId, documentId);
        assert.ok(locked && row);
        await documents.replace(queries, withFields(row, { name }));
        await embedJobs.renamed(queries, documentId);
        await baseChanges.recount(queries, locked.base, true);
      }),
    setUseEmbeddings: (useEmbeddings: boolean): Promise<void> =>
      database.transaction(async (queries) => {
        const locked = await bases.lock(queries, workspaceId, baseId);
        assert.ok(locked);
        const semantic = await embedJobs.changed(queries, { workspaceId, baseId }, useEmbeddings);
        await bases.replace(queries, { ...locked.base, useEmbeddings, semantic });
      }),
    remove: (): Promise<void> =>
      database.transaction(async (queries) => {
        for (const table of ['chunks', 'documents'])
          await queries.run(`DELETE FROM ${table} WHERE base_id = $1`, [baseId]);
        await queries.run('DELETE FROM knowledge_bases WHERE id = $1', [baseId]);
      }),
    vectors: async () => {
      const rows = await database.all<{ text: string; vector: Uint8Array | null; vector_model: string | null }>(
        'SELECT text, vector, vector_model FROM chunks WHERE base_id = $1 ORDER BY id',
        [baseId],
      );
      return rows.map(({ text, vector, vector_model: model }) => ({
        text,
        model,
        vector: vector && new Int8Array(vector),
      }));
    },
    hasStatus: (status: string): Promise<boolean> =>
      eventually(async () => (await read()).semantic.status === status, status),
  };
}

const vectorIn8Bits = (name: string, text: string, dimensions = 8): Int8Array | null =>
  quantize(vectorOf(`${name} > 案内\n${text}`, dimensions));

onEachEngine('vectors of chunks', (engine) => {
  const jobs = useJobs(engine);
  const start = async (embeddings: Embeddings | null, more: Partial<EmbedJobParts> = {}, clock?: () => number) => {
    const [process] = await jobs.openProcesses(1, clock);
    const opened = openBases(process as Process, embeddings, more);
    return { ...opened, process: process as Process };
  };

  it('are made by a job, of the name of the document, the headings and the text', async () => {
    const provider = await startProvider();
    const bases = await start(connect(provider), { chunksPerCommit: 2 });
    await bases.addBase();
    const documentId = await bases.addDocument('返品', ['一', '二', '三']);
    assert.deepEqual((await bases.read()).semantic, {
      status: 'building',
      model: 'test-model',
      dimensions: null,
      coverage: 0,
    });
    const { revision } = await bases.read();
    jobs.startWorker(bases.process, [bases.embedJobs.kind]);
    await bases.hasStatus('ready');
    assert.deepEqual(
      await bases.vectors(),
      ['一', '二', '三'].map((text) => ({ text, model: 'test-model', vector: vectorIn8Bits('返品', text) })),
    );
    const base = await bases.read();
    assert.deepEqual(base.semantic, { status: 'ready', model: 'test-model', dimensions: 8, coverage: 1 });
    assert.equal(base.revision, revision + 2, 'search sees each commit');
    const row = await bases.process.database.get('SELECT base_revision FROM documents WHERE id = $1', [documentId]);
    assert.equal(row?.base_revision, base.revision);
  });

  it('are made for what is added later, and again after a new name', async () => {
    const provider = await startProvider();
    const bases = await start(connect(provider));
    await bases.addBase();
    jobs.startWorker(bases.process, [bases.embedJobs.kind]);
    const documentId = await bases.addDocument('返品', ['一']);
    await bases.hasStatus('ready');
    await bases.addDocument('配送', ['二']);
    await bases.hasStatus('ready');
    const sent = provider.requests.length;
    await bases.rename(documentId, '返金');
    await bases.hasStatus('ready');
    assert.deepEqual(
      (await bases.vectors()).map(({ vector }) => vector),
      [vectorIn8Bits('返金', '一'), vectorIn8Bits('配送', '二')],
    );
    assert.equal(provider.requests.length, sent + 1, 'what has not changed is not sent again');
  });

  it('are made again for another model, or other dimensions, after a start', async () => {
    const provider = await startProvider();
    const bases = await start(connect(provider));
    await bases.addBase();
    const first = jobs.startWorker(bases.process, [bases.embedJobs.kind]);
    await bases.addDocument('返品', ['一']);
    await bases.hasStatus('ready');
    await first.worker.stop();
    for (const [config, dimensions] of [
      [{ model: 'other' }, 8] as const,
      [{ model: 'other', dimensions: 16 }, 16] as const,
    ]) {
      const next = connect(await startProvider(dimensions), config);
      const { embedJobs } = openBases(bases.process, next);
      embedJobs.start();
      await bases.hasStatus('building');
      assert.equal((await bases.read()).semantic.coverage, 0);
      const { worker } = jobs.startWorker(bases.process, [embedJobs.kind]);
      await bases.hasStatus('ready');
      await worker.stop();
      assert.deepEqual(await bases.vectors(), [
        { text: '一', model: 'other', vector: vectorIn8Bits('返品', '一', dimensions) },
      ]);
      assert.deepEqual((await bases.read()).semantic, { status: 'ready', model: 'other', dimensions, coverage: 1 });
    }
  });

  it('are off without a provider, also one that there was before', async () => {
    const provider = await startProvider();
    const bases = await start(connect(provider));
    await bases.addBase();
    await bases.addDocument('返品', ['一']);
    const { embedJobs } = openBases(bases.process, null);
    embedJobs.start();
    await bases.hasStatus('off');
    const off = { status: 'off', model: null, dimensions: null, coverage: 0 };
    assert.deepEqual((await bases.read()).semantic, off);
    assert.deepEqual(await bases.process.queue.due(['knowledge_embed']), [], 'no job is left');
  });

  it('are off for a base that uses no provider: nothing of it is sent', async () => {
    const provider = await startProvider();
    const bases = await start(connect(provider));
    await bases.addBase(false);
    await bases.addDocument('返品', ['一']);
    jobs.startWorker(bases.process, [bases.embedJobs.kind]);
    assert.equal((await bases.read()).semantic.status, 'off');
    assert.deepEqual(await bases.process.queue.due(['knowledge_embed']), []);
    await bases.setUseEmbeddings(true);
    await bases.hasStatus('ready');
    await bases.setUseEmbeddings(false);
    await bases.addDocument('配送', ['二']);
    assert.equal((await bases.read()).semantic.status, 'off');
    assert.deepEqual(
      provider.requests.map(({ body }) => body.input),
      [['返品 > 案内\n一']],
    );
  });

  it('are dropped if the base no longer wants them when they arrive, or is gone', async () => {
    for (const end of ['setUseEmbeddings', 'remove'] as const) {
      const provider = await startProvider();
      const bases = await start(connect(provider));
      await bases.addBase();
      const arrived = Promise.withResolvers<() => void>();
      provider.answer = ({ body }, response) =>
        arrived.resolve(() => {
          const data = body.input.map((_, index) => ({ index, embedding: [1, 2] }));
          response.end(JSON.stringify({ data }));
        });
      await bases.addDocument('返品', ['一']);
      const { reports } = jobs.startWorker(bases.process, [bases.embedJobs.kind]);
      const send = await arrived.promise;
      if (end === 'remove') await bases.remove();
      else await bases.setUseEmbeddings(false);
      send();
      await eventually(() => reports.length === 1);
      assert.deepEqual(
        (await bases.vectors()).filter(({ vector }) => vector !== null),
        [],
      );
    }
  });

  it('are tried again after 10 s, a minute, 10 minutes, and then every hour, while the provider fails', async () => {
    const provider = await startProvider();
    const clock = new TestClock();
    const bases = await start(connect(provider), {}, clock.now);
    await bases.addBase();
    provider.answer = (_, response) => void response.writeHead(503).end();
    await bases.addDocument('返品', ['一']);
    const { reports } = jobs.startWorker(bases.process, [bases.embedJobs.kind]);
    for (const [attempt, delaySeconds] of [10, 60, 600, 3600, 3600].entries()) {
      await eventually(() => reports.length === attempt + 1);
      const [due] = await bases.process.queue.due(['knowledge_embed']);
      assert.equal(due?.dueInMs, delaySeconds * 1000);
      assert.deepEqual((await bases.read()).semantic, {
        status: 'failed',
        model: 'test-model',
        dimensions: null,
        coverage: 0,
      });
      if (attempt === 4) provider.answer = undefined;
      clock.time += delaySeconds * 1000;
    }
    await bases.hasStatus('ready');
    assert.equal(bases.embedJobs.kind.maxAttempts, 4 + 7 * 24);
  });

  it('keep what was made before a failure, and start with the first delay again', async () => {
    const provider = await startProvider();
    const clock = new TestClock();
    const bases = await start(connect(provider), { chunksPerCommit: 1 }, clock.now);
    await bases.addBase();
    await bases.addDocument('返品', ['一', '二', '三', '四']);
    provider.answer = (request, response) => {
      if (provider.requests.length % 2 === 0) response.writeHead(429).end();
      else {
        const data = request.body.input.map((text) => ({ embedding: vectorOf(text, 8) }));
        response.end(JSON.stringify({ data }));
      }
    };
    jobs.startWorker(bases.process, [bases.embedJobs.kind]);
    for (const coverage of [0.25, 0.5, 0.75]) {
      await eventually(async () => {
        const { semantic } = await bases.read();
        const [due] = await bases.process.queue.due(['knowledge_embed']);
        return semantic.status === 'failed' && semantic.coverage === coverage && due?.dueInMs === 10_000;
      });
      clock.time += 10_000;
    }
    await bases.hasStatus('ready');
  });

  it('are made for all others if the provider refuses a text, which is tried again like after a failure', async () => {
    const provider = await startProvider();
    const clock = new TestClock();
    const bases = await start(connect(provider), { chunksPerCommit: 2 }, clock.now);
    await bases.addBase();
    await bases.addDocument('返品', ['毒', '二', '三', '四', '五']);
    provider.answer = (request, response) => {
      if (request.body.input.some((text) => text.includes('毒'))) response.writeHead(400).end();
      else sendVectors(request, response, 8);
    };
    const { reports } = jobs.startWorker(bases.process, [bases.embedJobs.kind]);
    const semantic = { status: 'failed', model: 'test-model', dimensions: 8, coverage: 0.8 };
    for (const [run, delaySeconds] of [10, 10, 60].entries()) {
      await eventually(() => reports.length === run + 1);
      const [due] = await bases.process.queue.due(['knowledge_embed']);
      assert.equal(due?.dueInMs, delaySeconds * 1000);
      assert.deepEqual((await bases.read()).semantic, semantic);
      clock.time += delaySeconds * 1000;
    }
    assert.deepEqual(
      (await bases.vectors()).map(({ vector }) => vector !== null),
      [false, true, true, true, true],
    );
    provider.answer = undefined;
    await bases.hasStatus('ready');
  });

  it('are not made with other dimensions than configured, and the base says so', async () => {
    const provider = await startProvider(16);
    const bases = await start(connect(provider, { dimensions: 8 }));
    await bases.addBase();
    jobs.startWorker(bases.process, [bases.embedJobs.kind]);
    await bases.addDocument('返品', ['一']);
    await bases.hasStatus('failed');
    assert.deepEqual(await bases.vectors(), [{ text: '一', model: null, vector: null }]);
  });

  it('of a large base leave the slot to others after a while, and are continued', async () => {
    const provider = await startProvider();
    const bases = await start(connect(provider), { chunksPerCommit: 1, maxRunMs: 0 });
    await bases.addBase();
    await bases.addDocument('返品', ['一', '二', '三']);
    const { reports } = jobs.startWorker(bases.process, [bases.embedJobs.kind]);
    await bases.hasStatus('ready');
    assert.ok(reports.length >= 2);
    assert.ok(reports.every(({ attempt }) => attempt === 1));
  });
});
