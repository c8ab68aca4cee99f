import assert from 'node:assert/strict';
import { before, beforeEach, it } from 'node:test';
import { unprocessable } from '../../../../src/core/errors.ts';
import { send } from '../../../support/client.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { eventually, on, quickSweep, TestClock } from '../support.ts';
import {
  carrierId,
  dial,
  dialed,
  inboundCall,
  offer,
  ourNumber,
  phoneAgent,
  phoneNumberId,
  report,
  theirNumber,
  usePhoneService,
} from './support.ts';

onEachEngine('a phone call that is created', (engine) => {
  const clock = new TestClock();
  const service = usePhoneService(engine, {
    now: clock.now,
    calls: { ...quickSweep, concurrency: 3, reservedInbound: 1 },
  });
  let key: string;
  let workspaceId: string;
  beforeEach(async () => {
    ({ key, workspaceId } = await service.newKey());
    service.lines.max = null;
    service.lines.refusal = null;
    service.lines.dialed.length = 0;
  });

  it('is dialed at once, and has no access token', async () => {
    const call = await dialed(service, key);
    const stored = await call.call();
    assert.deepEqual(
      [stored.type, stored.direction, stored.status, stored.access, stored.phoneNumberId, stored.batchId],
      ['phone', 'outbound', 'registered', null, phoneNumberId, null],
    );
    assert.deepEqual(
      [stored.from, stored.to, stored.usage.carrier],
      [ourNumber, theirNumber, { provider: 'test', billedMs: 0 }],
    );
    assert.deepEqual(
      service.lines.dialed.map(({ callId, line }) => [callId, line.carrierId, line.from, line.to, line.ringTimeoutMs]),
      [[call.id, carrierId, ourNumber, theirNumber, 30_000]],
    );
    assert.equal((await call.token()).status, 409);
  });

  it('is refused with 400 for a number that is not valid, with the proposed form, or a token', async () => {
    const { id } = await phoneAgent(service, key);
    for (const [to, message] of [
      ['+810312345678', /\+81312345678/],
      ['03-1234-5678', /E\.164/],
      ['+1', /E\.164/],
    ] as const) {
      const answer = await dial(service, key, id, { to });
      assert.equal(answer.status, 400, to);
      assert.match(answer.json.error.details.fieldErrors.to[0], message);
    }
    const answer = await dial(service, key, id, { token: {} });
    assert.deepEqual([answer.status, Object.keys(answer.json.error.details.fieldErrors)], [400, ['token']]);
    assert.equal(service.lines.dialed.length, 0);
  });

  it('is refused with what the number does not allow, before anything else is checked', async () => {
    service.lines.refusal = unprocessable({ to: ['is on the do-not-call list'] });
    const answer = await dial(service, key, 'agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz');
    assert.deepEqual(answer.json.error.details.fieldErrors, { to: ['is on the do-not-call list'] });
  });

  it('is refused if nobody could hear or speak', async () => {
    for (const [fields, field] of [
      [{ sttProvider: 'browser' }, 'sttProvider'],
      [{ sttProvider: 'auto' }, 'sttProvider'],
      [{ ttsProvider: 'auto' }, 'ttsProvider'],
    ] as const) {
      const { id } = await phoneAgent(service, key, 'test-echo', fields);
      const answer = await dial(service, key, id);
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), [field]);
    }
  });

  it('leaves slots to inbound calls, which may use all', async () => {
    const { id } = await phoneAgent(service, key);
    for (let index = 0; index < 2; index += 1) assert.equal((await dial(service, key, id)).status, 201);
    const third = await dial(service, key, id);
    assert.equal(third.status, 429);
    assert.deepEqual(third.json.error.details, { pool: 'voice', limit: 3, active: 2, reservedInbound: 1 });
    assert.equal((await offer(service, inboundCall(workspaceId, id))).status, 'ringing');
    const full = await offer(service, inboundCall(workspaceId, id));
    assert.deepEqual([full.status, full.call.endReason], ['not_connected', 'concurrency_limit']);
    const { json } = await send(service, 'GET', '/api/v1/call-concurrency', { key });
    assert.deepEqual([json.limit, json.active, json.reservedInbound], [3, 3, 1]);
  });

  it('is counted with the calls of its carrier, inbound and outbound', async () => {
    const { id } = await phoneAgent(service, key);
    service.lines.max = 1;
    assert.equal((await dial(service, key, id)).status, 201);
    const second = await dial(service, key, id);
    assert.equal(second.status, 429);
    assert.match(second.json.error.message, /carrier/);
    const inbound = await offer(service, inboundCall(workspaceId, id, { maxConcurrent: 1 }));
    assert.deepEqual([inbound.status, inbound.call.endReason], ['not_connected', 'concurrency_limit']);
  });

  it('waits in the queue for its carrier, without others having to wait behind it', async () => {
    const { id } = await phoneAgent(service, key);
    service.lines.max = 1;
    const first = await dial(service, key, id);
    const queued = await dial(service, key, id, { queue: true });
    assert.deepEqual([first.json.status, queued.json.status], ['registered', 'queued']);
    const { json: web } = await send(service, 'POST', '/api/v1/calls', {
      key,
      body: {
        type: 'web',
        agentId: id,
        agentVersion: 'latest',
        startAt: new Date(clock.now() + 1000).toISOString(),
        queue: true,
      },
    });
    clock.advance(2000);
    await eventually(async () => (await on(service, key, web.id).call()).status === 'registered');
    assert.equal(service.lines.dialed.length, 1);
    await send(service, 'POST', `/api/v1/calls/${first.json.id}/end`, { key });
    await eventually(async () => service.lines.dialed.length === 2);
    assert.equal(service.lines.dialed[1]?.callId, queued.json.id);
  });

  it('with a time is dialed then', async () => {
    const startAt = new Date(clock.now() + 60_000).toISOString();
    const call = await dialed(service, key, { call: { startAt, queue: true } });
    assert.deepEqual([(await call.call()).status, service.lines.dialed.length], ['queued', 0]);
    clock.advance(61_000);
    await eventually(async () => service.lines.dialed.length === 1);
    assert.equal(service.lines.dialed[0]?.status, 'registered');
  });

  it('is canceled by calls.end before it is answered', async () => {
    const call = await dialed(service, key);
    await report(service, (queries) => service.phone.ringing(queries, call.workspaceId, call.id));
    assert.equal((await call.call()).status, 'ringing');
    const { json } = await call.end();
    assert.deepEqual([json.status, json.endReason, json.endedBy], ['not_connected', 'canceled', 'api']);
  });

  it('ends if the carrier does not confirm it, or nobody answers', async () => {
    const unconfirmed = await dialed(service, key);
    const rings = await dialed(service, key);
    await report(service, (queries) => service.phone.setProviderCallId(queries, workspaceId, rings.id, 'CA2'));
    await report(service, (queries) => service.phone.ringing(queries, workspaceId, rings.id));
    clock.advance(39_000);
    assert.equal((await rings.call()).status, 'ringing');
    clock.advance(2000);
    await eventually(async () => (await rings.call()).endReason === 'dial_no_answer');
    assert.equal((await unconfirmed.call()).status, 'registered');
    clock.advance(210_000);
    await eventually(async () => (await unconfirmed.call()).endReason === 'carrier_failed');
  });

  it('has the same record whether reports come twice, late, reversed or not at all', async () => {
    const reports = {
      confirmed: (id: string) =>
        report(service, (queries) => service.phone.setProviderCallId(queries, workspaceId, id, 'CA3')),
      ringing: (id: string) => report(service, (queries) => service.phone.ringing(queries, workspaceId, id)),
      busy: (id: string) =>
        report(service, (queries) =>
          service.phone.end(queries, workspaceId, id, { reason: 'dial_busy', by: 'system', detail: 'busy' }),
        ),
    };
    const seen: unknown[] = [];
    for (const order of [
      ['confirmed', 'ringing', 'busy'],
      ['confirmed', 'confirmed', 'ringing', 'ringing', 'busy', 'busy'],
      ['confirmed', 'busy', 'ringing', 'confirmed'],
    ] as const) {
      const call = await dialed(service, key);
      for (const name of order) await reports[name](call.id);
      const { status, endReason, endDetail, providerCallId } = await call.call();
      seen.push([status, endReason, endDetail, providerCallId]);
      assert.equal(
        (await call.events()).filter(({ type }) => type === 'state_changed').at(-1)?.sequence,
        (await call.events()).length,
      );
    }
    assert.deepEqual(
      new Set(seen.map((each) => JSON.stringify(each))),
      new Set([JSON.stringify(['not_connected', 'dial_busy', 'busy', 'CA3'])]),
    );
  });

  it('gets what the carrier bills after its end, and then costs it', async () => {
    const minute = { capability: 'carrier', provider: 'test', model: '*', unit: 'minute', price: '0.06' };
    const prices = '/api/v1/analytics/prices/2020-01-01T00:00:00Z';
    await send(service, 'PUT', prices, { key, body: { currency: 'USD', items: [minute] } });
    const call = await dialed(service, key);
    await call.end();
    assert.equal((await call.call()).cost?.totalMicros, 0);
    await report(service, (queries) => service.phone.setBilled(queries, workspaceId, call.id, 61_000));
    assert.deepEqual((await call.call()).usage.carrier, { provider: 'test', billedMs: 61_000 });
    const { cost } = await call.call();
    assert.deepEqual([cost?.carrierMicros, cost?.totalMicros], [61_000, 61_000]);
  });
});

onEachEngine('the numbers of a phone call', (engine) => {
  const service = usePhoneService(engine);
  let key: string;
  let workspaceId: string;
  before(async () => {
    ({ key, workspaceId } = await service.newKey());
  });

  const numbersWith = async (dataStorageSetting: string) => {
    const call = await dialed(service, key, { call: { dataStorageSetting } });
    const { from, to } = await call.call();
    return { call, numbers: [from, to] };
  };

  it('are stored as the setting says, and in full only for dialing', async () => {
    assert.deepEqual((await numbersWith('everything')).numbers, [ourNumber, theirNumber]);
    const masked = await numbersWith('everything_except_pii');
    assert.deepEqual(masked.numbers, ['+81*******78', '+81********78']);
    assert.deepEqual((await numbersWith('basic_attributes_only')).numbers, [null, null]);
    assert.ok(service.lines.dialed.every(({ line }) => line.to === theirNumber));
    const { rows } = await allText(masked.call.id);
    assert.ok(!rows.includes('9012345678'), 'the number is nowhere in the clear');
    await masked.call.end();
  });

  const allText = async (id: string) => {
    const found = await service.database.all('SELECT * FROM calls WHERE id = $1', [id]);
    const events = await service.database.all('SELECT * FROM events WHERE subject_id = $1', [id]);
    return { rows: JSON.stringify([found, events]) };
  };

  it('are reduced when the call is redacted, also in its webhook events', async () => {
    const { call } = await numbersWith('everything');
    await call.end();
    assert.equal((await call.redact('everything_except_pii')).json.to, '+81********78');
    assert.ok(!(await allText(call.id)).rows.includes('9012345678'));
    assert.equal((await call.redact('basic_attributes_only')).json.to, null);
  });

  it('can be filtered as they are stored', async () => {
    const other = await service.newKey();
    const { id: agentId } = await phoneAgent(service, other.key);
    const { json: call } = await dial(service, other.key, agentId, { fromPhoneNumberId: 'num_other' });
    const masked = await dial(service, other.key, agentId, { dataStorageSetting: 'everything_except_pii' });
    const list = async (query: string) =>
      (await send(service, 'GET', `/api/v1/calls?${query}`, { key: other.key })).json.items.map(
        (item: { id: string }) => item.id,
      );
    assert.deepEqual(await list('phoneNumberId=num_other'), [call.id]);
    assert.deepEqual(await list(`to=${encodeURIComponent(theirNumber)}`), [call.id]);
    assert.deepEqual(await list(`from=${encodeURIComponent('+81*******78')}`), [masked.json.id]);
    assert.deepEqual(await list('batchId=bat_none'), []);
    const search = async (filter: object) =>
      (await send(service, 'POST', '/api/v1/calls/search', { key: other.key, body: { filter } })).json.items.length;
    assert.equal(await search({ field: 'to', op: 'eq', value: theirNumber }), 1);
    assert.equal(await search({ field: 'phoneNumberId', op: 'exists', value: true }), 2);
    assert.equal(await search({ field: 'batchId', op: 'exists', value: true }), 0);
  });

  it('are in no event for the webhook of another agent if no agent takes the call', async () => {
    const own = await service.newKey();
    const { id: agentId } = await phoneAgent(service, own.key);
    const webhook = async (agentIds: readonly string[]) => {
      const body = { url: 'https://shop.example.com/hook', events: ['call_ended'], agentIds };
      return (await send(service, 'POST', '/api/v1/webhooks', { key: own.key, body })).json.id as string;
    };
    const [all, ofAgent] = [await webhook([]), await webhook([agentId])];
    const refusal = { reason: 'rejected', detail: 'The number is disabled.' } as const;
    await offer(service, inboundCall(own.workspaceId, null, { refusal }));
    const deliveries = async (id: string) =>
      (await send(service, 'GET', `/api/v1/webhooks/${id}/deliveries`, { key: own.key })).json.items.length;
    assert.deepEqual([await deliveries(all), await deliveries(ofAgent)], [1, 0]);
    await offer(service, inboundCall(own.workspaceId, agentId, { refusal }));
    assert.deepEqual([await deliveries(all), await deliveries(ofAgent)], [2, 1]);
  });

  it('of a withheld caller are null, and a call that no agent takes says so', async () => {
    const refused = await offer(
      service,
      inboundCall(workspaceId, null, {
        from: null,
        refusal: { reason: 'rejected', detail: 'The number is disabled.' },
      }),
    );
    assert.equal(refused.status, 'not_connected');
    const { call } = refused;
    assert.deepEqual([call.agentId, call.agentVersion, call.engine, call.from], [null, null, null, null]);
    const { json } = await send(service, 'GET', `/api/v1/calls/${call.id}`, { key });
    assert.deepEqual(
      [json.status, json.endReason, json.endDetail],
      ['not_connected', 'rejected', 'The number is disabled.'],
    );
    assert.deepEqual([json.analysis.status, json.analysis.reason], ['skipped', 'not_connected']);
    const events = await send(service, 'GET', `/api/v1/calls/${call.id}/events`, { key });
    const states = events.json.items.filter(({ type }: { type: string }) => type === 'state_changed');
    assert.deepEqual(
      states.map(({ data }: { data: object }) => data),
      [{ from: null, to: 'not_connected', endReason: 'rejected' }],
    );
    for (const [filter, count] of [
      [{ field: 'agentId', op: 'exists', value: false }, 1],
      [
        {
          all: [
            { field: 'agentId', op: 'exists', value: true },
            { field: 'endReason', op: 'eq', value: 'rejected' },
          ],
        },
        0,
      ],
      [
        {
          all: [
            { field: 'agentVersion', op: 'lt', value: 5 },
            { field: 'endReason', op: 'eq', value: 'rejected' },
          ],
        },
        0,
      ],
    ] as const) {
      const found = await send(service, 'POST', '/api/v1/calls/search', { key, body: { filter } });
      assert.equal(found.json.items.length, count, JSON.stringify(filter));
    }
    assert.equal((await send(service, 'POST', `/api/v1/calls/${call.id}/analysis`, { key, body: {} })).status, 422);
    assert.equal((await send(service, 'DELETE', `/api/v1/calls/${call.id}`, { key })).status, 200);
  });
});
