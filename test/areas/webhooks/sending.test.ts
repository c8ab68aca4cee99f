import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { maxAttempts, nextDelayMs } from '../../../src/areas/webhooks/schedule.ts';
import { retryAfterOf } from '../../../src/net/partner/outcome.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { rawReceiver } from '../../support/receiver.ts';
import { eventReceiver, newWorkspace, type Respond, type SendingService, startSendingService } from './receiving.ts';
import { callEvent, eventsOf, write } from './support.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

onEachEngine('sending', (engine) => {
  let service: SendingService;
  before(async () => {
    service = await startSendingService(engine);
  });
  after(() => service.close());

  it('sends an event once, signed, with the bytes that are stored', async () => {
    const receiver = await eventReceiver();
    const { workspaceId, create, deliveries, get } = await newWorkspace(service);
    const { id, secret } = await create({ url: receiver.url });
    const eventId = await write(service, callEvent(workspaceId));
    const delivery = await eventually(
      async () => (await deliveries(id)).find(({ status }) => status === 'succeeded'),
      'the delivery',
    );
    assert.equal(receiver.requests.length, 1);
    const [{ headers, body }] = receiver.requests as [(typeof receiver.requests)[0]];
    const [stored] = await eventsOf(service, workspaceId);
    assert.equal(body, stored?.body);
    assert.equal(headers['webhook-id'], eventId);
    assert.equal(headers['content-type'], 'application/json');
    assert.match(headers['user-agent'] ?? '', /^voice-agents\/\d+\.\d+\.\d+/);
    assert.match(String(headers.traceparent), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    assert.ok(new Verifier(secret).verify(body, headers as Record<string, string>));
    const [attempt] = delivery.attempts;
    assert.deepEqual(
      { ...delivery, id: 0, createdAt: 0, completedAt: 0, attempts: 0 },
      {
        id: 0,
        webhookId: id,
        eventId,
        eventType: 'call_ended',
        status: 'succeeded',
        reason: null,
        trigger: 'event',
        attemptCount: 1,
        nextAttemptAt: null,
        createdAt: 0,
        completedAt: 0,
        attempts: 0,
      },
    );
    assert.deepEqual(
      { ...attempt, startedAt: 0, durationMs: 0 },
      {
        number: 1,
        startedAt: 0,
        durationMs: 0,
        url: receiver.url,
        outcome: 'succeeded',
        statusCode: 200,
        responseBody: 'ok',
        errorMessage: null,
      },
    );
    const webhook = await get(`/webhooks/${id}`);
    assert.equal(webhook.lastSuccessAt, attempt?.startedAt);
    assert.deepEqual([webhook.lastFailureAt, webhook.failingSince], [null, null]);
  });

  const answer = (status: number, headers: Record<string, string> = {}, body = ''): Respond => {
    return (response) => void response.writeHead(status, headers).end(body);
  };
  const responses: [name: string, respond: Respond, expected: [outcome: string, statusCode: number | null]][] = [
    ['204', answer(204), ['succeeded', 204]],
    ['a redirect', answer(302, { location: 'https://example.com/' }), ['redirect', 302]],
    ['404', answer(404, {}, 'not here'), ['http_error', 404]],
    ['500', answer(500), ['http_error', 500]],
    ['429', answer(429, { 'retry-after': '3600' }), ['http_error', 429]],
    ['a reset connection', (response) => void response.destroy(), ['connection_failed', null]],
  ];
  for (const [name, respond, [outcome, statusCode]] of responses) {
    it(`records ${name} as ${outcome}`, async () => {
      const receiver = await eventReceiver(respond);
      const { workspaceId, create, deliveries, get } = await newWorkspace(service);
      const { id } = await create({ url: receiver.url });
      await write(service, callEvent(workspaceId));
      const delivery = await eventually(
        async () => (await deliveries(id)).find((one) => one.attempts.length > 0),
        'an attempt',
      );
      const [attempt] = delivery.attempts;
      assert.deepEqual([attempt?.outcome, attempt?.statusCode], [outcome, statusCode]);
      const hasSucceeded = outcome === 'succeeded';
      assert.equal(delivery.status, hasSucceeded ? 'succeeded' : 'pending');
      assert.equal(attempt?.errorMessage === null, hasSucceeded);
      const webhook = await get(`/webhooks/${id}`);
      assert.equal(webhook.failingSince, hasSucceeded ? null : attempt?.startedAt);
      assert.equal(webhook.lastFailureAt, hasSucceeded ? null : attempt?.startedAt);
      if (hasSucceeded) return;
      const waitMs = Date.parse(delivery.nextAttemptAt ?? '') - Date.parse(attempt?.startedAt ?? '');
      const [least, most] = name === '429' ? [hourMs, hourMs + 60_000] : [4500, 5500 + 60_000];
      assert.ok(waitMs >= least && waitMs <= most, String(waitMs));
    });
  }

  it('keeps no response about a call of which less than everything is stored', async () => {
    const receiver = await eventReceiver();
    const { workspaceId, create, deliveries } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url });
    const of = (callId: string) => ({ subjectId: callId });
    for (const dataStorageSetting of ['everything_except_pii', 'basic_attributes_only']) {
      const data = { call: { id: dataStorageSetting, dataStorageSetting } };
      await write(service, callEvent(workspaceId, { ...of(dataStorageSetting), data }));
    }
    const data = { callId: 'call_deleted', level: 'deleted' };
    await write(service, callEvent(workspaceId, { ...of('call_deleted'), type: 'call_deleted', data }));
    const ended = await eventually(async () => {
      const all = await deliveries(id);
      return all.length === 3 && all.every(({ status }) => status === 'succeeded') ? all : undefined;
    }, 'the deliveries');
    assert.deepEqual(
      ended.map(({ attempts }) => [attempts[0]?.statusCode, attempts[0]?.responseBody]),
      Array(3).fill([200, null]),
    );
  });

  it('counts a response whose body never ends, and keeps the first 4 KiB in whole characters', async () => {
    const receiver = await eventReceiver((response) => void response.writeHead(200).write('予'.repeat(5000)));
    const { workspaceId, create, deliveries } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url });
    await write(service, callEvent(workspaceId));
    const delivery = await eventually(
      async () => (await deliveries(id)).find((one) => one.attempts.length > 0),
      'the delivery',
    );
    assert.equal(delivery.status, 'succeeded');
    assert.equal(delivery.attempts[0]?.responseBody, '予'.repeat(1365));
  });

  it('counts a response that is cut off after its headers', async () => {
    const { port } = await rawReceiver((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart');
        setTimeout(() => socket.destroy(), 50);
      });
    });
    const { workspaceId, create, deliveries } = await newWorkspace(service);
    const { id } = await create({ url: `http://127.0.0.1:${port}/` });
    await write(service, callEvent(workspaceId));
    const delivery = await eventually(
      async () => (await deliveries(id)).find((one) => one.attempts.length > 0),
      'the delivery',
    );
    assert.deepEqual([delivery.status, delivery.attempts[0]?.responseBody], ['succeeded', 'part']);
  });

  it('retries on schedule with the same id and bytes, until the last attempt has failed', async () => {
    const receiver = await eventReceiver((response) => void response.writeHead(500).end());
    const { workspaceId, create, deliveries } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url });
    await write(service, callEvent(workspaceId));
    for (let count = 1; count <= maxAttempts; count += 1) {
      await eventually(async () => (await deliveries(id))[0]?.attempts.length === count, `attempt ${count}`);
      assert.equal(receiver.requests.length, count);
      service.advance(27 * hourMs);
    }
    const [delivery] = await deliveries(id);
    assert.deepEqual([delivery?.status, delivery?.reason], ['failed', 'attempts_exhausted']);
    assert.equal(delivery?.nextAttemptAt, null);
    assert.equal(new Set(receiver.requests.map(({ body }) => body)).size, 1);
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers.traceparent)).size, maxAttempts);
  });

  it('disables a webhook that returns 410, skips the rest, and tells the others', async () => {
    const gone = await eventReceiver(
      (response, _request, index) => void response.writeHead(index === 0 ? 500 : 410).end(),
    );
    const other = await eventReceiver();
    const { workspaceId, create, deliveries, get } = await newWorkspace(service);
    const { id } = await create({ url: gone.url });
    const { id: otherId } = await create({ url: other.url, events: ['webhook_disabled'] });
    await write(service, callEvent(workspaceId, { sequence: 1 }));
    await eventually(async () => (await deliveries(id))[0]?.attempts.length === 1, 'a failure');
    await write(service, callEvent(workspaceId, { sequence: 2 }));
    await eventually(async () => (await get(`/webhooks/${id}`)).status === 'disabled', 'the end');
    const [second, first] = await deliveries(id);
    assert.deepEqual([second?.status, second?.reason], ['failed', 'gone']);
    assert.deepEqual([first?.status, first?.reason], ['skipped', 'webhook_disabled']);
    assert.equal((await get(`/webhooks/${id}`)).disabledReason, 'gone');
    const [told] = await eventually(async () => other.requests.length > 0 && other.requests, 'the news');
    assert.deepEqual(JSON.parse(told?.body ?? '').data, { webhookId: id, reason: 'gone' });
    assert.equal((await deliveries(otherId)).length, 1);
    await write(service, callEvent(workspaceId, { sequence: 3 }));
    const [third] = await deliveries(id);
    assert.deepEqual([third?.status, third?.reason], ['skipped', 'webhook_disabled']);
    assert.ok(service.log.some(({ msg, webhookId }) => msg === 'webhook disabled' && webhookId === id));
  });

  it('disables a webhook that has failed for five days, with ten failures or more', async () => {
    const receiver = await eventReceiver((response) => void response.writeHead(500).end());
    const { workspaceId, create, deliveries, get } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url });
    for (let sequence = 1; sequence <= 4; sequence += 1) await write(service, callEvent(workspaceId, { sequence }));
    const attempts = async () => (await deliveries(id)).reduce((sum, one) => sum + one.attempts.length, 0);
    await eventually(async () => (await attempts()) === 4, 'the first attempts');
    service.advance(dayMs);
    await eventually(async () => (await attempts()) === 8, 'the second attempts');
    assert.equal((await get(`/webhooks/${id}`)).status, 'active');
    service.advance(5 * dayMs);
    await eventually(async () => (await get(`/webhooks/${id}`)).status === 'disabled', 'the end');
    assert.equal((await get(`/webhooks/${id}`)).disabledReason, 'failing');
    const { failingSince } = await get(`/webhooks/${id}`);
    assert.ok(failingSince !== null);
  });

  it('starts first attempts of a subject in the order of their sequence', async () => {
    const receiver = await eventReceiver();
    const { workspaceId, create } = await newWorkspace(service);
    await create({ url: receiver.url });
    const subjectId = 'call_ordered';
    // Written in the wrong order, and all at once.
    await service.database.transaction(async (queries) => {
      for (let sequence = 20; sequence >= 1; sequence -= 1) {
        await service.webhooks.events.write(queries, callEvent(workspaceId, { sequence, subjectId }));
      }
    });
    const rows = await eventually(async () => {
      const found = await service.database.all<{ sequence: number }>(
        `SELECT sequence FROM deliveries JOIN delivery_attempts ON delivery_id = deliveries.id
          WHERE workspace_id = $1 ORDER BY started_at, sequence`,
        [workspaceId],
      );
      return found.length === 20 && found;
    }, 'all of them');
    assert.equal(receiver.requests.length, 20);
    assert.deepEqual(
      rows.map(({ sequence }) => sequence),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it('waits for an earlier event of a subject that was taken over from a lost process, until an attempt of it is known', async () => {
    const receiver = await eventReceiver();
    const { workspaceId, create } = await newWorkspace(service);
    await create({ url: receiver.url });
    const subjectId = 'call_taken_over';
    const other = (id: string) => write(service, callEvent(workspaceId, { subjectId: id }));
    const isReceived = (eventId: string) => receiver.requests.some(({ headers }) => headers['webhook-id'] === eventId);
    const [earlier, later] = await service.database.transaction(async (queries) => {
      for (const sequence of [1, 2]) {
        await service.webhooks.events.write(queries, callEvent(workspaceId, { sequence, subjectId }));
      }
      const [first, second] = await queries.all<{ id: string; event_id: string }>(
        'SELECT id, event_id FROM deliveries WHERE workspace_id = $1 AND subject_id = $2 ORDER BY sequence',
        [workspaceId, subjectId],
      );
      // Another process makes the second attempt, which is the first to start.
      await queries.run("UPDATE deliveries SET attempt = 2, lease_owner = 'another', lease_until = $2 WHERE id = $1", [
        first?.id ?? '',
        Date.now() + 365 * dayMs,
      ]);
      return [first?.id ?? '', second?.event_id ?? ''];
    });
    const beside = await other('call_beside');
    await eventually(() => isReceived(beside), 'an event of another subject');
    assert.ok(!isReceived(later), 'the later event is not sent before the earlier one');
    await service.database.run(
      `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, url, outcome, status_code)
        VALUES ($1, 2, 0, 0, 'https://crm.example.com/', 'http_error', 503)`,
      [earlier],
    );
    await other('call_after');
    await eventually(() => isReceived(later), 'the later event');
  });

  it('sends up to ten at a time to a webhook, and a slow one delays only itself', async () => {
    const held: (() => void)[] = [];
    const slow = await eventReceiver((response) => void held.push(() => response.end()));
    const quick = await eventReceiver();
    const { workspaceId, create, deliveries } = await newWorkspace(service);
    const { id } = await create({ url: slow.url });
    await create({ url: quick.url });
    for (let index = 0; index < 25; index += 1) {
      await write(service, callEvent(workspaceId, { subjectId: `call_${index}` }));
    }
    await eventually(() => quick.requests.length === 25, 'the quick ones');
    await eventually(() => slow.requests.length === 10, 'ten slow ones');
    assert.equal((await deliveries(id, '?status=pending')).length, 25);
    await eventually(() => {
      for (const release of held.splice(0)) release();
      return slow.requests.length === 25;
    }, 'the rest');
    for (const release of held.splice(0)) release();
    assert.equal(slow.maxInFlight(), 10);
    await eventually(async () => (await deliveries(id, '?status=succeeded')).length === 25, 'the end');
  });

  it('refuses addresses that the guard does not allow, at every connection', async () => {
    const { workspaceId, create, deliveries } = await newWorkspace(service);
    const { id } = await create({ url: 'https://shop.example.com/hook' });
    const row = await service.database.get<{ doc: string }>('SELECT doc FROM webhooks WHERE id = $1', [id]);
    const doc = JSON.stringify({ ...JSON.parse(row?.doc ?? ''), url: 'https://169.254.169.254/latest' });
    await service.database.run('UPDATE webhooks SET doc = $2 WHERE id = $1', [id, doc]);
    await write(service, callEvent(workspaceId));
    const delivery = await eventually(
      async () => (await deliveries(id)).find((one) => one.attempts.length > 0),
      'an attempt',
    );
    const [attempt] = delivery.attempts;
    assert.deepEqual([attempt?.outcome, attempt?.statusCode], ['address_not_allowed', null]);
    assert.ok(!attempt?.errorMessage?.includes('169.254'));
  });

  it('sends the transcript to those that include it, the same bytes each time', async () => {
    const receiver = await eventReceiver((response) => void response.writeHead(500).end());
    const { workspaceId, create, deliveries, patch, post } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url, include: ['transcript'] });
    await write(service, callEvent(workspaceId));
    await eventually(async () => (await deliveries(id))[0]?.attempts.length === 1, 'an attempt');
    await patch(`/webhooks/${id}`, { include: [] });
    const [delivery] = await deliveries(id);
    await post(`/webhooks/${id}/deliveries/${delivery?.id}/resend`, undefined, 201);
    await eventually(() => receiver.requests.length === 2, 'another');
    assert.notEqual(JSON.parse(receiver.requests[0]?.body ?? '').data.transcript, null);
    assert.equal(receiver.requests[0]?.body, receiver.requests[1]?.body);
  });
});

describe('the schedule', () => {
  it('has the delays of the contract, with a jitter of ten percent', () => {
    const seconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [index, delay] of seconds.entries()) {
      assert.equal(nextDelayMs(index + 1, null, 0.5), delay * 1000);
      assert.equal(nextDelayMs(index + 1, null, 0), delay * 900);
      assert.equal(nextDelayMs(index + 1, null, 1), delay * 1100);
    }
    assert.equal(nextDelayMs(10, null, 0.5), null);
    assert.equal(nextDelayMs(11, 5000, 0.5), null);
    assert.equal(nextDelayMs(1, 60_000, 0.5), 60_000);
    assert.equal(nextDelayMs(2, 60_000, 0.5), 300_000);
  });

  it('reads Retry-After in seconds and as a date, up to a day', () => {
    const now = Date.parse('2026-11-15T10:00:00Z');
    assert.equal(retryAfterOf('120', now), 120_000);
    assert.equal(retryAfterOf('Sun, 15 Nov 2026 10:01:00 GMT', now), 60_000);
    assert.equal(retryAfterOf('Sun, 15 Nov 2026 09:00:00 GMT', now), 0);
    assert.equal(retryAfterOf('999999', now), dayMs);
    assert.equal(retryAfterOf('99999999999', now), dayMs);
    assert.equal(retryAfterOf('soon', now), null);
    assert.equal(retryAfterOf(undefined, now), null);
    assert.equal(retryAfterOf(['1', '2'], now), null);
  });
});
