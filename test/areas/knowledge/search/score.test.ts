import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Random } from '../../../../campaigns/random.ts';
import { searchBase } from '../../../../src/areas/knowledge/search/base-search.ts';
import {
  AddedChunks,
  type ChunkIndex,
  emptyIndex,
  replaceChunks,
} from '../../../../src/areas/knowledge/search/chunk-index.ts';
import { fusedScores } from '../../../../src/areas/knowledge/search/fusion.ts';
import type { LoadedBase } from '../../../../src/areas/knowledge/search/loaded-base.ts';
import { queryTerms } from '../../../../src/areas/knowledge/search/query.ts';
import { bestChunks, lexicalScores } from '../../../../src/areas/knowledge/search/score.ts';
import { prepareSynonyms } from '../../../../src/areas/knowledge/search/synonyms.ts';
import { normOf, semanticScores } from '../../../../src/areas/knowledge/search/vectors.ts';
import { seed } from '../../../support/seed.ts';

const turn = async (): Promise<void> => {};

async function indexOf(texts: readonly string[], language = 'ja', from = emptyIndex(), removed = new Set<number>()) {
  const added = new AddedChunks(from.terms, language);
  for (const [number, text] of texts.entries()) added.add(`chk_${from.chunkIds.length + number}`, [text]);
  return replaceChunks(from, removed, added, turn);
}

async function scoresOf(
  index: ChunkIndex,
  query: string,
  synonyms: readonly (readonly string[])[] = [],
  language = 'ja',
) {
  return [...(await lexicalScores(index, queryTerms(query, language, [prepareSynonyms(synonyms, language)]), turn))];
}

const idf = (chunks: number, count: number): number => Math.log(1 + (chunks - count + 0.5) / (count + 0.5));
/** tf′ of BM25 with k1 1.2 and b 0.75. */
const tf = (frequency: number, length: number, meanLength: number): number =>
  (frequency * 2.2) / (frequency + 1.2 * (1 - 0.75 + (0.75 * length) / meanLength));

suite('the lexical score', () => {
  test('is Σ w·idf·tf′ / (2.2 · Σ w·idf)', async () => {
    // 3 chunks: 返品 has 3 terms; 返品返品 has 返 返品 品 品返 返 返品 品, which are 7; cat dog has 2. The mean is 4.
    const index = await indexOf(['返品', '返品返品', 'cat dog']);
    const [first, second, third] = await scoresOf(index, '返品は');
    // Its terms are 返, 返品, 品 in 2 of 3 chunks each, and 品ハ, which no chunk has.
    const known = idf(3, 2);
    const unknown = idf(3, 0);
    const total = known + known + known + 0.5 * unknown;
    const expected = (factor: number): number => (known * factor + known * factor + known * factor) / (2.2 * total);
    assert.equal(first, expected(tf(1, 3, 4)));
    assert.equal(second, expected(tf(2, 7, 4)));
    assert.equal(third, 0);
  });

  test('counts hiragana by 0.3, synonyms by half of what is possible, and repeated terms again', async () => {
    const index = await indexOf(['cat cat', 'dog', 'する']);
    // Lengths 2, 1, 1.
    const one = idf(3, 1);
    const unknown = idf(3, 0);
    const [cat, dog, suru] = await scoresOf(index, 'cat するよ cat', [['cat', 'dog']]);
    const total = one + 0.3 * one + 0.3 * unknown + one + one / 2;
    assert.equal(cat, (one * tf(2, 2, 4 / 3) + one * tf(2, 2, 4 / 3)) / (2.2 * total));
    assert.equal(dog, (one * tf(1, 1, 4 / 3)) / (2.2 * total));
    assert.equal(suru, (0.3 * one * tf(1, 1, 4 / 3)) / (2.2 * total));
  });

  test('is 0 without terms and without chunks', async () => {
    assert.deepEqual(await scoresOf(await indexOf(['返品']), '！'), [0]);
    assert.deepEqual(await scoresOf(emptyIndex(), '返品'), []);
  });

  test('is at most 1 for a chunk that has all synonyms', async () => {
    const group = ['cat', ...Array.from({ length: 9 }, (_, number) => `dog${number}`)];
    const [all] = await scoresOf(await indexOf([`${group.join(' ')} `.repeat(50), 'a b']), 'cat', [group]);
    assert.equal(all, 1);
  });

  test('leaves out synonyms that more than 2,000 chunks have', async () => {
    const withDogs = async (count: number) => {
      const index = await indexOf(['cat', ...Array.from({ length: count }, () => 'dog')]);
      return scoresOf(index, 'cat', [['cat', 'dog']]);
    };
    const [, few] = await withDogs(2000);
    const [cat, many] = await withDogs(2001);
    assert.ok(few !== undefined && few > 0);
    assert.equal(many, 0);
    assert.equal(cat, (idf(2002, 1) * tf(1, 1, 1)) / (2.2 * idf(2002, 1)));
  });

  test('is at most 1, however often the terms occur', async () => {
    const [many] = await scoresOf(await indexOf([`${'返品。'.repeat(660)}`, '犬'.repeat(2000)]), '返品');
    assert.ok(many !== undefined && many > 0.9 && many < 1);
  });
});

suite('an index with replaced chunks', () => {
  test('has the same scores as a new one with the same chunks', async () => {
    const random = new Random(seed);
    const words = ['返品', '交換', '送料', 'vip', '犬', '営業時間', '予約の変更', 'wifi', 'です'];
    const text = () => Array.from({ length: random.int(1, 30) }, () => random.pick(words)).join('、');
    let index = emptyIndex();
    let texts: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const removed = new Set([...texts.keys()].filter(() => random.chance(0.25)));
      const added = Array.from({ length: random.int(0, 9) }, text);
      index = await indexOf(added, 'ja', index, removed);
      texts = [...texts.filter((_, number) => !removed.has(number)), ...added];
      const fresh = await indexOf(texts);
      for (const query of words) assert.deepEqual(await scoresOf(index, query), await scoresOf(fresh, query));
      assert.equal(index.postings.length, fresh.postings.length);
    }
  });

  test('leaves the one before as it was', async () => {
    const before = await indexOf(['返品', '犬']);
    const scores = await scoresOf(before, '返品');
    await indexOf(['猫', '返品'], 'ja', before, new Set([0]));
    assert.deepEqual(await scoresOf(before, '返品'), scores);
    assert.deepEqual(await scoresOf(before, '猫'), [0, 0]);
  });
});

suite('the best chunks', () => {
  test('are ordered by score, then by id, and no more than asked for', () => {
    const scores = Float64Array.of(0.2, 0.5, 0, 0.5, 0.1, 0.9);
    const ids = ['a', 'z', 'c', 'y', 'e', 'f'];
    assert.deepEqual(
      bestChunks(scores, ids, 4, (score) => score > 0),
      [5, 3, 1, 0],
    );
    assert.deepEqual(
      bestChunks(scores, ids, 2, (score) => score > 0),
      [5, 3],
    );
  });
});

suite('the semantic score', () => {
  test('is the cosine of the vectors', async () => {
    const values = Int8Array.of(3, 4, 0, 0, -6, -8);
    const norms = Float64Array.of(normOf(values.slice(0, 2)), 0, normOf(values.slice(4)));
    const scores = await semanticScores({ dimensions: 2, values, norms }, Int8Array.of(4, 3), turn);
    assert.deepEqual([...scores], [24 / 25, Number.NaN, -48 / 50]);
  });

  for (const dimensions of [1, 8, 20, 256, 1000, 1024]) {
    test(`is exact for ${dimensions} dimensions, however many vectors there are`, async () => {
      const next = numbers(dimensions);
      // The extremes first: their sums are the largest.
      const vectors = Array.from({ length: 1000 }, (_, row) =>
        Int8Array.from({ length: dimensions }, () => (row === 0 ? -128 : row === 1 ? 127 : next())),
      );
      const values = new Int8Array(1000 * dimensions);
      vectors.forEach((vector, row) => void values.set(vector, row * dimensions));
      const norms = Float64Array.from(vectors, normOf);
      for (const query of [vectors[0], vectors[500]] as Int8Array[]) {
        const scores = await semanticScores({ dimensions, values, norms }, query, turn);
        const expected = vectors.map((vector, row) => {
          const product = vector.reduce((sum, value, at) => sum + value * (query[at] as number), 0);
          return norms[row] === 0 ? Number.NaN : product / ((norms[row] as number) * normOf(query));
        });
        assert.deepEqual([...scores], expected);
      }
    });
  }
});

suite('hybrid search', () => {
  test('scores by the places in both orders: 1 for the first of both', () => {
    const scores = fusedScores([
      [7, 8],
      [7, 9, 8],
    ]);
    assert.equal(scores.get(7), (1 / 61 + 1 / 61) * 30.5);
    assert.equal(scores.get(7), 1);
    assert.equal(scores.get(8), (1 / 62 + 1 / 63) * 30.5);
    assert.equal(scores.get(9), (1 / 62) * 30.5);
  });

  const query = { limit: 10, minScore: 0, minSemanticScore: 0, vector: { model: 'm', values: Int8Array.of(1, 0) } };

  async function base(): Promise<LoadedBase> {
    const index = await indexOf(['返品', '返金', '送料', '猫']);
    // The third and the last have no vector.
    const values = Int8Array.of(0, 5, 5, 0, 0, 0, 0, 0);
    return {
      ...{ revision: 1, language: 'ja', synonyms: [], useEmbeddings: true, documents: new Map(), index, bytes: 0 },
      model: 'm',
      documentIds: ['doc_0', 'doc_1', 'doc_2', 'doc_3'],
      vectors: { dimensions: 2, values, norms: Float64Array.of(5, 5, 0, 0) },
    };
  }

  test('finds by words or by meaning, and never what has neither', async () => {
    const { mode, found } = await searchBase(await base(), { ...query, terms: queryTerms('返品送', 'ja') }, turn);
    assert.equal(mode, 'hybrid');
    assert.deepEqual(
      found.map(({ chunkId, score, semanticScore }) => [chunkId, score, semanticScore]),
      [
        ['chk_0', (1 / 61 + 1 / 62) * 30.5, 0],
        ['chk_1', (1 / 63 + 1 / 61) * 30.5, 1],
        ['chk_2', (1 / 62) * 30.5, null],
      ],
    );
  });

  test('leaves out what is below both limits, whatever its place', async () => {
    const terms = queryTerms('返品送', 'ja');
    const { found } = await searchBase(await base(), { ...query, terms, minScore: 0.9, minSemanticScore: 0.4 }, turn);
    assert.deepEqual(
      found.map(({ chunkId }) => chunkId),
      ['chk_1'],
    );
  });

  test('is lexical if the vectors have other dimensions', async () => {
    const terms = queryTerms('返品', 'ja');
    const vector = { model: 'm', values: Int8Array.of(1, 0, 0) };
    const { mode, found } = await searchBase(await base(), { ...query, terms, vector }, turn);
    assert.equal(mode, 'lexical');
    assert.equal(found[0]?.score, found[0]?.lexicalScore);
    assert.equal(found[0]?.semanticScore, null);
  });
});

/** The same sequence of numbers from -128 to 127 for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return ((state >>> 16) % 256) - 128;
  };
}
