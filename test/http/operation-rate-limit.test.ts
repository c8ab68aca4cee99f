import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../support/client.ts';
import { onEachEngine, sqliteEngine } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';
import { createProbes } from './probes/area.ts';

const start = (options: Parameters<typeof startService>[1], engine: Parameters<typeof startService>[0]) =>
  startService(engine, { otherAreas: () => [createProbes()], ...options });
const create = (service: Service, key: string) => send(service, 'POST', '/api/v1/probes', { key });
const get = (service: Service, key: string) => send(service, 'GET', '/api/v1/probes/prb_1', { key });
const policiesOf = ({ headers }: { headers: Headers }) => [
  headers.get('ratelimit-policy'),
  headers.get('ratelimit')?.replaceAll(/t=\d+/g, 't=…'),
];

onEachEngine('the own rate limit of an operation', (engine) => {
  it('is counted for each key, on top of the general limit, and both are named', async () => {
    const service = await start(
      { rateLimit: { requests: 5, windowSeconds: 60 }, rateLimits: { calls: { requests: 2, windowSeconds: 30 } } },
      engine,
    );
    const { key } = await service.newKey();
    const policy = '"default";q=5;w=60, "calls";q=2;w=30';
    const first = await create(service, key);
    assert.deepEqual([first.status, ...policiesOf(first)], [201, policy, '"default";r=4;t=…, "calls";r=1;t=…']);
    assert.equal((await create(service, key)).status, 201);
    const over = await create(service, key);
    assert.deepEqual([over.status, over.json.error.code], [429, 'RATE_LIMITED']);
    assert.deepEqual(policiesOf(over), [policy, '"default";r=2;t=…, "calls";r=0;t=…']);
    assert.ok(Number(over.headers.get('retry-after')) <= 30);
    // Other operations have only the general limit, which the requests above count towards.
    const read = await get(service, key);
    assert.deepEqual([read.status, ...policiesOf(read)], [200, '"default";q=5;w=60', '"default";r=1;t=…']);
    assert.equal((await get(service, key)).status, 200);
    const exhausted = await create(service, key);
    assert.equal(exhausted.status, 429);
    assert.match(exhausted.json.error.message, /this API key/);
    assert.equal((await create(service, (await service.newKey()).key)).status, 201);
    await service.close();
  });

  it('is one count for all instances that share a database server', async () => {
    const options = { rateLimits: { calls: { requests: 4, windowSeconds: 60 } } };
    const one = await start(options, engine);
    const two = await start({ ...options, databaseUrl: one.databaseUrl }, engine);
    const { key } = await one.newKey();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => create(index % 2 === 0 ? one : two, key)),
    );
    const admitted = answers.filter(({ status }) => status === 201).length;
    // On SQLite there is one instance, and each of these counts for itself.
    assert.equal(admitted, engine.name === 'postgres' ? 4 : 8);
    await one.close();
    await two.close();
  });
});

describe('an operation with a rate limit of its own', () => {
  const engine = sqliteEngine();

  it('names only the limits that are on', async () => {
    const general = { requests: 5, windowSeconds: 60 };
    const own = { requests: 2, windowSeconds: 30 };
    for (const [rateLimit, calls, policy] of [
      [general, null, '"default";q=5;w=60'],
      [null, own, '"calls";q=2;w=30'],
      [null, null, null],
    ] as const) {
      const service = await start({ rateLimit, rateLimits: { calls } }, engine);
      const answer = await create(service, (await service.newKey()).key);
      assert.deepEqual([answer.status, answer.headers.get('ratelimit-policy')], [201, policy]);
      await service.close();
    }
  });

  it('reports both limits to a key without the scope, and counts nothing', async () => {
    const service = await start(
      { rateLimit: { requests: 5, windowSeconds: 60 }, rateLimits: { calls: { requests: 2, windowSeconds: 30 } } },
      engine,
    );
    const { key } = await service.newKey({ scopes: ['calls:read'] });
    const answer = await create(service, key);
    assert.equal(answer.status, 403);
    assert.equal(policiesOf(answer)[1], '"default";r=5;t=…, "calls";r=2;t=…');
    await service.close();
  });

  it('cannot be served if its limit is not configured', async () => {
    await assert.rejects(start({ rateLimits: {} }, engine), /no rate limit with the name calls/);
  });
});
