import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { codes, documentedStatuses, type ErrorCode, errorCodes } from '../../src/contract/errors.ts';
import { type Answer, createAgent, send } from '../support/client.ts';
import { locationOf, sqliteEngine } from '../support/engines.ts';
import { sendRaw } from '../support/raw-socket.ts';
import { type Service, startService } from '../support/service.ts';

const path = '/api/v1/agents';
const body = { name: 'a', voiceId: 'v' };

/** A chat whose replies fail. */
async function aChat(service: Service, key: string, fields: object = {}): Promise<string> {
  const { id: agentId } = await createAgent(service, key, { llmModel: 'test-fail', beginMessage: '' });
  const call = { type: 'chat', agentId, agentVersion: 'latest', ...fields };
  return (await send(service, 'POST', '/api/v1/calls', { key, body: call })).json.id;
}

/** For each code, a condition that causes it. */
const conditions: Record<ErrorCode, (service: Service, key: string) => Promise<Pick<Answer, 'status' | 'json'>>> = {
  VALIDATION_ERROR: (service, key) => send(service, 'POST', path, { key, body: {} }),
  UNAUTHORIZED: (service) => send(service, 'GET', path),
  SCOPE_INSUFFICIENT: async (service) => {
    const { key } = await service.newKey({ scopes: ['agents:read'] });
    return send(service, 'POST', path, { key, body });
  },
  NOT_FOUND: (service, key) => send(service, 'GET', `${path}/agt_unknown`, { key }),
  METHOD_NOT_ALLOWED: (service, key) => send(service, 'DELETE', path, { key }),
  REQUEST_TIMEOUT: async (service) => {
    const [answer] = await sendRaw(service.port, 'GET /healthz HTTP/1.1\r\n');
    return { status: answer?.status ?? 0, json: JSON.parse(answer?.body ?? '') };
  },
  VERSION_CONFLICT: async (service, key) => {
    const { id } = await createAgent(service, key);
    return send(service, 'PATCH', `${path}/${id}`, { key, body: { name: 'b' }, headers: { 'if-match': '"old"' } });
  },
  STATE_CONFLICT: async (service, key) =>
    send(service, 'DELETE', `/api/v1/calls/${await aChat(service, key)}`, { key }),
  CONCURRENCY_LIMIT_REACHED: async (service, key) => {
    await aChat(service, key, { type: 'web' });
    const { json } = await send(service, 'GET', path, { key });
    const call = { type: 'web', agentId: json.items[0].id, agentVersion: 'latest' };
    return send(service, 'POST', '/api/v1/calls', { key, body: call });
  },
  UPSTREAM_ERROR: async (service, key) =>
    send(service, 'POST', `/api/v1/calls/${await aChat(service, key)}/messages`, { key, body: { text: 'Hello' } }),
  PROVIDER_NOT_CONFIGURED: async (service, key) => {
    const make = async (path: string, body: object) =>
      (await send(service, 'POST', `/api/v1/${path}`, { key, body })).json.id;
    const { id: agentId } = await createAgent(service, key, { llmModel: 'test-echo' });
    const settings = { accountSid: `AC${'0'.repeat(32)}` };
    const carrier = { name: 'Shop', provider: 'twilio', settings, credentials: { authToken: 'x' } };
    const number = { carrierId: await make('carriers', carrier), number: '+81312345678', outbound: { enabled: true } };
    const fromPhoneNumberId = await make('phone-numbers', number);
    // A carrier reaches the service at PUBLIC_URL, which is not set.
    const call = { type: 'phone', agentId, agentVersion: 'latest', to: '+819012345678', fromPhoneNumberId };
    return send(service, 'POST', '/api/v1/calls', { key, body: call });
  },
  IDEMPOTENCY_IN_PROGRESS: async (service, key) => {
    const call = { key, body, headers: { 'idempotency-key': 'at once' } };
    // Another process holds the write lock, so that the first request stays in progress.
    const holder = new DatabaseSync((locationOf(service.databaseUrl) as { file: string }).file);
    holder.exec('BEGIN IMMEDIATE');
    const first = send(service, 'POST', path, call);
    const second = await send(service, 'POST', path, call);
    holder.exec('COMMIT');
    holder.close();
    assert.equal((await first).status, 201);
    return second;
  },
  IDEMPOTENCY_KEY_REUSED: async (service, key) => {
    const headers = { 'idempotency-key': 'twice' };
    await send(service, 'POST', path, { key, body, headers });
    return send(service, 'POST', path, { key, body: { ...body, name: 'b' }, headers });
  },
  RESOURCE_IN_USE: async (service, key) => {
    const secret = { value: 'x', hosts: ['shop.example.com'] };
    await send(service, 'PUT', '/api/v1/secrets/TOKEN', { key, body: secret });
    const headers = { authorization: 'Bearer {{secrets.TOKEN}}' };
    const tool = { name: 'book', description: 'b', parameters: { type: 'object' }, headers };
    const agentSettings = { tools: [{ ...tool, url: 'https://shop.example.com/book' }] };
    const { id } = await createAgent(service, key, { agentSettings });
    await send(service, 'POST', `${path}/${id}/publish`, { key });
    return send(service, 'DELETE', '/api/v1/secrets/TOKEN', { key });
  },
  LIMIT_REACHED: async (service, key) => {
    await service.database.run(
      `INSERT INTO secrets (workspace_id, name, hosts, sealed_value, created_at, updated_at)
        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 200)
        SELECT id, 'S' || number, '[]', x'00', 0, 0 FROM workspaces, numbers`,
    );
    return send(service, 'PUT', '/api/v1/secrets/TOKEN', { key, body: { value: 'x', hosts: ['shop.example.com'] } });
  },
  UNPROCESSABLE_CONTENT: async (service, key) => {
    const { id } = await createAgent(service, key, { responseEngineType: 'custom_llm' });
    return send(service, 'POST', `${path}/${id}/publish`, { key });
  },
  RATE_LIMITED: async (service, key) => {
    for (let count = 0; ; count += 1) {
      const answer = await send(service, 'GET', `${path}?limit=1`, { key });
      if (answer.status !== 200 || count > 1000) return answer;
    }
  },
  INTERNAL_ERROR: async (service, key) => {
    await service.database.run('ALTER TABLE agents RENAME TO elsewhere');
    const answer = await send(service, 'GET', path, { key });
    await service.database.run('ALTER TABLE elsewhere RENAME TO agents');
    return answer;
  },
  SERVICE_UNAVAILABLE: async (service, key) => {
    await service.database.transaction((queries) => queries.get('PRAGMA max_page_count = 1'));
    return send(service, 'POST', path, { key, body: { ...body, prompt: 'x'.repeat(200_000) } });
  },
};

describe('every status of the contract', () => {
  const engine = sqliteEngine();

  for (const code of codes) {
    it(`occurs in practice: ${errorCodes[code].status} ${code}`, async () => {
      const service = await startService(engine, {
        rateLimit: { requests: 20, windowSeconds: 60 },
        calls: { concurrency: 1 },
        twilioUrl: 'http://127.0.0.1:1',
        ...(code === 'REQUEST_TIMEOUT' && { timeouts: { headersMs: 100 } }),
      });
      const { key } = await service.newKey();
      const answer = await conditions[code](service, key);
      assert.equal(answer.json.error.code, code);
      assert.equal(answer.status, errorCodes[code].status);
      await service.close();
    });
  }

  it('is documented with its code', () => {
    const file = new URL('../../docs/errors.md', import.meta.url);
    assert.ok(existsSync(file));
    const text = readFileSync(file, 'utf8');
    for (const code of codes) {
      assert.match(text, new RegExp(`\\| *${errorCodes[code].status} *\\|[^\\n]*${code}`), code);
    }
    for (const status of Object.keys(documentedStatuses)) assert.ok(text.includes(status));
  });
});
