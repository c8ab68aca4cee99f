import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callFields } from '../../dashboard/src/analytics/call-fields.ts';
import { callsHref, filterBehind } from '../../dashboard/src/analytics/calls-behind.ts';
import { csvRows } from '../../dashboard/src/analytics/cells.ts';
import { csvOf } from '../../dashboard/src/analytics/csv.ts';
import {
  intervalOf,
  possibleIntervals,
  readFilters,
  scopeOf,
  startIn,
  writeFilters,
} from '../../dashboard/src/analytics/filters.ts';
import { timesOfHour } from '../../dashboard/src/analytics/hours.ts';
import { isAlone, maxLines, panelsOf, pointsOf } from '../../dashboard/src/analytics/lines.ts';
import { partsOf, unitOf, unitOfEntry } from '../../dashboard/src/analytics/metric.ts';
import { familyTexts } from '../../dashboard/src/analytics/metric-texts.ts';
import {
  type Filter,
  metricOf,
  type Query,
  type RequestedMetric,
  type Result,
} from '../../dashboard/src/analytics/query.ts';
import { tileMetrics, versionMetrics } from '../../dashboard/src/analytics/reply-metrics.ts';
import { hasValues, tableOf } from '../../dashboard/src/analytics/table.ts';
import { createValueFormat } from '../../dashboard/src/analytics/value-format.ts';
import { queryOf } from '../../dashboard/src/analytics/view-query.ts';
import { builtInViews } from '../../dashboard/src/analytics/views.ts';
import { createFormat } from '../../dashboard/src/language/format.ts';
import { overviewQuery } from '../../dashboard/src/pages/overview/overview-query.ts';
import { fixedFields } from '../../src/contract/analytics/fields.ts';
import { metrics } from '../../src/contract/analytics/metrics.ts';
import { analyticsQuery } from '../../src/contract/analytics/query.ts';
import { callColumns, callFields as knownFields } from '../../src/contract/calls/fields.ts';
import { filterIssues } from '../../src/contract/filter.ts';

const resultOf = (rows: readonly object[], asOf = '2026-11-18T12:00:00.000Z', compare = false) =>
  ({
    rows: rows.map((row) => ({ group: {}, previous: null, ...row })),
    range: { from: '2026-11-16T00:00:00+00:00', to: '2026-11-19T00:00:00+00:00' },
    previousRange: compare ? { from: '2026-11-13T00:00:00+00:00', to: '2026-11-16T00:00:00+00:00' } : null,
    timeZone: 'UTC',
    truncated: false,
    filledFrom: null,
    asOf,
    calls: 1,
    tookMs: 1,
  }) as unknown as Result;

const days = ['2026-11-16T00:00:00+00:00', '2026-11-17T00:00:00+00:00', '2026-11-18T00:00:00+00:00'];
const byDay: Query = { range: { last: '3d' }, interval: 'day', metrics: ['calls', 'connectRate'] };

describe('the metrics of the dashboard', () => {
  it('have the units of the contract', () => {
    for (const [name, { unit }] of metrics) assert.equal(unitOf(name), unit, name);
  });

  it('have a name in both languages', () => {
    for (const name of metrics.keys()) {
      for (const texts of [familyTexts.en, familyTexts.ja]) assert.ok(texts[partsOf(name).family], name);
    }
  });

  it('are a share only if both parts of a ratio count calls', () => {
    const entries: Query['metrics'] = [
      'calls',
      'errorCalls',
      'toolCalls.sum',
      { ratio: ['errorCalls', 'calls'], as: 'a' },
    ];
    assert.equal(unitOfEntry({ ratio: ['errorCalls', 'calls'], as: 'a' }, entries), 'ratio');
    assert.equal(unitOfEntry({ ratio: ['toolCalls.sum', 'calls'], as: 'b' }, entries), null);
  });
});

describe('the filters of the analytics page', () => {
  const read = (text: string) => readFilters(new URLSearchParams(text));

  it('are the same after they were in the URL', () => {
    const text =
      'agentId=agt_1&agentVersion=3&compare=week&direction=inbound&drafts=true&from=2026-11-01&interval=day&period=days&timeZone=Asia%2FTokyo&to=2026-11-07&type=phone';
    const written = new URLSearchParams(writeFilters(read(text)));
    written.sort();
    assert.equal(written.toString(), text);
    assert.deepEqual(writeFilters(read('')), {});
  });

  it('ignore what the service would reject', () => {
    assert.deepEqual(
      read('period=5y&interval=second&compare=x&agentVersion=0&type=fax&timeZone=Mars&from=2026-13-01'),
      read(''),
    );
    assert.equal(read('period=days&from=2026-11-07&to=2026-11-01').period, '30d');
    assert.equal(read('period=12mo&interval=hour').interval, '', 'too many points');
  });

  it('make queries that the service accepts, for every built-in view, period and interval', () => {
    for (const period of ['24h', '7d', '30d', '90d', '12mo', 'days']) {
      const filters = read(`period=${period}&from=2026-01-01&to=2026-11-07&agentId=agt_1&agentVersion=2&compare=year`);
      for (const interval of ['', ...possibleIntervals(filters)] as const) {
        for (const view of builtInViews) {
          const { success, error } = analyticsQuery.safeParse(queryOf(view, { ...filters, interval }));
          assert.ok(success, `${view.name} ${period} ${interval}: ${error?.message}`);
        }
      }
    }
  });

  it('have times of chats and of spoken calls in no figure together', () => {
    const isMixed = (entry: RequestedMetric, query: Pick<Query, 'filter'>) => {
      if (!/^(latency|durationMs)/.test(metricOf(entry) ?? '')) return false;
      const own = typeof entry === 'object' && 'filter' in entry ? entry.filter : undefined;
      return ![own, query.filter].some(
        (filter) => filter !== undefined && 'field' in filter && filter.field === 'type',
      );
    };
    const shown: readonly Pick<Query, 'metrics' | 'filter'>[] = [
      ...builtInViews.map(({ query }) => query),
      overviewQuery('week'),
      { metrics: tileMetrics },
      { metrics: versionMetrics },
    ];
    for (const query of shown) {
      assert.deepEqual(
        query.metrics.filter((entry) => isMixed(entry, query)),
        [],
      );
      assert.ok(analyticsQuery.safeParse({ range: { last: '7d' }, ...query }).success);
    }
  });

  it('choose an interval by the length of the period', () => {
    assert.deepEqual(
      ['24h', '7d', '30d', '90d', '12mo'].map((period) => intervalOf(read(`period=${period}`))),
      ['hour', 'day', 'day', 'day', 'month'],
    );
  });

  it('begin a day in the chosen time zone, also beside a clock change', () => {
    assert.equal(startIn('Asia/Tokyo', '2026-11-18', 0), '2026-11-17T15:00:00.000Z');
    assert.equal(startIn('America/New_York', '2026-03-08', 0), '2026-03-08T05:00:00.000Z');
    assert.equal(startIn('America/New_York', '2026-03-08', 1), '2026-03-09T04:00:00.000Z');
    const range = scopeOf(read('period=days&from=2026-11-01&to=2026-11-02&timeZone=Asia/Tokyo')).range;
    assert.deepEqual(range, { from: '2026-10-31T15:00:00.000Z', to: '2026-11-02T15:00:00.000Z' });
  });
});

describe('the calls behind a metric', () => {
  const span = { from: '2026-11-16T00:00:00Z', to: '2026-11-17T00:00:00Z' };

  it('are found by every field that calls.search knows', () => {
    for (const name of [...Object.keys(callColumns), ...fixedFields.keys(), 'metadata.shop', 'analysis.data.', 'x']) {
      assert.equal(callFields(name), knownFields(name) !== undefined, name);
    }
  });

  it('have the time, the group, the filters and what the metric counts', () => {
    const query: Query = {
      range: { last: '3d' },
      metrics: ['errorRate'],
      groupBy: ['agentId', 'endReason'],
      filter: { field: 'metadata.shop', op: 'eq', value: 'kyoto' },
    };
    const filter = filterBehind({
      query,
      group: { agentId: 'agt_1', endReason: null },
      spans: [span],
      entry: 'errorRate',
    });
    assert.deepEqual(filter, {
      all: [
        { field: 'createdAt', op: 'gte', value: span.from },
        { field: 'createdAt', op: 'lt', value: span.to },
        { field: 'agentId', op: 'eq', value: 'agt_1' },
        { field: 'endReason', op: 'exists', value: false },
        { field: 'metadata.shop', op: 'eq', value: 'kyoto' },
        { field: 'status', op: 'eq', value: 'error' },
        { field: 'status', op: 'in', value: ['ended', 'not_connected', 'error'] },
      ],
    });
    assert.deepEqual(filterIssues(filter, knownFields), []);
  });

  it('leave out what calls.search does not know, but no part of an alternative', () => {
    const unknown: Filter = { field: 'model', op: 'eq', value: 'x' };
    const known: Filter = { field: 'type', op: 'eq', value: 'phone' };
    const query: Query = {
      range: { last: '1d' },
      metrics: ['calls'],
      filter: { all: [unknown, known, { any: [unknown, known] }] },
    };
    const filter = filterBehind({ query, group: { currency: 'USD', 'metadata.shop': '(other)' }, spans: [span] });
    assert.deepEqual((filter as { all: unknown[] }).all.slice(2), [
      known,
      { field: 'status', op: 'in', value: ['ended', 'not_connected', 'error'] },
    ]);
  });

  it('cannot be listed if that takes more conditions than calls.search accepts', () => {
    const query: Query = { range: { last: '12mo' }, metrics: ['calls'] };
    const spans = Array.from({ length: 52 }, () => span);
    assert.equal(callsHref({ query, group: {}, spans }), undefined);
    const filter = filterBehind({ query, group: {}, spans: spans.slice(0, 24) });
    assert.deepEqual(filterIssues(filter, knownFields), []);
  });

  it('of an hour of a weekday are those hours in the time zone, also over a clock change', () => {
    const range = { from: '2026-10-30T00:00:00-04:00', to: '2026-11-10T00:00:00-05:00' };
    // On the first of November, there is an hour from one to two twice.
    assert.deepEqual(timesOfHour(range, 'America/New_York', 7, 1), [
      { from: '2026-11-01T05:00:00.000Z', to: '2026-11-01T07:00:00.000Z' },
      { from: '2026-11-08T06:00:00.000Z', to: '2026-11-08T07:00:00.000Z' },
    ]);
    const inIndia = { from: '2026-11-16T00:00:00+05:30', to: '2026-11-23T00:00:00+05:30' };
    assert.deepEqual(timesOfHour(inIndia, 'Asia/Kolkata', 1, 9), [
      { from: '2026-11-16T03:30:00.000Z', to: '2026-11-16T04:30:00.000Z' },
    ]);
  });
});

describe('a chart', () => {
  it('ends a line where the running day begins, and draws that apart', () => {
    const rows = days.map((bucket, place) => ({ bucket, values: { calls: place + 1, connectRate: null } }));
    const table = tableOf(byDay, resultOf(rows));
    assert.deepEqual(
      table.buckets.map(({ isRunning }) => isRunning),
      [false, false, true],
    );
    const [calls] = panelsOf(byDay.metrics, table);
    const points = pointsOf(table, calls?.lines ?? []);
    assert.deepEqual(
      points.map(({ s0, r0, b0 }) => [s0, r0, b0]),
      [
        [1, null, 1],
        [2, 2, 2],
        [null, 3, 3],
      ],
    );
    assert.ok(!isAlone(points, 's0', 0));
    assert.ok(
      !hasValues(byDay, tableOf(byDay, resultOf([{ bucket: days[0], values: { calls: 0, connectRate: null } }]))),
    );
    const rate: Query = { ...byDay, metrics: ['successRate'] };
    assert.ok(
      hasValues(rate, tableOf(rate, resultOf([{ bucket: days[0], values: { successRate: 0 } }]))),
      '0% is a value',
    );
  });

  it('has a scale for each unit', () => {
    const table = tableOf(byDay, resultOf([{ bucket: days[0], values: { calls: 1, connectRate: 1 } }]));
    assert.deepEqual(
      panelsOf(byDay.metrics, table).map(({ unit, lines }) => [unit, lines.length]),
      [
        ['count', 1],
        ['ratio', 1],
      ],
    );
  });

  it('adds up the groups that have no color of their own, and names the number of those it cannot add up', () => {
    const groups = Array.from({ length: 12 }, (_, place) => place);
    const rows = groups.map((place) => ({
      bucket: days[0],
      group: { agentVersion: place },
      values: { calls: place, successRate: 0.5 },
    }));
    const of = (metric: 'calls' | 'successRate') => {
      const query: Query = { ...byDay, metrics: [metric], groupBy: ['agentVersion'] };
      return panelsOf(query.metrics, tableOf(query, resultOf(rows)))[0];
    };
    const calls = of('calls');
    assert.equal(calls?.lines.length, maxLines);
    assert.equal(calls?.groups, null);
    const sum = calls?.lines.reduce((total, { values }) => total + (values[0] ?? 0), 0);
    assert.equal(sum, 66, 'no call is missing');
    assert.deepEqual(calls?.lines.at(-1)?.group, { agentVersion: '(other)' });
    assert.equal(of('successRate')?.groups, 12);
  });

  it('has a file with the names of the API, offsets and the period before', () => {
    const query: Query = { ...byDay, metrics: ['calls'], groupBy: ['metadata.note'], compare: 'previous' };
    const row = {
      bucket: days[2],
      group: { 'metadata.note': '=cmd()' },
      values: { calls: 2 },
      previous: { calls: null },
    };
    const rows = csvRows(query, tableOf(query, resultOf([row], undefined, true)));
    assert.equal(
      csvOf(rows),
      "\ufefffrom,to,metadata.note,calls,previous.calls\r\n2026-11-18T00:00:00+00:00,2026-11-19T00:00:00+00:00,'=cmd(),2,\r\n",
    );
  });
});

describe('a CSV cell', () => {
  it('is never a formula, and keeps quotes, commas and lines together', () => {
    for (const start of ['=', '+', '-', '@', '\t', '\r']) {
      assert.ok(
        csvOf([[`${start}1`]])
          .replace('"', '')
          .startsWith(`\ufeff'${start}`),
        start,
      );
    }
    assert.equal(
      csvOf([['a"b', 'c,d', 'e\nf', '日本', null, -1, true]]),
      '\ufeff"a""b","c,d","e\nf",日本,,-1,true\r\n',
    );
  });
});

describe('a value', () => {
  const en = createValueFormat('en', createFormat('en'));
  const ja = createValueFormat('ja', createFormat('ja'));

  it('has its unit, and no more digits than mean something', () => {
    assert.equal(en.value(null, 'count'), '–');
    assert.equal(en.value(0.8434, 'ratio'), '84.3%');
    assert.equal(en.value(0.00001, 'ratio'), '<0.01%');
    assert.equal(en.value(1234, 'milliseconds'), '1,230\u00a0ms');
    assert.equal(en.value(102_408, 'milliseconds'), '1:42');
    assert.equal(en.value(184_200, 'micros', 'USD'), '$0.184');
    assert.equal(ja.value(1_500_000_000, 'micros', 'JPY'), '￥1,500');
    assert.equal(en.value(1_234_567, 'count'), '1,234,567');
    assert.equal(en.short(1_234_567, 'count'), '1.23M');
    assert.equal(ja.short(1_234_567, 'count'), '123万');
    assert.equal(en.change(0.123), '+12%');
  });
});
