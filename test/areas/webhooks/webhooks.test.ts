import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { eventReceiver, newWorkspace, type SendingService, startSendingService } from './receiving.ts';
import { callEvent, eventsOf, write } from './support.ts';

onEachEngine('webhooks', (engine) => {
  let service: SendingService;
  before(async () => {
    service = await startSendingService(engine);
  });
  after(() => service.close());

  const refusal = async (key: string, method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await send(service, method, `/api/v1${path}`, {
      key,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    return [
      answer.status,
      answer.json.error?.code,
      answer.json.error?.details?.fieldErrors ?? answer.json.error?.details,
    ];
  };

  it('are created with their secret, which no other response contains', async () => {
    const { create, get } = await newWorkspace(service);
    const { secret, ...created } = await create({
      url: 'https://shop.example.com/hooks',
      events: ['call_ended', 'call_ended', 'call_analyzed'],
      description: 'CRM',
    });
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(created.events, ['call_ended', 'call_analyzed']);
    assert.deepEqual(await get(`/webhooks/${created.id}`), created);
    assert.deepEqual((await get('/webhooks')).items, [created]);
    assert.equal((await get(`/webhooks/${created.id}/secret`)).secret, secret);
  });

  it('are refused with an address that the guard does not allow, or with unknown events', async () => {
    const { key } = await newWorkspace(service);
    const cases: [body: object, field: string][] = [
      [{ url: 'http://shop.example.com/', events: ['*'] }, 'url'],
      [{ url: 'https://10.0.0.1/', events: ['*'] }, 'url'],
      [{ url: 'https://user:password@shop.example.com/', events: ['*'] }, 'url'],
      [{ url: 'https://shop.example.com:80/', events: ['*'] }, 'url'],
      [{ url: 'ftp://shop.example.com/', events: ['*'] }, 'url'],
      [{ url: 'https://shop.example.com/', events: ['call_exploded'] }, 'events'],
      [{ url: 'https://shop.example.com/', events: ['*', 'call_ended'] }, 'events'],
      [{ url: 'https://shop.example.com/', events: [] }, 'events'],
    ];
    for (const [body, field] of cases) {
      const [status, code, details] = await refusal(key, 'POST', '/webhooks', body);
      assert.deepEqual([status, code], [400, 'VALIDATION_ERROR'], JSON.stringify(body));
      assert.ok(Object.keys(details)[0]?.startsWith(field), JSON.stringify(details));
    }
    const url = 'https://shop.example.com/';
    const unknown = await refusal(key, 'POST', '/webhooks', { url, events: ['*'], agentIds: ['agt_none'] });
    assert.deepEqual(unknown, [422, 'UNPROCESSABLE_CONTENT', { agentIds: ['there is no agent agt_none'] }]);
    const { id } = await createAgent(service, key);
    assert.equal((await refusal(key, 'POST', '/webhooks', { url, events: ['*'], agentIds: [id] }))[0], 201);
  });

  it('are at most 20 in a workspace, also if they are created at once', async () => {
    const { key } = await newWorkspace(service);
    const body = { url: 'https://shop.example.com/', events: ['*'] };
    const answers = await Promise.all(Array.from({ length: 22 }, () => refusal(key, 'POST', '/webhooks', body)));
    const statuses = answers.map(([status]) => status);
    assert.deepEqual(
      [statuses.filter((one) => one === 201).length, statuses.filter((one) => one === 422).length],
      [20, 2],
    );
    assert.deepEqual(await refusal(key, 'POST', '/webhooks', body), [422, 'LIMIT_REACHED', { limit: 20 }]);
  });

  it('are changed field by field, with a tag that deliveries do not change', async () => {
    const receiver = await eventReceiver();
    const { key, create, deliveries, workspaceId } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url });
    const read = await send(service, 'GET', `/api/v1/webhooks/${id}`, { key });
    const tag = read.headers.get('etag') as string;
    await write(service, callEvent(workspaceId));
    await eventually(async () => (await deliveries(id))[0]?.status === 'succeeded', 'a delivery');
    const patch = (body: object, ifMatch: string) =>
      send(service, 'PATCH', `/api/v1/webhooks/${id}`, { key, body, headers: { 'if-match': ifMatch } });
    const changed = await patch({ description: 'CRM', events: ['call_ended'] }, tag);
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual([changed.json.description, changed.json.events], ['CRM', ['call_ended']]);
    assert.notEqual(changed.json.lastSuccessAt, null);
    const late = await patch({ description: null }, tag);
    assert.deepEqual([late.status, late.json.error.code], [409, 'VERSION_CONFLICT']);
    const next = changed.headers.get('etag') as string;
    assert.equal((await patch({ description: null }, next)).json.description, null);
    assert.equal((await refusal(key, 'PATCH', `/webhooks/${id}`, { url: 'https://10.0.0.1/' }))[0], 400);
    assert.equal((await refusal(key, 'DELETE', `/webhooks/${id}`, undefined, { 'if-match': tag }))[0], 409);
  });

  it('skip what is to be sent while they are paused, and send nothing by themselves afterwards', async () => {
    const receiver = await eventReceiver((response) => void response.writeHead(500).end());
    const { workspaceId, create, deliveries, patch } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url });
    await write(service, callEvent(workspaceId, { sequence: 1 }));
    await eventually(async () => (await deliveries(id))[0]?.attempts.length === 1, 'an attempt');
    assert.equal((await patch(`/webhooks/${id}`, { status: 'paused' })).status, 'paused');
    await write(service, callEvent(workspaceId, { sequence: 2 }));
    const skipped = await deliveries(id);
    assert.deepEqual(
      skipped.map(({ status, reason }) => [status, reason]),
      [
        ['skipped', 'webhook_paused'],
        ['skipped', 'webhook_paused'],
      ],
    );
    const disabled = await patch(`/webhooks/${id}`, { status: 'disabled' });
    assert.equal(disabled.disabledReason, 'by_user');
    const active = await patch(`/webhooks/${id}`, { status: 'active' });
    assert.deepEqual([active.disabledReason, active.failingSince], [null, null]);
    service.advance(60_000);
    await write(service, callEvent(workspaceId, { sequence: 3 }));
    await eventually(async () => (await deliveries(id))[0]?.attempts.length === 1, 'the next one');
    assert.equal(receiver.requests.length, 2);
    assert.deepEqual((await deliveries(id)).slice(1), skipped);
  });

  it('of agents keep their address, and are deleted with their agent only', async () => {
    const { key, get, patch, deliveries } = await newWorkspace(service);
    const agent = await createAgent(service, key, {
      webhookUrl: 'https://shop.example.com/hooks',
      llmModel: 'test-echo',
    });
    await send(service, 'POST', `/api/v1/agents/${agent.id}/publish`, { key });
    const { id } = (await get(`/webhooks?agentId=${agent.id}`)).items[0];
    const fixed = await refusal(key, 'PATCH', `/webhooks/${id}`, { url: 'https://other.example.com/', events: ['*'] });
    const why = ['is set in the agent of this webhook'];
    assert.deepEqual(fixed, [422, 'UNPROCESSABLE_CONTENT', { url: why, events: why }]);
    assert.equal((await patch(`/webhooks/${id}`, { include: ['transcript'] })).include[0], 'transcript');
    const inUse = [409, 'RESOURCE_IN_USE', { usedBy: [agent.id] }];
    assert.deepEqual(await refusal(key, 'DELETE', `/webhooks/${id}`), inUse);
    const body = { type: 'chat', agentId: agent.id };
    const call = (await send(service, 'POST', '/api/v1/calls', { key, body })).json;
    await send(service, 'DELETE', `/api/v1/agents/${agent.id}`, { key });
    assert.deepEqual(await refusal(key, 'DELETE', `/webhooks/${id}`), inUse);
    await send(service, 'POST', `/api/v1/calls/${call.id}/end`, { key });
    await deliveries(id);
    assert.equal((await refusal(key, 'DELETE', `/webhooks/${id}`))[0], 200);
  });

  it('are deleted with their deliveries; events remain', async () => {
    const { key, workspaceId, create } = await newWorkspace(service);
    const { id } = await create({ url: 'http://127.0.0.1:1024/' });
    await write(service, callEvent(workspaceId));
    const answer = await send(service, 'DELETE', `/api/v1/webhooks/${id}`, { key });
    assert.deepEqual(answer.json, { id, deleted: true });
    assert.equal((await refusal(key, 'GET', `/webhooks/${id}`))[0], 404);
    assert.equal((await refusal(key, 'GET', `/webhooks/${id}/deliveries`))[0], 404);
    assert.equal((await eventsOf(service, workspaceId)).length, 1);
    const left = await service.database.all('SELECT id FROM deliveries WHERE workspace_id = $1', [workspaceId]);
    assert.deepEqual(left, []);
  });

  it('are deleted while events are written, which is no problem for either', async () => {
    const { key, workspaceId, create } = await newWorkspace(service);
    for (let round = 0; round < 5; round += 1) {
      const { id } = await create({ url: 'http://127.0.0.1:1024/' });
      const writing = Array.from({ length: 6 }, (_, index) =>
        write(service, callEvent(workspaceId, { sequence: round * 6 + index + 1 })),
      );
      const deleting = send(service, 'DELETE', `/api/v1/webhooks/${id}`, { key });
      await Promise.all(writing);
      assert.equal((await deleting).status, 200);
    }
    assert.equal((await eventsOf(service, workspaceId)).length, 30);
  });

  it('sign with two secrets after a rotation, never with three', async () => {
    const receiver = await eventReceiver();
    const { workspaceId, create, post, get } = await newWorkspace(service);
    const { id, secret: first } = await create({ url: receiver.url });
    let sequence = 0;
    /** How many signatures the next request has. The first is that of the newest secret. */
    const signatures = async (secret: string) => {
      sequence += 1;
      await write(service, callEvent(workspaceId, { sequence }));
      const { headers, body } = await eventually(() => receiver.requests[sequence - 1], 'a request');
      const given = String(headers['webhook-signature']).split(' ');
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      assert.equal(given[0], new Verifier(secret).sign(String(headers['webhook-id']), at, body));
      return given.length;
    };
    assert.equal(await signatures(first), 1);
    const { secret: second, previousSecretExpiresAt } = await post(`/webhooks/${id}/rotate-secret`);
    assert.ok(previousSecretExpiresAt !== null);
    const shown = await get(`/webhooks/${id}`);
    assert.equal(shown.previousSecretExpiresAt, previousSecretExpiresAt);
    assert.equal(await signatures(second), 2);
    const { secret: third } = await post(`/webhooks/${id}/rotate-secret`, { graceSeconds: 60 });
    assert.equal(await signatures(third), 2);
    assert.equal(new Set([first, second, third]).size, 3);
    service.advance(61_000);
    assert.equal(await signatures(third), 1);
    const last = await post(`/webhooks/${id}/rotate-secret`, { graceSeconds: 0 });
    assert.equal(last.previousSecretExpiresAt, null);
    assert.equal(await signatures(last.secret), 1);
  });

  it('are tested at any time, without any other effect', async () => {
    const receiver = await eventReceiver((response) => void response.writeHead(410).end('gone'));
    const { key, create, post, patch, get, deliveries } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url, events: ['agent_published'] });
    await patch(`/webhooks/${id}`, { status: 'paused' });
    const before = await get(`/webhooks/${id}`);
    const result = await post(`/webhooks/${id}/test`, { type: 'call_ended' });
    assert.deepEqual([result.outcome, result.statusCode, result.responseBody], ['http_error', 410, 'gone']);
    const [request] = receiver.requests;
    const body = JSON.parse(request?.body ?? '');
    assert.deepEqual([body.type, body.test, body.id], ['call_ended', true, result.eventId]);
    assert.match(String(request?.headers['webhook-signature']), /^v1,/);
    assert.deepEqual(await get(`/webhooks/${id}`), before);
    const [delivery] = await deliveries(id);
    assert.deepEqual(
      [delivery?.id, delivery?.status, delivery?.reason, delivery?.trigger, delivery?.attemptCount],
      [result.deliveryId, 'failed', 'not_retried', 'test', 1],
    );
    assert.deepEqual((await get('/events')).items, []);
    assert.equal((await get(`/events/${result.eventId}`)).body.test, true);
    const headers = { 'idempotency-key': 'one test' };
    const again = async () => send(service, 'POST', `/api/v1/webhooks/${id}/test`, { key, headers });
    assert.equal((await again()).text, (await again()).text);
    assert.equal(receiver.requests.length, 2);
  });

  it('send a test again to the address that they have by then', async () => {
    const [old, current] = [await eventReceiver(), await eventReceiver()];
    const { create, post, patch } = await newWorkspace(service);
    const { id } = await create({ url: old.url });
    const { deliveryId, eventId } = await post(`/webhooks/${id}/test`);
    await patch(`/webhooks/${id}`, { url: current.url });
    await post(`/webhooks/${id}/deliveries/${deliveryId}/resend`, undefined, 201);
    const [request] = await eventually(() => current.requests.length > 0 && current.requests, 'the test');
    assert.equal(request?.headers['webhook-id'], eventId);
    assert.equal(request?.body, old.requests[0]?.body);
    assert.equal(old.requests.length, 1);
  });
});
