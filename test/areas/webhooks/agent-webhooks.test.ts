import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import type { Webhook } from '../../../src/contract/webhooks/webhook.ts';
import { newWebhookSecret } from '../../../src/core/webhook-signature.ts';
import { createAgent, send, walkPages } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { addWebhook, bodyOf, deliveriesOf, eventsOf, useEventService } from './support.ts';

const path = '/api/v1/webhooks';
const url = 'https://shop.example.com/hooks';
const tool = { name: 'book', description: 'Books.', parameters: { type: 'object' }, url: 'https://shop.example.com/' };

onEachEngine('the webhook of an agent', (engine) => {
  const service = useEventService(engine);

  const publish = async (key: string, id: string, body: object = {}): Promise<Agent> => {
    const { status, text, json } = await send(service, 'POST', `/api/v1/agents/${id}/publish`, { key, body });
    assert.equal(status, 200, text);
    return json;
  };
  const update = async (key: string, id: string, body: object): Promise<Agent> =>
    (await send(service, 'PATCH', `/api/v1/agents/${id}`, { key, body })).json;
  const list = async (key: string, query = ''): Promise<Webhook[]> => {
    const { status, json, text } = await send(service, 'GET', `${path}${query}`, { key });
    assert.equal(status, 200, text);
    return json.items;
  };
  const only = async (key: string): Promise<Webhook> => {
    const all = await list(key);
    assert.equal(all.length, 1);
    return all[0] as Webhook;
  };
  const ensure = (agent: Agent) =>
    service.database.transaction((queries) => service.webhooks.agentWebhooks.ensure(queries, agent));
  const setWebhook = async (webhook: Webhook, fields: Partial<Webhook>) => {
    const changed = { ...webhook, ...fields };
    await service.database.run('UPDATE webhooks SET status = $1, doc = $2 WHERE id = $3', [
      changed.status,
      JSON.stringify(changed),
      webhook.id,
    ]);
  };

  it('is created when a version is published whose calls send signed requests', async () => {
    const signed = [
      { webhookUrl: url },
      { agentSettings: { tools: [tool] } },
      { responseEngine: { type: 'custom_llm', llmWebsocketUrl: 'wss://llm.example.com/' } },
    ];
    for (const fields of signed) {
      const { key, workspaceId } = await service.newKey();
      const agent = await createAgent(service, key, fields);
      assert.deepEqual(await list(key), []);
      await publish(key, agent.id);
      const { id, createdAt, updatedAt, ...rest } = await only(key);
      assert.match(id, /^whk_/);
      assert.equal(createdAt, updatedAt);
      assert.deepEqual(rest, {
        workspaceId,
        kind: 'agent',
        agentId: agent.id,
        url: agent.webhookUrl,
        description: null,
        events: agent.webhookEvents,
        agentIds: [],
        include: [],
        status: 'active',
        disabledReason: null,
        secretRotatedAt: null,
        previousSecretExpiresAt: null,
        lastSuccessAt: null,
        lastFailureAt: null,
        failingSince: null,
      });
    }
    const { key } = await service.newKey();
    await publish(key, (await createAgent(service, key)).id);
    assert.deepEqual(await list(key), []);
  });

  it('comes with an event for each version that is published, once', async () => {
    const { key, workspaceId } = await service.newKey();
    const subscriber = await addWebhook(service, workspaceId, { events: ['agent_published'] });
    const { id } = await createAgent(service, key, { webhookUrl: url });
    await publish(key, id, { versionDescription: '年末の営業時間' });
    await publish(key, id);
    await update(key, id, { name: 'Next' });
    await publish(key, id);
    const rows = await eventsOf(service, workspaceId);
    assert.deepEqual(
      rows.map((row) => [row.type, row.sequence, bodyOf(row).data]),
      [
        ['agent_published', 1, { agentId: id, version: 1, versionDescription: '年末の営業時間' }],
        ['agent_published', 2, { agentId: id, version: 2, versionDescription: null }],
      ],
    );
    const deliveries = await deliveriesOf(service, workspaceId);
    assert.deepEqual(
      deliveries.map((row) => [row.webhook_id, row.event_id]),
      rows.map((row) => [subscriber.id, row.id]),
    );
  });

  it('has no event if publishing fails', async () => {
    const { key, workspaceId } = await service.newKey();
    const { id } = await createAgent(service, key, { webhookUrl: url, webhookEvents: ['unknown'] });
    const { status } = await send(service, 'POST', `/api/v1/agents/${id}/publish`, { key });
    assert.equal(status, 422);
    assert.deepEqual(await eventsOf(service, workspaceId), []);
    assert.deepEqual(await list(key), []);
  });

  it('has the address of the newest published version, or of the newest draft until one is published', async () => {
    const { key, workspaceId } = await service.newKey();
    const address = async () => {
      const webhook = await only(key);
      return [webhook.url, webhook.events];
    };
    const draft = await createAgent(service, key, { webhookUrl: 'https://draft.example.com/' });
    await ensure(draft);
    assert.deepEqual(await address(), ['https://draft.example.com/', draft.webhookEvents]);
    await update(key, draft.id, { webhookUrl: 'https://newer.example.com/' });
    assert.deepEqual(await address(), ['https://newer.example.com/', draft.webhookEvents]);
    await update(key, draft.id, { webhookUrl: url, webhookEvents: ['call_ended'] });
    assert.deepEqual(await address(), [url, ['call_ended']]);
    const first = await publish(key, draft.id);
    const secret = await service.webhooks.agentWebhooks.secrets(workspaceId, draft.id);
    assert.deepEqual(await address(), [url, ['call_ended']]);
    await ensure(await update(key, draft.id, { webhookUrl: 'https://draft.example.com/' }));
    assert.deepEqual(await address(), [url, ['call_ended']]);
    await update(key, draft.id, { webhookUrl: null });
    await publish(key, draft.id);
    assert.deepEqual(await address(), [null, ['call_ended']]);
    await ensure(first);
    assert.deepEqual(await address(), [null, ['call_ended']]);
    // The secret is the same for every version.
    assert.deepEqual(await service.webhooks.agentWebhooks.secrets(workspaceId, draft.id), secret);
  });

  it('has the address of the published version, although a call with a draft is the first to need a secret', async () => {
    const { key } = await service.newKey();
    const fields = { responseEngineType: 'single_prompt', prompt: 'Hello.', llmModel: 'test-script' };
    const { id: agentId } = await createAgent(service, key, fields);
    await publish(key, agentId);
    await update(key, agentId, { webhookUrl: url });
    const body = { type: 'chat', agentId, agentVersion: 'latest' };
    const { status, text } = await send(service, 'POST', '/api/v1/calls', { key, body });
    assert.equal(status, 201, text);
    assert.equal((await only(key)).url, null);
    await publish(key, agentId);
    assert.equal((await only(key)).url, url);
  });

  it('is created once, although calls start at the same time', async () => {
    const { key } = await service.newKey();
    const agent = await createAgent(service, key, { webhookUrl: url });
    await Promise.all(Array.from({ length: 8 }, () => ensure(agent)));
    await only(key);
  });

  it('is active again when a version with another address is published, and not before', async () => {
    const { key } = await service.newKey();
    const { id } = await createAgent(service, key, { webhookUrl: url });
    await publish(key, id);
    const failingSince = '2026-11-15T09:30:00.000Z';
    await setWebhook(await only(key), { status: 'disabled', disabledReason: 'failing', failingSince });
    await update(key, id, { webhookEvents: ['call_ended'] });
    await publish(key, id);
    assert.equal((await only(key)).status, 'disabled');
    await ensure(await update(key, id, { webhookUrl: 'https://other.example.com/' }));
    assert.equal((await only(key)).status, 'disabled');
    await publish(key, id);
    const { status, disabledReason, failingSince: since, url: now } = await only(key);
    assert.deepEqual([status, disabledReason, since, now], ['active', null, null, 'https://other.example.com/']);
    assert.equal((await list(key, '?status=active')).length, 1);
    await setWebhook(await only(key), { status: 'paused' });
    await update(key, id, { webhookUrl: url });
    await publish(key, id);
    assert.equal((await only(key)).status, 'paused');
  });

  it('is active again when the address of a draft changes before any version is published', async () => {
    const { key } = await service.newKey();
    const draft = await createAgent(service, key, { webhookUrl: url });
    await ensure(draft);
    await setWebhook(await only(key), { status: 'disabled', disabledReason: 'gone' });
    await update(key, draft.id, { webhookEvents: ['call_ended'] });
    assert.equal((await only(key)).status, 'disabled');
    await update(key, draft.id, { webhookUrl: 'https://other.example.com/' });
    assert.deepEqual([(await only(key)).status, (await only(key)).disabledReason], ['active', null]);
    await publish(key, draft.id);
    assert.equal((await only(key)).status, 'active');
  });

  it('signs with its secret, and with the one before until that expires', async () => {
    const { key, workspaceId } = await service.newKey();
    const { id } = await createAgent(service, key, { webhookUrl: url });
    const { secrets } = service.webhooks.agentWebhooks;
    assert.deepEqual(await secrets(workspaceId, id), []);
    await publish(key, id);
    const [secret] = await secrets(workspaceId, id);
    const { json } = await send(service, 'GET', `${path}/${(await only(key)).id}/secret`, { key });
    assert.deepEqual(json, { secret, secretRotatedAt: null, previousSecretExpiresAt: null });
    const [current, previous] = [newWebhookSecret(), newWebhookSecret()];
    const rotated = async (agentId: string, previousSecretExpiresAt: string) => {
      const fields = { kind: 'agent', agentId, previousSecretExpiresAt } as const;
      await addWebhook(service, workspaceId, fields, { current, previous });
      return secrets(workspaceId, agentId);
    };
    assert.deepEqual(await rotated('agt_1', new Date(Date.now() + 60_000).toISOString()), [current, previous]);
    assert.deepEqual(await rotated('agt_2', new Date(Date.now() - 1).toISOString()), [current]);
    const other = await service.newKey();
    assert.deepEqual(await secrets(other.workspaceId, id), []);
  });

  it('shows its secret to the keys of its workspace only, and each look is in the audit trail', async () => {
    const [own, other] = [await service.newKey(), await service.newKey()];
    const { id: agentId } = await createAgent(service, own.key, { webhookUrl: url });
    await publish(own.key, agentId);
    const { id } = await only(own.key);
    const look = (key: string, headers = {}) => send(service, 'GET', `${path}/${id}/secret`, { key, headers });
    const entries = async (key: string) =>
      (await send(service, 'GET', `/api/v1/audit-log?resourceId=${id}`, { key })).json.items;
    assert.equal((await look(other.key)).status, 404);
    assert.deepEqual(await entries(own.key), []);
    const answers = [await look(own.key), await look(own.key, { 'idempotency-key': 'same' })];
    assert.deepEqual(answers[0]?.json, answers[1]?.json);
    assert.equal(answers[1]?.headers.get('idempotent-replayed'), null);
    assert.deepEqual(
      (await entries(own.key)).map(({ routeId, keyId, requestId }: Record<string, string>) => [
        routeId,
        keyId,
        requestId,
      ]),
      answers.toReversed().map(({ headers }) => ['webhooks.secret.get', own.id, headers.get('x-request-id')]),
    );
    assert.deepEqual(await entries(other.key), []);
    assert.deepEqual(await list(other.key), []);
    const { length } = await service.database.all('SELECT 1 AS one FROM idempotency_keys WHERE workspace_id = $1', [
      own.workspaceId,
    ]);
    assert.equal(length, 0);
  });

  it('has a secret that is nowhere in the clear', async () => {
    const { key, workspaceId } = await service.newKey();
    const { id } = await createAgent(service, key, { webhookUrl: url });
    await publish(key, id);
    const [secret] = (await service.webhooks.agentWebhooks.secrets(workspaceId, id)) as [string];
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64').toString('latin1');
    await send(service, 'GET', `${path}/${(await only(key)).id}/secret`, { key });
    const texts = [JSON.stringify(service.log), await (await fetch(`${service.url}/metrics`)).text()];
    for (const { name } of await service.database.all<{ name: string }>(service.database.dialect.tableNames)) {
      for (const row of await service.database.all(`SELECT * FROM ${name}`)) {
        texts.push(
          ...Object.values(row).map((cell) =>
            cell instanceof Uint8Array ? Buffer.from(cell).toString('latin1') : String(cell),
          ),
        );
      }
    }
    for (const text of texts) assert.ok(!text.includes(secret.slice(6)) && !text.includes(bytes));
  });

  it('is listed with the others, newest first, by kind, agent and status', async () => {
    const { key, workspaceId } = await service.newKey();
    const made: Webhook[] = [];
    const add = async (fields: Partial<Webhook>) => made.unshift(await addWebhook(service, workspaceId, fields));
    await add({});
    await add({ kind: 'agent', agentId: 'agt_1' });
    await add({ status: 'paused' });
    await add({ kind: 'agent', agentId: 'agt_2', status: 'disabled', disabledReason: 'by_user' });
    await add({ kind: 'agent', agentId: 'agt_3', status: 'paused' });
    assert.deepEqual(await list(key), made);
    const filters: [Record<string, string>, (webhook: Webhook) => boolean][] = [
      [{}, () => true],
      [{ kind: 'agent' }, ({ kind }) => kind === 'agent'],
      [{ status: 'paused' }, ({ status }) => status === 'paused'],
      [{ agentId: 'agt_2' }, ({ agentId }) => agentId === 'agt_2'],
      [{ kind: 'agent', status: 'paused' }, ({ kind, status }) => kind === 'agent' && status === 'paused'],
      [{ agentId: 'agt_4' }, () => false],
    ];
    for (const [query, matches] of filters) {
      const pages = await walkPages<Webhook>(service, key, path, { ...query, limit: '2' });
      assert.deepEqual(pages.flat(), made.filter(matches));
    }
    const first = await send(service, 'GET', `${path}?limit=1&kind=agent`, { key });
    const cursor = encodeURIComponent(first.json.pagination.nextCursor);
    assert.equal((await send(service, 'GET', `${path}?kind=workspace&cursor=${cursor}`, { key })).status, 400);
    assert.equal((await send(service, 'GET', `${path}?kind=other`, { key })).status, 400);
  });
});
