import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../support/client.ts';
import { onEachEngine, postgresEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

const hour = 3_600_000;

/** Sets the clock of this process, and with it that of the service, for as long as `work` takes. */
async function withClock(stepMs: number, work: () => Promise<void>): Promise<void> {
  const trueNow = Date.now;
  Date.now = () => trueNow() + stepMs;
  try {
    await work();
  } finally {
    Date.now = trueNow;
  }
}

onEachEngine('a clock that is set', (engine) => {
  for (const [direction, stepMs] of [
    ['back', -3 * hour],
    ['forward', 3 * hour],
  ] as const) {
    it(`${direction} neither ends the window of a rate nor makes it longer`, async (context) => {
      const service = await startService(engine, { rateLimit: { requests: 3, windowSeconds: 2 } });
      context.after(() => service.close());
      const { key } = await service.newKey();
      const ask = () => send(service, 'GET', '/api/v1/whoami', { key });
      const start = performance.now();
      const before = [await ask(), await ask(), await ask(), await ask()];
      assert.deepEqual(
        before.map(({ status }) => status),
        [200, 200, 200, 429],
      );
      await withClock(stepMs, async () => {
        const over = await ask();
        if (performance.now() - start < 1900) assert.equal(over.status, 429);
        assert.ok(Number(over.headers.get('retry-after') ?? 1) <= 2, String(over.headers.get('retry-after')));
        assert.match(over.headers.get('ratelimit') ?? '', /;t=[12]$/);
        await delay(start + 2300 - performance.now());
        assert.equal((await ask()).status, 200);
      });
    });
  }
});

describe('a clock of the database that is set back', () => {
  const engine = postgresEngine();

  it('keeps nobody out for longer than a window', async (context) => {
    const service = await startService(engine, { rateLimit: { requests: 2, windowSeconds: 1 } });
    context.after(() => service.close());
    const { key, id } = await service.newKey();
    // As it was left by a clock that was hours ahead.
    await service.database.run('INSERT INTO rate_limits (key, points, expire) VALUES ($1, 2, $2)', [
      id,
      Date.now() + 5 * hour,
    ]);
    const ask = () => send(service, 'GET', '/api/v1/whoami', { key });
    const over = await ask();
    assert.equal(over.status, 429);
    assert.equal(over.headers.get('retry-after'), '1');
    await delay(1200);
    assert.equal((await ask()).status, 200);
  });

  it('counts on past a limit without an end', async (context) => {
    const service = await startService(engine, { rateLimit: { requests: 1_000_000_000, windowSeconds: 60 } });
    context.after(() => service.close());
    const { key, id } = await service.newKey();
    await service.database.run('INSERT INTO rate_limits (key, points, expire) VALUES ($1, $2, $3)', [
      id,
      2_147_000_000,
      Date.now() + 60_000,
    ]);
    assert.equal((await send(service, 'GET', '/api/v1/whoami', { key })).status, 429);
  });
});
