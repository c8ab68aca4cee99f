import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { version } from '../../sdk/src/version.ts';
import { agent } from '../../src/contract/agents/agent.ts';
import { operations } from '../../src/contract/index.ts';
import { createAgent, send } from '../support/client.ts';
import { onEachEngine, sqliteEngine } from '../support/engines.ts';
import { startService, useService } from '../support/service.ts';

onEachEngine('health and readiness', (engine) => {
  const service = useService(engine);

  it('are served without a key', async () => {
    assert.deepEqual((await send(service, 'GET', '/healthz')).json, { status: 'ok' });
    const { status, missing, problems } = (await send(service, 'GET', '/readyz')).json;
    assert.equal(status, 'ready');
    assert.deepEqual(problems, []);
    const japaneseVoice = { capability: 'a Japanese voice', command: 'voice-agents speech add ja' };
    assert.deepEqual(missing.at(-1), japaneseVoice);
  });

  it('name a media folder that cannot be written, and stay ready, because everything else works', async () => {
    const mediaFolder = join(fileURLToPath(import.meta.url), 'media');
    const broken = await startService(engine, { mediaFolder });
    const { status, json } = await send(broken, 'GET', '/readyz');
    assert.deepEqual([status, json.status], [200, 'ready']);
    const message = `The folder ${mediaFolder} cannot be written (ENOTDIR), so calls are not recorded.`;
    assert.deepEqual(json.problems, [{ setting: 'MEDIA_DIR', message }]);
    await broken.close();
  });

  it('report ready on a database with a later schema, unless it is too late for this release', async () => {
    const changed = await startService(engine);
    const insert = 'INSERT INTO schema_migrations (version, name, applied_at, compatible_from) VALUES ($1, $2, 0, $3)';
    await changed.database.run(insert, [9998, 'later', null]);
    assert.equal((await send(changed, 'GET', '/readyz')).status, 200);
    await changed.database.run(insert, [9999, 'too late', 9998]);
    assert.equal((await send(changed, 'GET', '/readyz')).status, 503);
    assert.equal((await send(changed, 'GET', '/healthz')).status, 200);
    await changed.close();
  });
});

describe('the system routes', () => {
  const service = useService(sqliteEngine());

  it('count requests by route and status for Prometheus', async () => {
    const { key } = await service.newKey();
    await createAgent(service, key);
    await send(service, 'GET', '/api/v1/agents');
    const response = await fetch(`${service.url}/metrics`);
    const text = await response.text();
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(text, /http_requests_total\{route="agents\.create",method="POST",status="201"\} 1/);
    assert.match(text, /http_requests_total\{route="agents\.list",method="GET",status="401"\} 1/);
    assert.match(text, /http_request_duration_seconds_bucket\{le="0\.0005",route="agents\.create"\}/);
    assert.match(text, /process_resident_memory_bytes \d/);
    assert.ok(!text.includes(key));
  });

  it('serve the committed OpenAPI document', async () => {
    const served = await send(service, 'GET', '/openapi.json');
    const file = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
    assert.deepEqual(served.json, JSON.parse(file));
  });

  it('serve a page for language models that lists every operation', async () => {
    const response = await fetch(`${service.url}/llms.txt`);
    const text = await response.text();
    for (const { method, path } of operations) assert.ok(text.includes(`${method} ${path}`));
  });

  it('tell language models every field of an agent, with its range and default', async () => {
    const text = await (await fetch(`${service.url}/llms.txt`)).text();
    for (const name of Object.keys(agent.shape)) assert.match(text, new RegExp(`^- \`${name}\` \\(`, 'm'));
    assert.match(text, /^- `voiceSpeed` \(number, 0\.5 to 2, default 1\): \S/m);
    assert.match(text, /^- `voiceEmotion` \(one of calm, .*surprised, or null, default null\): \S/m);
    assert.match(text, /^- `responseEngine\.type` \(one of single_prompt, conversation_flow, custom_llm\): \S/m);
    assert.match(text, /^- `pronunciationDictionary\[\]\.find` \(string, /m);
  });

  it('serve the SDK of this version, with an ETag', async () => {
    const response = await fetch(`${service.url}/sdk.tgz`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/gzip');
    assert.equal(response.headers.get('content-encoding'), null);
    const file = readFileSync(new URL('../../sdk/built/voice-agent-sdk.tgz', import.meta.url));
    assert.ok(file.equals(Buffer.from(await response.arrayBuffer())));
    const etag = response.headers.get('etag') as string;
    const again = await fetch(`${service.url}/sdk.tgz`, { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, await again.text()], [304, '']);
    const packed = gunzipSync(file).toString();
    assert.ok(packed.includes(`"version": "${version}"`));
  });

  it('show people the not-found page of the dashboard, and programs the error body', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    const get = (path: string, headers: Record<string, string> = browser, method = 'GET') =>
      fetch(`${service.url}${path}`, { headers, method });
    for (const path of ['/nothing', '/agent/x', '/docs/nothing', '/apis']) {
      const page = await get(path);
      assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8'], path);
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      const index = await (await get('/')).text();
      assert.equal(await page.text(), index);
      const known = { ...browser, 'if-none-match': page.headers.get('etag') ?? '' };
      assert.equal((await get(path, known)).status, 404);
      assert.equal((await get(path, {})).headers.get('content-type'), 'application/json');
      assert.equal((await get(path, { accept: '*/*' })).headers.get('content-type'), 'application/json');
      assert.equal((await get(path, browser, 'POST')).headers.get('content-type'), 'application/json');
    }
    for (const [path, status] of [
      ['/api/v1/nothing', 401],
      ['/media/nothing', 404],
      ['/live/v1/nothing', 404],
    ] as const) {
      const refused = await get(path);
      assert.deepEqual([refused.status, refused.headers.get('content-type')], [status, 'application/json'], path);
    }
    assert.equal((await get('/healthz', browser, 'POST')).status, 405);
  });

  it('lead back from the reference to the dashboard', async () => {
    for (const path of ['/docs/', '/docs/live']) {
      assert.match(await (await fetch(`${service.url}${path}`)).text(), /<a href="\/">[^<]*Dashboard<\/a>/);
    }
  });

  it('serve the reference page with a policy that allows no other origin', async () => {
    const response = await fetch(`${service.url}/docs/`);
    assert.equal(response.status, 200);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.ok(!/https?:|\*/.test(policy), policy);
    assert.ok(!/(src|href)="?https?:/.test(await response.text()));
    const script = await fetch(`${service.url}/docs/js/scalar.js`);
    assert.equal(script.status, 200);
    assert.ok((await script.text()).length > 100_000);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a document is walked as it comes.
type Json = Record<string, any>;

describe('the OpenAPI document', () => {
  const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));

  it('declares version 0.0.1 of the API, and both ways to send a key', () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.equal(document.info.version, '0.0.1');
    assert.deepEqual(document.components.securitySchemes.bearer.scheme, 'bearer');
    assert.deepEqual(document.components.securitySchemes.apiKey.name, 'X-API-Key');
  });

  for (const operation of operations) {
    it(`has ${operation.id} with its scope, risk, route id and every documented status`, () => {
      const described = document.paths[operation.path][operation.method.toLowerCase()];
      assert.equal(described['x-route-id'], operation.id);
      assert.equal(described['x-risk-class'], operation.risk);
      assert.equal(described['x-required-scope'], operation.scope);
      const scopes = operation.scope === null ? [] : [operation.scope];
      const token = 'acceptsAccessToken' in operation ? [{ accessToken: [] }] : [];
      assert.deepEqual(described.security, [{ bearer: scopes }, { apiKey: scopes }, ...token]);
      const notModified = 'condition' in operation && operation.condition === 'If-None-Match' ? [304] : [];
      const statuses = [operation.success.status, ...notModified, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503].map(
        String,
      );
      assert.deepEqual(Object.keys(described.responses), statuses);
      for (const [status, given] of Object.entries<Json>(described.responses)) {
        if (status === '304') continue;
        const response = given.$ref === undefined ? given : document.components.responses[given.$ref.split('/').at(-1)];
        if (status === '200' && operation.success.body === null) {
          assert.deepEqual(Object.keys(response.content), [operation.success.media.type]);
          continue;
        }
        const { schema, example } = response.content['application/json'];
        assert.ok(schema);
        assert.ok(example);
      }
    });
  }

  it('describes every field, with an example and, if it has one, a range', () => {
    const check = (schema: Json, path: string): void => {
      for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
        const place = `${path}.${name}`;
        assert.ok(property.description || property.$ref, `${place} has a description`);
        const inner = [property, ...Object.values<Json>(property.anyOf ?? [])];
        const isWhole = inner.some((part) => part.properties || part.items || part.$ref);
        assert.ok(isWhole || property.examples || property.not, `${place} has an example`);
        for (const part of inner) {
          if (part.type === 'number' || part.type === 'integer') {
            assert.ok(part.minimum !== undefined, `${place} has a range`);
          }
          check(part, place);
          if (part.items) check(part.items, `${place}[]`);
        }
      }
    };
    for (const [name, schema] of Object.entries<Json>(document.components.schemas)) check(schema, name);
  });

  it('has open request schemas and closed response schemas', () => {
    assert.equal(document.components.schemas.Agent.additionalProperties, false);
    assert.equal(document.components.schemas.CreateAgent.additionalProperties, undefined);
    assert.deepEqual(document.components.schemas.CreateAgent.required, ['name', 'voiceId']);
    const optional = [
      'adaptiveSpeechRate',
      'pronunciationDictionary',
      'startSkillId',
      'agentGlobalPrompt',
      'agentVariables',
      'agentSettings',
    ];
    const { properties, required } = document.components.schemas.Agent;
    assert.deepEqual(
      Object.keys(properties).filter((name) => !required.includes(name)),
      optional,
    );
  });
});
