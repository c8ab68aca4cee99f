import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countInMemory } from '../../src/http/admission/rate-counts.ts';
import { send } from '../support/client.ts';
import { onEachEngine, onPostgres, postgresEngine } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';

const hour = 3_600_000;
const windowSeconds = 60;

/** Sets the clock of this process, and therefore of the service, while `work` runs. */
async function withClock(stepMs: number, work: () => Promise<void>): Promise<void> {
  const trueNow = Date.now;
  Date.now = () => trueNow() + stepMs;
  try {
    await work();
  } finally {
    Date.now = trueNow;
  }
}

/** Makes a window pass by the clock of the database. */
async function letWindowPass({ database }: Service): Promise<void> {
  await database.run('UPDATE rate_limits SET expire = expire - $1', [windowSeconds * 1000]);
}

describe('the in-memory counts', () => {
  for (const [direction, stepMs] of [
    ['back', -3 * hour],
    ['forward', 3 * hour],
  ] as const) {
    it(`reset when a window ends and not earlier, even if the clock is set: ${direction}`, async () => {
      let now = 0;
      const take = countInMemory({ requests: 3, windowSeconds }, () => now);
      take('key', 3);
      await withClock(stepMs, async () => {
        now += windowSeconds * 1000 - 1;
        assert.deepEqual(take('key', 1), { points: 4, resetMs: 1 });
        now += 1;
        assert.deepEqual(take('key', 1), { points: 1, resetMs: windowSeconds * 1000 });
      });
    });
  }
});

onEachEngine('a system clock that is set', (engine) => {
  for (const [direction, stepMs] of [
    ['back', -3 * hour],
    ['forward', 3 * hour],
  ] as const) {
    it(`${direction} neither ends a rate limit window nor extends it`, async (context) => {
      const service = await startService(engine, { rateLimit: { requests: 3, windowSeconds } });
      context.after(() => service.close());
      const { key } = await service.newKey();
      const ask = () => send(service, 'GET', '/api/v1/whoami', { key });
      const before = [await ask(), await ask(), await ask(), await ask()];
      assert.deepEqual(
        before.map(({ status }) => status),
        [200, 200, 200, 429],
      );
      await withClock(stepMs, async () => {
        const over = await ask();
        assert.equal(over.status, 429);
        const seconds = Number(over.headers.get('retry-after'));
        assert.ok(seconds > 0 && seconds <= windowSeconds, String(seconds));
        assert.match(over.headers.get('ratelimit') ?? '', new RegExp(`;t=${seconds}$`));
        if (engine.name === 'sqlite') return;
        await letWindowPass(service);
        assert.equal((await ask()).status, 200);
      });
    });
  }
});

describe('a database clock that is set back', onPostgres, () => {
  const engine = postgresEngine();

  it('extends a window by at most one window', async (context) => {
    const service = await startService(engine, { rateLimit: { requests: 2, windowSeconds } });
    context.after(() => service.close());
    const { key, id } = await service.newKey();
    // As left behind by a clock that was hours ahead.
    await service.database.run('INSERT INTO rate_limits (key, points, expire) VALUES ($1, 2, $2)', [
      id,
      Date.now() + 5 * hour,
    ]);
    const ask = () => send(service, 'GET', '/api/v1/whoami', { key });
    const over = await ask();
    assert.equal(over.status, 429);
    assert.equal(over.headers.get('retry-after'), String(windowSeconds));
    await letWindowPass(service);
    assert.equal((await ask()).status, 200);
  });

  it('does not reset a count beyond the limit', async (context) => {
    const service = await startService(engine, { rateLimit: { requests: 1_000_000_000, windowSeconds } });
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
