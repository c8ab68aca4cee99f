import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf as alertBody, fieldsOf as alertFields } from '../../dashboard/src/pages/analytics/alert-values.ts';
import { readSearch } from '../../dashboard/src/pages/calls/search-filter.ts';
import { overviewQuery, summaryOf } from '../../dashboard/src/pages/overview/overview-query.ts';
import {
  issuesOf,
  fieldsOf as priceFields,
  bodyOf as pricesBody,
  unitsOf,
} from '../../dashboard/src/pages/prices/price-values.ts';
import type { Alert, Prices } from '../../sdk/src/index.ts';
import { createAlertBody } from '../../src/contract/analytics/alert.ts';
import { priceUnits, putPricesBody } from '../../src/contract/analytics/prices.ts';
import { analyticsQuery } from '../../src/contract/analytics/query.ts';

describe('the form of an alert', () => {
  const alert = {
    name: 'Errors',
    enabled: true,
    metric: 'errorRate',
    field: null,
    filter: { field: 'agentId', op: 'eq', value: 'agt_1' },
    window: '1h',
    op: 'gt',
    value: 0.07,
    relative: false,
    minCalls: 5,
  } as unknown as Alert;

  it('sends back what it was opened with', () => {
    const all: readonly Partial<Alert>[] = [
      {},
      { metric: 'latency.e2eMs.p95', value: 1500 },
      { metric: 'cost.sum', value: 12_340_000 },
      { relative: true, value: -20 },
      { filter: null },
      { filter: { any: [{ field: 'type', op: 'eq', value: 'phone' }] } },
      { metric: 'field.avg', field: 'analysis.data.guests', value: 3 },
    ];
    for (const changes of all) {
      const given = { ...alert, ...changes } as Alert;
      assert.deepEqual(alertBody(alertFields(given)), given, JSON.stringify(changes));
    }
  });

  it('shows shares in percent, and costs in the currency', () => {
    assert.equal(alertFields(alert).value, '7');
    assert.equal(alertFields({ ...alert, metric: 'cost.sum', value: 500_000 } as Alert).value, '0.5');
  });

  it('sends what the service accepts, and nothing that is incomplete', () => {
    const fields = { ...alertFields(null), name: ' Slow ' };
    assert.equal(alertBody(fields)?.name, 'Slow');
    assert.ok(createAlertBody.safeParse(alertBody(fields)).success);
    for (const part of [{ name: ' ' }, { value: '' }, { value: 'x' }, { metric: 'field.avg' as const, field: '' }]) {
      assert.equal(alertBody({ ...fields, ...part }), null, JSON.stringify(part));
    }
  });
});

describe('the form of prices', () => {
  const now = new Date(2026, 10, 18, 15, 30);

  it('begins with the newest prices, from today on', () => {
    const item = { capability: 'stt', provider: '*', model: '*', unit: 'minute', price: '0.006' } as const;
    const newest: Prices = { currency: 'JPY', validFrom: '2026-01-01T00:00:00.000Z', items: [item] };
    const fields = priceFields(null, newest, now);
    assert.equal(fields.validFrom, '2026-11-18T00:00');
    assert.deepEqual(pricesBody(fields), {
      validFrom: new Date(2026, 10, 18).toISOString(),
      body: { currency: 'JPY', items: [item] },
    });
    assert.ok(putPricesBody.safeParse(pricesBody(fields)?.body).success);
  });

  it('knows the units of the contract', () => {
    assert.deepEqual(unitsOf, priceUnits);
  });

  it('names what is wrong with a price, and does not send it', () => {
    const fields = priceFields(null, undefined, now);
    const [row] = fields.rows;
    assert.ok(row);
    assert.deepEqual(issuesOf(row, [row]), ['price']);
    const good = { ...row, price: '0.25' };
    assert.deepEqual(issuesOf({ ...good, id: 1 }, [good, { ...good, id: 1 }]), ['twice']);
    for (const price of ['', '1,5', '-1', '1e3', '.5'])
      assert.deepEqual(issuesOf({ ...row, price }, [row]), ['price'], price);
    assert.equal(pricesBody({ ...fields, rows: [row] }), null);
    assert.equal(pricesBody({ ...fields, rows: [good], currency: 'us' }), null);
    assert.notEqual(pricesBody({ ...fields, rows: [good] }), null);
  });
});

describe('the tiles of the overview', () => {
  it('ask the service for what they show', () => {
    for (const period of ['day', 'week'] as const) assert.ok(analyticsQuery.safeParse(overviewQuery(period)).success);
  });

  it('are unknown rather than zero without calls', () => {
    const none = { calls: 0, judged: 0, successful: 0, successRate: null };
    const values = { ...none, errorCalls: 0, spokenReplyMedian: null, chatReplyMedian: null };
    const row = { bucket: '2026-11-18T00:00:00Z', group: {}, values, previous: null };
    const summary = { ...none, failed: 0, spokenReplyMs: null, chatReplyMs: null };
    assert.deepEqual(summaryOf({ rows: [row] }), summary);
    assert.deepEqual(summaryOf({ rows: [] }), summary);
  });
});

describe('the filter in the URL of the calls page', () => {
  const read = (filter: unknown) =>
    readSearch(new URLSearchParams({ filter: typeof filter === 'string' ? filter : JSON.stringify(filter) }));

  it('is read if it names fields of calls, and ignored otherwise', () => {
    const leaf = { field: 'status', op: 'eq', value: 'ended' };
    for (const filter of [leaf, { all: [leaf, { any: [leaf] }] }, { not: leaf }])
      assert.deepEqual(read(filter), filter);
    for (const filter of ['', '{', 'null', '[]', { all: leaf }, { field: 'model', op: 'eq', value: 1 }, { not: 1 }]) {
      assert.equal(read(filter), null, JSON.stringify(filter));
    }
    assert.equal(readSearch(new URLSearchParams()), null);
  });
});
