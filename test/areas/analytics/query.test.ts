import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Random } from '../../../campaigns/random.ts';
import { Calendar, loadTemporal } from '../../../src/areas/analytics/query/ranges.ts';
import { runQuery } from '../../../src/areas/analytics/query/run.ts';
import { metrics } from '../../../src/contract/analytics/metrics.ts';
import { type AnalyticsResult, type AnalyticsRow, analyticsQuery } from '../../../src/contract/analytics/query.ts';
import type { Filter } from '../../../src/contract/filter.ts';
import type { Database, ReaderConnection } from '../../../src/storage/database.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { openDatabase, openReader } from '../../../src/storage/open.ts';
import { locationOf, onEachEngine } from '../../support/engines.ts';
import { seed } from '../../support/seed.ts';
import { newWorkspace } from '../../support/stored-calls.ts';
import { type GeneratedCall, generatedCalls, storeFacts } from './generated-calls.ts';
import { matching, naiveGroup, naiveMetric, naiveUsageAverage } from './naive-model.ts';

const [from, to] = [Date.parse('2026-09-20T00:00Z'), Date.parse('2026-11-10T00:00Z')];
const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
const timeZones = ['UTC', 'Asia/Tokyo', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe'];

const filters: readonly Filter[] = [
  { field: 'type', op: 'eq', value: 'phone' },
  { field: 'metadata.mixed', op: 'eq', value: 1 },
  { field: 'metadata.mixed', op: 'exists', value: true },
  { not: { field: 'variables.shop', op: 'contains', value: '店' } },
  {
    any: [
      { field: 'durationMs', op: 'lt', value: 90_000 },
      { field: 'conversation.deadAirMs', op: 'gte', value: 4000 },
    ],
  },
  {
    all: [
      { field: 'createdAt', op: 'gte', value: '2026-10-01T00:00:00+09:00' },
      { field: 'cost', op: 'exists', value: true },
    ],
  },
  {
    all: [
      { field: 'hourOfDay', op: 'in', value: [9, 10, 11] },
      { field: 'model', op: 'startsWith', value: 'MODEL' },
    ],
  },
  { field: 'analysis.successful', op: 'ne', value: true },
];

const groupings: readonly string[][] = [
  [],
  ['agentId'],
  ['metadata.mixed'],
  ['hourOfDay', 'dayOfWeek'],
  ['model', 'analysis.successful'],
  ['metadata.a.b"c', 'agentVersion'],
  ['currency'],
];

const plainMetrics = [...metrics.keys()].filter((name) => !name.startsWith('field.'));
const fieldMetrics = [
  ...['count', 'sum', 'avg', 'min', 'max', 'p50', 'p90'].map((each) => ({
    metric: `field.${each}`,
    field: 'metadata.mixed',
  })),
  { metric: 'field.avg', field: 'analysis.data.score' },
  { metric: 'field.p95', field: 'durationMs' },
  { metric: 'field.trueRate', field: 'analysis.data.booked' },
  { metric: 'field.trueRate', field: 'analysis.successful' },
  { metric: 'field.distinct', field: 'metadata.mixed' },
  { metric: 'field.distinct', field: 'variables.shop' },
];

onEachEngine(
  'figures',
  (engine) => {
    let database: Database;
    let reader: ReaderConnection;
    let workspaceId: string;
    let calls: GeneratedCall[];

    before(async () => {
      const location = locationOf(await engine.newServiceUrl());
      database = openDatabase(location, () => {});
      await migrate(database, Date.now);
      workspaceId = await newWorkspace(database);
      // Half of the calls are in others.
      const other = await newWorkspace(database);
      const random = new Random(seed);
      calls = generatedCalls(random, workspaceId, { count: 3000, from: from - 1e9, to: to + 1e9 });
      await storeFacts(database, calls);
      await storeFacts(database, generatedCalls(random, other, { count: 300, from, to }));
      reader = openReader(location);
    });
    after(async () => {
      await reader.close();
      await database.close();
    });

    const run = async (body: object, now = to): Promise<AnalyticsResult> => {
      const query = analyticsQuery.parse({ range, ...body });
      const reply = await reader.snapshot((snapshot) => runQuery(snapshot, { workspaceId, query, now }));
      assert.ok('result' in reply, JSON.stringify(reply));
      return { ...reply.result, tookMs: 0 };
    };
    const refusal = async (body: object): Promise<string> => {
      const query = analyticsQuery.parse({ range, ...body });
      const reply = await reader.snapshot((snapshot) => runQuery(snapshot, { workspaceId, query, now: to }));
      return 'refused' in reply ? reply.refused : '';
    };
    const within = (start: number, end: number) =>
      calls.filter(({ call }) => {
        const createdAt = Date.parse(call.createdAt);
        return createdAt >= start && createdAt < end && !call.isDraft;
      });

    const expectedMetric = (name: string, some: readonly GeneratedCall[], field?: string) =>
      name.startsWith('usage.') && name.endsWith('.avg')
        ? naiveUsageAverage(name, some)
        : naiveMetric(name, some, field);

    it('have every metric as it is defined', async () => {
      const inRange = within(from, to);
      for (let first = 0; first < plainMetrics.length; first += 20) {
        const names = plainMetrics.slice(first, first + 20);
        const { rows } = await run({ metrics: names });
        const expected = Object.fromEntries(names.map((name) => [name, expectedMetric(name, inRange)]));
        assert.deepEqual(rows[0]?.values, expected);
      }
      const { rows } = await run({ metrics: fieldMetrics.map((each, index) => ({ ...each, as: `m${index}` })) });
      for (const [index, { metric, field }] of fieldMetrics.entries()) {
        const [found, expected] = [rows[0]?.values[`m${index}`], naiveMetric(metric, inRange, field)];
        // The naive sum of fractions loses digits.
        assert.ok(Math.abs((found ?? 0) - (expected ?? 0)) < 1e-6, `${metric} of ${field}: ${found} and ${expected}`);
      }
    });

    it('are grouped, filtered and cut into buckets like a naive model does', async () => {
      const random = new Random(seed + 1);
      const temporal = await loadTemporal();
      for (let round = 0; round < 30; round += 1) {
        const timeZone = random.pick(timeZones);
        const query = {
          timeZone,
          interval: random.pick(['none', 'day', 'week', 'month'] as const),
          groupBy: random.pick(groupings),
          ...(random.chance(0.6) && { filter: random.pick(filters) }),
          metrics: [
            ...['calls', 'latency.e2eMs.p95', 'durationMs.p50', 'successRate', 'cost.sum'],
            { metric: 'calls', filter: random.pick(filters), as: 'some' },
            { ratio: ['some', 'calls'], as: 'share' },
          ],
          limit: 10_000,
        };
        const result = await run(query);
        const { starts } = new Calendar(temporal, timeZone).buckets({ from, to }, query.interval, 1000) as never as {
          starts: number[];
        };
        const inRange = matching(within(from, to), query.filter, timeZone);
        const groups = new Map<string, GeneratedCall[]>(query.groupBy.length === 0 ? [['[]', []]] : []);
        for (const each of inRange) {
          const key = JSON.stringify(naiveGroup(each, query));
          groups.set(key, [...(groups.get(key) ?? []), each]);
        }
        const expected = [...groups].flatMap(([key, members]) =>
          starts.map((start, place) => {
            const end = starts[place + 1] ?? to;
            const some = members.filter(({ call }) => {
              const createdAt = Date.parse(call.createdAt);
              return createdAt >= start && createdAt < end;
            });
            const own = matching(some, (query.metrics[5] as { filter: Filter }).filter, timeZone).length;
            return {
              start,
              key,
              values: {
                ...Object.fromEntries(
                  query.metrics.slice(0, 5).map((name) => [name, naiveMetric(name as string, some)]),
                ),
                some: own,
                share: some.length === 0 ? null : Number((own / some.length).toFixed(6)),
              },
            };
          }),
        );
        const found = result.rows.map(({ bucket, group, values }) => ({
          start: Date.parse(bucket),
          key: JSON.stringify(query.groupBy.map((name) => group[name])),
          values,
        }));
        const sorted = <R extends { start: number; key: string }>(rows: R[]) =>
          rows.sort((one, other) => one.start - other.start || (one.key < other.key ? -1 : 1));
        assert.deepEqual(sorted(found), sorted(expected), JSON.stringify(query));
        assert.equal(result.calls, inRange.length);
        assert.equal(result.truncated, false);
      }
    });

    it('of buckets and groups add up to the whole, but percentiles are not means of percentiles', async () => {
      const metricsOf = ['calls', 'latency.e2eMs.count', 'latency.e2eMs.p95'];
      const whole = (await run({ metrics: metricsOf })).rows[0]?.values;
      for (const timeZone of timeZones) {
        for (const interval of ['hour', 'day', 'week', 'month']) {
          const { rows } = await run({ metrics: metricsOf, timeZone, interval, limit: 10_000 });
          for (const name of metricsOf.slice(0, 2)) {
            assert.equal(
              rows.reduce((sum, { values }) => sum + (values[name] ?? 0), 0),
              whole?.[name],
            );
          }
        }
      }
      const { rows } = await run({ metrics: metricsOf, groupBy: ['agentId'] });
      const mean = rows.reduce((sum, { values }) => sum + (values['latency.e2eMs.p95'] ?? 0), 0) / rows.length;
      assert.notEqual(mean, whole?.['latency.e2eMs.p95']);
    });

    it('count drafts only if they are asked for', async () => {
      const drafts = calls.filter(
        ({ call }) => call.isDraft && call.createdAt >= range.from && call.createdAt < range.to,
      );
      const [without, all] = [
        await run({ metrics: ['calls'] }),
        await run({ metrics: ['calls'], includeDrafts: true }),
      ];
      assert.ok(drafts.length > 0);
      assert.equal(all.calls - without.calls, drafts.length);
    });

    it('are compared with what a second query with the earlier range says', async () => {
      const now = Date.parse('2026-11-05T10:00Z');
      for (const compare of ['previous', 'week', 'month']) {
        for (const groupBy of [[], ['agentId']]) {
          const body = { timeZone: 'America/New_York', interval: 'day', groupBy, metrics: ['calls', 'durationMs.p90'] };
          const result = await run({ ...body, range: { last: '5d' }, compare }, now);
          const earlier = await run({ ...body, range: result.previousRange as object }, now);
          const rowsOf = (rows: AnalyticsRow[], values: (row: AnalyticsRow) => unknown) => {
            const buckets = [...new Set(rows.map(({ bucket }) => bucket))];
            return new Map(
              rows.map((row) => [JSON.stringify([buckets.indexOf(row.bucket), row.group]), values(row)] as const),
            );
          };
          const second = rowsOf(earlier.rows, ({ values }) => values);
          const previous = rowsOf(result.rows, (row) => row.previous);
          assert.ok(previous.size >= 5);
          for (const [key, values] of previous) assert.deepEqual(values, second.get(key) ?? null, key);
        }
      }
    });

    it('are ordered, and limited to whole groups', async () => {
      const body = { interval: 'week', groupBy: ['agentId'], metrics: ['calls'] };
      const all = await run(body);
      const weeks = new Set(all.rows.map(({ bucket }) => bucket)).size;
      const totals = new Map<unknown, number>();
      for (const { group, values } of all.rows) {
        totals.set(group.agentId, (totals.get(group.agentId) ?? 0) + (values.calls ?? 0));
      }
      const largest = [...totals].sort(([, one], [, other]) => other - one).slice(0, 2);
      const few = await run({ ...body, limit: 2 * weeks + 1, order: { by: 'calls', direction: 'desc' } });
      assert.deepEqual(new Set(few.rows.map(({ group }) => group.agentId)), new Set(largest.map(([id]) => id)));
      assert.equal(few.rows.length, 2 * weeks);
      assert.equal(few.truncated, true);
      const counts = few.rows.map(({ values }) => values.calls as number);
      assert.deepEqual(
        counts,
        [...counts].sort((one, other) => other - one),
      );
      const first = await run({ ...body, limit: 3 });
      assert.deepEqual([first.rows.length, first.truncated], [3, true]);
      const byAgent = await run({ ...body, order: { by: 'agentId', direction: 'asc' } });
      assert.equal(byAgent.rows.at(-1)?.group.agentId, null);
    });

    it('of an empty workspace are 0 and null, and of no group there is nothing', async () => {
      const own = workspaceId;
      try {
        workspaceId = await newWorkspace(database);
        const metricsOf = ['calls', 'cost.sum', 'durationMs.p95', 'connectRate'];
        const { rows, calls: count } = await run({ metrics: metricsOf, interval: 'month' });
        assert.equal(count, 0);
        assert.equal(rows.length, 3);
        for (const { values } of rows) {
          assert.deepEqual(values, { calls: 0, 'cost.sum': 0, 'durationMs.p95': null, connectRate: null });
        }
        assert.deepEqual((await run({ metrics: metricsOf, groupBy: ['agentId'] })).rows, []);
      } finally {
        workspaceId = own;
      }
    });

    it('are refused if there are too many rows or several currencies', async () => {
      assert.match(
        await refusal({ metrics: ['calls'], interval: 'hour', groupBy: ['agentId', 'hourOfDay'] }),
        /10,000 rows/,
      );
      const foreign = generatedCalls(new Random(seed + 2), workspaceId, { count: 20, from: to + 2e9, to: to + 3e9 });
      const inDollars = foreign.map(({ call, details }) => ({
        call: { ...call, isDraft: false, cost: { currency: 'USD', totalMicros: 1 } as typeof call.cost },
        details,
      }));
      const body = { metrics: ['cost.avg'], range: { from: range.from, to: new Date(to + 3e9).toISOString() } };
      await storeFacts(database, inDollars);
      assert.match(await refusal(body), /several currencies/);
      const { rows } = await run({ ...body, groupBy: ['currency'] });
      assert.deepEqual(
        rows.map(({ group }) => group.currency),
        ['JPY', 'USD', null],
      );
      const ofOne = { metric: 'cost.sum', filter: { field: 'currency', op: 'eq', value: 'USD' }, as: 'dollars' };
      assert.equal((await run({ ...body, metrics: [ofOne] })).rows[0]?.values.dollars, 20);
    });

    it('of costs may be in several currencies if each sum is in one', async () => {
      const own = workspaceId;
      try {
        workspaceId = await newWorkspace(database);
        const [pattern] = generatedCalls(new Random(seed), workspaceId, { count: 1, from, to });
        const { call, details } = pattern as GeneratedCall;
        const paid = ['USD', 'USD', 'JPY'].map((currency, index) => ({
          details,
          call: {
            ...call,
            id: `${call.id}-${index}`,
            isDraft: false,
            cost: { currency, totalMicros: 10 ** index } as typeof call.cost,
          },
        }));
        await storeFacts(database, paid);
        const sumIn = (currency: string) => ({
          metric: 'cost.sum',
          filter: { field: 'currency', op: 'eq', value: currency },
          as: currency,
        });
        const { rows } = await run({ metrics: [sumIn('USD'), sumIn('JPY')], compare: 'year' });
        assert.deepEqual(rows[0]?.values, { USD: 11, JPY: 100 });
        assert.match(await refusal({ metrics: [sumIn('USD'), 'cost.avg'] }), /several currencies/);
        const inAny = { ...sumIn('USD'), filter: { field: 'currency', op: 'in', value: ['USD', 'JPY'] } };
        assert.match(await refusal({ metrics: [inAny, sumIn('JPY')] }), /several currencies/);
      } finally {
        workspaceId = own;
      }
    });

    it('have ratios with 6 decimals, also the share of speech of a single call', async () => {
      const names = ['avg', 'min', 'max', 'p50', 'p99'].map((each) => `conversation.talkRatio.${each}`);
      const { rows } = await run({ metrics: names, groupBy: ['agentId'], interval: 'day', limit: 10_000 });
      const values = rows.flatMap((row) => Object.values(row.values)).filter((value) => value !== null);
      assert.ok(values.length > 100);
      assert.deepEqual(
        values,
        values.map((value) => Number(value.toFixed(6))),
      );
    });

    it('put the values of a dimension together that are beyond the most frequent thousand', async () => {
      const own = workspaceId;
      try {
        workspaceId = await newWorkspace(database);
        const [pattern] = generatedCalls(new Random(seed), workspaceId, { count: 1, from, to });
        const { call, details } = pattern as GeneratedCall;
        // Two calls each of the first ten, one of every other.
        const names = Array.from({ length: 1210 }, (_, index) => index % 1200);
        const many = names.map((name, index) => ({
          details,
          call: { ...call, id: `${call.id}-${index}`, isDraft: false, metadata: { name } },
        }));
        await storeFacts(database, many);
        const { rows, calls: count } = await run({ metrics: ['calls'], groupBy: ['metadata.name'] });
        assert.equal(count, 1210);
        assert.equal(rows.length, 1000);
        const { rows: all } = await run({ metrics: ['calls'], groupBy: ['metadata.name'], limit: 5000 });
        assert.equal(all.length, 1001);
        const callsOf = (name: unknown) => all.find(({ group }) => group['metadata.name'] === name)?.values.calls;
        assert.deepEqual([callsOf(0), callsOf(9), callsOf(10), callsOf(999), callsOf(1000)], [2, 2, 1, 1, undefined]);
        assert.equal(callsOf('(other)'), 200);
      } finally {
        workspaceId = own;
      }
    });
  },
  { alsoQuick: true },
);
