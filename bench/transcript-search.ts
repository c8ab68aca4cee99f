import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../campaigns/random.ts';
import { createCallListing } from '../src/areas/calls/listing/listing.ts';
import { writeText } from '../src/areas/calls/record/transcript-index.ts';
import { transcriptText } from '../src/areas/calls/record/transcript-text.ts';
import { readDatabaseLocation } from '../src/config.ts';
import type { Filter } from '../src/contract/filter.ts';
import { createIdGenerator } from '../src/core/ids.ts';
import type { Database } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';
import { createPostgresServer } from '../test/support/postgres-server.ts';
import { insertCall, newWorkspace } from '../test/support/stored-calls.ts';
import { agentCount, callDocument } from './call-documents.ts';
import { rareWords, saidTurns } from './call-transcripts.ts';
import { showProgress } from './progress.ts';
import { median } from './statistics.ts';
import { atMost, type Target } from './targets.ts';

const limit = 50;
const warmups = 2;
const repeats = 20;
const goalMs = 300;
const callsInTransaction = 2000;

interface Seeded {
  readonly workspaceId: string;
  readonly agentIds: readonly string[];
}

const said = (value: string): Filter => ({ field: 'transcript', op: 'contains', value });
const and = (...all: Filter[]): Filter => ({ all });
const is = (field: string, value: string | number | boolean): Filter => ({ field, op: 'eq', value });

/** The first page of each, from words in every call to words in none. */
function searchesOf({ agentIds }: Seeded): Readonly<Record<string, Filter>> {
  const [agentId] = agentIds as [string];
  const { inOneCall, inFew, inNone } = rareWords;
  return {
    'a word in most calls': said('ございます'),
    'two characters in many calls': said('予約'),
    'two characters in one call of 1,000': said(inFew.japanese),
    'two characters in no call, each of which is common': said('約予'),
    'an English word in one call of 1,000': said(inFew.english),
    'a word in one call, the oldest': said(inOneCall),
    'a Japanese word in no call': said(inNone.japanese),
    'an English word in no call': said(inNone.english),
    'two letters in no call': said('qz'),
    'a sentence in no call, whose words are common': said('料金を予約いたします。ご住所のカラー'),
    'a rare word of one agent in 20': and(is('agentId', agentId), said(inFew.japanese)),
    'a common word of one agent in 20': and(is('agentId', agentId), said('予約')),
    'a common word of an agent without calls': and(is('agentId', 'agt_none'), said('予約')),
    'a common word and columns that no call has': and(said('予約'), is('agentVersion', 999)),
    'a common word and columns that few calls have': and(said('予約'), is('analysis.sentiment', 'mixed'), {
      field: 'durationMs',
      op: 'gt',
      value: 309_000,
    }),
    'a rare word and columns that most calls have': and(said(inFew.english), is('status', 'ended')),
    'a word in no call and a value of metadata': and(said(inNone.japanese), is('metadata.page', '/booking')),
    'a common word and a value that no call has': and(said('予約'), is('metadata.campaign', 'none')),
    'a common word, but not another': and(said('予約'), { not: said('ございます') }),
    'one of two words that no call has': { any: [said(inNone.japanese), said(inNone.english)] },
  };
}

/** Searches for what was said, on both engines: the functions that the routes call, without HTTP. */
export async function measureTranscriptSearch(calls: number): Promise<readonly Target[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-transcripts-'));
  const postgres = await createPostgresServer();
  try {
    const sqlite = openDatabase({ engine: 'sqlite', file: join(folder, 'voice-agents.db') }, () => {});
    const onSqlite = await measureOn(sqlite, calls, 'SQLite');
    const server = openDatabase(readDatabaseLocation({ DATABASE_URL: postgres.url }), () => {});
    return [...onSqlite, ...(await measureOn(server, calls, 'PostgreSQL'))];
  } finally {
    await postgres.remove();
    rmSync(folder, { recursive: true });
  }
}

async function measureOn(database: Database, calls: number, engine: string): Promise<Target[]> {
  try {
    const seeded = await seed(database, calls);
    return await measureSearches(database, seeded, `${calls.toLocaleString('en')} calls`, engine);
  } finally {
    await database.close();
  }
}

export async function measureSearches(
  database: Database,
  seeded: Seeded,
  calls: string,
  engine: string,
): Promise<Target[]> {
  const { searchCalls, close } = createCallListing(database);
  const targets: Target[] = [];
  try {
    for (const [title, filter] of Object.entries(searchesOf(seeded))) {
      const times: number[] = [];
      let found = 0;
      for (let number = -warmups; number < repeats; number += 1) {
        const start = performance.now();
        const { items } = await searchCalls(seeded.workspaceId, filter, null, limit);
        if (number >= 0) times.push(performance.now() - start);
        found = JSON.parse(`[${items}]`).length;
      }
      const p95 = times.sort((one, other) => one - other)[Math.ceil(times.length * 0.95) - 1] as number;
      const note = `95th percentile; median ${median(times).toFixed(0)} ms; ${found} found`;
      targets.push(atMost(`transcripts of ${calls}: ${title}, ${engine}`, p95, goalMs, 'ms', note));
    }
    return targets;
  } finally {
    await close();
  }
}

export async function seed(database: Database, calls: number): Promise<Seeded> {
  await migrate(database, Date.now);
  const workspaceId = await newWorkspace(database);
  let createdAt = Date.UTC(2026, 0, 1);
  const newId = createIdGenerator(() => createdAt);
  const agentIds = Array.from({ length: agentCount }, () => newId('agt'));
  const progress = showProgress(`seeding ${calls.toLocaleString('en')} calls`, calls);
  for (let first = 0; first < calls; first += callsInTransaction) {
    await database.transaction(async (queries) => {
      for (let number = first; number < Math.min(first + callsInTransaction, calls); number += 1) {
        createdAt += 60_000;
        const id = newId('call');
        const turns = saidTurns(number, new Random(number + 1)).map((text, index) => ({ index, text }));
        await insertCall(queries, callDocument(number, { id, workspaceId, agentIds, createdAt }));
        await writeText(queries, workspaceId, id, await transcriptText(async () => turns));
      }
    });
    progress.advanceTo(first);
  }
  if (database.dialect.engine === 'postgres') await database.run('ANALYZE');
  progress.end();
  return { workspaceId, agentIds };
}
