import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../campaigns/random.ts';
import { AddedChunks, emptyIndex, replaceChunks } from '../src/areas/knowledge/search/chunk-index.ts';
import { createKnowledgeSearch } from '../src/areas/knowledge/search/resident-search.ts';
import type { KnowledgeSearch } from '../src/areas/knowledge/search/search.ts';
import { AppError } from '../src/core/errors.ts';
import type { Database } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';
import { newWorkspace } from '../test/support/stored-calls.ts';
import { StoredBase, type StoredChunk, storedModel } from '../test/support/stored-knowledge.ts';
import { measureKnowledgeInCalls } from './knowledge-calls.ts';
import { documentsOf, type EvaluationSet, evaluateSet, queriesOf } from './knowledge-quality.ts';
import { showProgress } from './progress.ts';
import type { Seed } from './seed.ts';
import { atLeast, atMost, type Target } from './targets.ts';

const chunkCount = 20_000;
const chunksPerDocument = 100;
const chunkCharacters = 600;
const dimensions = 512;
const warmups = 100;
const lexicalSearches = 1000;
const hybridSearches = 300;
const megabyte = 1024 * 1024;
/** Set, whether with its synonyms, and percent. */
const qualityGoals: readonly (readonly [EvaluationSet, boolean, number | null])[] = [
  ['ja', false, 85],
  ['ja', true, 92],
  ['en', false, null],
  ['en', true, null],
  ['dev-ja', false, null],
  ['dev-en', false, null],
  ['dev2-ja', false, null],
  ['dev2-en', false, null],
];

/** Searches of the largest base on SQLite, with the thread and its replies, and how often search finds what is asked for. */
export async function measureKnowledge(seed: Seed): Promise<readonly Target[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-knowledge-'));
  const database = openDatabase({ engine: 'sqlite', file: join(folder, 'voice-agents.db') }, () => {});
  try {
    await migrate(database, Date.now);
    const chunks = syntheticChunks();
    const base = await seedBase(database, chunks);
    return [
      ...(await measureSearches(database, base)),
      await measureKnowledgeInCalls(seed, documentsTexts(chunks)),
      atLeast('knowledge: chunks indexed', await indexedPerSecond(chunks), 3000, '', '/s'),
      ...(await measureQuality(database)),
    ];
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
}

/** The same texts as documents, to be split by the service. */
function documentsTexts(chunks: readonly StoredChunk[]): readonly string[] {
  const texts: string[] = [];
  for (let first = 0; first < chunks.length; first += chunksPerDocument) {
    texts.push(
      chunks
        .slice(first, first + chunksPerDocument)
        .map(({ text }) => text)
        .join('\n\n'),
    );
  }
  return texts;
}

/** Sentences of the Japanese set in random order, each chunk with words of its own, so that there are many terms. */
function syntheticChunks(): readonly StoredChunk[] {
  const random = new Random(1);
  const sentences = documentsOf(readFileSync(new URL('./knowledge/ja/documents.md', import.meta.url), 'utf8'))
    .flatMap(({ chunks }) => chunks.map(({ text }) => text))
    .join('')
    .split(/(?<=。)/);
  const word = () => String.fromCharCode(random.int(0x4e00, 0x5fff), random.int(0x4e00, 0x5fff));
  return Array.from({ length: chunkCount }, () => {
    let text = '';
    while (text.length < chunkCharacters) text += `${word()}、${random.pick(sentences)}`;
    const vector = Int8Array.from({ length: dimensions }, () => random.int(-127, 127));
    return { text: text.slice(0, chunkCharacters), vector };
  });
}

async function seedBase(database: Database, chunks: readonly StoredChunk[]): Promise<StoredBase> {
  const base = await new StoredBase(database, await newWorkspace(database)).create();
  const progress = showProgress(`seeding ${chunkCount.toLocaleString('en')} chunks`, chunkCount);
  for (let first = 0; first < chunks.length; first += chunksPerDocument) {
    await base.add({ name: `案内${first}`, chunks: chunks.slice(first, first + chunksPerDocument) });
    progress.advanceTo(first + chunksPerDocument);
  }
  progress.end();
  return base;
}

async function measureSearches(database: Database, base: StoredBase): Promise<readonly Target[]> {
  const title = `knowledge: ${chunkCount.toLocaleString('en')} chunks`;
  const vector = Int8Array.from({ length: dimensions }, (_, number) => (number % 255) - 127);
  const lexical = await measureMode(database, base, null, lexicalSearches);
  const hybrid = await measureMode(database, base, vector, hybridSearches);
  const note = ({ times, meanProcessorMs }: typeof lexical): string =>
    `median ${percentile(times, 0.5).toFixed(1)} ms; mean ${meanProcessorMs.toFixed(1)} ms by processor time`;
  return [
    atMost(`${title}, lexical search, p99`, percentile(lexical.times, 0.99), 10, 'ms', note(lexical)),
    atMost(`${title}, hybrid search, p99`, percentile(hybrid.times, 0.99), 50, 'ms', note(hybrid)),
    atMost(
      `${title}, loading`,
      lexical.loadMs,
      6000,
      'ms',
      `${Math.round(lexical.loadProcessorMs)} ms by processor time`,
    ),
    atMost(`${title}, memory`, lexical.megabytes, 60, 'MB'),
    atMost(`${title}, memory with vectors`, hybrid.megabytes, 75, 'MB', `${dimensions} dimensions`),
  ];
}

async function measureMode(database: Database, base: StoredBase, vector: Int8Array | null, count: number) {
  const search = createKnowledgeSearch(database, { maxMemoryMb: 256 });
  try {
    const loadStart = process.cpuUsage();
    const loadMs = await timeOf(() => loaded(search, base, vector));
    const loadProcessorMs = processorMs(loadStart);
    const start = process.cpuUsage();
    const times = await timesOf(search, base, vector, count);
    const meanProcessorMs = processorMs(start) / (warmups + count);
    return { loadMs, loadProcessorMs, times, meanProcessorMs, megabytes: (await search.memoryBytes()) / megabyte };
  } finally {
    await search.close();
  }
}

/** On a busy machine, loading may take longer than a search waits. */
async function loaded(search: KnowledgeSearch, base: StoredBase, vector: Int8Array | null): Promise<void> {
  for (;;) {
    try {
      await find(search, base, '返品', vector);
      return;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
}

/** Processor time of the whole process with its threads, which depends less on other programs than the duration. */
function processorMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function find(search: KnowledgeSearch, base: StoredBase, query: string, vector: Int8Array | null) {
  const limits = { limit: 5, minScore: 0, minSemanticScore: 0 };
  const queryVector = vector && { model: storedModel, values: vector };
  return search.search({ workspaceId: base.workspaceId, baseIds: [base.id], query, vector: queryVector, ...limits });
}

async function timesOf(
  search: KnowledgeSearch,
  base: StoredBase,
  vector: Int8Array | null,
  count: number,
): Promise<readonly number[]> {
  const queries = queriesOf('ja');
  const times: number[] = [];
  for (let number = -warmups; number < count; number += 1) {
    const query = queries[(number + warmups) % queries.length] as string;
    const ms = await timeOf(() => find(search, base, query, vector));
    if (number >= 0) times.push(ms);
  }
  return times;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Without the database. */
async function indexedPerSecond(chunks: readonly StoredChunk[]): Promise<number> {
  const start = performance.now();
  const index = emptyIndex();
  const added = new AddedChunks(index.terms, 'ja');
  for (const [number, { text }] of chunks.entries()) added.add(String(number), [text]);
  await replaceChunks(index, new Set(), added, async () => {});
  return (1000 * chunks.length) / (performance.now() - start);
}

async function measureQuality(database: Database): Promise<readonly Target[]> {
  const search = createKnowledgeSearch(database, { maxMemoryMb: 256 });
  const targets: Target[] = [];
  for (const [set, withSynonyms, goal] of qualityGoals) {
    const { modes } = await evaluateSet(database, search, set, withSynonyms);
    const title = `knowledge: found in the first 3, ${set}${withSynonyms ? ', with synonyms' : ''}`;
    const note = `first: ${Math.round(100 * (modes[0]?.hitRate1 ?? 0))} %`;
    targets.push(atLeast(title, 100 * (modes[0]?.hitRate ?? 0), goal, note, '%'));
  }
  await search.close();
  return targets;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] as number;
}
