import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/contract/calls/call.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { startService, useService } from '../../support/service.ts';
import { eventsOf } from '../webhooks/support.ts';
import { create, eventually, modelDouble, newChat, on, quickSweep, TestClock, testAgent } from './support.ts';

onEachEngine('the states of a call', (engine) => {
  const clock = new TestClock();
  const service = useService(engine, { now: clock.now, calls: { ...quickSweep, concurrency: 1 } });

  const reached = (key: string, id: string, status: Call['status']): Promise<Call> =>
    eventually(async () => {
      const call = await on(service, key, id).call();
      return call.status === status && call;
    });
  const ending = ({ status, endReason, endedBy, endDetail }: Call) => [status, endReason, endedBy, endDetail];
  /** A web call: there is one slot for them. */
  const newWeb = async (key: string, agentId: string, body: object = {}) => {
    const answer = await create(service, key, { type: 'web', agentId, ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json as Call;
  };
  const statesOf = async (key: string, id: string) =>
    (await on(service, key, id).events()).flatMap(({ data }) =>
      'endReason' in data ? [[data.from, data.to, data.endReason]] : [],
    );

  it('registered → ongoing → ended, with the time between', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key);
    await on(service, key, id).say('Hello');
    clock.advance(5000);
    const { json } = await on(service, key, id).end();
    assert.deepEqual(ending(json), ['ended', 'api_end', 'api', null]);
    assert.equal(json.durationMs, Date.parse(json.endedAt) - Date.parse(json.startedAt));
    assert.ok(json.durationMs >= 5000);
    assert.deepEqual(await statesOf(key, id), [
      [null, 'registered', null],
      ['registered', 'ongoing', null],
      ['ongoing', 'ended', 'api_end'],
    ]);
    const again = await on(service, key, id).end();
    assert.deepEqual([again.status, again.json], [200, json], 'a terminal state is final');
  });

  it('registered → not_connected: canceled, or nobody joins within 120 s', async (context) => {
    clock.hold(context);
    const { key } = await service.newKey();
    const canceled = await newChat(service, key);
    const { json } = await on(service, key, canceled.id).end();
    assert.deepEqual(ending(json), ['not_connected', 'canceled', 'api', null]);
    assert.deepEqual([json.startedAt, json.durationMs, json.transcriptStatus], [null, null, 'none']);
    const [alone, joined] = [await newChat(service, key), await newChat(service, key)];
    clock.advance(119_000);
    await on(service, key, joined.id).say('Hello');
    clock.advance(1001);
    assert.deepEqual(ending(await reached(key, alone.id, 'not_connected')), [
      'not_connected',
      'not_joined',
      'system',
      null,
    ]);
    assert.equal((await on(service, key, joined.id).call()).status, 'ongoing');
  });

  it('ongoing → ended after silence since the last turn', async () => {
    const { key } = await service.newKey();
    const agent = { endCallAfterSilenceMs: 30_000 };
    const { id } = await newChat(service, key, { agent });
    const chat = on(service, key, id);
    await chat.say('One');
    clock.advance(20_000);
    await chat.say('Two');
    clock.advance(20_000);
    // Neither is a turn.
    await chat.patch({ externalId: 'x' });
    await chat.control({ action: 'set_variables', variables: { a: 1 } });
    await chat.control({ action: 'mute_agent' });
    assert.equal((await chat.call()).status, 'ongoing');
    clock.advance(10_001);
    const call = await reached(key, id, 'ended');
    assert.deepEqual(ending(call), ['ended', 'silence_timeout', 'system', null]);
    assert.equal(call.transcriptStatus, 'available');
  });

  it('ongoing → ended at its maximum duration, however much is said', async (context) => {
    clock.hold(context);
    const { key } = await service.newKey();
    const agent = { endCallAfterSilenceMs: 60_000, maxCallDurationMs: 60_000 };
    const { id } = await newChat(service, key, { agent });
    const chat = on(service, key, id);
    for (let count = 0; count < 3; count += 1) {
      assert.equal((await chat.say('Hello')).status, 200);
      clock.advance(19_000);
    }
    clock.advance(3001);
    assert.deepEqual(ending(await reached(key, id, 'ended')), ['ended', 'max_duration', 'system', null]);
    assert.equal((await chat.say('Hello')).status, 409);
  });

  it('queued → registered at its time, and it can be joined from then on', async (context) => {
    clock.hold(context);
    const { key } = await service.newKey();
    const startAt = new Date(clock.now() + 60_000).toISOString();
    const call = await newChat(service, key, { call: { startAt } });
    assert.deepEqual([call.status, call.access, call.scheduledAt], ['queued', null, startAt]);
    const chat = on(service, key, call.id);
    const refused = await chat.token();
    assert.deepEqual(
      [refused.status, refused.json.error.details],
      [409, { status: 'queued', allowed: ['registered', 'ongoing'], reason: null }],
    );
    assert.equal((await send(service, 'GET', '/api/v1/call-concurrency', { key })).json.queued, 1);
    clock.advance(59_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await chat.call()).status, 'queued');
    clock.advance(1001);
    await reached(key, call.id, 'registered');
    assert.equal((await chat.token()).status, 201);
    assert.equal((await chat.say('Hello')).status, 200);
    assert.deepEqual(await statesOf(key, call.id), [
      [null, 'queued', null],
      ['queued', 'registered', null],
      ['registered', 'ongoing', null],
    ]);
  });

  it('queued → registered, in the order of their times, when a slot becomes free', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    const first = await newWeb(key, agentId);
    const startAt = new Date(clock.now() + 1).toISOString();
    const second = await newWeb(key, agentId, { queue: true });
    const third = await newWeb(key, agentId, { queue: true });
    const later = await newWeb(key, agentId, { queue: true, startAt: new Date(clock.now() + 5000).toISOString() });
    assert.deepEqual(
      [first, second, third, later].map(({ status }) => status),
      ['registered', 'queued', 'queued', 'queued'],
    );
    assert.ok(startAt < (later.scheduledAt as string));
    clock.advance(5001);
    const order = [first, second, third, later];
    for (const [place, call] of order.entries()) {
      await reached(key, call.id, 'registered');
      for (const { id } of order.slice(place + 1)) {
        assert.equal((await on(service, key, id).call()).status, 'queued');
      }
      await on(service, key, call.id).end();
    }
  });

  it('queued → not_connected: canceled, expired, or no slot at its time', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    const busy = await newWeb(key, agentId);
    const canceled = await newWeb(key, agentId, { queue: true });
    assert.deepEqual(ending((await on(service, key, canceled.id).end()).json), [
      'not_connected',
      'canceled',
      'api',
      null,
    ]);
    const startAt = new Date(clock.now() + 10_000).toISOString();
    const expired = await newWeb(key, agentId, { queue: true, expiresInSeconds: 20 });
    const scheduled = await newWeb(key, agentId, { startAt, expiresInSeconds: 20 });
    const both = await newWeb(key, agentId, { startAt, queue: true, expiresInSeconds: 20 });
    clock.advance(10_001);
    const ended = await reached(key, scheduled.id, 'not_connected');
    assert.deepEqual(ending(ended), ['not_connected', 'concurrency_limit', 'system', null]);
    assert.equal((await on(service, key, expired.id).call()).status, 'queued');
    clock.advance(10_000);
    assert.deepEqual(ending(await reached(key, expired.id, 'not_connected')), [
      'not_connected',
      'expired',
      'system',
      null,
    ]);
    assert.equal((await on(service, key, both.id).call()).status, 'queued', 'its time counts from startAt');
    clock.advance(10_000);
    assert.equal((await reached(key, both.id, 'not_connected')).endReason, 'expired');
    assert.equal((await on(service, key, busy.id).call()).status, 'registered');
  });

  it('queued → expired if its time ran out while no service was running, although a slot is free', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    const busy = await newWeb(key, agentId);
    const waiting = await newWeb(key, agentId, { queue: true, expiresInSeconds: 10 });
    // Both at once, as after a pause.
    await service.database.run('UPDATE calls SET due_at = 1, lease_until = NULL WHERE id = $1', [waiting.id]);
    clock.advance(10_001);
    await on(service, key, busy.id).end();
    assert.equal((await reached(key, waiting.id, 'not_connected')).endReason, 'expired');
  });

  it('queued → expired, also behind more calls than are looked at together', async () => {
    const { key, workspaceId } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    await newWeb(key, agentId);
    const long = await newWeb(key, agentId, { queue: true, expiresInSeconds: 86_400 });
    const columns = await service.database.get<Record<string, unknown>>('SELECT * FROM calls WHERE id = $1', [long.id]);
    const names = Object.keys(columns ?? {}).filter((name) => name !== 'id');
    for (let count = 0; count < 150; count += 1) {
      await service.database.run(
        `INSERT INTO calls (id, ${names.join(', ')}) SELECT $2, ${names.join(', ')} FROM calls WHERE id = $1`,
        [long.id, `call_copy${count}${workspaceId.slice(-12)}`],
      );
    }
    const short = await newWeb(key, agentId, { queue: true, expiresInSeconds: 10 });
    clock.advance(10_001);
    assert.equal((await reached(key, short.id, 'not_connected')).endReason, 'expired');
    await service.database.run("DELETE FROM calls WHERE id LIKE 'call_copy%'");
  });

  it('a full pool refuses calls with 429, and chats have ten times as many slots', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    await newWeb(key, agentId);
    const web = await create(service, key, { type: 'web', agentId });
    assert.deepEqual([web.status, web.json.error.code], [429, 'CONCURRENCY_LIMIT_REACHED']);
    assert.deepEqual(web.json.error.details, { pool: 'voice', limit: 1, active: 1, reservedInbound: 0 });
    assert.equal(web.headers.get('retry-after'), '5');
    const made = await Promise.all(Array.from({ length: 12 }, () => create(service, key, { agentId })));
    assert.equal(made.filter(({ status }) => status === 201).length, 10);
    const refused = made.find(({ status }) => status === 429);
    assert.deepEqual(refused?.json.error.details, { pool: 'chat', limit: 10, active: 10, reservedInbound: 0 });
    const queued = await create(service, key, { agentId, queue: true });
    assert.deepEqual([queued.json.status, queued.json.access], ['queued', null]);
    assert.deepEqual((await send(service, 'GET', '/api/v1/call-concurrency', { key })).json, {
      limit: 1,
      active: 1,
      reservedInbound: 0,
      queued: 1,
      chatLimit: 10,
      chatActive: 10,
    });
    const [open] = made.filter(({ status }) => status === 201);
    await on(service, key, open?.json.id).end();
    await reached(key, queued.json.id, 'registered');
    const other = await service.newKey();
    const otherAgent = await testAgent(service, other.key);
    assert.equal((await create(service, other.key, { agentId: otherAgent.id })).status, 201, 'slots of a workspace');
  });

  it('are events for the webhook of the agent and of the workspace, in one order', async () => {
    const { key, workspaceId } = await service.newKey();
    const agent = {
      webhookUrl: 'https://shop.example.com/hooks',
      webhookEvents: ['call_started', 'call_ended', 'call_analyzed', 'call_deleted'],
    };
    const { id } = await newChat(service, key, { agent });
    const chat = on(service, key, id);
    await chat.say('Hello');
    await chat.end();
    assert.equal((await eventsOf(service, workspaceId)).length, 3, 'their bodies match the contract');
    await chat.delete();
    const rows = await eventsOf(service, workspaceId);
    assert.deepEqual(
      rows.map(({ type, sequence, subject_id, body }) => [sequence, type, subject_id === id, body === null]),
      [
        [1, 'call_started', true, true],
        [2, 'call_ended', true, true],
        [3, 'call_analyzed', true, true],
        [4, 'call_deleted', true, false],
      ],
    );
    const deliveries = await service.database.all<{ event_type: string; status: string; url: string }>(
      'SELECT event_type, status, url FROM deliveries WHERE workspace_id = $1 ORDER BY sequence',
      [workspaceId],
    );
    assert.deepEqual(
      deliveries.map(({ event_type, status }) => [event_type, status]),
      [
        ['call_started', 'skipped'],
        ['call_ended', 'skipped'],
        ['call_analyzed', 'skipped'],
        ['call_deleted', 'pending'],
      ],
    );
    assert.ok(deliveries.every(({ url }) => url === agent.webhookUrl));
  });

  describe('with another model after a restart', () => {
    it('a queued call gets the engine that is there when it starts', async () => {
      const double = await modelDouble();
      const before = await startService(engine, { now: clock.now, calls: quickSweep });
      const { key } = await before.newKey();
      const startAt = new Date(clock.now() + 60_000).toISOString();
      const call = await newChat(before, key, { model: 'gpt-5.4-mini', call: { startAt } });
      assert.deepEqual([call.engine, call.usage.llm.model, call.notApplied.length], ['rehearsal', null, 1]);
      await before.close();
      const { databaseUrl } = before;
      const after = await startService(engine, {
        databaseUrl,
        now: clock.now,
        calls: { ...quickSweep, llm: double.llm },
      });
      clock.advance(60_001);
      const started = await eventually(async () => {
        const found = await on(after, key, call.id).call();
        return found.status === 'registered' && found;
      });
      assert.deepEqual([started.engine, started.usage.llm.model, started.notApplied], ['prompt', 'gpt-5.4-mini', []]);
      await after.close();
    });
  });
});
