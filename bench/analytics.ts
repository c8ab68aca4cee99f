import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createQueries } from '../src/areas/analytics/query/threads.ts';
import { readDatabaseLocation } from '../src/config.ts';
import { type AnalyticsQuery, analyticsQuery } from '../src/contract/analytics/query.ts';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import { createPostgresServer } from '../test/support/postgres-server.ts';
import { type SeededCalls, seedFacts } from './analytics-seed.ts';
import { measureCallEnds } from './call-ends.ts';
import { measureCallsBesideQueries } from './calls-beside-queries.ts';
import { median } from './statistics.ts';
import { atMost, type Target } from './targets.ts';

const dayMs = 86_400_000;
const repeats = 9;
const warmups = 2;

/** The times of a query on SQLite and on PostgreSQL. */
interface Measured {
  readonly title: string;
  readonly query: (seeded: SeededCalls) => object;
  readonly goals: readonly [sqlite: number, postgres: number];
}

const lastDays = (days: number, { to }: SeededCalls) => ({
  from: new Date(to - days * dayMs).toISOString(),
  to: new Date(to).toISOString(),
});

const measuredQueries: readonly [Measured, ...Measured[]] = [
  {
    title: '30 days by day, 6 metrics',
    query: (seeded) => ({
      range: lastDays(30, seeded),
      interval: 'day',
      metrics: ['calls', 'connectRate', 'successRate', 'durationMs.avg', 'latency.e2eMs.p95', 'toolErrorRate'],
    }),
    goals: [300, 500],
  },
  {
    title: '90 days by day and agent, filtered',
    query: (seeded) => ({
      range: lastDays(90, seeded),
      interval: 'day',
      groupBy: ['agentId'],
      metrics: ['calls', 'successRate', 'latency.e2eMs.p95'],
      filter: {
        all: [
          { field: 'endReason', op: 'eq', value: 'caller_hangup' },
          { field: 'durationMs', op: 'gt', value: 20_000 },
        ],
      },
    }),
    goals: [800, 1200],
  },
  {
    title: '380 days by day, p95 over all turns',
    query: (seeded) => ({ range: lastDays(380, seeded), interval: 'day', metrics: ['latency.e2eMs.p95'] }),
    goals: [4000, 5000],
  },
];

/** Queries from the call in the service to the reply of the thread, one after the other, and calls beside them. */
export async function measureAnalytics(calls: number): Promise<readonly Target[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-analytics-'));
  // The default of 128 MB holds a seventh of the facts; its manual recommends a quarter of the memory.
  const postgres = await createPostgresServer(['shared_buffers=2GB']);
  try {
    const targets: Target[] = [];
    const urls = [`sqlite:${join(folder, 'voice-agents.db')}`, postgres.url];
    for (const [place, url] of urls.entries()) {
      const engine = place === 0 ? 'SQLite' : 'PostgreSQL';
      const { seeded, results } = await measureOn(
        openDatabase(readDatabaseLocation({ DATABASE_URL: url }), () => {}),
        calls,
      );
      for (const { title, goals, times, processorMs } of results) {
        const note = `slowest ${Math.max(...times).toFixed(0)} ms; ${processorMs.toFixed(0)} ms by processor time of the service`;
        targets.push(atMost(`analytics: ${title}, ${engine}`, median(times), goals[place] as number, 'ms', note));
      }
      const { workspaceId } = seeded;
      const [{ query }] = measuredQueries;
      targets.push(await measureCallsBesideQueries({ engine, url, workspaceId }, query(seeded)));
    }
    return [...targets, await measureCallEnds()];
  } finally {
    await postgres.remove();
    rmSync(folder, { recursive: true });
  }
}

async function measureOn(database: Database, calls: number) {
  try {
    const seeded = await seedFacts(database, calls);
    const queries = createQueries(database, Date.now);
    try {
      const results = [];
      for (const measured of measuredQueries) {
        const query = analyticsQuery.parse(measured.query(seeded));
        results.push({ ...measured, ...(await timesOf(queries, seeded.workspaceId, query)) });
      }
      return { seeded, results };
    } finally {
      await queries.close();
    }
  } finally {
    await database.close();
  }
}

async function timesOf(
  { query }: ReturnType<typeof createQueries>,
  workspaceId: string,
  request: AnalyticsQuery,
): Promise<{ readonly times: readonly number[]; readonly processorMs: number }> {
  for (let number = 0; number < warmups; number += 1) await query(workspaceId, request);
  const times: number[] = [];
  const processor = process.cpuUsage();
  for (let number = 0; number < repeats; number += 1) {
    const start = performance.now();
    await query(workspaceId, request);
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(processor);
  return { times, processorMs: (user + system) / 1000 / repeats };
}
