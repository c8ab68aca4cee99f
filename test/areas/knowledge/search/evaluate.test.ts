import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { evaluate } from '../../../../src/areas/knowledge/search/evaluate.ts';
import { createKnowledgeSearch } from '../../../../src/areas/knowledge/search/resident-search.ts';
import type { KnowledgeSearch } from '../../../../src/areas/knowledge/search/search.ts';
import type { EvaluateBody } from '../../../../src/contract/knowledge/search.ts';
import type { Database } from '../../../../src/storage/database.ts';
import { openDatabase } from '../../../../src/storage/open.ts';
import { locationOf, newMigratedUrl, sqliteEngine } from '../../../support/engines.ts';
import { newWorkspace } from '../../../support/stored-calls.ts';
import { StoredBase, storedModel } from '../../../support/stored-knowledge.ts';

suite('an evaluation', () => {
  const engine = sqliteEngine();
  let database: Database;
  let search: KnowledgeSearch;
  let base: StoredBase;
  let repairId = '';

  before(async () => {
    database = openDatabase(locationOf(await newMigratedUrl(engine)), () => {});
    search = createKnowledgeSearch(database, { maxMemoryMb: 64 });
    base = await new StoredBase(database, await newWorkspace(database)).create({ language: 'de' });
    await base.addAll([
      { name: 'returns', chunks: [{ text: 'apple apple', vector: Int8Array.of(1, 0) }] },
      { name: 'orchard', chunks: [{ text: 'apple trees and many other words' }, { text: 'within 30 days' }] },
    ]);
    repairId = await base.add({ name: 'repairs', chunks: [{ text: 'broken', vector: Int8Array.of(0, 1) }] });
  });
  after(async () => {
    await search.close();
    await database.close();
  });

  const contextOf = (modes: readonly ('lexical' | 'hybrid')[], now = () => 0) => ({
    ...{ search, workspaceId: base.workspaceId, baseId: base.id, modes, now },
    embedQuery: async (query: string) => ({
      model: storedModel,
      values: query === 'kaputt' ? Int8Array.of(0, 1) : Int8Array.of(1, 0),
    }),
  });
  const run = (questions: EvaluateBody['questions'], more: Partial<EvaluateBody> = {}) =>
    evaluate(contextOf(['lexical']), { questions, limit: 1, minScore: 0, ...more });

  test('counts right results by rank, with the best scores of hits and misses', async () => {
    const { modes, misses } = await run(
      [
        { query: 'apple', expected: ['returns'] },
        { query: 'apple', expected: ['unknown', 'orchard'] },
        { query: 'broken', expected: [repairId] },
        { query: 'zebra', expected: ['returns'] },
      ],
      { limit: 2 },
    );
    const [mode] = modes;
    assert.deepEqual([mode?.hitRate1, mode?.hitRate, mode?.meanReciprocalRank], [0.5, 0.75, (1 + 1 / 2 + 1) / 4]);
    assert.deepEqual(mode?.missScores, { p10: 0, p50: 0, p90: 0 });
    assert.ok((mode?.hitScores?.p10 ?? 0) > 0);
    assert.deepEqual(
      misses.map(({ query }) => query),
      ['zebra'],
    );
  });

  for (const [reason, question, minScore] of [
    ['not_indexed', { query: 'apple', expected: ['nobody'] }, 0],
    ['outranked', { query: 'apple', expected: ['orchard'] }, 0],
    ['below_min_score', { query: 'zebra', expected: ['returns'] }, 0],
    ['below_min_score', { query: 'apple zebra', expected: ['orchard'] }, 0.5],
    ['text_not_in_document', { query: 'apple', expected: ['returns'], contains: '30 days' }, 0],
    ['outranked', { query: 'apple within', expected: ['orchard'], contains: 'trees' }, 0],
  ] as const) {
    test(`says why ${question.query} misses ${question.expected[0]}: ${reason}`, async () => {
      const { misses } = await run([{ ...question, expected: [...question.expected] }], { minScore });
      assert.deepEqual(
        misses.map((miss) => miss.reason),
        [reason],
      );
    });
  }

  test('compares modes', async () => {
    const questions = [{ query: 'kaputt', expected: ['repairs'] }];
    const { modes, misses } = await evaluate(contextOf(['lexical', 'hybrid']), { questions, limit: 1, minScore: 0 });
    assert.deepEqual(
      modes.map(({ mode, hitRate }) => [mode, hitRate]),
      [
        ['lexical', 0],
        ['hybrid', 1],
      ],
    );
    assert.deepEqual(
      misses.map(({ mode }) => mode),
      ['lexical'],
    );
  });

  test('is rejected if it takes more than ten seconds', async () => {
    let time = 0;
    const now = () => (time += 4000);
    const questions = Array.from({ length: 5 }, () => ({ query: 'apple', expected: ['returns'] }));
    const late = evaluate(contextOf(['lexical'], now), { questions, limit: 1, minScore: 0 });
    await assert.rejects(late, { code: 'UNPROCESSABLE_CONTENT' });
  });
});
