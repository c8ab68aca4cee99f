import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAlert } from '../src/contract/analytics/alerts.ts';
import { putPrices } from '../src/contract/analytics/prices.ts';
import { createView } from '../src/contract/analytics/views.ts';
import { type OperationId, operations } from '../src/contract/index.ts';
import { isRepeatable, type Operation } from '../src/contract/operation.ts';
import { putCredentials } from '../src/contract/providers/credentials.ts';
import { previewVoice } from '../src/contract/providers/index.ts';
import { allScopes, type Scope } from '../src/contract/scopes.ts';
import { putSecret } from '../src/contract/secrets/index.ts';
import { runSimulation } from '../src/contract/simulations/index.ts';
import { testWorkflow } from '../src/contract/workflows/test-operation.ts';
import { createWorkflow } from '../src/contract/workflows/workflow-operations.ts';
import { type Call, createAgent, send } from './support/client.ts';
import { onEachEngine } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { newWorkspaceName, type Service, useService } from './support/service.ts';

/** The resources in a path, by parameter name. */
type Names = Record<string, string>;

/** Creates what an operation needs to succeed: an operation without an entry here does not compile. */
const prepare: Record<OperationId, (service: Service, key: string) => Promise<Names>> = {
  'agents.list': nothing,
  'agents.create': nothing,
  'agents.get': anAgent,
  'agents.update': anAgent,
  'agents.delete': anAgent,
  'agents.duplicate': anAgent,
  'agents.publish': anAgent,
  'agents.check': anAgent,
  'agents.versions.list': anAgent,
  'agents.versions.get': anAgent,
  'agents.versions.restore': anAgent,
  'agents.diff': anAgent,
  'agents.states.list': nothing,
  'agents.tools.test': anAgentWithATool,
  'apiKeys.create': nothing,
  'apiKeys.list': nothing,
  'apiKeys.get': aKey,
  'apiKeys.rotate': aKey,
  'apiKeys.revoke': aKey,
  'apiKeys.delete': aKey,
  whoami: nothing,
  'auditLog.list': nothing,
  'figures.get': nothing,
  'calls.create': aTestAgent,
  'calls.list': nothing,
  'calls.search': nothing,
  'calls.get': aChat,
  'calls.update': aChat,
  'calls.delete': anEndedChat,
  'calls.redact': anEndedChat,
  'calls.end': aChat,
  'calls.control': aStartedChat,
  'calls.messages.create': aChat,
  'calls.events.list': aChat,
  'calls.transcript.get': aChat,
  'calls.skill.get': aChat,
  'calls.recording.get': aChat,
  'calls.tokens.create': aChat,
  'calls.concurrency.get': nothing,
  'providers.list': nothing,
  'providers.credentials.put': aProvider,
  'providers.credentials.delete': someCredentials,
  'providers.verify': aProvider,
  'voices.list': nothing,
  'voices.preview': nothing,
  'calls.analysis.run': anAnalyzedChat,
  'calls.analysis.preview': anAnalyzedChat,
  'calls.analysis.list': anAnalyzedChat,
  'simulations.run': aTestAgent,
  'simulations.explore': anAgentWithAFlow,
  'secrets.list': nothing,
  'secrets.put': async () => ({ name: 'SHOP_TOKEN' }),
  'secrets.delete': aSecret,
  'webhooks.create': nothing,
  'webhooks.list': nothing,
  'webhooks.get': aWebhook,
  'webhooks.update': aWebhook,
  'webhooks.delete': aWebhook,
  'webhooks.secret.get': aWebhook,
  'webhooks.secret.rotate': aWebhook,
  'webhooks.test': aWebhook,
  'webhooks.deliveries.list': aWebhook,
  'webhooks.deliveries.get': aDelivery,
  'webhooks.deliveries.resend': aDelivery,
  'webhooks.replay': aWebhook,
  'events.list': nothing,
  'events.get': anEvent,
  'events.types.list': nothing,
  'carriers.create': nothing,
  'carriers.list': nothing,
  'carriers.get': aCarrier,
  'carriers.update': aCarrier,
  'carriers.delete': aCarrier,
  'carriers.verify': aCarrier,
  'carriers.numbers.list': aCarrier,
  'phoneNumbers.import': aCarrierOfANumber,
  'phoneNumbers.list': nothing,
  'phoneNumbers.get': aPhoneNumber,
  'phoneNumbers.update': aPhoneNumber,
  'phoneNumbers.delete': aPhoneNumber,
  'phoneNumbers.verify': aPhoneNumber,
  'phoneNumbers.test': aPhoneNumber,
  'doNotCall.list': nothing,
  'doNotCall.add': async () => ({ id: 'do-not-call' }),
  'doNotCall.delete': aDoNotCallEntry,
  'knowledgeBases.create': nothing,
  'knowledgeBases.list': nothing,
  'knowledgeBases.get': aKnowledgeBase,
  'knowledgeBases.update': aKnowledgeBase,
  'knowledgeBases.delete': aKnowledgeBase,
  'knowledgeBases.search': aKnowledgeBase,
  'knowledgeBases.evaluate': aKnowledgeBase,
  'knowledgeBases.chunks.get': aChunk,
  'knowledgeBases.pages.find': async (service, key) => ({ ...(await aKnowledgeBase(service, key)), url: service.url }),
  'analytics.query': nothing,
  'analytics.fields.list': nothing,
  'analytics.prices.list': nothing,
  'analytics.prices.put': async () => pricesAt(),
  'analytics.prices.delete': aPriceDocument,
  'analytics.views.list': nothing,
  'analytics.views.create': nothing,
  'analytics.views.get': aView,
  'analytics.views.update': aView,
  'analytics.views.delete': aView,
  'analytics.alerts.list': nothing,
  'analytics.alerts.create': nothing,
  'analytics.alerts.get': anAlert,
  'analytics.alerts.update': anAlert,
  'analytics.alerts.delete': anAlert,
  'workflows.list': nothing,
  'workflows.create': nothing,
  'workflows.get': aWorkflow,
  'workflows.update': aWorkflow,
  'workflows.delete': aWorkflow,
  'workflows.versions.list': aWorkflow,
  'workflows.test': anEndedCallOfAWorkflow,
  'workflows.resume': aWorkflow,
  'workflows.runs.create': anEndedCallOfAWorkflow,
  'workflows.runs.list': nothing,
  'workflows.runs.get': aRun,
  'workflows.runs.resume': aFailedRun,
  'workflows.runs.cancel': aRun,
  'documents.create': aKnowledgeBase,
  'documents.list': aKnowledgeBase,
  'documents.get': aDocument,
  'documents.update': aDocument,
  'documents.delete': aDocument,
  'documents.refresh': aReadyDocument,
  'documents.chunks.list': aDocument,
};

/** Bodies that name what was made, instead of the example. */
const bodies: Partial<Record<OperationId, (names: Names) => Record<string, unknown>>> = {
  'calls.create': ({ id }) => ({ type: 'chat', agentId: id, agentVersion: 'latest' }),
  'webhooks.replay': () => ({ since: new Date(Date.now() - 60_000).toISOString() }),
  'knowledgeBases.pages.find': ({ url }) => ({ url }),
  'phoneNumbers.import': ({ carrierId }) => ({ carrierId, number: newNumber() }),
  'voices.preview': () => ({ ...previewVoice.bodyExample, provider: 'test' }),
  'workflows.test': ({ callId }) => ({ ...testWorkflow.bodyExample, callId, definition }),
  'workflows.runs.create': ({ callId }) => ({ callId }),
  'simulations.explore': ({ id }) => ({ agentId: id, agentVersion: 'latest' }),
  'simulations.run': ({ id }) => ({ ...runSimulation.bodyExample, agentId: id, agentVersion: 'latest' }),
};

let numbers = 0;
function newNumber(): string {
  numbers += 1;
  return `+9991${String(numbers).padStart(7, '0')}`;
}

const queries: Partial<Record<OperationId, string>> = {
  'agents.diff': 'from=1',
  'agents.states.list': 'agentId=agt_0',
};

async function nothing(): Promise<Names> {
  return {};
}

async function anAgent(service: Service, key: string): Promise<Names> {
  return { id: (await createAgent(service, key)).id, version: '1' };
}

/** Nobody listens on the address of the tool: a test of it fails at once, which is its result. */
async function anAgentWithATool(service: Service, key: string): Promise<Names> {
  const { id } = await createAgent(service, key);
  const parameters = { type: 'object', properties: { number: { type: 'string' } } };
  const url = 'http://127.0.0.1:1024/orders/{number}';
  const tools = [{ name: 'find_order', description: 'Finds an order.', method: 'GET', parameters, url }];
  await send(service, 'PATCH', `/api/v1/agents/${id}`, { key, body: { agentSettings: { tools } } });
  return { id, name: 'find_order' };
}

/** One that replies without a language model. */
async function aTestAgent(service: Service, key: string): Promise<Names> {
  const models = { llmModel: 'test-echo', postCallAnalysisModel: 'test-extract' };
  return { id: (await createAgent(service, key, models)).id };
}

async function anAgentWithAFlow(service: Service, key: string): Promise<Names> {
  const flow = { skills: [{ id: 'end', type: 'end', text: 'Goodbye.' }] };
  const fields = { responseEngineType: 'conversation_flow', agentSettings: { flow } };
  return { id: (await createAgent(service, key, fields)).id };
}

async function aChat(service: Service, key: string): Promise<Names> {
  const { id: agentId } = await aTestAgent(service, key);
  const body = { type: 'chat', agentId, agentVersion: 'latest' };
  const answer = await send(service, 'POST', '/api/v1/calls', { key, body });
  return { id: answer.json.id };
}

async function aStartedChat(service: Service, key: string): Promise<Names> {
  const names = await aChat(service, key);
  await send(service, 'POST', `/api/v1/calls/${names.id}/messages`, { key, body: { text: 'hello' } });
  return names;
}

async function anEndedChat(service: Service, key: string): Promise<Names> {
  const names = await aStartedChat(service, key);
  await send(service, 'POST', `/api/v1/calls/${names.id}/end`, { key });
  return names;
}

async function anAnalyzedChat(service: Service, key: string): Promise<Names> {
  const names = await anEndedChat(service, key);
  for (;;) {
    const answer = await send(service, 'GET', `/api/v1/calls/${names.id}`, { key });
    if (answer.json.analysis.status === 'completed') return names;
    await delay(10);
  }
}

async function aKey(service: Service, key: string): Promise<Names> {
  const answer = await send(service, 'POST', '/api/v1/api-keys', { key, body: { scopes: ['agents:read'] } });
  return { id: answer.json.id };
}

async function aProvider(): Promise<Names> {
  return { provider: 'openai', id: 'openai' };
}

async function someCredentials(service: Service, key: string): Promise<Names> {
  const { bodyExample: body } = putCredentials;
  const answer = await send(service, 'PUT', '/api/v1/providers/openai/credentials', { key, body });
  assert.equal(answer.status, 200);
  return { provider: 'openai', id: 'openai' };
}

async function aSecret(service: Service, key: string): Promise<Names> {
  const body = putSecret.bodyExample;
  const answer = await send(service, 'PUT', '/api/v1/secrets/SHOP_TOKEN', { key, body });
  return { name: answer.json.name };
}

/** Nobody listens on its address, so that everything sent there fails at once. */
async function aWebhook(service: Service, key: string): Promise<Names> {
  const body = { url: 'http://127.0.0.1:1024/hooks', events: ['agent_published'] };
  const answer = await send(service, 'POST', '/api/v1/webhooks', { key, body });
  return { id: answer.json.id };
}

async function aPublishedAgent(service: Service, key: string): Promise<void> {
  const { id } = await createAgent(service, key);
  await send(service, 'POST', `/api/v1/agents/${id}/publish`, { key });
}

const { trigger, steps } = createWorkflow.bodyExample;
const definition = { trigger, steps };

async function aWorkflow(service: Service, key: string): Promise<Names> {
  return { id: (await send(service, 'POST', '/api/v1/workflows', { key, body: createWorkflow.bodyExample })).json.id };
}

async function anEndedCallOfAWorkflow(service: Service, key: string): Promise<Names> {
  const { id: callId } = await anEndedChat(service, key);
  return { ...(await aWorkflow(service, key)), callId: callId as string };
}

/** The service of these tests takes no steps. */
async function aRun(service: Service, key: string): Promise<Names> {
  const { id, callId } = await anEndedCallOfAWorkflow(service, key);
  const answer = await send(service, 'POST', `/api/v1/workflows/${id}/runs`, { key, body: { callId } });
  return { id: answer.json.id };
}

async function aFailedRun(service: Service, key: string): Promise<Names> {
  const { id } = await aRun(service, key);
  const sql =
    "UPDATE workflow_runs SET status = 'failed', reason = 'http_error', step = 'tell', completed_at = $2 WHERE id = $1";
  await service.database.run(sql, [id as string, Date.now()]);
  return { id: id as string };
}

async function aDelivery(service: Service, key: string): Promise<Names> {
  const { id } = await aWebhook(service, key);
  await aPublishedAgent(service, key);
  const answer = await send(service, 'GET', `/api/v1/webhooks/${id}/deliveries`, { key });
  return { id: id as string, deliveryId: answer.json.items[0].id };
}

async function anEvent(service: Service, key: string): Promise<Names> {
  await aPublishedAgent(service, key);
  return { id: (await send(service, 'GET', '/api/v1/events', { key })).json.items[0].id };
}

async function aCarrier(service: Service, key: string): Promise<Names> {
  const body = { name: 'Test', provider: 'test' };
  return { id: (await send(service, 'POST', '/api/v1/carriers', { key, body })).json.id };
}

async function aCarrierOfANumber(service: Service, key: string): Promise<Names> {
  const { id } = await aCarrier(service, key);
  return { carrierId: id as string };
}

async function aPhoneNumber(service: Service, key: string): Promise<Names> {
  const body = { ...(await aCarrierOfANumber(service, key)), number: newNumber() };
  return { id: (await send(service, 'POST', '/api/v1/phone-numbers', { key, body })).json.id };
}

/** The audit log has no numbers. */
async function aDoNotCallEntry(service: Service, key: string): Promise<Names> {
  await send(service, 'POST', '/api/v1/do-not-call', { key, body: { numbers: ['+819012345678'] } });
  return { number: '%2B819012345678', id: 'do-not-call' };
}

async function aKnowledgeBase(service: Service, key: string): Promise<Names> {
  return { id: (await send(service, 'POST', '/api/v1/knowledge-bases', { key, body: { name: 'FAQ' } })).json.id };
}

async function aDocument(service: Service, key: string): Promise<Names> {
  const { id } = await aKnowledgeBase(service, key);
  const body = { name: 'Returns', text: 'Returns are possible within 30 days.' };
  const made = await send(service, 'POST', `/api/v1/knowledge-bases/${id}/documents`, { key, body });
  return { id: id as string, documentId: made.json.id };
}

async function aReadyDocument(service: Service, key: string): Promise<Names> {
  const names = await aDocument(service, key);
  const path = `/api/v1/knowledge-bases/${names.id}/documents/${names.documentId}`;
  await eventually(async () => (await send(service, 'GET', path, { key })).json.status === 'ready');
  return names;
}

async function aChunk(service: Service, key: string): Promise<Names> {
  const names = await aReadyDocument(service, key);
  const path = `/api/v1/knowledge-bases/${names.id}/documents/${names.documentId}/chunks`;
  return { ...names, chunkId: (await send(service, 'GET', path, { key })).json.items[0].id };
}

/** The audit log has their time in UTC. */
function pricesAt(): Names {
  return { validFrom: '2026-12-01T09:00:00+09:00', id: '2026-12-01T00:00:00.000Z' };
}

async function aPriceDocument(service: Service, key: string): Promise<Names> {
  const names = pricesAt();
  await send(service, 'PUT', `/api/v1/analytics/prices/${names.validFrom}`, { key, body: putPrices.bodyExample });
  return names;
}

async function aView(service: Service, key: string): Promise<Names> {
  return {
    id: (await send(service, 'POST', '/api/v1/analytics/views', { key, body: createView.bodyExample })).json.id,
  };
}

async function anAlert(service: Service, key: string): Promise<Names> {
  const body = createAlert.bodyExample;
  return { id: (await send(service, 'POST', '/api/v1/analytics/alerts', { key, body })).json.id };
}

/** Operations that make a resource from another one, which both have an audit entry. */
const derived = ['agents.duplicate', 'apiKeys.rotate', 'webhooks.deliveries.resend'];

/** Their audit entries say more than an id. */
const named = /^(agents|analytics\.(alerts|views)|carriers|documents|knowledgeBases|phoneNumbers|webhooks|workflows)\./;

/** What applies to all operations is tested over the table, so that a new operation is covered automatically. */
onEachEngine(
  'every operation',
  (engine) => {
    const service = useService(engine);
    // Keys, scopes, headers, parameters and methods are checked by the same code on both engines.
    const itWithoutSql = (title: string, test: () => Promise<void>): void => {
      if (engine.name === 'sqlite') it(title, test);
    };

    const pathOf = (operation: Operation, names: Names, query = queries[operation.id as OperationId] ?? '') => {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] as string);
      return `${path}${query === '' ? '' : `?${query}`}`;
    };
    const bodyOf = ({ id, body, bodyExample }: Operation, names: Names): Call =>
      body === null ? {} : { body: bodies[id as OperationId]?.(names) ?? bodyExample };

    /** A request that succeeds with the right key, on its own resources. */
    const goodRequest = async (operation: Operation, key: string) => {
      const names = await prepare[operation.id as OperationId](service, key);
      return { path: pathOf(operation, names), call: bodyOf(operation, names), names };
    };

    // Nothing is recorded yet, so that there is no recording to get.
    for (const operation of operations.filter(({ id }) => id !== 'calls.recording.get') as readonly Operation[]) {
      const { id, method, scope, success } = operation;
      // Requests that are refused change nothing, so that they can share what was prepared.
      let refused: ReturnType<typeof refusedRequest> | undefined;
      const refusedRequest = async () => {
        const { key } = await service.newKey();
        return { key, ...(await goodRequest(operation, key)) };
      };
      const aRefusedRequest = () => (refused ??= refusedRequest());
      describe(id, () => {
        it('succeeds with only its scope, and responds according to its schema', async () => {
          const workspace = newWorkspaceName();
          const { key } = await service.newKey({ workspace });
          const { path, call } = await goodRequest(operation, key);
          // Rotating grants the scopes of the rotated key, so the caller needs those too.
          const scopes =
            scope === null
              ? []
              : id.startsWith('apiKeys.')
                ? [scope as Scope, 'agents:read' as const]
                : [scope as Scope];
          const narrow = await service.newKey({ workspace, scopes });
          const answer = await send(service, method, path, { ...call, key: narrow.key });
          assert.equal(answer.status, success.status, answer.text);
        });

        itWithoutSql('gets 401 without a key, with a wrong one and with two different ones', async () => {
          const { key, path, call } = await aRefusedRequest();
          const wrong: Record<string, string>[] = [
            {},
            { authorization: `Bearer ${key}x` },
            { authorization: 'Bearer' },
            { authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}` },
            { authorization: `Bearer ${key}`, 'x-api-key': `${key}x` },
            { 'x-api-key': `${key}x` },
            { 'x-api-key': '' },
          ];
          for (const headers of wrong) {
            const answer = await send(service, method, path, { ...call, headers });
            assert.equal(answer.status, 401, JSON.stringify(headers));
            assert.equal(answer.json.error.code, 'UNAUTHORIZED');
            assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="/);
          }
        });

        itWithoutSql('accepts the key in either header', async () => {
          const { key } = await service.newKey();
          const good: Record<string, string>[] = [
            { authorization: `Bearer ${key}` },
            { authorization: `bEARER   ${key}` },
            { 'x-api-key': key },
            { authorization: `Bearer ${key}`, 'x-api-key': key },
            { authorization: 'Basic c29tZTpwcm94eQ==', 'x-api-key': key },
          ];
          const isRead = operation.kind === 'read';
          let request = await goodRequest(operation, key);
          for (const [index, headers] of good.entries()) {
            if (index > 0 && !isRead) request = await goodRequest(operation, key);
            const { path, call } = request;
            const answer = await send(service, method, path, { ...call, headers });
            assert.equal(answer.status, success.status, JSON.stringify(headers));
          }
        });

        if (scope === null) return;
        const otherScopes = allScopes.filter((other) => other !== scope);

        itWithoutSql('gets 403 for a key with every scope but its own, which is named', async () => {
          const { path, call } = await aRefusedRequest();
          const lacking = await service.newKey({ scopes: otherScopes });
          const answer = await send(service, method, path, { ...call, key: lacking.key });
          assert.equal(answer.status, 403);
          assert.equal(answer.json.error.code, 'SCOPE_INSUFFICIENT');
          assert.deepEqual(answer.json.error.details, { requiredScope: scope, routeId: id });
          assert.ok(answer.json.error.message.includes(scope));
          assert.match(answer.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/);
        });

        itWithoutSql('reveals nothing about an invalid request before key and scope are checked', async () => {
          const { key, names } = await aRefusedRequest();
          const lacking = await service.newKey({ scopes: otherScopes });
          const bad = {
            ...(operation.body === null ? {} : { rawBody: '{"broken' }),
            headers: { prefer: 'handling=strict' },
          };
          const path = pathOf(operation, names, 'limit=0&cursor=&unknown=1');
          assert.equal((await send(service, method, path, bad)).status, 401);
          assert.equal((await send(service, method, path, { ...bad, key: lacking.key })).status, 403);
          assert.equal((await send(service, method, path, { ...bad, key })).status, 400);
        });

        itWithoutSql('rejects unknown parameters with strict handling, and ignores them otherwise', async () => {
          const { key } = await service.newKey();
          const unknown = (path: string) => `${path}${path.includes('?') ? '&' : '?'}colour=red`;
          const first = await goodRequest(operation, key);
          const lenient = await send(service, method, unknown(first.path), { ...first.call, key });
          assert.equal(lenient.status, success.status);
          assert.equal(lenient.headers.get('ignored-fields'), 'colour');
          const second = await aRefusedRequest();
          const headers = { Prefer: 'respond-async, Handling=strict' };
          const strict = await send(service, method, unknown(second.path), {
            ...second.call,
            key: second.key,
            headers,
          });
          assert.equal(strict.status, 400);
          assert.equal(strict.headers.get('preference-applied'), 'handling=strict');
          assert.deepEqual(Object.keys(strict.json.error.details.fieldErrors), ['colour']);
        });

        itWithoutSql('supports only its own method: others get 405 with Allow', async () => {
          const { key, path } = await aRefusedRequest();
          const pattern = operation.path;
          const other = ['PUT', 'PATCH'].find(
            (one) => !operations.some((known) => known.path === pattern && known.method === one),
          ) as string;
          const answer = await send(service, other, path, { key, body: {} });
          assert.equal(answer.status, 405);
          assert.equal(answer.json.error.code, 'METHOD_NOT_ALLOWED');
          assert.ok(answer.headers.get('allow')?.split(', ').includes(method));
        });

        if (operation.path.includes('{id}')) {
          it('answers the same 404 for an unknown id, a foreign one and a malformed one', async () => {
            const { key } = await service.newKey();
            const own = (await goodRequest(operation, key)).names;
            const foreign = (await goodRequest(operation, (await service.newKey()).key)).names.id as string;
            const ownId = own.id as string;
            const unknown = `${ownId.slice(0, -1)}${ownId.endsWith('0') ? '1' : '0'}`;
            const bodies = [];
            for (const other of [
              unknown,
              foreign,
              'x',
              'agt_',
              '%00',
              'a'.repeat(5000),
              '%2e%2e%2Fagents',
              '%F0%9F%98%80',
            ]) {
              const path = pathOf(operation, { ...own, id: other });
              const call = { ...bodyOf(operation, own), key, headers: { 'x-request-id': 'same' } };
              const answer = await send(service, method, path, call);
              assert.equal(answer.status, 404, other);
              bodies.push(answer.text);
            }
            assert.equal(new Set(bodies).size, 1);
          });
        }

        if (operation.path.includes('{version}')) {
          it('gets 404 for a version that does not exist', async () => {
            const { key } = await service.newKey();
            const { names } = await goodRequest(operation, key);
            for (const version of ['2', '0', '-1', '01', '1.5', 'published', 'newest', '999999999999', '%00']) {
              const answer = await send(service, method, pathOf(operation, { ...names, version }), {
                ...bodyOf(operation, names),
                key,
              });
              assert.equal(answer.status, 404, version);
            }
          });
        }

        // The record of a message is the call itself.
        const isAudited = id !== 'calls.messages.create';
        if (operation.kind !== 'read' && isAudited) {
          it('creates an audit entry, only if it succeeds', async () => {
            const { key, id: keyId } = await service.newKey();
            const { path, call, names } = await goodRequest(operation, key);
            const trail = async () => (await send(service, 'GET', '/api/v1/audit-log?limit=200', { key })).json.items;
            const before = await trail();
            await send(service, method, `${path}?unknown=1`, { ...call, key, headers: { prefer: 'handling=strict' } });
            const answer = await send(service, method, path, { ...call, key });
            const refused = await send(service, method, pathOf(operation, { id: 'x', version: '1' }), {
              ...call,
              key,
              body: 1,
            });
            assert.ok(refused.status >= 400);
            const [entry, ...rest] = await trail();
            const { id: entryId, at, resourceName, ...what } = entry;
            const { callId, name } = answer.json;
            // A run names its call, and is audited itself.
            const made = id.startsWith('workflows.') ? answer.json.id : (callId ?? answer.json.id ?? name);
            const expected = {
              keyId,
              routeId: id,
              // A replay has an id of its own, but is something that happens to its webhook; an analysis to its call.
              resourceId: id === 'webhooks.replay' || id === 'phoneNumbers.test' ? names.id : (made ?? names.id),
              requestId: answer.headers.get('x-request-id'),
            };
            assert.deepEqual(what, expected);
            if (named.test(id)) assert.equal(typeof resourceName, 'string', 'what people know it by, at the time');
            // A resource made from another one also has an entry under its source.
            const isDerived = derived.includes(id);
            if (isDerived) assert.equal(rest.shift().resourceId, names.id);
            assert.deepEqual(rest, before);
            assert.match(entryId, /^aud_/);
            assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
          });
        }

        if (isRepeatable(operation)) {
          it('has one effect per Idempotency-Key, however often it is sent', async () => {
            const { key } = await service.newKey();
            const { path, call } = await goodRequest(operation, key);
            const headers = { 'idempotency-key': 'the same for all' };
            const isPrepared = (entry: { routeId: string }) => entry.routeId === id;
            const effects = async () =>
              (await send(service, 'GET', '/api/v1/audit-log?limit=200', { key })).json.items.filter(isPrepared).length;
            const before = await effects();
            const once = await send(service, method, path, { ...call, key, headers });
            assert.equal(once.status, success.status, once.text);
            assert.equal(once.headers.get('idempotent-replayed'), null);
            for (const spelling of ['the same for all', '"the same for all"']) {
              const again = await send(service, method, path, {
                ...call,
                key,
                headers: { 'idempotency-key': spelling },
              });
              assert.equal(again.status, success.status);
              assert.equal(again.text, once.text);
              assert.equal(again.headers.get('idempotent-replayed'), 'true');
              assert.equal(again.headers.get('etag'), once.headers.get('etag'));
            }
            const entries = derived.includes(id) ? 2 : Number(isAudited);
            assert.equal(await effects(), before + entries);
          });
        }

        if (method === 'POST') {
          itWithoutSql('refuses a malformed Idempotency-Key', async () => {
            const { key } = await service.newKey();
            const { path, call } = await goodRequest(operation, key);
            const answer = await send(service, method, path, { ...call, key, headers: { 'idempotency-key': '""' } });
            assert.equal(answer.status, 400);
            assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), ['Idempotency-Key']);
          });
        }

        if (method === 'POST' && operation.kind === 'read') {
          it('saves nothing under an Idempotency-Key, and leaves no mark in the audit trail', async () => {
            const { key } = await service.newKey();
            const { path, call } = await goodRequest(operation, key);
            const trail = async () => (await send(service, 'GET', '/api/v1/audit-log?limit=200', { key })).json.items;
            const before = await trail();
            const headers = { 'idempotency-key': 'the same for all' };
            for (const body of [call.body, { ...(call.body as object), unknown: 1 }]) {
              const answer = await send(service, method, path, { body, key, headers });
              assert.equal(answer.status, success.status, answer.text);
              assert.equal(answer.headers.get('idempotent-replayed'), null);
            }
            assert.deepEqual(await trail(), before);
          });
        }
      });
    }
  },
  { alsoQuick: true },
);
