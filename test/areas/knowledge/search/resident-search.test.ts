import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createKnowledgeSearch } from '../../../../src/areas/knowledge/search/resident-search.ts';
import type { KnowledgeSearch, SearchHit, SearchRequest } from '../../../../src/areas/knowledge/search/search.ts';
import type { Database } from '../../../../src/storage/database.ts';
import { openDatabase } from '../../../../src/storage/open.ts';
import { locationOf, newMigratedUrl, onEachEngine } from '../../../support/engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { newWorkspace } from '../../../support/stored-calls.ts';
import { StoredBase, type StoredDocument, storedModel } from '../../../support/stored-knowledge.ts';

const faq: readonly StoredDocument[] = [
  {
    name: '返品について',
    chunks: [{ text: '商品の返品（へんぴん）は30日以内に承ります。' }, { text: '送料はお客様のご負担です。' }],
  },
  { name: '営業時間', chunks: [{ text: '休業日は水曜日です。', headingPath: ['店舗', '銀座'] }] },
  { name: 'ＶＩＰ会員', chunks: [{ text: 'ラウンジを利用できます。' }] },
  { name: '修理', chunks: [{ text: '修理は２週間ほどかかります。' }] },
];

const vectorOf = (...values: number[]) => ({ model: storedModel, values: Int8Array.of(...values) });

/** Scores of one engine, to compare with the other. */
const scores = new Map<string, readonly (readonly [string, number])[]>();

onEachEngine('searching knowledge bases', (engine) => {
  let database: Database;
  let search: KnowledgeSearch;
  let workspaceId = '';

  before(async () => {
    database = openDatabase(locationOf(await newMigratedUrl(engine)), () => {});
    search = createKnowledgeSearch(database, { maxMemoryMb: 64 });
    workspaceId = await newWorkspace(database);
  });
  after(async () => {
    await search.close();
    await database.close();
  });

  const newBase = (fields?: Parameters<StoredBase['create']>[0]) =>
    new StoredBase(database, workspaceId).create(fields);
  const find = (bases: readonly StoredBase[], query: string, more: Partial<SearchRequest> = {}) =>
    search.search({
      ...{ workspaceId, baseIds: bases.map(({ id }) => id), query, limit: 5 },
      ...{ minScore: 0, minSemanticScore: 0, vector: null, ...more },
    });
  const names = ({ hits }: { hits: readonly SearchHit[] }) => hits.map(({ documentName }) => documentName);

  for (const [query, name] of [
    ['返品', '返品について'],
    ['ﾍﾝﾋﾟﾝ', '返品について'],
    ['VIP', 'ＶＩＰ会員'],
    ['休業日', '営業時間'],
    ['品', '返品について'],
    ['銀座のお店はいつ休みですか', '営業時間'],
    ['故障', null],
  ] as const) {
    test(`${query} finds ${name ?? 'nothing'}, with the same scores on both engines`, async () => {
      const base = await newBase();
      await base.addAll(faq);
      const result = await find([base], query);
      assert.equal(names(result)[0] ?? null, name);
      assert.deepEqual(result.revisions, { [base.id]: 1 });
      const found = result.hits.map(({ documentName, index, score }) => [`${documentName} ${index}`, score] as const);
      assert.deepEqual(found, scores.get(query) ?? found);
      scores.set(query, found);
    });
  }

  test('a hit is the chunk as it is stored, with highlights', async () => {
    const base = await newBase();
    const id = await base.add(faq[1] as StoredDocument);
    const { hits, mode, weightedTerms } = await find([base], '休業日');
    assert.deepEqual(hits, [
      {
        ...{ baseId: base.id, documentId: id, documentRevision: 1, documentName: '営業時間' },
        ...{ chunkId: (await base.chunkIds(id))[0], index: 0, headingPath: ['店舗', '銀座'], page: null },
        ...{ start: 0, end: 10, text: '休業日は水曜日です。', passage: '休業日は水曜日です。' },
        ...{ score: hits[0]?.lexicalScore, lexicalScore: hits[0]?.score, semanticScore: null },
        highlights: [
          { start: 0, end: 3 },
          { start: 6, end: 7 },
        ],
      },
    ]);
    assert.deepEqual([mode, weightedTerms], ['lexical', 5]);
    const [forModel] = (await find([base], '休業日', { passageCharacters: 1000 })).hits;
    assert.deepEqual([forModel?.passage, forModel?.highlights], ['休業日は水曜日です。', []]);
  });

  test('each search sees the newest revision: new, renamed, replaced and deleted documents, and synonyms', async () => {
    const base = await newBase();
    assert.deepEqual(await find([base], '品'), {
      hits: [],
      revisions: { [base.id]: 0 },
      mode: 'lexical',
      weightedTerms: 1,
    });
    const id = await base.add(faq[0] as StoredDocument);
    assert.deepEqual(names(await find([base], '品')), ['返品について', '返品について']);
    await base.replace(id, { name: '配送', chunks: faq[0]?.chunks ?? [] });
    assert.deepEqual(names(await find([base], '品')), ['配送']);
    await base.replace(id, {
      name: '配送',
      chunks: [{ text: '店は二階です。' }, { text: '翌日に届きます。' }],
    });
    assert.deepEqual(names(await find([base], '品')), []);
    assert.deepEqual(names(await find([base], '翌日')), ['配送']);
    assert.deepEqual(names(await find([base], '明日')), ['配送']);
    await base.update({ synonyms: [['あした', '翌日']] });
    assert.equal((await find([base], 'あした')).hits[0]?.text, '翌日に届きます。');
    await base.remove(id);
    assert.deepEqual(names(await find([base], '翌日')), []);
    await base.delete();
    assert.deepEqual((await find([base], '翌日')).revisions, {});
  });

  test('after any changes, results are those of a base that has just been loaded', async () => {
    const base = await newBase();
    const ids = [...(await base.addAll(faq))];
    await find([base], '返品');
    for (let round = 0; round < 5; round += 1) {
      await base.replace(ids[round % 4] as string, {
        name: '別',
        chunks: [{ text: `返品と送料 ${round}` }, ...(faq[1]?.chunks ?? [])],
      });
      ids.push(
        await base.add({ name: '休業日', chunks: [{ text: `修理 ${round}`, vector: Int8Array.of(1, round, 3) }] }),
      );
      await base.remove(ids.splice(2, 1)[0] as string);
      const fresh = createKnowledgeSearch(database, { maxMemoryMb: 64 });
      for (const query of ['返品', '修理はどこ', '休業日', '別']) {
        const request = {
          workspaceId,
          baseIds: [base.id],
          query,
          limit: 50,
          minScore: 0,
          minSemanticScore: 0,
          vector: vectorOf(1, 2, 3),
        };
        assert.deepEqual(await search.search(request), await fresh.search(request));
      }
      await fresh.close();
    }
  });

  test('while a document is replaced, each result is wholly old or wholly new', async () => {
    const base = await newBase();
    const version = (number: number): StoredDocument => ({
      name: `版${number}`,
      chunks: Array.from({ length: 5 }, (_, index) => ({ text: `返品の規定 第${index}条 版${number}` })),
    });
    await base.add(faq[1] as StoredDocument);
    const id = await base.add(version(0));
    let isDone = false;
    const replacing = (async () => {
      for (let number = 1; number <= 30; number += 1) await base.replace(id, version(number));
      isDone = true;
    })();
    let searches = 0;
    for (; !isDone || searches < 50; searches += 1) {
      const { hits } = await find([base], '返品の規定', { mayBeStale: searches % 2 === 0 });
      const versions = new Set(hits.map(({ text }) => text.split(' ')[2]));
      assert.equal(hits.length, 5);
      assert.equal(versions.size, 1);
      assert.equal(hits[0]?.documentName, [...versions][0]);
    }
    await replacing;
    assert.equal((await find([base], '返品の規定')).hits[0]?.documentName, '版30');
  });

  test('several bases are merged by score; those of others are not searched', async () => {
    const [first, second] = [await newBase(), await newBase()];
    await first.addAll(faq.slice(0, 2));
    await second.addAll(faq);
    const both = await find([first, second, first], '返品', { limit: 3 });
    const each = [...(await find([first], '返品')).hits, ...(await find([second], '返品')).hits];
    const expected = each.toSorted((one, other) => other.score - one.score || (one.chunkId < other.chunkId ? -1 : 1));
    assert.deepEqual(both.hits, expected.slice(0, 3));
    assert.deepEqual(Object.keys(both.revisions).sort(), [first.id, second.id].sort());
    const stranger = await newWorkspace(database);
    const foreign = await find([first], '返品', { workspaceId: stranger });
    assert.deepEqual([foreign.hits, foreign.revisions], [[], {}]);
  });

  test('vectors that arrive later are used, and those of another model are not', async () => {
    const base = await newBase();
    const id = await base.add({ name: '修理', chunks: [{ text: '修理' }, { text: '部品' }] });
    const vector = vectorOf(0, 1, 0);
    assert.equal((await find([base], '修理', { vector })).mode, 'lexical');
    await base.replace(id, {
      name: '修理',
      chunks: [{ text: '修理' }, { text: '部品', vector: Int8Array.of(0, 9, 0) }],
    });
    const { mode, hits } = await find([base], '壊', { vector });
    assert.equal(mode, 'hybrid');
    assert.deepEqual(
      hits.map(({ text, semanticScore }) => [text, semanticScore]),
      [['部品', 1]],
    );
    await database.run("UPDATE chunks SET vector_model = 'other' WHERE document_id = $1", [id]);
    await base.replace(id, { name: '修理', chunks: [{ text: '修理' }, { text: '部品' }] });
    assert.equal((await find([base], '修理', { vector })).mode, 'lexical');
  });

  test('a query by another model is not compared with the vectors of the base, until it has that model', async () => {
    const base = await newBase();
    await base.add({ name: '修理', chunks: [{ text: '修理', vector: Int8Array.of(0, 1, 0) }] });
    const other = { model: 'other', values: Int8Array.of(0, 1, 0) };
    assert.equal((await find([base], '壊', { vector: vectorOf(0, 1, 0) })).mode, 'hybrid');
    assert.equal((await find([base], '壊', { vector: other })).mode, 'lexical');
    await database.run("UPDATE chunks SET vector_model = 'other' WHERE base_id = $1", [base.id]);
    await base.update({ semantic: { model: 'other', dimensions: null } });
    assert.equal((await find([base], '壊', { vector: other })).hits[0]?.semanticScore, 1);
    assert.equal((await find([base], '壊', { vector: vectorOf(0, 1, 0) })).mode, 'lexical');
  });

  test('vectors of a base that uses no embeddings any more are not compared, until it does again', async () => {
    const vector = vectorOf(0, 1, 0);
    const base = await newBase();
    await base.add({ name: '修理', chunks: [{ text: '修理', vector: vector.values }] });
    assert.equal((await find([base], '壊', { vector })).mode, 'hybrid');
    await base.update({ useEmbeddings: false });
    const { mode, hits } = await find([base], '壊', { vector });
    assert.deepEqual([mode, hits], ['lexical', []]);
    await base.update({ useEmbeddings: true });
    assert.equal((await find([base], '壊', { vector })).hits[0]?.semanticScore, 1);
  });

  test('small bases of all workspaces are loaded before anybody searches in them', async (context) => {
    const own = openDatabase(locationOf(await newMigratedUrl(engine)), () => {});
    const fresh = createKnowledgeSearch(own, { maxMemoryMb: 4 });
    context.after(async () => {
      await fresh.close();
      await own.close();
    });
    const withChunks = async (count: number) => {
      const base = await new StoredBase(own, await newWorkspace(own)).create();
      const chunks = Array.from({ length: count }, (_, n) => ({ text: `${'長い文書です。'.repeat(40)}${n}` }));
      if (count > 0) await base.add({ name: '案内', chunks });
    };
    // Three of them take more than a quarter of the memory.
    for (const count of [5, 5000, 0, 5000, 1]) await withChunks(count);
    assert.equal(await fresh.preload(), 3);
    assert.ok((await fresh.memoryBytes()) > 1024 ** 2);
  });

  test('a base that has changed is loaded before its first search', async () => {
    const fresh = createKnowledgeSearch(database, { maxMemoryMb: 256 });
    fresh.changed(workspaceId, (await newBase()).id);
    await eventually(async () => (await fresh.memoryBytes()) > 0);
    await fresh.close();
  });

  test('a base that has changed is not loaded once a quarter of the memory is in use', async () => {
    const fresh = createKnowledgeSearch(database, { maxMemoryMb: 1 });
    const [first, changed, last] = [await newBase(), await newBase(), await newBase()];
    const searchIn = async ({ id }: StoredBase): Promise<void> => {
      const limits = { limit: 5, minScore: 0, minSemanticScore: 0 };
      await fresh.search({ workspaceId, baseIds: [id], query: '返品', vector: null, ...limits });
    };
    await searchIn(first);
    const one = await fresh.memoryBytes();
    fresh.changed(workspaceId, changed.id);
    // Bases are loaded one after the other.
    await searchIn(last);
    assert.equal(await fresh.memoryBytes(), 2 * one);
    await fresh.close();
  });

  test('bases that do not fit into memory together are loaded in turn', async () => {
    const small = createKnowledgeSearch(database, { maxMemoryMb: 0 });
    const bases = [await newBase(), await newBase()];
    for (const base of bases) await base.addAll(faq);
    for (let round = 0; round < 3; round += 1) {
      for (const base of bases) {
        const request = {
          workspaceId,
          baseIds: [base.id],
          query: '返品',
          limit: 5,
          minScore: 0,
          minSemanticScore: 0,
          vector: null,
        };
        assert.equal((await small.search(request)).hits.length, 2);
      }
    }
    const one = await small.memoryBytes();
    await small.search({
      workspaceId,
      baseIds: [bases[0]?.id ?? ''],
      query: '返',
      limit: 5,
      minScore: 0,
      minSemanticScore: 0,
      vector: null,
    });
    assert.equal(await small.memoryBytes(), one);
    await small.close();
  });

  test('loading a large base does not hold up the searches of other workspaces', async () => {
    const small = await newBase();
    await small.addAll(faq);
    await find([small], '返品');
    const stranger = await newWorkspace(database);
    const large = await new StoredBase(database, stranger).create();
    const chunks = Array.from({ length: 4000 }, (_, number) => ({
      text: `${number} ${faq[0]?.chunks[0]?.text.repeat(80)}`,
    }));
    await large.add({ name: '大', chunks });
    let isLoaded = false;
    const loading = find([large], '返品', { workspaceId: stranger }).then(({ hits }) => {
      isLoaded = true;
      return hits.length;
    });
    assert.equal((await find([small], '返品')).hits.length, 2);
    assert.equal(isLoaded, false);
    assert.equal(await loading, 5);
  });

  test('why a document was not found', async () => {
    const base = await newBase();
    await base.addAll(faq);
    const explain = (documents: string[], query: string, contains: string | null = null) =>
      search.explain({ workspaceId, baseId: base.id, query, vector: null, documents, contains });
    assert.deepEqual(await explain(['配送'], '返品'), { isIndexed: false, hasText: false, best: null });
    assert.deepEqual(await explain(['返品について'], '返品', '90日'), { isIndexed: true, hasText: false, best: null });
    const { best } = await explain(['返品について', '修理'], '返品', '３０日');
    assert.equal(best?.lexicalScore, (await find([base], '返品')).hits.find(({ index }) => index === 0)?.score);
    assert.equal((await explain(['修理'], '返品')).best?.lexicalScore, 0);
  });
});
