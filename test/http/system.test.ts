import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { operations } from '../../src/contract/index.ts';
import { createAgent, send } from '../support/client.ts';
import { onEachEngine, sqliteEngine } from '../support/engines.ts';
import { startService, useService } from '../support/service.ts';

onEachEngine('health and readiness', (engine) => {
  const service = useService(engine);

  it('are served without a key', async () => {
    assert.deepEqual((await send(service, 'GET', '/healthz')).json, { status: 'ok' });
    const { status, missing } = (await send(service, 'GET', '/readyz')).json;
    assert.equal(status, 'ready');
    const japaneseVoice = { capability: 'a Japanese voice', command: 'voice-agents speech add ja' };
    assert.deepEqual(missing.at(-1), japaneseVoice);
  });

  it('report not ready on a database with another schema', async () => {
    const changed = await startService(engine);
    await changed.database.run('INSERT INTO schema_migrations (version, name, applied_at) VALUES (9999, $1, 0)', [
      'later',
    ]);
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
      for (const [status, response] of Object.entries<Json>(described.responses)) {
        if (status === '304') continue;
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
