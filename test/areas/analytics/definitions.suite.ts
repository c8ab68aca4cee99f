import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { fixedFields } from '../../../src/contract/analytics/fields.ts';
import { metricNames, metrics } from '../../../src/contract/analytics/metrics.ts';
import type { AnalyticsResult, AnalyticsRow } from '../../../src/contract/analytics/query.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import { zonedTimes } from '../../../src/core/zoned-time.ts';
import { send } from '../../support/client.ts';
import { runInProcess } from '../../support/command-line.ts';
import { useDuckDb } from '../../support/duckdb.ts';
import type { Engine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { seed } from '../../support/seed.ts';
import { useService } from '../../support/service.ts';
import { type GeneratedCall, generateCalls, storeCalls } from './calls-of-every-kind.ts';
import {
  bucketKey,
  fieldOf,
  groupValue,
  type NaiveMetric,
  type NaiveQuery,
  naiveFigures,
  rowKey,
} from './definitions-model.ts';
import { duckDbFigures, leafSql, loadExport } from './duckdb-model.ts';

const zones = ['Asia/Tokyo', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe'] as const;
const freeForm = [
  'analysis.data.booked',
  'metadata.page',
  'metadata.mixed',
  'variables.shop',
  'collectedVariables.date.day',
];
/** Without the transcripts of these, DuckDB knows nothing about their turns. */
const isExported = { field: 'dataStorageSetting', op: 'ne', value: 'basic_attributes_only' };
const isExportedSql = "(j->>'$.dataStorageSetting') <> 'basic_attributes_only'";
const isNoDraftSql = "(j->>'$.isDraft') = 'false'";
const usual = ['calls', 'connectRate', 'durationMs.avg', 'latency.e2eMs.p95', 'latency.ownMs.sum', 'toolErrorRate'];

/** Before anything is filled in. */
const lastTime = '9999-12-31T00:00:00.000Z';
/** The timeout of tests that take a while: ten thousand calls have ten thousand transcripts to export. */
export const longMs = 1_200_000;

const named = (names: readonly string[]): NaiveMetric[] => names.map((metric) => ({ metric, as: metric }));

/**
 * The figures of generated calls, as the service, the naive model and DuckDB over an export compute them. `step`: 1 for
 * every metric, dimension and filter, or more for some of them.
 */
export function definitionsSuite(engine: Engine, count: number, step: number): void {
  const some = <T>(all: readonly T[]): T[] => all.filter((_, index) => index % step === 0);
  const service = useService(engine);
  const duckDb = useDuckDb();
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-analytics-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  let key = '';
  let calls: readonly GeneratedCall[] = [];
  const counted = (matches: (call: Call) => boolean = () => true) =>
    calls.filter(({ call }) => !call.isDraft && matches(call));
  const exported = (matches: (call: Call) => boolean = () => true) =>
    counted((call) => call.dataStorageSetting !== 'basic_attributes_only' && matches(call));
  const ask = async (query: object): Promise<AnalyticsResult> => {
    const body = { range: { from: '2026-02-20T00:00:00Z', to: '2026-12-10T00:00:00Z' }, limit: 10_000, ...query };
    const { status, json } = await send(service, 'POST', '/api/v1/analytics/query', { key, body });
    assert.deepEqual([status, json.truncated], [200, false], `${JSON.stringify(query)}: ${JSON.stringify(json)}`);
    return json;
  };

  const long = { timeout: longMs };
  before(async () => {
    const created = await service.newKey();
    ({ key } = created);
    calls = generateCalls(created.workspaceId, count, seed);
    await storeCalls(service.database, calls);
    for (let filledFrom: string | null = lastTime; filledFrom !== null; ) {
      const before: string | null = filledFrom;
      await eventually(async () => {
        ({ filledFrom } = await ask({ metrics: ['calls'] }));
        return filledFrom !== before;
      });
    }
    const file = join(folder, 'calls.jsonl');
    const settings = { VOICE_AGENTS_API_KEY: key, VOICE_AGENTS_BASE_URL: service.url };
    const { code, stderr } = await runInProcess(['calls', 'export', '--out', file], settings);
    assert.equal(code, 0, stderr);
    await loadExport(duckDb, file);
  }, long);

  /** The service, the model and DuckDB give the same rows; buckets without calls have counts and sums of 0. */
  const agree = async (
    query: Omit<NaiveQuery, 'interval' | 'groupBy' | 'timeZone'> & Partial<NaiveQuery>,
    { filter, matches, sql }: { filter?: object; matches?: (call: Call) => boolean; sql?: string } = {},
  ): Promise<AnalyticsResult> => {
    const { interval = 'none', timeZone = 'UTC', groupBy = [], metrics: asked } = query;
    const naive: NaiveQuery = { interval, timeZone, groupBy, metrics: asked };
    const all = filter === undefined ? isExported : { all: [isExported, filter] };
    const requested = asked.map((entry) => (entry.as === entry.metric ? entry.metric : entry));
    const result = await ask({ ...query, metrics: requested, filter: all });
    const rows = byKey(result.rows, naive);
    const expected = naiveFigures(exported(matches), naive);
    assert.deepEqual(rows.withCalls, expected);
    assert.equal(result.calls, exported(matches).length);
    const condition = [isExportedSql, isNoDraftSql, ...(sql === undefined ? [] : [sql])].join(' AND ');
    assert.deepEqual(sorted(await duckDbFigures(duckDb, naive, condition)), sorted(expected), condition);
    for (const row of rows.empty) {
      for (const { as, metric } of asked)
        assert.equal(row.values[as], isCountOrSum(metric) ? 0 : null, `${as} of nothing`);
    }
    return result;
  };

  const ofFields = metricNames.filter((name) => name.startsWith('field.'));
  const ofCost = metricNames.filter((name) => name.startsWith('cost.'));
  const others = metricNames.filter((name) => !ofFields.includes(name) && !ofCost.includes(name));

  it('computes every metric as it is defined', long, async () => {
    const [calls = '', ...rest] = others;
    const parts = Array.from({ length: Math.ceil(rest.length / 19) }, (_, index) =>
      rest.slice(19 * index, 19 * (index + 1)),
    );
    for (const names of some(parts)) {
      const asked = named([calls, ...names]);
      await agree({ metrics: asked });
      await agree({ metrics: asked, interval: 'month', timeZone: 'Asia/Tokyo' });
    }
    await agree({ metrics: named(['calls', ...ofCost, 'unpricedCalls']), groupBy: ['currency'] });
    for (const field of ['metadata.score', 'analysis.data.guests', 'analysis.data.booked', 'metadata.mixed']) {
      await agree({
        metrics: [...named(['calls']), ...ofFields.map((metric) => ({ metric, field, as: metric.replace('.', '_') }))],
        interval: 'week',
      });
    }
    assert.ok(others.length > 250);
  });

  it('counts calls without a stored transcript, and drafts only if asked to', async () => {
    const asked = named(others.slice(0, 20));
    const [row] = (await ask({ metrics: others.slice(0, 20) })).rows;
    const naive: NaiveQuery = { interval: 'none', timeZone: 'UTC', groupBy: [], metrics: asked };
    assert.deepEqual(row?.values, naiveFigures(counted(), naive).get(rowKey('', [])));
    const [withDrafts] = (await ask({ metrics: others.slice(0, 20), includeDrafts: true })).rows;
    assert.deepEqual(withDrafts?.values, naiveFigures(calls, naive).get(rowKey('', [])));
  });

  it('groups by every dimension', long, async () => {
    const dimensions = [...fixedFields].filter(([, { isDimension }]) => isDimension).map(([name]) => name);
    for (const [index, name] of some([...dimensions, ...freeForm]).entries()) {
      const timeZone = zones[index % zones.length] as string;
      await agree({ metrics: named(usual), groupBy: [name], timeZone });
      const second = dimensions[(index + 5) % dimensions.length] as string;
      await agree({ metrics: named(usual), groupBy: [name, second], timeZone, interval: 'month' });
    }
  });

  it('filters by every field', long, async () => {
    const timeZone = 'America/New_York';
    const textOf = zonedTimes(timeZone);
    for (const field of some([...fixedFields.keys(), ...freeForm, 'metadata.score', 'analysis.data.guests'])) {
      const values = exported().map(({ call }) => fieldOf(call, field, textOf));
      const scalars = values.filter((value) => typeof value !== 'object' && String(value).length < 100);
      const value = scalars[Math.floor(scalars.length / 2)];
      for (const [op, operand] of leavesFor(field, value)) {
        await agree(
          { metrics: named(usual), timeZone },
          {
            filter: { field, op, value: operand },
            matches: (call) => isTrue(op, fieldOf(call, field, textOf), operand),
            sql: leafSql(field, op, operand, timeZone),
          },
        );
      }
    }
  });

  it('has hours, days and weeks that add up to the whole in zones whose clocks change', long, async () => {
    for (const timeZone of zones) {
      const totals = await agree({ metrics: named(['calls', 'latency.e2eMs.count']), timeZone });
      for (const interval of ['day', 'week', 'month'] as const) {
        const { rows } = await agree({ metrics: named(['calls', 'latency.e2eMs.count']), timeZone, interval });
        for (const name of ['calls', 'latency.e2eMs.count']) {
          const sum = rows.reduce((total, { values }) => total + (values[name] as number), 0);
          assert.equal(sum, totals.rows[0]?.values[name], `${name} by ${interval} in ${timeZone}`);
        }
      }
      const hours = { from: '2026-10-02T00:00:00Z', to: '2026-11-04T00:00:00Z' };
      const { rows } = await ask({ range: hours, metrics: ['calls'], interval: 'hour', timeZone });
      const naive: NaiveQuery = { interval: 'hour', timeZone, groupBy: [], metrics: named(['calls']) };
      const within = ({ createdAt }: Call) => createdAt >= hours.from && createdAt < hours.to;
      assert.deepEqual(byKey(rows, naive).withCalls, naiveFigures(counted(within), naive));
    }
  });

  it('compares with what a second query over the shifted range returns', async () => {
    const timeZone = 'America/New_York';
    const query = { metrics: usual, timeZone, interval: 'day', filter: isExported };
    const shifted = { week: ['2026-02-28', '2026-03-14'], month: ['2026-02-07', '2026-02-21'] } as const;
    for (const compare of ['week', 'month'] as const) {
      const range = { from: '2026-03-07T00:00:00-05:00', to: '2026-03-21T00:00:00-04:00' };
      const [from, to] = shifted[compare];
      const earlier = { from: `${from}T00:00:00-05:00`, to: `${to}T00:00:00-0${to > '2026-03-08' ? 4 : 5}:00` };
      const compared = await ask({ ...query, range, compare });
      const alone = await ask({ ...query, range: earlier });
      assert.deepEqual(compared.previousRange, alone.range);
      assert.deepEqual(
        compared.rows.map(({ previous }) => previous),
        alone.rows.map(({ values }) => values),
      );
    }
  });

  it('has percentiles of all values, not averages of percentiles', async () => {
    const name = 'latency.e2eMs.p95';
    const [whole] = (await ask({ metrics: [name] })).rows;
    const { rows } = await ask({ metrics: [name], groupBy: ['agentVersion', 'type'] });
    const mean = rows.reduce((sum, { values }) => sum + (values[name] as number), 0) / rows.length;
    assert.notEqual(whole?.values[name], mean);
    const [median] = (await ask({ metrics: ['durationMs.p50', 'durationMs.avg'] })).rows;
    assert.notEqual(median?.values['durationMs.p50'], median?.values['durationMs.avg']);
  });
}

/** Rows with calls, by bucket and group, and the others. */
function byKey(rows: readonly AnalyticsRow[], { interval, groupBy }: NaiveQuery) {
  const isEmpty = ({ values }: AnalyticsRow) => values.calls === 0;
  const keyed = rows
    .filter((row) => !isEmpty(row))
    .map(({ bucket, group, values }): [string, AnalyticsRow['values']] => [
      rowKey(
        bucketKey(bucket, interval),
        groupBy.map((name) => groupValue(group[name])),
      ),
      values,
    ]);
  assert.equal(new Set(keyed.map(([name]) => name)).size, keyed.length, 'no bucket occurs twice');
  return { withCalls: new Map(keyed), empty: rows.filter(isEmpty) };
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}

function isCountOrSum(name: string): boolean {
  const computation = metrics.get(name)?.computation;
  if (computation === undefined || 'sum' in computation) return false;
  return 'field' in computation ? computation.field === 'distinct' : ['count', 'sum'].includes(computation.aggregate);
}

/** The conditions to try on a field, one of whose values is given. */
function leavesFor(field: string, value: unknown): [op: string, operand: unknown][] {
  const known = fixedFields.get(field);
  const exists: [string, unknown][] = [
    ['exists', true],
    ['exists', false],
  ];
  if (value === undefined || value === null) return exists;
  if (known?.type === 'time') return [...exists, ['gte', value], ['lt', value]];
  if (typeof value === 'number') return [...exists, ['eq', value], ['gte', value], ['lt', value]];
  if (typeof value === 'boolean') return [...exists, ['eq', value]];
  const isOpen = known === undefined || known.values === undefined;
  return [...exists, ['eq', value], ...(isOpen ? ([['contains', 'o']] as [string, unknown][]) : [])];
}

function isTrue(op: string, value: unknown, operand: unknown): boolean {
  if (op === 'exists') return (value !== null && value !== undefined) === operand;
  if (value === null || typeof value !== typeof operand) return false;
  if (op === 'contains') return (value as string).includes(operand as string);
  if (op === 'eq') return value === operand;
  return op === 'gte' ? (value as number) >= (operand as number) : (value as number) < (operand as number);
}
