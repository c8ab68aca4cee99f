import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  ApiError,
  AuthenticationError,
  type Carrier,
  ConflictError,
  type KnowledgeBase,
  NotFoundError,
  PermissionError,
  type PhoneNumber,
  UnprocessableError,
  ValidationError,
  VoiceAgents,
  VoiceAgentsError,
} from '../../sdk/src/index.ts';
import { httpReceiver } from '../support/receiver.ts';
import { withSpeech } from '../support/service.ts';
import { collect, useStartedService } from './support/started-service.ts';

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const operationIds = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((methods) =>
  Object.values(methods).map(({ operationId }) => operationId),
);

/** Operations that the SDK omits because another one does the same. */
const otherSpellings = ['apiKeys.delete'];

const draft = { name: 'Reception', voiceId: 'ja-JP-Nanami' };

/** Nobody listens there. */
const hookUrl = 'http://127.0.0.1:1024/hooks';

async function aDelivery(client: VoiceAgents): Promise<{ id: string; deliveryId: string }> {
  const { id } = await client.webhooks.create({ url: hookUrl, events: ['agent_published'] });
  const agent = await client.agents.create(draft);
  await client.agents.publish(agent.id);
  const { items } = await client.webhooks.deliveries.list(id);
  return { id, deliveryId: items[0]?.id ?? '' };
}

function aBase(client: VoiceAgents): Promise<KnowledgeBase> {
  return client.knowledgeBases.create({ name: 'Shop', language: 'en' });
}

async function aDocument(client: VoiceAgents): Promise<{ id: string; documentId: string }> {
  const { id } = await aBase(client);
  const made = await client.documents.create(id, { name: 'Returns', text: 'Returns are free within 30 days.' });
  await client.documents.waitUntilSettled(id, made.id);
  return { id, documentId: made.id };
}

const weekOfCalls = { range: { last: '7d' }, interval: 'day' as const, metrics: ['calls' as const] };

function aView(client: VoiceAgents) {
  return client.analytics.views.create({ name: 'Calls', query: weekOfCalls });
}

function anAlert(client: VoiceAgents) {
  return client.analytics.alerts.create({ name: 'Dead line', metric: 'calls', window: '15m', op: 'lt', value: 1 });
}

const wait = { id: 'day', type: 'wait' as const, seconds: 86_400 };

function aWorkflow(client: VoiceAgents) {
  return client.workflows.create({ name: 'Wait', trigger: { event: 'call_ended' }, steps: [wait] });
}

async function anEndedCall(client: VoiceAgents): Promise<string> {
  const agent = await client.agents.create({ ...draft, llmModel: 'test-echo' });
  const { id } = await client.calls.create({ type: 'chat', agentId: agent.id, agentVersion: 'latest' });
  await client.calls.end(id);
  return id;
}

async function aRun(client: VoiceAgents) {
  const callId = await anEndedCall(client);
  return client.workflows.runs.create((await aWorkflow(client)).id, { callId });
}

/** Each operation as a caller would use it, with its expected result. */
const uses: Record<string, (client: VoiceAgents) => Promise<void>> = {
  'agents.create': async (client) => {
    const { data, response } = await client.agents.create({ ...draft, voiceSpeed: 1.5 }).withResponse();
    assert.equal(data.voiceSpeed, 1.5);
    assert.equal(response.status, 201);
    assert.equal(response.etag, response.headers.get('etag'));
    assert.match(response.requestId ?? '', /^req_/);
  },
  'agents.list': async (client) => {
    for (const name of ['one', 'two', 'three']) await client.agents.create({ ...draft, name });
    const page = await client.agents.list({ limit: 2 });
    assert.deepEqual(
      page.items.map(({ name }) => name),
      ['three', 'two'],
    );
    assert.ok(page.hasNextPage());
    const last = await page.getNextPage();
    assert.deepEqual(
      last.items.map(({ name }) => name),
      ['one'],
    );
    assert.ok(!last.hasNextPage());
    assert.throws(() => last.getNextPage(), VoiceAgentsError);
    const found = await collect(client.agents.list({ limit: 1, q: 'O' }));
    assert.deepEqual(
      found.map(({ name }) => name),
      ['two', 'one'],
    );
    assert.equal((await collect(page)).length, 3);
  },
  'agents.get': async (client) => {
    const made = await client.agents.create(draft);
    assert.deepEqual(await client.agents.get(made.id), made);
  },
  'agents.update': async (client) => {
    const made = await client.agents.create({ ...draft, startSkillId: 'greeting' }).withResponse();
    const { id } = made.data;
    const changed = await client.agents.update(
      id,
      { name: 'Desk', startSkillId: null },
      { ifMatch: made.response.etag },
    );
    assert.equal(changed.name, 'Desk');
    assert.equal('startSkillId' in changed, false);
    const late = client.agents.update(id, { name: 'Late' }, { ifMatch: made.response.etag });
    await assert.rejects(late, (error) => {
      assert.ok(error instanceof ConflictError);
      assert.equal(error.code, 'VERSION_CONFLICT');
      assert.equal(error.isAfterLostAnswer, false);
      assert.equal(error.currentEtag, error.headers.get('etag'));
      return true;
    });
  },
  'agents.delete': async (client) => {
    const { id } = await client.agents.create(draft);
    assert.deepEqual(await client.agents.delete(id), { id, deleted: true });
    await assert.rejects(client.agents.get(id), NotFoundError);
  },
  'agents.duplicate': async (client) => {
    const { id } = await client.agents.create(draft);
    assert.equal((await client.agents.duplicate(id)).name, draft.name);
    assert.equal((await client.agents.duplicate(id, { name: 'Copy' })).name, 'Copy');
  },
  'agents.publish': async (client) => {
    const { id } = await client.agents.create(draft);
    const published = await client.agents.publish(id, { versionDescription: 'The first' });
    assert.deepEqual([published.isPublished, published.versionDescription], [true, 'The first']);
  },
  'agents.check': async (client) => {
    const { id } = await client.agents.create({ ...draft, responseEngine: { type: 'custom_llm' } });
    const { publishable, errors, warnings } = await client.agents.check(id);
    assert.equal(publishable, false);
    assert.deepEqual(
      errors.map(({ field, path }) => [field, path]),
      [['responseEngine', 'llmWebsocketUrl']],
    );
    assert.deepEqual(warnings, []);
    await client.agents.update(id, { responseEngine: { llmWebsocketUrl: 'wss://llm.example.com/agent' } });
    assert.equal((await client.agents.check(id, { version: 1 })).publishable, true);
    await assert.rejects(client.agents.check(id, { version: 'published' }), NotFoundError);
  },
  'agents.diff': async (client) => {
    const { id } = await client.agents.create(draft);
    await client.agents.publish(id);
    await client.agents.update(id, { name: 'Desk' });
    const { from, to, changes } = await client.agents.diff(id, { from: 1, to: 'latest' });
    assert.deepEqual([from, to], [1, 2]);
    assert.ok(changes.some(({ path, value }) => path === '/name' && value === 'Desk'));
  },
  'agents.states.list': async (client) => {
    const [one, two] = [await client.agents.create(draft), await client.agents.create(draft)];
    await client.agents.publish(one.id);
    await client.agents.update(one.id, { name: 'Desk' });
    const { items } = await client.agents.states.list({ agentId: [one.id, two.id] });
    assert.deepEqual(items, [
      { agentId: two.id, publishedVersion: null, draftVersion: 1 },
      { agentId: one.id, publishedVersion: 1, draftVersion: 2 },
    ]);
    assert.deepEqual((await client.agents.states.list({ agentId: two.id })).items, [items[0]]);
  },
  'agents.tools.test': async (client) => {
    const { port } = await httpReceiver((request, response) => response.end(`"${request.url}"`));
    const url = `http://127.0.0.1:${port}/orders/{number}`;
    const parameters = { type: 'object', properties: { number: { type: 'string' } } };
    const tools = [{ name: 'find_order', description: 'Finds an order.', method: 'GET' as const, url, parameters }];
    const { id } = await client.agents.create({ ...draft, agentSettings: { tools } });
    const test = await client.agents.tools.test(id, 'find_order', { arguments: { number: 'A 1' } });
    assert.deepEqual([test.outcome, test.modelText], ['succeeded', '/orders/A%201']);
    await assert.rejects(client.agents.tools.test(id, 'find_order'), UnprocessableError);
    await assert.rejects(client.agents.tools.test(id, 'unknown'), NotFoundError);
  },
  'agents.versions.list': async (client) => {
    const { id } = await client.agents.create(draft);
    await client.agents.publish(id);
    await client.agents.update(id, { name: 'Desk' });
    const versions = await collect(client.agents.versions.list(id, { limit: 1 }));
    assert.deepEqual(
      versions.map(({ version }) => version),
      [2, 1],
    );
  },
  'agents.versions.get': async (client) => {
    const made = await client.agents.create(draft);
    assert.deepEqual(await client.agents.versions.get(made.id, 1), made);
    assert.deepEqual(await client.agents.versions.get(made.id, 'latest'), made);
    await assert.rejects(client.agents.versions.get(made.id, 'published'), NotFoundError);
  },
  'agents.versions.restore': async (client) => {
    const { id } = await client.agents.create(draft);
    const { response } = await client.agents.publish(id).withResponse();
    await client.agents.update(id, { name: 'Desk' });
    await assert.rejects(client.agents.versions.restore(id, 1, {}, { ifMatch: response.etag }), ConflictError);
    const restored = await client.agents.versions.restore(id, 1);
    assert.deepEqual([restored.name, restored.version], [draft.name, 2]);
  },
  'apiKeys.create': async (client) => {
    const made = await client.apiKeys.create({ scopes: ['agents:read'], name: 'reader' });
    assert.match(made.key, /^vak_/);
  },
  'apiKeys.list': async (client) => {
    await client.apiKeys.create({ scopes: ['agents:read'] });
    assert.equal((await collect(client.apiKeys.list({ limit: 1 }))).length, 2);
  },
  'apiKeys.get': async (client) => {
    const { keyId } = await client.whoami();
    assert.equal((await client.apiKeys.get(keyId)).id, keyId);
  },
  'apiKeys.rotate': async (client) => {
    const { id } = await client.apiKeys.create({ scopes: ['agents:read'] });
    const next = await client.apiKeys.rotate(id, { graceSeconds: 0 });
    assert.notEqual(next.id, id);
  },
  'apiKeys.revoke': async (client) => {
    const { id } = await client.apiKeys.create({ scopes: ['agents:read'] });
    assert.notEqual((await client.apiKeys.revoke(id)).revokedAt, null);
  },
  whoami: async (client) => {
    assert.ok((await client.whoami()).scopes.includes('agents:write'));
  },
  'auditLog.list': async (client) => {
    const { id } = await client.agents.create(draft);
    const entries = await collect(client.auditLog.list({ resourceId: id }));
    assert.deepEqual(
      entries.map(({ routeId }) => routeId),
      ['agents.create'],
    );
  },
  'figures.get': async (client) => {
    const { period, points } = await client.figures.get({ period: 'day' });
    assert.equal(period, 'day');
    assert.equal(points.length, 144);
  },
  'providers.list': async (client) => {
    const { items } = await client.providers.list();
    assert.deepEqual(
      items.map(({ name }) => name),
      ['embedded', 'browser', 'test', 'embeddings'],
    );
  },
  'providers.credentials.put': async (client) => {
    const credentials = await client.providers.credentials.put('openai', { apiKey: 'sk-0000-EXAMPLE-KEY' });
    assert.deepEqual(
      [credentials.provider, credentials.apiKey.set, credentials.apiKey.last4],
      ['openai', true, '-KEY'],
    );
    await assert.rejects(client.providers.credentials.put('nobody', { apiKey: 'x' }), NotFoundError);
  },
  'providers.credentials.delete': async (client) => {
    await client.providers.credentials.put('openai', { apiKey: 'sk-0000-EXAMPLE-KEY' });
    assert.deepEqual(await client.providers.credentials.delete('openai'), { provider: 'openai', deleted: true });
    await assert.rejects(client.providers.credentials.delete('openai'), NotFoundError);
  },
  'providers.verify': async (client) => {
    // Nobody listens there.
    await client.providers.credentials.put('openai', { baseUrl: 'http://127.0.0.1:1024/v1' });
    const { ok, problem, source } = await client.providers.verify('openai');
    assert.deepEqual([ok, problem, source], [false, 'unreachable', 'workspace']);
  },
  'voices.list': async (client) => {
    const { items } = await client.voices.list({ provider: 'embedded', language: 'en-GB' });
    assert.ok(items.some(({ voiceId }) => voiceId === 'slt'));
  },
  'voices.preview': async (client) => {
    const body = { provider: 'embedded', voiceId: 'slt', language: 'en', text: 'Hello.' };
    const audio = Buffer.from(await client.voices.preview(body));
    assert.equal(audio.toString('latin1', 0, 4), 'RIFF');
    assert.equal(audio.readUInt32LE(4) + 8, audio.length);
    await assert.rejects(client.voices.preview({ ...body, voiceId: 'nobody' }), UnprocessableError);
  },
  'simulations.run': async (client) => {
    const { id } = await client.agents.create({ ...draft, llmModel: 'test-echo' });
    const script = { steps: ['say "Hello."', 'expect agent says /Hello/', 'hang up', 'expect end caller_hangup'] };
    const { runs, passed, transcript } = await client.simulations.run({
      agentId: id,
      agentVersion: 'latest',
      script,
      runs: 3,
    });
    assert.deepEqual([runs, passed], [3, 3]);
    assert.deepEqual(
      transcript.map(({ role, text }) => [role, text]),
      [
        ['caller', 'Hello.'],
        ['agent', 'Hello.'],
      ],
    );
    await assert.rejects(client.simulations.run({ agentId: id, script }), UnprocessableError);
  },
  'simulations.explore': async (client) => {
    const end = { id: 'end', type: 'end', text: 'Goodbye.' } as const;
    const { id } = await client.agents.create({
      ...draft,
      responseEngineType: 'conversation_flow',
      agentSettings: { flow: { skills: [{ id: 'hello', type: 'say', text: 'Hello.', next: 'end' }, end] } },
    });
    const { coverage, ends, findings } = await client.simulations.explore({ agentId: id, agentVersion: 'latest' });
    assert.deepEqual([coverage.routes, coverage.taken, findings], [1, 1, []]);
    const [way] = ends;
    assert.equal(way?.skillId, 'end');
    const { passed } = await client.simulations.run({ agentId: id, agentVersion: 'latest', script: way.script });
    assert.equal(passed, 1);
    await assert.rejects(client.simulations.explore({ agentId: id }), UnprocessableError);
  },
  'secrets.put': async (client) => {
    const secret = await client.secrets.put('SHOP_TOKEN', { value: 'hidden', hosts: ['shop.example.com'] });
    assert.deepEqual(Object.keys(secret), ['name', 'hosts', 'createdAt', 'updatedAt']);
    await assert.rejects(client.secrets.put('shop', { value: 'hidden', hosts: ['shop.example.com'] }), ValidationError);
  },
  'secrets.list': async (client) => {
    for (const name of ['B', 'A']) await client.secrets.put(name, { value: 'hidden', hosts: ['shop.example.com'] });
    assert.deepEqual(
      (await collect(client.secrets.list())).map(({ name }) => name),
      ['A', 'B'],
    );
  },
  'analytics.prices.put': async (client) => {
    const { validFrom } = await client.analytics.prices.put('2026-12-01T09:00:00+09:00', {
      currency: 'JPY',
      items: [],
    });
    assert.equal(validFrom, '2026-12-01T00:00:00.000Z');
  },
  'analytics.prices.list': async (client) => {
    await client.analytics.prices.put('2026-12-01T00:00:00Z', { currency: 'JPY', items: [] });
    assert.deepEqual(
      (await collect(client.analytics.prices.list())).map(({ currency }) => currency),
      ['JPY'],
    );
  },
  'analytics.prices.delete': async (client) => {
    const { validFrom } = await client.analytics.prices.put('2026-12-01T00:00:00Z', { currency: 'JPY', items: [] });
    assert.deepEqual(await client.analytics.prices.delete(validFrom), { validFrom, deleted: true });
  },
  'analytics.views.create': async (client) => {
    assert.deepEqual((await aView(client)).query, weekOfCalls);
  },
  'analytics.views.list': async (client) => {
    const ids = [(await aView(client)).id, (await aView(client)).id];
    assert.deepEqual(
      (await collect(client.analytics.views.list({ limit: 1 }))).map(({ id }) => id),
      ids.reverse(),
    );
  },
  'analytics.views.get': async (client) => {
    const view = await aView(client);
    assert.deepEqual(await client.analytics.views.get(view.id), view);
  },
  'analytics.views.update': async (client) => {
    const { id } = await aView(client);
    const { response } = await client.analytics.views.get(id).withResponse();
    const ifMatch = response.etag ?? '';
    assert.equal((await client.analytics.views.update(id, { chart: 'bar' }, { ifMatch })).chart, 'bar');
    await assert.rejects(() => client.analytics.views.update(id, { chart: 'line' }, { ifMatch }), ConflictError);
  },
  'analytics.views.delete': async (client) => {
    const { id } = await aView(client);
    assert.deepEqual(await client.analytics.views.delete(id), { id, deleted: true });
  },
  'analytics.alerts.create': async (client) => {
    const { state, minCalls } = await anAlert(client);
    assert.deepEqual([state, minCalls], ['no_data', 0]);
  },
  'analytics.alerts.list': async (client) => {
    const { id } = await anAlert(client);
    assert.deepEqual(
      (await collect(client.analytics.alerts.list())).map((alert) => alert.id),
      [id],
    );
  },
  'analytics.alerts.get': async (client) => {
    const { id } = await anAlert(client);
    assert.equal((await client.analytics.alerts.get(id)).name, 'Dead line');
  },
  'analytics.alerts.update': async (client) => {
    const { id } = await anAlert(client);
    const { response } = await client.analytics.alerts.get(id).withResponse();
    const ifMatch = response.etag ?? '';
    assert.equal((await client.analytics.alerts.update(id, { value: 5 }, { ifMatch })).value, 5);
    await assert.rejects(() => client.analytics.alerts.update(id, { value: 6 }, { ifMatch }), ConflictError);
  },
  'analytics.alerts.delete': async (client) => {
    const { id } = await anAlert(client);
    assert.deepEqual(await client.analytics.alerts.delete(id), { id, deleted: true });
  },
  'webhooks.list': async (client) => {
    for (const name of ['one', 'two']) {
      const { id } = await client.agents.create({ ...draft, name, webhookUrl: 'https://shop.example.com/hooks' });
      await client.agents.publish(id);
    }
    const all = await collect(client.webhooks.list({ limit: 1, kind: 'agent' }));
    assert.equal(all.length, 2);
    const [newest] = all;
    assert.deepEqual(await collect(client.webhooks.list({ agentId: newest?.agentId ?? '' })), [newest]);
  },
  'webhooks.secret.get': async (client) => {
    const { id } = await client.agents.create({ ...draft, webhookUrl: 'https://shop.example.com/hooks' });
    await client.agents.publish(id);
    const { items } = await client.webhooks.list({ agentId: id });
    assert.match((await client.webhooks.secret.get(items[0]?.id ?? '')).secret, /^whsec_/);
    await assert.rejects(client.webhooks.secret.get('whk_unknown'), NotFoundError);
  },
  'webhooks.create': async (client) => {
    const { secret, status, events } = await client.webhooks.create({ url: hookUrl, events: ['call_ended'] });
    assert.match(secret, /^whsec_/);
    assert.deepEqual([status, events], ['active', ['call_ended']]);
    await assert.rejects(client.webhooks.create({ url: 'http://shop.example.com', events: ['*'] }), ValidationError);
  },
  'webhooks.get': async (client) => {
    const { secret: _, ...made } = await client.webhooks.create({ url: hookUrl, events: ['*'] });
    assert.deepEqual(await client.webhooks.get(made.id), made);
  },
  'webhooks.update': async (client) => {
    const { data, response } = await client.webhooks.create({ url: hookUrl, events: ['*'] }).withResponse();
    const paused = await client.webhooks.update(data.id, { status: 'paused' }, { ifMatch: response.etag });
    assert.equal(paused.status, 'paused');
    const late = client.webhooks.update(data.id, { status: 'active' }, { ifMatch: response.etag });
    await assert.rejects(late, ConflictError);
  },
  'webhooks.delete': async (client) => {
    const { id } = await client.webhooks.create({ url: hookUrl, events: ['*'] });
    assert.deepEqual(await client.webhooks.delete(id), { id, deleted: true });
    await assert.rejects(client.webhooks.get(id), NotFoundError);
  },
  'webhooks.secret.rotate': async (client) => {
    const { id, secret } = await client.webhooks.create({ url: hookUrl, events: ['*'] });
    const rotated = await client.webhooks.secret.rotate(id, { graceSeconds: 60 });
    assert.notEqual(rotated.secret, secret);
    assert.equal((await client.webhooks.secret.get(id)).secret, rotated.secret);
  },
  'webhooks.test': async (client) => {
    const { id } = await client.webhooks.create({ url: hookUrl, events: ['*'] });
    const { outcome, deliveryId } = await client.webhooks.test(id, { type: 'call_ended' });
    assert.equal(outcome, 'connection_failed');
    assert.equal((await client.webhooks.deliveries.get(id, deliveryId)).reason, 'not_retried');
  },
  'webhooks.deliveries.list': async (client) => {
    const { id } = await aDelivery(client);
    const found = await collect(client.webhooks.deliveries.list(id, { limit: 1, trigger: ['event', 'resend'] }));
    assert.deepEqual(
      found.map(({ eventType }) => eventType),
      ['agent_published'],
    );
  },
  'webhooks.deliveries.get': async (client) => {
    const { id, deliveryId } = await aDelivery(client);
    assert.equal((await client.webhooks.deliveries.get(id, deliveryId)).webhookId, id);
  },
  'webhooks.deliveries.resend': async (client) => {
    const { id, deliveryId } = await aDelivery(client);
    assert.equal((await client.webhooks.deliveries.resend(id, deliveryId)).trigger, 'resend');
  },
  'webhooks.replay': async (client) => {
    const { id } = await aDelivery(client);
    const since = new Date(Date.now() - 60_000).toISOString();
    const { matched } = await client.webhooks.replay(id, { since, statuses: 'all' });
    assert.equal(matched, 1);
    const again = client.webhooks.replay(id, { since: new Date(Date.now() + 60_000).toISOString() });
    await assert.rejects(again, ValidationError);
  },
  'events.list': async (client) => {
    await aDelivery(client);
    const [event] = await collect(client.events.list({ type: ['agent_published'], limit: 1 }));
    assert.ok(event?.type === 'agent_published');
    assert.equal(event.body?.data.version, 1);
    const follower = client.events.follow({ waitSeconds: 1 });
    for await (const followed of follower) {
      assert.deepEqual(followed, event);
      break;
    }
    assert.equal(follower.cursor, undefined);
    const page = await client.events.list({ order: 'asc' });
    const later = client.events.follow({ cursor: page.nextCursor ?? '', waitSeconds: 1 });
    const next = later[Symbol.asyncIterator]().next();
    const { id } = await client.agents.create(draft);
    await client.agents.publish(id);
    assert.equal((await next).value?.subject.id, id);
  },
  'events.get': async (client) => {
    await aDelivery(client);
    const { items } = await client.events.list();
    assert.deepEqual(await client.events.get(items[0]?.id ?? ''), items[0]);
  },
  'events.types.list': async (client) => {
    const { items } = await client.events.types.list();
    assert.ok(items.some(({ name }) => name === 'call_ended'));
  },
  'secrets.delete': async (client) => {
    await client.secrets.put('SHOP_TOKEN', { value: 'hidden', hosts: ['shop.example.com'] });
    assert.deepEqual(await client.secrets.delete('SHOP_TOKEN'), { name: 'SHOP_TOKEN', deleted: true });
    await assert.rejects(client.secrets.delete('SHOP_TOKEN'), NotFoundError);
  },
  'carriers.create': async (client) => {
    const settings = { accountSid: `AC${'0'.repeat(32)}` };
    const credentials = { authToken: 'hidden' };
    const made = await client.carriers.create({ name: 'Shop', provider: 'twilio', settings, credentials });
    assert.deepEqual([made.status, made.credentials.authToken?.set, made.settings], ['unverified', true, settings]);
  },
  'carriers.list': async (client) => {
    const { id } = await aCarrier(client);
    assert.deepEqual((await collect(client.carriers.list({ provider: 'test', q: id }))).length, 1);
  },
  'carriers.get': async (client) => {
    const made = await aCarrier(client);
    assert.deepEqual(await client.carriers.get(made.id), made);
  },
  'carriers.update': async (client) => {
    const made = await client.carriers.create({ name: 'Shop', provider: 'test' }).withResponse();
    const changed = await client.carriers.update(made.data.id, { name: 'Desk' }, { ifMatch: made.response.etag });
    assert.equal(changed.name, 'Desk');
  },
  'carriers.delete': async (client) => {
    const { id } = await aCarrier(client);
    assert.deepEqual(await client.carriers.delete(id), { id, deleted: true });
  },
  'carriers.verify': async (client) => {
    const { id } = await aCarrier(client);
    assert.equal((await client.carriers.verify(id)).status, 'active');
  },
  'carriers.numbers.list': async (client) => {
    const { carrierId, id, number } = await aPhoneNumber(client);
    const imported = (await collect(client.carriers.numbers.list(carrierId))).filter((each) => each.importedAs === id);
    assert.ok(imported.every((each) => each.number === number));
  },
  'phoneNumbers.import': async (client) => {
    assert.deepEqual((await aPhoneNumber(client)).outbound.enabled, false);
  },
  'phoneNumbers.list': async (client) => {
    const { id, carrierId } = await aPhoneNumber(client);
    const found = await collect(client.phoneNumbers.list({ carrierId }));
    assert.deepEqual(
      found.map((each) => each.id),
      [id],
    );
  },
  'phoneNumbers.get': async (client) => {
    const { id, number } = await aPhoneNumber(client);
    assert.equal((await client.phoneNumbers.get(id)).number, number);
  },
  'phoneNumbers.update': async (client) => {
    const { id } = await aPhoneNumber(client);
    const { outbound } = await client.phoneNumbers.update(id, { outbound: { enabled: true } });
    assert.deepEqual(outbound, { enabled: true, agentIds: [], ringTimeoutMs: 30_000 });
  },
  'phoneNumbers.delete': async (client) => {
    const { id } = await aPhoneNumber(client);
    assert.deepEqual(await client.phoneNumbers.delete(id), { id, deleted: true });
  },
  'phoneNumbers.verify': async (client) => {
    const { id } = await aPhoneNumber(client);
    assert.equal((await client.phoneNumbers.verify(id)).checks.length, 5);
  },
  'phoneNumbers.test': async (client) => {
    const { id } = await aPhoneNumber(client);
    assert.match((await client.phoneNumbers.test(id, { phone: '08' })).callId, /^call_/);
  },
  'doNotCall.add': async (client) => {
    const numbers = ['+819012345671'];
    assert.deepEqual(await client.doNotCall.add({ numbers }), { added: 1, known: 0 });
  },
  'doNotCall.list': async (client) => {
    await client.doNotCall.add({ numbers: ['+819012345672'], reason: 'asked' });
    const [entry] = await collect(client.doNotCall.list({ q: '+819012345672' }));
    assert.deepEqual([entry?.number, entry?.reason, entry?.source], ['+819012345672', 'asked', 'api']);
  },
  'doNotCall.delete': async (client) => {
    const number = '+819012345673';
    await client.doNotCall.add({ numbers: [number] });
    assert.deepEqual(await client.doNotCall.delete(number), { number, deleted: true });
  },
  'analytics.query': async (client) => {
    const { rows, calls } = await client.analytics.query({
      range: { last: '7d' },
      metrics: ['calls', 'durationMs.p95'],
    });
    assert.deepEqual([rows[0]?.values, calls], [{ calls: 0, 'durationMs.p95': null }, 0]);
  },
  'analytics.fields.list': async (client) => {
    const fields = await collect(client.analytics.fields.list());
    assert.ok(fields.some(({ kind, name }) => kind === 'metric' && name === 'latency.e2eMs.p95'));
  },
  'knowledgeBases.create': async (client) => {
    assert.equal((await aBase(client)).status, 'empty');
  },
  'knowledgeBases.list': async (client) => {
    const { id } = await aBase(client);
    assert.equal((await collect(client.knowledgeBases.list({ q: id }))).length, 1);
  },
  'knowledgeBases.get': async (client) => {
    const made = await aBase(client);
    assert.deepEqual(await client.knowledgeBases.get(made.id), made);
  },
  'knowledgeBases.update': async (client) => {
    const made = await client.knowledgeBases.create({ name: 'Shop' }).withResponse();
    const ifMatch = made.response.etag;
    assert.equal((await client.knowledgeBases.update(made.data.id, { name: 'Desk' }, { ifMatch })).name, 'Desk');
  },
  'knowledgeBases.delete': async (client) => {
    const { id } = await aBase(client);
    assert.deepEqual(await client.knowledgeBases.delete(id), { id, deleted: true });
  },
  'knowledgeBases.search': async (client) => {
    const { id, documentId } = await aDocument(client);
    const { results, mode } = await client.knowledgeBases.search(id, { query: 'returns' });
    assert.deepEqual([mode, results[0]?.chunk.documentId], ['lexical', documentId]);
  },
  'knowledgeBases.evaluate': async (client) => {
    const { id } = await aDocument(client);
    const { modes } = await client.knowledgeBases.evaluate(id, {
      questions: [{ query: 'can I return it', expected: ['Returns'] }],
    });
    assert.equal(modes[0]?.hitRate, 1);
  },
  'knowledgeBases.chunks.get': async (client) => {
    const { id, documentId } = await aDocument(client);
    const [chunk] = await collect(client.documents.chunks.list(id, documentId));
    assert.deepEqual(await client.knowledgeBases.chunks.get(id, chunk?.id ?? ''), chunk);
  },
  'knowledgeBases.pages.find': async (client) => {
    const { id } = await aBase(client);
    // It is not a public address.
    await assert.rejects(client.knowledgeBases.pages.find(id, { url: 'http://10.0.0.1/' }), ValidationError);
  },
  'documents.create': async (client) => {
    const { id } = await aBase(client);
    const made = await client.documents.create(id, { file: { name: 'faq.md', sizeBytes: 4 } });
    assert.equal(made.status, 'uploading');
    assert.match(made.upload?.url ?? '', /media/);
  },
  'documents.list': async (client) => {
    const { id, documentId } = await aDocument(client);
    const [found] = await collect(client.documents.list(id, { type: ['text'], status: ['ready'] }));
    assert.equal(found?.id, documentId);
  },
  'documents.get': async (client) => {
    const { id, documentId } = await aDocument(client);
    assert.equal((await client.documents.get(id, documentId)).chunkCount, 1);
  },
  'documents.update': async (client) => {
    const { id, documentId } = await aDocument(client);
    assert.equal((await client.documents.update(id, documentId, { name: 'Refunds' })).name, 'Refunds');
  },
  'documents.delete': async (client) => {
    const { id, documentId } = await aDocument(client);
    assert.deepEqual(await client.documents.delete(id, documentId), { id: documentId, deleted: true });
  },
  'documents.refresh': async (client) => {
    const { id, documentId } = await aDocument(client);
    assert.equal((await client.documents.refresh(id, documentId)).status, 'queued');
    assert.equal((await client.documents.waitUntilSettled(id, documentId)).status, 'ready');
  },
  'documents.chunks.list': async (client) => {
    const { id, documentId } = await aDocument(client);
    const chunks = await collect(client.documents.chunks.list(id, documentId));
    assert.deepEqual(
      chunks.map(({ text }) => text),
      ['Returns are free within 30 days.'],
    );
  },
  'workflows.create': async (client) => {
    const { version, enabled, steps } = await aWorkflow(client);
    assert.deepEqual([version, enabled], [1, false]);
    const [step] = steps;
    assert.equal(step?.type === 'wait' && step.seconds, 86_400);
  },
  'workflows.list': async (client) => {
    const { id } = await aWorkflow(client);
    const ids: string[] = [];
    for await (const workflow of client.workflows.list({ enabled: false })) ids.push(workflow.id);
    assert.deepEqual(ids, [id]);
  },
  'workflows.get': async (client) => {
    const { id } = await aWorkflow(client);
    assert.equal((await client.workflows.get(id)).id, id);
  },
  'workflows.update': async (client) => {
    const { id } = await aWorkflow(client);
    const { response } = await client.workflows.get(id).withResponse();
    const enabled = await client.workflows.update(id, { enabled: true }, { ifMatch: response.etag });
    assert.equal(enabled.enabled, true);
    const late = client.workflows.update(id, { name: 'Late' }, { ifMatch: response.etag });
    await assert.rejects(late, ConflictError);
  },
  'workflows.delete': async (client) => {
    const { id } = await aWorkflow(client);
    assert.equal((await client.workflows.delete(id)).deleted, true);
    await assert.rejects(client.workflows.get(id), NotFoundError);
  },
  'workflows.versions.list': async (client) => {
    const { id } = await aWorkflow(client);
    await client.workflows.update(id, { steps: [{ ...wait, seconds: 60 }] });
    const versions: number[] = [];
    for await (const { version } of client.workflows.versions.list(id, { limit: 1 })) versions.push(version);
    assert.deepEqual(versions, [2, 1]);
  },
  'workflows.test': async (client) => {
    const callId = await anEndedCall(client);
    const definition = { trigger: { event: 'call_ended' as const }, steps: [wait] };
    const { steps, end } = await client.workflows.test({ callId, definition });
    assert.deepEqual([steps[0]?.reached, end], [true, 'succeeded']);
  },
  'workflows.resume': async (client) => {
    const { id } = await aWorkflow(client);
    assert.deepEqual(await client.workflows.resume(id, { since: '2026-01-01T00:00:00Z' }), { matched: 0 });
  },
  'workflows.runs.create': async (client) => {
    const run = await aRun(client);
    assert.deepEqual([run.trigger, run.workflowVersion, run.eventId], ['manual', 1, null]);
  },
  'workflows.runs.list': async (client) => {
    const { id, callId } = await aRun(client);
    const ids: string[] = [];
    for await (const run of client.workflows.runs.list({ callId, status: ['pending', 'running', 'waiting'] }))
      ids.push(run.id);
    assert.deepEqual(ids, [id]);
  },
  'workflows.runs.get': async (client) => {
    const { id } = await aRun(client);
    const run = await client.workflows.runs.get(id);
    assert.deepEqual(
      run.steps.map((step) => step.id),
      ['day'],
    );
  },
  'workflows.runs.resume': async (client) => {
    const { id } = await aRun(client);
    await assert.rejects(client.workflows.runs.resume(id), { code: 'STATE_CONFLICT' });
  },
  'workflows.runs.cancel': async (client) => {
    const { id } = await aRun(client);
    await client.workflows.runs.cancel(id);
    const settled = await client.workflows.runs.waitUntilSettled(id);
    assert.deepEqual([settled.status, settled.reason], ['canceled', 'by_user']);
  },
};

function aCarrier(client: VoiceAgents): Promise<Carrier> {
  return client.carriers.create({ name: 'Test', provider: 'test' });
}

let phoneNumbers = 0;

async function aPhoneNumber(client: VoiceAgents): Promise<PhoneNumber> {
  const { id: carrierId } = await aCarrier(client);
  phoneNumbers += 1;
  return client.phoneNumbers.import({ carrierId, number: `+9991${String(phoneNumbers).padStart(7, '0')}` });
}

describe('the SDK with a running service', { concurrency: 4 }, () => {
  const service = useStartedService();

  it('has every operation of the OpenAPI document', () => {
    const client = new VoiceAgents({ apiKey: 'x', baseUrl: 'http://127.0.0.1:1' });
    const wanted = operationIds.filter((id) => !otherSpellings.includes(id));
    // Those of calls are used in test/areas/calls/sdk-e2e.test.ts.
    assert.deepEqual(Object.keys(uses).sort(), wanted.filter((id) => !id.startsWith('calls.')).sort());
    for (const id of wanted) {
      const found = id.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], client);
      assert.equal(typeof found, 'function', `client.${id} is there`);
    }
  });

  for (const [id, use] of Object.entries(uses)) {
    const options = id.startsWith('voices.') ? withSpeech : {};
    it(`does ${id}`, options, async () => use(await service.newClient()));
  }

  it('throws the class of each error, with all its details', async () => {
    const client = await service.newClient();
    const { id } = await client.agents.create({ ...draft, responseEngine: { type: 'custom_llm' } });
    const failure = async (call: Promise<unknown>): Promise<ApiError> => {
      const error = await call.then(
        () => assert.fail('it went through'),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof ApiError, String(error));
      assert.equal(error.requestId, error.headers.get('x-request-id'));
      return error;
    };
    const invalid = await failure(client.agents.create({ name: '', voiceId: 'v' }));
    assert.ok(invalid instanceof ValidationError);
    assert.deepEqual([invalid.status, invalid.code, invalid.name], [400, 'VALIDATION_ERROR', 'ValidationError']);
    assert.deepEqual(invalid.fieldErrors, { name: ['must not be empty'] });
    const incomplete = await failure(client.agents.publish(id));
    assert.ok(incomplete instanceof UnprocessableError);
    assert.deepEqual(Object.keys(incomplete.fieldErrors), ['responseEngine']);
    const baseUrl = service.url;
    const stranger = new VoiceAgents({ apiKey: 'vak_unknown', baseUrl });
    assert.ok((await failure(stranger.whoami())) instanceof AuthenticationError);
    const reader = new VoiceAgents({ apiKey: await service.newKey({ scopes: ['agents:read'] }), baseUrl });
    const forbidden = await failure(reader.agents.create(draft));
    assert.ok(forbidden instanceof PermissionError);
    assert.equal(forbidden.requiredScope, 'agents:write');
    assert.equal((await failure(client.agents.get('../../whoami'))).status, 404);
  });

  it('creates one agent from two calls with the same idempotency key', async () => {
    const client = await service.newClient();
    const first = await client.agents.create(draft, { idempotencyKey: 'order 17' });
    const second = await client.agents.create(draft, { idempotencyKey: 'order 17' }).withResponse();
    assert.equal(second.data.id, first.id);
    assert.equal(second.response.headers.get('idempotent-replayed'), 'true');
    const other = client.agents.create({ ...draft, name: 'Other' }, { idempotencyKey: 'order 17' });
    await assert.rejects(other, { name: 'UnprocessableError', code: 'IDEMPOTENCY_KEY_REUSED' });
  });
});
