import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createCallListing } from '../src/areas/calls/listing/listing.ts';
import type { Call } from '../src/contract/calls/call.ts';
import type { Filter } from '../src/contract/filter.ts';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import type { Page } from '../src/storage/page.ts';
import { seedCalls, workspaceId } from './call-seed.ts';
import { median } from './statistics.ts';
import { atMost, type Target } from './targets.ts';

const limit = 50;
const warmups = 50;
const repeats = 500;
/** Searches inside JSON take longer. */
const valueRepeats = 100;
const getsEveryMs = 2;
const getsMs = 5000;

/** A get takes a tenth of a millisecond. If it is often late by more than this, other programs use the processor. */
const maxQuietMs = 2;

type Search = (number: number) => Promise<Page<Call>>;

interface Times {
  readonly ms: readonly number[];
  /** Processor time of the whole process with its threads, which depends less on other programs than the duration. */
  readonly processorMs: readonly number[];
}

/** Lists and searches of calls in one workspace: the functions that the routes call, without HTTP. */
export async function measureCallsSearch(calls: number): Promise<readonly Target[]> {
  const database = openDatabase({ engine: 'sqlite', file: await seedCalls(calls) }, () => {});
  const { listCalls, searchCalls, close } = createCallListing(database);
  const agents = await agentsOf(database);
  const ids = await sampleOfIds(database, calls);
  const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;
  /** Every other page is the first one. */
  const place = (number: number) => (number % 2 === 0 ? null : pick(ids, number));

  const list: Search = (number) =>
    listCalls(workspaceId, { agentId: [pick(agents, number)], status: ['ended'] }, place(number), limit);
  const columns: Search = (number) => searchCalls(workspaceId, columnFilter(number), place(number), limit);
  const values: Search = (number) => searchCalls(workspaceId, pick(valueFilters, number), place(number), limit);
  const title = `of ${calls.toLocaleString('en')} calls`;
  try {
    const alone = await getTimes(database, ids);
    const targets = [
      pageTarget(`50 ${title}, by agent and status`, await timesOf(list, repeats), 10),
      pageTarget(`50 ${title}, by 5 columns`, await timesOf(columns, repeats), 10),
      pageTarget(`50 ${title}, by values inside of JSON`, await timesOf(values, valueRepeats), 100),
    ];
    const isDoubtful = percentile(alone, 0.99) > maxQuietMs;
    targets.push(getTarget(alone, await besideBusyThread(database, ids), await getTimes(database, ids, values)));
    return targets.map((target) => ({ ...target, isDoubtful }));
  } finally {
    await close();
    await database.close();
  }
}

/** Matches about one call in a hundred. */
function columnFilter(number: number): Filter {
  const sentiments = ['positive', 'neutral', 'negative', 'mixed'];
  return {
    all: [
      { field: 'status', op: 'eq', value: 'ended' },
      { field: 'type', op: 'ne', value: number % 3 === 0 ? 'chat' : 'web' },
      { field: 'analysis.sentiment', op: 'in', value: [sentiments[number % 4] as string] },
      { field: 'durationMs', op: 'gt', value: 200_000 },
      { field: 'latency.e2eMs.p50', op: 'lt', value: 600 },
    ],
  };
}

/** From matches on nearly every page to none in all calls, so that 20,000 are looked at. */
const valueFilters: readonly Filter[] = [
  { field: 'metadata.page', op: 'eq', value: '/booking' },
  { field: 'metadata.campaign', op: 'in', value: ['c-17', 'c-170'] },
  { field: 'metadata.campaign', op: 'eq', value: 'none' },
  { field: 'variables.visits', op: 'gt', value: 1000 },
  { field: 'collectedVariables.name', op: 'contains', value: '佐藤' },
  { not: { field: 'analysis.data.score', op: 'gte', value: 0 } },
  {
    all: [
      { field: 'status', op: 'eq', value: 'ended' },
      { field: 'variables.shop', op: 'startsWith', value: '銀座' },
      { field: 'collectedVariables.guests', op: 'gte', value: 9 },
    ],
  },
];

async function timesOf(search: Search, count: number): Promise<Times> {
  for (let number = 0; number < warmups; number += 1) await search(number);
  const ms: number[] = [];
  const processorMs: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const start = performance.now();
    const processor = process.cpuUsage();
    await search(number);
    const { user, system } = process.cpuUsage(processor);
    processorMs.push((user + system) / 1000);
    ms.push(performance.now() - start);
    // The reads of one event loop iteration share a snapshot; each of these must take its own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { ms, processorMs };
}

/** How late each get of a call is, which includes what keeps the event loop busy, while searches run one by one. */
async function getTimes(database: Database, ids: readonly string[], search: Search | null = null): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + getsMs;
  const searching = (async () => {
    for (let number = 0; search !== null && performance.now() < end; number += 1) await search(number);
  })();
  for (let due = performance.now(); due < end; due += getsEveryMs) {
    await delay(Math.max(0, due - performance.now()));
    // Timers may fire a little early.
    const start = Math.min(due, performance.now());
    await database.get('SELECT CAST(doc AS BLOB) AS doc FROM calls WHERE workspace_id = $1 AND id = $2', [
      workspaceId,
      ids[times.length % ids.length] as string,
    ]);
    times.push(performance.now() - start);
  }
  await searching;
  return times;
}

/**
 * While a thread computes that shares nothing with the gets. What is lost here is lost to the machine (its processors
 * share caches and clock rate), not to searches.
 */
async function besideBusyThread(database: Database, ids: readonly string[]): Promise<number[]> {
  const busy = new Worker('for (let value = 1; ; ) value = Math.imul(value, 31) + 7', { eval: true });
  try {
    return await getTimes(database, ids);
  } finally {
    await busy.terminate();
  }
}

async function agentsOf(database: Database): Promise<string[]> {
  const rows = await database.all<{ agent_id: string }>(
    'SELECT DISTINCT agent_id FROM (SELECT agent_id FROM calls NOT INDEXED LIMIT 1000) AS some',
  );
  return rows.map(({ agent_id }) => agent_id);
}

/** Spread over all calls. */
async function sampleOfIds(database: Database, calls: number): Promise<string[]> {
  const ids: string[] = [];
  for (let row = 1; row <= calls; row += Math.ceil(calls / 997)) {
    const found = await database.get<{ id: string }>('SELECT id FROM calls WHERE rowid = $1', [row]);
    if (found !== undefined) ids.push(found.id);
  }
  return ids;
}

function pageTarget(title: string, { ms, processorMs }: Times, goal: number): Target {
  const processor = percentile(processorMs, 0.99).toFixed(2);
  const note = `99th percentile; ${processor} ms by processor time; median ${median(ms).toFixed(2)} ms`;
  return atMost(title, percentile(ms, 0.99), goal, 'ms', note);
}

function getTarget(alone: readonly number[], busy: readonly number[], beside: readonly number[]): Target {
  const [aloneTimes, busyTimes, besideTimes] = [alone, busy, beside].map(
    (times) => `${median(times).toFixed(2)} and ${percentile(times, 0.99).toFixed(2)} ms`,
  );
  const note = `median and 99th percentile ${besideTimes}; alone ${aloneTimes}; beside a thread that computes ${busyTimes}`;
  const ratio = median(beside) / median(alone);
  return atMost('get of a call beside searches inside of JSON, of alone', ratio, 1.5, '×', note);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}
