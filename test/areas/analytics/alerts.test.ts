import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Alert } from '../../../src/contract/analytics/alert.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { type Service, startService, useService } from '../../support/service.ts';
import { create, eventually, on, TestClock, testAgent } from '../calls/support.ts';
import { analyticsClient } from './client.ts';

const minuteMs = 60_000;
const dead = { name: 'Dead line', metric: 'calls', window: '15m', op: 'lt', value: 1 };
const slow = { name: '応答の遅れ', metric: 'latency.e2eMs.p95', window: '1h', op: 'gt', value: 1500 };
const busy = { name: 'Busy', metric: 'calls', window: '15m', op: 'gte', value: 2, minCalls: 1 };

type Client = ReturnType<typeof analyticsClient>;

/** Calls on published agents, which count. */
async function endCalls(service: Service, key: string, count: number): Promise<void> {
  const { id: agentId } = await testAgent(service, key);
  assert.equal((await send(service, 'POST', `/api/v1/agents/${agentId}/publish`, { key })).status, 200);
  for (let made = 0; made < count; made += 1) {
    const { json } = await create(service, key, { agentId, agentVersion: 'published' });
    assert.equal((await on(service, key, json.id).end()).status, 200);
  }
}

async function eventsOf(service: Service, key: string, id: string) {
  const { json } = await send(service, 'GET', `/api/v1/events?subjectId=${id}&order=asc`, { key });
  return json.items.map(({ type, sequence, subject, body }: Record<string, unknown>) => ({
    type,
    sequence,
    subject,
    data: (body as { data: object }).data,
  }));
}

onEachEngine('alerts', (engine) => {
  const clock = new TestClock();
  const service = useService(engine, { now: clock.now });
  const newClient = async () => {
    const { key, workspaceId } = await service.newKey();
    return { ...analyticsClient(service, key, 'alerts'), workspaceId };
  };
  /** As it is after an evaluation that began later. */
  const evaluated = (client: Client, { id }: Pick<Alert, 'id'>, since = 0): Promise<Alert> =>
    eventually(async () => {
      const alert: Alert = await client.read(id);
      return alert.lastEvaluatedAt !== null && Date.parse(alert.lastEvaluatedAt) >= since && alert;
    }, 'an evaluation');
  /** A clock that moves during the first evaluation would make the next one wait for a minute. */
  const created = async (client: Client, body: object): Promise<Alert> => evaluated(client, await client.create(body));
  const pass = (minutes: number): number => {
    clock.advance(minutes * minuteMs);
    return clock.now();
  };
  const afterMinutes = (client: Client, alert: Pick<Alert, 'id'>, minutes: number): Promise<Alert> =>
    evaluated(client, alert, pass(minutes));

  it('start enabled, without data, and with defaults', async () => {
    const client = await newClient();
    const alert = await client.create(slow);
    const { id, createdAt, updatedAt, stateSince, ...rest } = alert;
    assert.match(id, /^alr_/);
    assert.deepEqual([updatedAt, stateSince], [createdAt, createdAt]);
    const defaults = { enabled: true, field: null, filter: null, relative: false, minCalls: 1 };
    assert.deepEqual(rest, { ...slow, ...defaults, state: 'no_data', lastValue: null, lastEvaluatedAt: null });
    assert.equal((await client.create(dead)).minCalls, 0);
  });

  it('are validated with every issue at once', async () => {
    const client = await newClient();
    const bad = {
      name: '',
      enabled: 'yes',
      metric: 'luck',
      filter: { field: 'shoe', op: 'eq', value: 1 },
      window: '2h',
      op: 'eq',
      value: '1',
      relative: 1,
      minCalls: 10_001,
    };
    const { json } = await client.expect(400, 'POST', '', bad);
    assert.deepEqual(Object.keys(json.error.details.fieldErrors).sort(), Object.keys(bad).sort());
    const { id } = await client.create(dead);
    const changed = await client.expect(400, 'PATCH', `/${id}`, bad);
    assert.deepEqual(changed.json.error.details.fieldErrors, json.error.details.fieldErrors);
    const refused = async (status: number, method: string, path: string, body: object) =>
      Object.keys((await client.expect(status, method, path, body)).json.error.details.fieldErrors);
    const summed = { ...dead, metric: 'field.sum' };
    assert.deepEqual(await refused(400, 'POST', '', summed), ['field']);
    assert.deepEqual(await refused(400, 'POST', '', { ...dead, field: 'durationMs' }), ['field']);
    assert.deepEqual(await refused(400, 'PATCH', `/${id}`, { metric: 'field.sum', field: 'agentId' }), ['field']);
    assert.deepEqual(await refused(422, 'PATCH', `/${id}`, { metric: 'field.sum' }), ['field']);
    assert.equal(
      (await client.expect(200, 'PATCH', `/${id}`, { metric: 'field.sum', field: 'durationMs' })).status,
      200,
    );
  });

  it('are limited to 50 in a workspace', async () => {
    const client = await newClient();
    const { id } = await client.create(dead);
    const copy = `INSERT INTO analytics_alerts (workspace_id, id, etag, doc, doc_version)
      SELECT workspace_id, $2, etag, doc, doc_version FROM analytics_alerts WHERE id = $1`;
    for (let n = 100; n < 148; n += 1) await service.database.run(copy, [id, `${id.slice(0, -8)}00000${n}`]);
    const answers = await Promise.all([1, 2].map(() => client.ask('POST', '', { body: dead })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422]);
    const refused = answers.find(({ status }) => status === 422)?.json.error;
    assert.deepEqual([refused.code, refused.details], ['LIMIT_REACHED', { limit: 50 }]);
  });

  it('fire once while their condition holds, and resolve once, each with its event', async () => {
    const client = await newClient();
    const alert = await client.create(busy);
    const about = { alertId: alert.id, name: 'Busy', metric: 'calls', threshold: 2, window: '15m' };
    const subject = { type: 'alert', id: alert.id };
    assert.equal((await evaluated(client, alert)).state, 'no_data');
    await endCalls(service, client.key, 1);
    const ok = await afterMinutes(client, alert, 1);
    assert.deepEqual([ok.state, ok.lastValue], ['ok', 1]);
    assert.deepEqual(await eventsOf(service, client.key, alert.id), []);
    await endCalls(service, client.key, 1);
    const firing = await afterMinutes(client, alert, 1);
    assert.deepEqual([firing.state, firing.lastValue], ['firing', 2]);
    const events = [
      { type: 'alert_firing', sequence: 1, subject, data: { ...about, value: 2, from: 'ok', to: 'firing' } },
    ];
    for (let minutes = 0; minutes < 3; minutes += 1) {
      const still = await afterMinutes(client, alert, 1);
      assert.deepEqual([still.state, still.stateSince], ['firing', firing.stateSince]);
    }
    assert.deepEqual(await eventsOf(service, client.key, alert.id), events);
    const quiet = await afterMinutes(client, alert, 15);
    assert.deepEqual([quiet.state, quiet.lastValue], ['no_data', null]);
    assert.deepEqual(await eventsOf(service, client.key, alert.id), [
      ...events,
      { type: 'alert_resolved', sequence: 2, subject, data: { ...about, value: null, from: 'firing', to: 'no_data' } },
    ]);
  });

  it('notice a dead line, and do not ring in a quiet night', async () => {
    const client = await newClient();
    const silent = await client.create(dead);
    const errors = await client.create({ ...dead, name: 'Errors', metric: 'errorRate', op: 'lte', value: 1 });
    assert.equal((await evaluated(client, silent)).state, 'firing');
    assert.equal((await evaluated(client, errors)).state, 'no_data');
    const few = await created(client, { ...dead, metric: 'errorRate', op: 'lte', value: 1, minCalls: 2 });
    await endCalls(service, client.key, 1);
    const since = pass(1);
    assert.equal((await evaluated(client, silent, since)).state, 'ok');
    assert.equal((await evaluated(client, errors, since)).state, 'firing');
    assert.equal((await evaluated(client, few, since)).state, 'no_data');
    await endCalls(service, client.key, 1);
    assert.equal((await afterMinutes(client, few, 1)).state, 'firing');
  });

  it('look at the calls that their filter selects, and at the field of their metric', async () => {
    const client = await newClient();
    const filter = { field: 'type', op: 'eq', value: 'web' };
    const filtered = await created(client, { ...dead, filter });
    const agents = await created(client, { ...dead, metric: 'field.distinct', field: 'agentId', op: 'gt', value: 1 });
    await endCalls(service, client.key, 1);
    await endCalls(service, client.key, 1);
    const since = pass(1);
    const [first, second] = [await evaluated(client, filtered, since), await evaluated(client, agents, since)];
    assert.deepEqual([first.state, first.lastValue], ['firing', 0]);
    assert.deepEqual([second.state, second.lastValue], ['firing', 2]);
  });

  it('compare with the window before if they are relative', async () => {
    const client = await newClient();
    const rise = await created(client, { ...busy, relative: true, value: 50 });
    await endCalls(service, client.key, 2);
    assert.equal((await afterMinutes(client, rise, 1)).state, 'no_data', 'there was nothing before');
    await afterMinutes(client, rise, 15);
    await endCalls(service, client.key, 3);
    const firing = await afterMinutes(client, rise, 1);
    assert.deepEqual([firing.state, firing.lastValue], ['firing', 50]);
  });

  it('are evaluated at once after a change, and not while they are disabled', async () => {
    const client = await newClient();
    const { id } = await client.create(dead);
    assert.equal((await evaluated(client, { id })).state, 'firing');
    const typesOf = async () => (await eventsOf(service, client.key, id)).map(({ type }: { type: string }) => type);
    const disabled = (await client.expect(200, 'PATCH', `/${id}`, { enabled: false })).json;
    assert.deepEqual([disabled.state, disabled.lastValue], ['no_data', null]);
    assert.deepEqual(await typesOf(), ['alert_firing', 'alert_resolved']);
    // Another one is evaluated meanwhile.
    await afterMinutes(client, await created(client, dead), 1);
    const { lastEvaluatedAt } = await client.read(id);
    assert.equal(lastEvaluatedAt, disabled.lastEvaluatedAt);
    await client.expect(200, 'PATCH', `/${id}`, { enabled: true });
    await eventually(async () => (await client.read(id)).state === 'firing');
    await client.expect(200, 'PATCH', `/${id}`, { op: 'gt' });
    await eventually(async () => (await client.read(id)).state === 'ok');
    assert.deepEqual(await typesOf(), ['alert_firing', 'alert_resolved', 'alert_firing', 'alert_resolved']);
  });

  it('have a tag that requests change, and evaluations do not', async () => {
    const client = await newClient();
    const created = await client.expect(201, 'POST', '', dead);
    const { id } = created.json;
    const tag = created.headers.get('etag') as string;
    await evaluated(client, { id });
    assert.equal((await client.expect(200, 'GET', `/${id}`)).headers.get('etag'), tag);
    const change = (body: object, ifMatch: string) =>
      client.ask('PATCH', `/${id}`, { body, headers: { 'if-match': ifMatch } });
    const changed = await change({ value: 2 }, tag);
    assert.equal(changed.status, 200);
    const refused = await change({ value: 3 }, tag);
    assert.deepEqual([refused.status, refused.json.error.details.currentEtag], [409, changed.headers.get('etag')]);
    const same = await change({ value: 2 }, changed.headers.get('etag') as string);
    assert.equal(same.json.updatedAt, changed.json.updatedAt);
    assert.equal((await client.ask('DELETE', `/${id}`, { headers: { 'if-match': tag } })).status, 409);
  });

  it('leave no job and no event behind when they are deleted', async () => {
    const client = await newClient();
    const { id } = await client.create(dead);
    assert.equal((await evaluated(client, { id })).state, 'firing');
    assert.deepEqual((await client.expect(200, 'DELETE', `/${id}`)).json, { id, deleted: true });
    await client.expect(404, 'GET', `/${id}`);
    const jobs = 'SELECT id FROM jobs WHERE workspace_id = $1 AND finished_at IS NULL';
    assert.deepEqual(await service.database.all(jobs, [client.workspaceId]), []);
    const types = (await eventsOf(service, client.key, id)).map(({ type }: { type: string }) => type);
    assert.deepEqual(types, ['alert_firing']);
  });
});

onEachEngine('an alert on two instances', (engine) => {
  it('is evaluated by one of them at a time, and writes each event once', async () => {
    const clock = new TestClock();
    const databaseUrl = await engine.newServiceUrl();
    const services = [];
    for (let count = 0; count < 2; count += 1) {
      services.push(await startService(engine, { databaseUrl, now: clock.now }));
    }
    const [one, other] = services as [Service, Service];
    const { key } = await one.newKey();
    const client = analyticsClient(one, key, 'alerts');
    const alerts = [];
    for (let count = 0; count < 5; count += 1) alerts.push(await client.create(dead));
    const expected = [];
    for (let round = 0; round < 3; round += 1) {
      const states = async () => (await client.expect(200, 'GET', '')).json.items.map(({ state }: Alert) => state);
      await eventually(async () => (await states()).every((state: string) => state === 'firing'));
      await endCalls(other, key, 1);
      clock.advance(minuteMs);
      await eventually(async () => (await states()).every((state: string) => state === 'ok'));
      clock.advance(15 * minuteMs);
      expected.push('alert_firing', 'alert_resolved');
    }
    for (const { id } of alerts) {
      await eventually(async () => (await client.read(id)).state === 'firing');
      const events = await eventsOf(other, key, id);
      assert.deepEqual(
        events.map(({ type, sequence }: { type: string; sequence: number }) => [type, sequence]),
        [...expected, 'alert_firing'].map((type, index) => [type, index + 1]),
      );
    }
    for (const service of services) await service.close();
  });
});
