import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Delivery } from '../../../src/contract/webhooks/delivery.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { newChat, on } from '../calls/support.ts';
import { eventReceiver, newWorkspace, startSendingService } from './receiving.ts';
import { callEvent, eventsOf, startEventService, write } from './support.ts';

onEachEngine('deliveries', (engine) => {
  it('are sent by one of several instances at a time, and up to ten at a time by all of them', async () => {
    const databaseUrl = await engine.newServiceUrl();
    const [one, other] = [
      await startSendingService(engine, { databaseUrl }),
      await startSendingService(engine, { databaseUrl }),
    ] as const;
    const receiver = await eventReceiver((response) => void setTimeout(() => response.end(), 20));
    const { workspaceId, create, deliveries } = await newWorkspace(one);
    const { id } = await create({ url: receiver.url });
    const writeSome = async (service: typeof one, first: number) => {
      for (let index = first; index < 60; index += 2) {
        await write(service, callEvent(workspaceId, { subjectId: `call_${index}` }));
      }
    };
    await Promise.all([writeSome(one, 0), writeSome(other, 1)]);
    await eventually(async () => (await deliveries(id, '?status=succeeded&limit=200')).length === 60, 'all of them');
    assert.equal(receiver.requests.length, 60);
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 60);
    assert.ok(receiver.maxInFlight() <= 10, String(receiver.maxInFlight()));
    await one.close();
    await other.close();
  });

  it('are sent again if the lease was lost, and the late result does not count', async () => {
    const service = await startSendingService(engine);
    const held: (() => void)[] = [];
    const receiver = await eventReceiver((response) => void held.push(() => response.writeHead(500).end()));
    const { workspaceId, create, deliveries } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url });
    await write(service, callEvent(workspaceId));
    await eventually(() => held.length === 1, 'a request');
    await service.database.run("UPDATE deliveries SET lease_owner = 'another process' WHERE webhook_id = $1", [id]);
    held.shift()?.();
    await eventually(async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      return metrics.includes('webhook_attempts_total{outcome="lost"} 1');
    }, 'the loss');
    // The other process is lost.
    service.advance(120_000);
    await eventually(() => held.length === 1, 'another request');
    const [during] = await deliveries(id);
    assert.deepEqual([during?.attempts, during?.attemptCount], [[], 2]);
    held.shift()?.();
    const delivery = await eventually(
      async () => (await deliveries(id)).find((found) => found.attempts.length > 0),
      'the attempt',
    );
    assert.deepEqual(
      delivery.attempts.map(({ number }) => number),
      [2],
    );
    const [first, second] = receiver.requests;
    assert.deepEqual([first?.body, first?.headers['webhook-id']], [second?.body, second?.headers['webhook-id']]);
    await service.close();
  });

  it('of one subject wait for the first attempt of an earlier one that another process has claimed', async () => {
    const databaseUrl = await engine.newServiceUrl();
    const writer = await startEventService(engine, { databaseUrl });
    const receiver = await eventReceiver();
    const { workspaceId, create } = await newWorkspace(writer);
    await create({ url: receiver.url });
    const first = await write(writer, callEvent(workspaceId, { sequence: 1 }));
    await writer.database.run(
      "UPDATE deliveries SET lease_owner = 'another process', lease_until = $2, attempt = 1 WHERE event_id = $1",
      [first, Date.now() + 60_000],
    );
    const second = await write(writer, callEvent(workspaceId, { sequence: 2 }));
    const unrelated = await write(writer, callEvent(workspaceId, { subjectId: 'call_2' }));
    const service = await startSendingService(engine, { databaseUrl });
    const received = () => receiver.requests.map(({ headers }) => headers['webhook-id']);
    // It was written last: all others that may be sent have been claimed before it.
    await eventually(() => received().includes(unrelated), 'the unrelated one');
    assert.deepEqual(received(), [unrelated]);
    // The other process is lost.
    service.advance(120_000);
    await eventually(() => received().length === 3, 'the others');
    assert.deepEqual(received(), [unrelated, first, second]);
    await service.close();
    await writer.close();
  });

  it('are released when the service stops, as if they had not been tried', async () => {
    const databaseUrl = await engine.newServiceUrl();
    const service = await startSendingService(engine, { databaseUrl, webhookSending: { pollMs: 20, drainMs: 50 } });
    let isHanging = true;
    const receiver = await eventReceiver((response) => {
      if (!isHanging) response.end();
    });
    const { workspaceId, create } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url });
    await write(service, callEvent(workspaceId));
    await eventually(() => receiver.requests.length === 1, 'a request');
    await service.close();
    isHanging = false;
    const next = await startSendingService(engine, { databaseUrl });
    const row = await eventually(async () => {
      const found = await next.database.get<{ status: string; attempt: number }>(
        'SELECT status, attempt FROM deliveries WHERE webhook_id = $1',
        [id],
      );
      return found?.status === 'succeeded' && found;
    }, 'the delivery');
    assert.equal(row.attempt, 1);
    assert.equal(receiver.requests.length, 2);
    await next.close();
  });

  it('to a receiver that fails again and again are slowed down, and those to others are not', async () => {
    const webhookSending = { pollMs: 20, failingPerSecond: 1 };
    const service = await startSendingService(engine, { webhookSending });
    const dead = await eventReceiver((response) => void response.writeHead(500).end());
    const good = await eventReceiver();
    const { workspaceId, create } = await newWorkspace(service);
    for (const { url } of [dead, good]) await create({ url });
    const startMs = performance.now();
    for (let index = 0; index < 80; index += 1) {
      await write(service, callEvent(workspaceId, { subjectId: `call_${index}` }));
    }
    await eventually(() => good.requests.length === 80, 'all of the others');
    await eventually(() => dead.requests.length >= 20, 'the first ones');
    // Twenty at full speed, up to ten in flight by then, and one per second since.
    const most = 40 + (performance.now() - startMs) / 1000;
    assert.ok(dead.requests.length <= most, String(dead.requests.length));
    await service.close();
  });

  it('are skipped if the content of the call was removed before they were sent', async () => {
    const service = await startSendingService(engine);
    const receiver = await eventReceiver((response) => void response.writeHead(500).end());
    const { workspaceId, create, deliveries, key } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url });
    await write(service, callEvent(workspaceId));
    await eventually(async () => (await deliveries(id))[0]?.attempts.length === 1, 'an attempt');
    await service.database.transaction((queries) => service.webhooks.events.clearCall(queries, workspaceId, 'call_1'));
    const [delivery] = await deliveries(id);
    assert.deepEqual([delivery?.status, delivery?.reason], ['skipped', 'content_removed']);
    const path = `/api/v1/webhooks/${id}/deliveries/${delivery?.id}/resend`;
    assert.equal((await send(service, 'POST', path, { key })).status, 422);
    await service.close();
  });

  it('say that the transcript is missing if it was removed before they were sent again', async () => {
    const service = await startSendingService(engine);
    const receiver = await eventReceiver(
      (response, _, index) => void response.writeHead(index === 0 ? 500 : 200).end(),
    );
    const { workspaceId, create } = await newWorkspace(service);
    await create({ url: receiver.url, include: ['transcript'] });
    await write(service, callEvent(workspaceId));
    await eventually(() => receiver.requests.length === 1, 'an attempt');
    await service.database.transaction((queries) =>
      service.webhooks.events.redactCall(queries, workspaceId, 'call_1', (body) => body),
    );
    service.advance(10_000);
    await eventually(() => receiver.requests.length === 2, 'the next attempt');
    const data = receiver.requests.map(({ body }) => JSON.parse(body).data);
    assert.deepEqual([data[0].transcript !== null, data[0].omitted], [true, []]);
    assert.deepEqual([data[1].transcript, data[1].omitted], [null, ['transcript']]);
    await service.close();
  });
});

onEachEngine('a replay', (engine) => {
  const skippedEvents = async (options: Parameters<typeof startSendingService>[1] = {}, count = 30) => {
    const service = await startSendingService(engine, options);
    const workspace = await newWorkspace(service);
    const receiver = await eventReceiver();
    const { id } = await workspace.create({ url: receiver.url });
    await workspace.patch(`/webhooks/${id}`, { status: 'paused' });
    const { workspaceId } = workspace;
    for (let index = 0; index < count; index += 1) {
      const subjectId = `call_${index}`;
      await write(service, callEvent(workspaceId, { subjectId, agentId: `agt_${index % 2}` }));
    }
    return { service, workspace, receiver, id };
  };
  const since = () => new Date(Date.now() - 60_000).toISOString();

  it('sends what was skipped or failed, once and in order, at most 20 per second', async () => {
    const { service, workspace, receiver, id } = await skippedEvents();
    const { post, patch, deliveries } = workspace;
    await post(`/webhooks/${id}/replay`, { since: since() }, 409);
    await patch(`/webhooks/${id}`, { status: 'active' });
    const startedAt = performance.now();
    const replay = await post(`/webhooks/${id}/replay`, { since: since() }, 201);
    assert.match(replay.id, /^rpl_/);
    assert.equal(replay.matched, 30);
    const running = await post(`/webhooks/${id}/replay`, { since: since() }, 409);
    assert.equal(running.error.details.reason, 'replay_running');
    await eventually(() => receiver.requests.length === 30, 'all of them');
    assert.ok(performance.now() - startedAt >= 29 * 50 - 20);
    const expected = (await eventsOf(service, workspace.workspaceId)).map((event) => event.id);
    await eventually(async () => (await deliveries(id, '?status=succeeded&limit=200')).length === 30, 'the end');
    const startOf = ({ attempts: [first], id: deliveryId }: Delivery) => `${first?.startedAt} ${deliveryId}`;
    const attempts = (await deliveries(id, '?trigger=replay&limit=200')).sort((a, b) =>
      startOf(a) < startOf(b) ? -1 : 1,
    );
    assert.deepEqual(
      attempts.map(({ eventId }) => eventId),
      expected,
    );
    const repeated = await eventually(async () => {
      const call = { key: workspace.key, body: { since: since() } };
      const answer = await send(service, 'POST', `/api/v1/webhooks/${id}/replay`, call);
      return answer.status === 201 && answer.json;
    }, 'the end of the replay');
    assert.equal(repeated.matched, 0);
    await service.close();
  });

  it('with all events takes those that the webhook matches now', async () => {
    const { service, workspace, id } = await skippedEvents({}, 6);
    const { post, patch, workspaceId } = workspace;
    await patch(`/webhooks/${id}`, { status: 'active', events: ['call_ended'] });
    const row = await service.database.get<{ doc: string }>('SELECT doc FROM webhooks WHERE id = $1', [id]);
    const doc = JSON.stringify({ ...JSON.parse(row?.doc ?? ''), agentIds: ['agt_0'] });
    await service.database.run('UPDATE webhooks SET doc = $2 WHERE id = $1', [id, doc]);
    await write(service, {
      ...callEvent(workspaceId, { subjectId: 'call_x', agentId: 'agt_0' }),
      type: 'call_started',
      transcript: undefined as never,
    });
    const replay = await post(`/webhooks/${id}/replay`, { since: since(), statuses: 'all' }, 201);
    assert.equal(replay.matched, 3);
    await service.close();
  });

  it('without an end takes everything that was committed before, also by an instance whose clock is ahead', async () => {
    const { service, workspace, id } = await skippedEvents({}, 3);
    const { post, patch } = workspace;
    await service.database.run('UPDATE events SET created_at = created_at + 60000 WHERE position = 3');
    await patch(`/webhooks/${id}`, { status: 'active' });
    assert.equal((await post(`/webhooks/${id}/replay`, { since: since() }, 201)).matched, 3);
    await service.close();
  });

  it('includes the transcript of a call that ended before the webhook existed, with the same bytes from then on', async () => {
    const service = await startSendingService(engine);
    const workspace = await newWorkspace(service);
    const chat = await newChat(service, workspace.key);
    const call = on(service, workspace.key, chat.id);
    assert.equal((await call.say('予約したいです')).status, 200);
    assert.equal((await call.end()).status, 200);
    const receiver = await eventReceiver();
    const { id } = await workspace.create({ url: receiver.url, events: ['call_ended'], include: ['transcript'] });
    const replay = { since: since(), statuses: 'all' };
    assert.equal((await workspace.post(`/webhooks/${id}/replay`, replay, 201)).matched, 1);
    await eventually(() => receiver.requests.length === 1, 'the event');
    const { data } = JSON.parse(receiver.requests[0]?.body ?? '');
    assert.deepEqual(data.transcript, await workspace.get(`/calls/${chat.id}/transcript`));
    assert.deepEqual(data.omitted, []);
    const [delivery] = await eventually(async () => {
      const found = await workspace.deliveries(id, '?status=succeeded');
      return found.length > 0 && found;
    }, 'the result');
    await workspace.post(`/webhooks/${id}/deliveries/${delivery?.id}/resend`, undefined, 201);
    await eventually(() => receiver.requests.length === 2, 'the event again');
    assert.equal(receiver.requests[1]?.body, receiver.requests[0]?.body);
    await service.close();
  });

  it('goes on after a crash, and sends no event twice', async () => {
    const databaseUrl = await engine.newServiceUrl();
    const { service, workspace, receiver, id } = await skippedEvents({ databaseUrl }, 150);
    await workspace.patch(`/webhooks/${id}`, { status: 'active' });
    assert.equal((await workspace.post(`/webhooks/${id}/replay`, { since: since() }, 201)).matched, 150);
    await eventually(() => receiver.requests.length >= 5, 'the first ones');
    await service.close();
    const sent = receiver.requests.length;
    assert.ok(sent < 150);
    const next = await startSendingService(engine, { databaseUrl });
    // What was being sent when the service stopped is sent again.
    await eventually(
      () => new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size === 150,
      'the rest',
    );
    const rows = await next.database.all('SELECT event_id FROM deliveries WHERE replay_id IS NOT NULL');
    assert.equal(rows.length, 150);
    await next.close();
  });

  it('is refused for a time that events are not kept for', async () => {
    const { service, workspace, id } = await skippedEvents({}, 0);
    await workspace.patch(`/webhooks/${id}`, { status: 'active' });
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
    const dayMs = 24 * 3_600_000;
    const fields = async (body: object) =>
      Object.keys((await workspace.post(`/webhooks/${id}/replay`, body, 400)).error.details.fieldErrors);
    assert.deepEqual(await fields({ since: ago(31 * dayMs) }), ['since']);
    assert.deepEqual(await fields({ since: ago(-dayMs) }), ['since']);
    assert.deepEqual(await fields({ since: ago(dayMs), until: ago(2 * dayMs) }), ['until']);
    const wrong = await workspace.post(`/webhooks/${id}/replay`, { statuses: ['succeeded'] }, 400);
    assert.deepEqual(wrong.error.details.fieldErrors, {
      since: ['is required'],
      statuses: ['must be "all", or a list of failed and skipped'],
    });
    await service.close();
  });
});
