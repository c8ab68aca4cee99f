import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../support/client.ts';
import { onPostgres, postgresEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

describe('the rate limit of instances that share PostgreSQL', onPostgres, () => {
  const engine = postgresEngine();

  it('is one count for all of them, and exact for a small limit', async () => {
    const rateLimit = { requests: 10, windowSeconds: 60 };
    const one = await startService(engine, { rateLimit });
    const two = await startService(engine, { rateLimit, databaseUrl: one.databaseUrl });
    const { key } = await one.newKey();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => send(index % 2 === 0 ? one : two, 'GET', '/api/v1/whoami', { key })),
    );
    const admitted = answers.filter(({ status }) => status === 200);
    assert.equal(admitted.length, 10);
    const left = admitted.map(({ headers }) => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]));
    assert.deepEqual(
      left.sort((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    for (const { status, headers } of answers.filter((answer) => answer.status !== 200)) {
      assert.equal(status, 429);
      assert.ok(Number(headers.get('retry-after')) > 0 && Number(headers.get('retry-after')) <= 60);
      assert.match(headers.get('ratelimit') ?? '', /;r=0;/);
    }
    const other = await one.newKey();
    assert.equal((await send(two, 'GET', '/api/v1/whoami', { key: other.key })).status, 200);
    await one.close();
    await two.close();
  });

  it('never exceeds a large limit, although quota is taken in batches', async () => {
    const rateLimit = { requests: 4000, windowSeconds: 60 };
    const one = await startService(engine, { rateLimit });
    const two = await startService(engine, { rateLimit, databaseUrl: one.databaseUrl });
    const { key, id } = await one.newKey();
    // As if all but 20 had been used by another instance.
    await one.database.run('INSERT INTO rate_limits (key, points, expire) VALUES ($1, 3980, $2)', [
      id,
      Date.now() + 60_000,
    ]);
    let admitted = 0;
    for (let count = 0; count < 40; count += 1) {
      const answer = await send(count % 2 === 0 ? one : two, 'GET', '/api/v1/whoami', { key });
      if (answer.status === 200) admitted += 1;
    }
    assert.ok(admitted <= 20 && admitted >= 12, String(admitted));
    await one.close();
    await two.close();
  });

  it('loses no quota of a large limit if requests arrive together', async () => {
    const service = await startService(engine, { rateLimit: { requests: 20_000, windowSeconds: 60 } });
    const { key, id } = await service.newKey();
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 60 }, () => send(service, 'GET', '/api/v1/whoami', { key })),
      );
      for (const { status } of answers) assert.equal(status, 200);
    }
    const row = await service.database.get<{ points: number }>('SELECT points FROM rate_limits WHERE key = $1', [id]);
    assert.equal(row?.points, 300, 'fifteen batches of twenty for 300 requests');
    await service.close();
  });

  it('resets when the window ends', async () => {
    const service = await startService(engine, { rateLimit: { requests: 2, windowSeconds: 60 } });
    const { key } = await service.newKey();
    const status = async () => (await send(service, 'GET', '/api/v1/whoami', { key })).status;
    assert.deepEqual([await status(), await status(), await status()], [200, 200, 429]);
    // As the database clock would after a minute.
    await service.database.run('UPDATE rate_limits SET expire = expire - 60000');
    assert.equal(await status(), 200);
    await service.close();
  });
});
