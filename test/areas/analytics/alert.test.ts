import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedAlert, evaluatedAlert, idleAlert, newAlert, tagOf } from '../../../src/areas/analytics/alerts/alert.ts';
import { measure, type QueryFigures } from '../../../src/areas/analytics/alerts/measuring.ts';
import { type Alert, alert as alertSchema, createAlertBody } from '../../../src/contract/analytics/alert.ts';
import { unprocessable } from '../../../src/core/errors.ts';

const at = '2026-12-18T09:30:00.000Z';
const later = '2026-12-18T09:31:00.000Z';

function alertWith(fields: object = {}): Alert {
  const body = { name: 'Slow', metric: 'latency.e2eMs.p95', window: '1h', op: 'gt', value: 1500, ...fields };
  return newAlert('alr_1', createAlertBody.parse(body), at);
}

const stateOf = (alert: Alert, value: number | null, calls = 10, previous: number | null = null) =>
  evaluatedAlert(alert, { value, calls, previous }, later).state;

describe('the state of an alert', () => {
  it('follows from the comparison', () => {
    const table: [Alert['op'], string][] = [
      ['gt', 'ok ok firing'],
      ['gte', 'ok firing firing'],
      ['lt', 'firing ok ok'],
      ['lte', 'firing firing ok'],
    ];
    for (const [op, expected] of table) {
      const states = [1499, 1500, 1501].map((value) => stateOf(alertWith({ op }), value));
      assert.equal(states.join(' '), expected, op);
    }
  });

  it('is no_data without a value, or with fewer calls than minCalls', () => {
    assert.equal(stateOf(alertWith(), null), 'no_data');
    assert.equal(stateOf(alertWith({ minCalls: 10 }), 2000, 9), 'no_data');
    assert.equal(stateOf(alertWith({ minCalls: 10 }), 2000, 10), 'firing');
    const night = evaluatedAlert(alertWith({ minCalls: 10 }), { value: 2000, calls: 9, previous: null }, later);
    assert.equal(night.lastValue, null, 'nothing was compared');
  });

  it('notices a dead line: without calls, only the metric calls has a value', () => {
    assert.equal(alertWith({ metric: 'calls' }).minCalls, 0);
    assert.equal(alertWith({ metric: 'connectedCalls' }).minCalls, 1);
    assert.equal(alertWith({ metric: 'calls', minCalls: 3 }).minCalls, 3);
    assert.equal(stateOf(alertWith({ metric: 'calls', op: 'lt', value: 1 }), 0, 0), 'firing');
  });

  it('compares the change in percent if it is relative', () => {
    const relative = (value: number, limit: number, previous: number | null) =>
      evaluatedAlert(alertWith({ relative: true, value: limit }), { value, calls: 5, previous }, later);
    assert.deepEqual([relative(150, 49, 100).state, relative(150, 49, 100).lastValue], ['firing', 50]);
    assert.equal(relative(150, 50, 100).state, 'ok');
    assert.equal(relative(90, -20, 100).lastValue, -10);
    assert.equal(relative(-50, 0, -100).lastValue, 50, 'it has grown');
    assert.equal(relative(2, 0, 3).lastValue, -33.333333);
    assert.equal(relative(2, 0, 0).state, 'no_data');
    assert.equal(relative(2, 0, null).state, 'no_data');
    assert.equal(relative(1e15, 0, 1e-9).state, 'no_data', 'beyond what can be shown');
  });

  it('keeps its time until it changes', () => {
    const alert = alertWith();
    const quiet = evaluatedAlert(alert, { value: null, calls: 0, previous: null }, later);
    assert.deepEqual([quiet.stateSince, quiet.lastEvaluatedAt], [at, later]);
    const firing = evaluatedAlert(alert, { value: 2000, calls: 1, previous: null }, later);
    assert.deepEqual([firing.stateSince, firing.lastValue], [later, 2000]);
    const idle = idleAlert(firing, '2026-12-18T10:00:00.000Z');
    assert.deepEqual([idle.state, idle.stateSince, idle.lastValue], ['no_data', '2026-12-18T10:00:00.000Z', null]);
    alertSchema.parse(idle);
  });

  it('is no part of its tag; everything else is', () => {
    const alert = alertWith();
    assert.equal(tagOf(evaluatedAlert(alert, { value: 2000, calls: 1, previous: null }, later)), tagOf(alert));
    assert.notEqual(tagOf(changedAlert(alert, { value: 1 })), tagOf(alert));
    assert.deepEqual(changedAlert(alert, { name: undefined }), alert);
  });
});

describe('the figures of an alert', () => {
  const now = Date.parse('2026-12-18T10:00:00.000Z');
  const figures =
    (filledFrom: string | null): QueryFigures =>
    async (_workspaceId, { range: { from = '', to = '' } }) => ({
      rows: [{ bucket: from, group: {}, values: { value: 7, calls: 3 }, previous: { value: 5, calls: 2 } }],
      range: { from, to },
      previousRange: null,
      timeZone: 'UTC',
      truncated: false,
      filledFrom,
      asOf: to,
      calls: 3,
      tookMs: 1,
    });

  it('are not compared while the calls of its windows are being filled in', async () => {
    const measured = { value: 7, previous: 5, calls: 3 };
    const at = (filledFrom: string | null, relative: boolean) =>
      measure(figures(filledFrom), 'ws_1', alertWith({ relative }), now);
    assert.deepEqual(await at(null, false), measured);
    assert.deepEqual(await at('2026-12-18T09:00:00.000Z', false), measured);
    assert.equal(await at('2026-12-18T09:00:00.001Z', false), null);
    assert.equal(await at('2026-12-18T08:00:00.001Z', true), null);
    assert.deepEqual(await at('2026-12-18T08:00:00.000Z', true), measured);
  });

  it('are none if the query is refused, such as a sum over several currencies', async () => {
    const refused: QueryFigures = async () => {
      throw unprocessable({}, ['sums up costs in several currencies']);
    };
    assert.deepEqual(await measure(refused, 'ws_1', alertWith({ metric: 'cost.sum' }), now), {
      value: null,
      previous: null,
      calls: 0,
    });
    const failed: QueryFigures = async () => {
      throw new Error('no thread');
    };
    await assert.rejects(measure(failed, 'ws_1', alertWith(), now), /no thread/);
  });
});
