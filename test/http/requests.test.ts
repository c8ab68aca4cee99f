import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAgent, send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { startService, useService } from '../support/service.ts';

describe('request ids', () => {
  const engine = sqliteEngine();
  const service = useService(engine);

  it('are the same in the header, the error body and the log', async () => {
    const answer = await send(service, 'GET', '/api/v1/agents');
    const id = answer.headers.get('x-request-id');
    assert.match(id ?? '', /^req_[0-9a-z]{30}$/);
    assert.equal(answer.json.error.requestId, id);
    assert.equal(service.log.filter((line) => line.requestId === id).length, 1);
  });

  it('are taken from the client if valid, and generated otherwise', async () => {
    for (const id of ['a', 'A.b_c-9', 'x'.repeat(128)]) {
      const answer = await send(service, 'GET', '/api/v1/agents', { headers: { 'x-request-id': id } });
      assert.equal(answer.headers.get('x-request-id'), id);
    }
    for (const id of ['a b', 'x'.repeat(129), '<script>', 'é', 'a,b']) {
      const answer = await send(service, 'GET', '/api/v1/agents', { headers: { 'x-request-id': id } });
      assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
    }
  });
});

describe('the log', () => {
  const engine = sqliteEngine();
  const service = useService(engine);

  it('has one line per request, with caller and operation, and never a key, a prompt or a search', async () => {
    const { key, id: keyId, workspaceId } = await service.newKey();
    const secrets = { name: 'SECRET-NAME', prompt: 'SECRET-PROMPT', beginMessage: 'SECRET-BEGIN' };
    const { id } = await createAgent(service, key, secrets);
    await send(service, 'GET', `/api/v1/agents/${id}?x=SECRET-QUERY`, { key });
    await send(service, 'GET', '/api/v1/agents?q=SECRET-SEARCH', { key });
    await send(service, 'GET', `/api/v1/agents/${key}`, { key });
    await send(service, 'GET', `/SECRET-PATH/${key}`);
    await send(service, 'POST', '/api/v1/agents', { key, rawBody: '{"name":"SECRET-BROKEN"' });
    await send(service, 'POST', '/api/v1/agents', { key, body: { name: 1, voiceId: 'SECRET-VOICE', prompt: 5 } });
    await send(service, 'GET', '/api/v1/agents', { key: 'SECRET-KEY-that-is-wrong' });
    const text = JSON.stringify(service.log);
    assert.equal(service.log.length, 8);
    assert.ok(!text.includes('SECRET'));
    assert.ok(!text.includes(key));
    const line = service.log[0] as Record<string, unknown>;
    assert.equal(line.route, 'agents.create');
    assert.equal(line.status, 201);
    assert.equal(line.method, 'POST');
    assert.equal(line.keyId, keyId);
    assert.equal(line.workspaceId, workspaceId);
    assert.equal(typeof line.durationMs, 'number');
  });
});

describe('internal errors', () => {
  const engine = sqliteEngine();

  it('are 500 with the request id and nothing else; the log has the stack', async () => {
    const service = await startService(engine);
    const { key } = await service.newKey();
    await createAgent(service, key);
    await service.database.run('ALTER TABLE agents RENAME TO elsewhere');
    const answer = await send(service, 'GET', '/api/v1/agents', { key });
    assert.equal(answer.status, 500);
    assert.deepEqual(Object.keys(answer.json.error).sort(), ['code', 'message', 'requestId']);
    assert.ok(!/SELECT|agents|sqlite|\.ts/i.test(answer.json.error.message));
    const failure = service.log.find((line) => line.msg === 'request failed') as {
      requestId: string;
      err: { stack: string };
    };
    assert.equal(failure.requestId, answer.json.error.requestId);
    assert.match(failure.err.stack, /no such table/);
    await service.database.run('ALTER TABLE elsewhere RENAME TO agents');
    assert.equal((await send(service, 'GET', '/api/v1/agents', { key })).status, 200);
    await service.close();
  });
});

describe('the rate limit', () => {
  const engine = sqliteEngine();

  it('reports the remaining quota of each key, and rejects what exceeds it with 429, per key', async () => {
    const service = await startService(engine, { rateLimit: { requests: 3, windowSeconds: 60 } });
    const [one, other] = [await service.newKey(), await service.newKey()];
    const get = (key: string, path = '/api/v1/agents') => send(service, 'GET', path, { key });
    for (const left of [2, 1, 0]) {
      const answer = await get(one.key);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('ratelimit-policy'), '"default";q=3;w=60');
      assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`^"default";r=${left};t=\\d+$`));
    }
    const over = await get(one.key, '/api/v1/agents?limit=0');
    assert.equal(over.status, 429);
    assert.equal(over.json.error.code, 'RATE_LIMITED');
    assert.ok(Number(over.headers.get('retry-after')) >= 1);
    assert.match(over.headers.get('ratelimit') ?? '', /r=0/);
    assert.equal((await get(other.key)).status, 200);
    const noScope = await service.newKey({ scopes: ['agents:write'] });
    for (let count = 0; count < 5; count += 1) assert.equal((await get(noScope.key)).status, 403);
    await service.close();
  });

  it('can be disabled', async () => {
    const service = await startService(engine);
    const answer = await send(service, 'GET', '/api/v1/agents', { key: (await service.newKey()).key });
    assert.equal(answer.headers.get('ratelimit'), null);
    await service.close();
  });
});
