import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createBaseStore } from '../../../src/areas/knowledge/bases/store.ts';
import { createDocumentStore } from '../../../src/areas/knowledge/documents/store.ts';
import { type Embeddings, EmbeddingsError } from '../../../src/areas/knowledge/embeddings/embeddings.ts';
import { createCallKnowledge } from '../../../src/areas/knowledge/for-call.ts';
import { createKnowledgeSearch } from '../../../src/areas/knowledge/search/resident-search.ts';
import type { KnowledgeSearch } from '../../../src/areas/knowledge/search/search.ts';
import type { KnowledgeQuery, KnowledgeResult } from '../../../src/voice/knowledge.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { knowledgeClient } from './client.ts';

const settings = {
  mode: 'auto',
  limit: 3,
  maxCharacters: 4000,
  minScore: 0.04,
  minSemanticScore: 0.4,
  waitMs: 100,
} as const;

const failing: Embeddings = {
  model: 'none',
  dimensions: 2,
  embed: async () => [],
  embedQueries: async () => [],
  embedQuery: async () => {
    throw new EmbeddingsError('http_500', 'The provider failed.', true);
  },
  close: async () => {},
};

onEachEngine('the knowledge of an agent in a call', (engine) => {
  const service = useService(engine);
  let search: KnowledgeSearch | null = null;
  after(() => search?.close());

  const setUp = async (embeddings: Embeddings | null = null) => {
    const client = knowledgeClient(service, (await service.newKey()).key);
    const { database } = service;
    search ??= createKnowledgeSearch(database, { maxMemoryMb: 64 });
    const parts = { database, bases: createBaseStore(database), documents: createDocumentStore(database), search };
    const addBase = async (name: string, text: string) => {
      const base = await client.base({ chunkSize: 200 });
      const made = await client.add(base.id, { name, text });
      await client.settled(base.id, made.id);
      return base;
    };
    const knows = (workspaceId: string, ...ids: string[]) =>
      createCallKnowledge({ ...parts, embeddingsOf: () => embeddings })(workspaceId, {
        ...settings,
        bases: ids.map((id) => ({ id })),
      });
    return { addBase, knows };
  };
  /** All results up to the final one. */
  const ask = (knowledge: ReturnType<ReturnType<typeof createCallKnowledge>>, query: Partial<KnowledgeQuery>) =>
    new Promise<(KnowledgeResult | null)[]>((resolve) => {
      const results: (KnowledgeResult | null)[] = [];
      knowledge.search({ words: '', previous: null, ...query }, (result) => {
        results.push(result);
        if (result === null || result.isFinal) resolve(results);
      });
    });

  it('is all of its bases, the best hit first, with the passage around it', async () => {
    const { addBase, knows } = await setUp();
    const others = Array.from({ length: 12 }, (_, n) => `これは${n}番目の文で、品物を戻す方法を述べています。`).join(
      '',
    );
    const one = await addBase('案内', `# 返品\n\n手数料はかかりません。${others}\n\n# 配送\n\n配送は2日です。`);
    const two = await addBase('規約', '# 駐車場\n\n駐車場は建物の裏にあります。');
    const [result] = await ask(knows(one.workspaceId, one.id, two.id), { words: '駐車場の手数料' });
    assert.equal(result?.mode, 'lexical');
    assert.ok((result?.hits.length ?? 0) <= 3);
    const bases = new Set(result?.hits.map(({ knowledgeBaseId }) => knowledgeBaseId));
    assert.deepEqual(bases, new Set([one.id, two.id]));
    const scores = result?.hits.map(({ score }) => score) ?? [];
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
    const returns = result?.hits.find(({ section }) => section === '返品');
    assert.ok(returns && returns.text.length > returns.chunkText.length && returns.text.length <= 1200);
    assert.equal(returns.text.includes('配送'), false, 'only under the same heading');
    assert.deepEqual([returns.document, returns.documentRevision, returns.answer], ['案内', 1, null]);
  });

  it('is asked with the turn before, if a turn says too little', async () => {
    const { addBase, knows } = await setUp();
    const base = await addBase(
      '案内',
      '# 返品\n\n返品の送料はお客様の負担です。\n\n# 営業\n\n営業時間は10時からです。',
    );
    const knowledge = knows(base.workspaceId, base.id);
    const [alone] = await ask(knowledge, { words: 'それはどうして' });
    assert.deepEqual(alone?.hits, []);
    const [both] = await ask(knowledge, { words: 'それはどうして', previous: '返品の送料を教えて' });
    assert.equal(both?.hits[0]?.section, '返品');
    const [enough] = await ask(knowledge, { words: '営業時間は何時から', previous: '返品の送料を教えて' });
    assert.equal(enough?.hits[0]?.section, '営業');
  });

  it('has the answers of questions', async () => {
    const { addBase, knows } = await setUp();
    const base = await addBase(
      'FAQ',
      'Q: 返品できますか。\nA: 30日以内なら返品できます。\n\n# 他\n\n返品の話はここにもあります。',
    );
    const [result] = await ask(knows(base.workspaceId, base.id), { words: '返品できますか', answersOnly: true });
    assert.deepEqual(
      result?.hits.map(({ answer }) => answer),
      ['30日以内なら返品できます。'],
    );
  });

  it('reports what words find at once, and again if the provider of embeddings fails', async () => {
    const { addBase, knows } = await setUp(failing);
    const base = await addBase('案内', '返品は30日以内です。');
    const [first, last] = await ask(knows(base.workspaceId, base.id), { words: '返品は何日以内' });
    assert.deepEqual([first?.isFinal, last?.isFinal, last?.mode], [false, true, 'lexical']);
    assert.deepEqual(last?.hits, first?.hits);
    assert.equal(first?.hits.length, 1);
  });

  it('reports nothing after it was canceled', async () => {
    const { addBase, knows } = await setUp();
    const base = await addBase('案内', '返品は30日以内です。');
    const knowledge = knows(base.workspaceId, base.id);
    let reported = 0;
    knowledge.search({ words: '返品', previous: null }, () => (reported += 1))();
    await ask(knowledge, { words: '返品' });
    assert.equal(reported, 0);
  });

  it('can be read as a whole, up to 50,000 characters', async () => {
    const { addBase, knows } = await setUp();
    const base = await addBase('案内', '返品は30日以内です。');
    const readAll = (...ids: string[]) =>
      new Promise((resolve) => void knows(base.workspaceId, ...ids).readAll(resolve));
    assert.deepEqual(await readAll(base.id), [{ document: '案内', text: '返品は30日以内です。' }]);
    const large = await addBase('大きい', 'これは少し長い文章です。'.repeat(4500));
    assert.equal(await readAll(base.id, large.id), 'too_large');
  });
});
