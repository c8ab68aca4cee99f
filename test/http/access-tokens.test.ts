import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kernel } from '../../src/areas/area.ts';
import { buildOpenApi } from '../../src/contract/documents/openapi.ts';
import type { AccessToken } from '../../src/core/access-token.ts';
import { stateConflict } from '../../src/core/errors.ts';
import type { Caller } from '../../src/http/admission/caller.ts';
import { send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';
import { createProbes, pageOfIds } from './probes/area.ts';
import { probesContract } from './probes/contract.ts';

const callId = 'call_1';
const watch = `/api/v1/probes/${callId}/watch`;
const end = `/api/v1/probes/${callId}/end`;
const page = 'https://shop.example.com';

describe('an access token', () => {
  const engine = sqliteEngine();
  let service: Service;
  let kernel: Kernel;
  let seen: Caller | null = null;
  let tokens = 0;

  before(async () => {
    service = await startService(engine, {
      rateLimit: { requests: 1000, windowSeconds: 60 },
      otherAreas: (given) => {
        kernel = given;
        return [
          createProbes({
            'probes.watch': ({ caller, params, nextPage }) => {
              seen = caller;
              return nextPage(pageOfIds([params.id], null));
            },
            'probes.end': ({ body, params }) => {
              if (body.fail === true) throw stateConflict('call', { status: 'ended', allowed: ['ongoing'] });
              return { body: params, resourceId: params.id };
            },
          }),
        ];
      },
    });
  });
  after(() => service.close());

  const newToken = async (more: Partial<AccessToken> = {}) => {
    const key = await service.newKey();
    tokens += 1;
    const content = {
      callId,
      workspaceId: key.workspaceId,
      keyId: key.id,
      tokenId: `tok_${tokens}`,
      number: 1,
      expiresAt: 5,
      origins: [],
      ...more,
    };
    return { key, content, token: kernel.accessTokens.issue(content) };
  };
  const corsOf = (headers: Headers) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));
  const readable = (origin: string) => ({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'X-Request-Id, Retry-After, RateLimit, Idempotent-Replayed, Ignored-Fields',
    vary: 'Origin',
  });

  it('is accepted in either header by the operations that say so, for its own call, without a scope', async () => {
    const { token, content } = await newToken();
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { authorization: `bearer  ${token}` },
      { 'x-api-key': token },
    ]) {
      const answer = await send(service, 'GET', watch, { headers });
      assert.equal(answer.status, 200, answer.text);
    }
    assert.equal((await send(service, 'POST', end, { key: token })).status, 200);
    const { workspaceId, keyId, tokenId, number, expiresAt, origins } = content;
    // Expired long ago: whether that matters is for the handler to decide, which knows whether the token has joined.
    assert.deepEqual(seen, {
      workspaceId,
      keyId,
      scopes: new Set(),
      access: { callId, tokenId, number, expiresAt, origins },
    });
  });

  it('gets 401 on every other operation, and on paths that do not exist', async () => {
    const { token } = await newToken();
    for (const path of ['/api/v1/whoami', '/api/v1/agents', `/api/v1/probes/${callId}`, '/api/v1/none']) {
      for (const headers of [{ authorization: `Bearer ${token}` }, { 'x-api-key': token }]) {
        const answer = await send(service, 'GET', path, { headers });
        assert.deepEqual([answer.status, answer.json.error.code], [401, 'UNAUTHORIZED'], path);
      }
    }
  });

  it('gets 404 for another call, and audit entries under the key that created it', async () => {
    const { token, key } = await newToken();
    const other = await send(service, 'POST', '/api/v1/probes/call_2/end', { key: token });
    assert.deepEqual([other.status, other.json.error.code], [404, 'NOT_FOUND']);
    assert.equal((await send(service, 'POST', end, { key: token })).status, 200);
    const { json } = await send(service, 'GET', '/api/v1/audit-log', { key: key.key });
    assert.deepEqual(
      json.items.map(({ keyId, resourceId }: Record<string, string>) => [keyId, resourceId]),
      [[key.id, callId]],
    );
  });

  it('gets 401 if it is malformed or forged, or contradicts the other header', async () => {
    const { token, key } = await newToken();
    const other = await newToken();
    for (const headers of [
      { authorization: 'Bearer vat_' },
      { authorization: `Bearer ${token}x` },
      { 'x-api-key': `${token.slice(0, -1)}` },
      { authorization: `Bearer ${token}`, 'x-api-key': key.key },
      { authorization: `Bearer ${token}`, 'x-api-key': other.token },
      { authorization: `Bearer ${key.key}`, 'x-api-key': token },
    ]) {
      const answer = await send(service, 'GET', watch, { headers });
      assert.deepEqual([answer.status, answer.json.error.code], [401, 'UNAUTHORIZED'], JSON.stringify(headers));
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm=.*invalid_token/);
    }
  });

  it('is valid only as long as the key that created it', async () => {
    const { token, key } = await newToken();
    assert.equal((await send(service, 'GET', watch, { key: token })).status, 200);
    await service.database.transaction((queries) => service.keys.revoke(queries, key));
    // While the key is cached.
    while ((await send(service, 'GET', watch, { key: token })).status !== 401) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const unknown = await newToken({ keyId: 'key_unknown' });
    assert.equal((await send(service, 'GET', watch, { key: unknown.token })).status, 401);
    const { content } = await newToken();
    const elsewhere = await newToken({ keyId: content.keyId });
    assert.equal((await send(service, 'GET', watch, { key: elsewhere.token })).status, 401);
  });

  it('is valid only from its origins, if it has any', async () => {
    const { token } = await newToken({ origins: [page, 'http://localhost:5173'] });
    for (const origin of [page, 'http://localhost:5173']) {
      const answer = await send(service, 'GET', watch, { key: token, headers: { origin } });
      assert.equal(answer.status, 200);
      assert.deepEqual(corsOf(answer.headers), readable(origin));
    }
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: `${page}.evil.example` },
      { origin: 'null' },
    ]) {
      const answer = await send(service, 'GET', watch, { key: token, headers });
      assert.equal(answer.status, 401);
      assert.deepEqual(corsOf(answer.headers), { vary: 'Origin' });
    }
  });

  it('lets the page read every response, errors included, and never with credentials', async () => {
    const { token } = await newToken();
    const headers = { origin: page };
    const answers = [
      await send(service, 'GET', watch, { key: token, headers }),
      await send(service, 'POST', end, { key: token, headers, body: { fail: true } }),
      await send(service, 'POST', end, { key: token, headers, body: { fail: 'yes' } }),
      await send(service, 'GET', '/api/v1/probes/call_2/watch', { key: token, headers }),
      await send(service, 'GET', watch, { key: `${token}x`, headers }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 409, 400, 404, 401],
    );
    for (const answer of answers) assert.deepEqual(corsOf(answer.headers), readable(page));
    const withoutOrigin = await send(service, 'GET', watch, { key: token });
    assert.deepEqual(corsOf(withoutOrigin.headers), { vary: 'Origin' });
  });

  it('changes nothing about responses to API keys', async () => {
    const { key } = await newToken();
    const answers = [
      await send(service, 'GET', watch, { key: key.key, headers: { origin: page } }),
      await send(service, 'GET', watch, { headers: { origin: page } }),
      await send(service, 'GET', watch, { key: 'vak_unknown', headers: { origin: page } }),
      await send(service, 'GET', '/healthz', { headers: { origin: page } }),
    ];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, corsOf(headers)]),
      [
        [200, {}],
        [401, {}],
        [401, {}],
        [200, {}],
      ],
    );
    const narrow = await service.newKey({ scopes: ['agents:read'] });
    assert.equal((await send(service, 'GET', watch, { key: narrow.key })).status, 403);
    assert.equal((await send(service, 'GET', '/api/v1/probes/call_2/watch', { key: key.key })).status, 200);
  });

  it('may send 120 requests a minute, which do not count towards the limit of its key', async () => {
    const { token, key } = await newToken();
    const answers = await Promise.all(
      Array.from({ length: 121 }, () => send(service, 'GET', watch, { key: token, headers: { origin: page } })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(refused.length, 1);
    assert.equal(refused[0]?.json.error.code, 'RATE_LIMITED');
    assert.ok(Number(refused[0]?.headers.get('retry-after')) > 0);
    assert.equal(refused[0]?.headers.get('access-control-allow-origin'), page);
    assert.equal(answers[0]?.headers.get('ratelimit-policy'), '"access-token";q=120;w=60');
    const { headers } = await send(service, 'GET', watch, { key: key.key });
    assert.match(headers.get('ratelimit') ?? '', /^"default";r=999;/);
  });

  it('has preflight requests answered on its paths, to any origin and without a token', async () => {
    const ask = (path: string) =>
      fetch(service.url + path, {
        method: 'OPTIONS',
        headers: { origin: 'https://any.example', 'access-control-request-method': 'POST' },
      });
    for (const [path, methods] of [
      [watch, 'GET, HEAD'],
      [end, 'POST'],
    ] as const) {
      const response = await ask(path);
      assert.deepEqual([response.status, await response.text()], [204, '']);
      assert.deepEqual(corsOf(response.headers), {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': methods,
        'access-control-allow-headers':
          'Authorization, X-API-Key, Content-Type, Idempotency-Key, If-Match, Prefer, X-Request-Id',
      });
    }
    for (const path of ['/api/v1/agents', `/api/v1/probes/${callId}`]) {
      const response = await ask(path);
      assert.deepEqual([response.status, corsOf(response.headers)], [401, {}], path);
    }
  });

  it('is in OpenAPI as an alternative on the operations that accept it, and nowhere else', () => {
    const document = JSON.parse(JSON.stringify(buildOpenApi([probesContract])));
    const securityOf = (path: string, method: string) => document.paths[path][method].security.flatMap(Object.keys);
    assert.deepEqual(securityOf('/api/v1/probes/{id}/watch', 'get'), ['bearer', 'apiKey', 'accessToken']);
    assert.deepEqual(securityOf('/api/v1/probes/{id}', 'get'), ['bearer', 'apiKey']);
    assert.equal(document.components.securitySchemes.accessToken.scheme, 'bearer');
  });
});
