import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../src/core/errors.ts';
import { createConcurrencyLimit } from '../../src/storage/concurrency-limit.ts';

/** Work that ends on request. */
function createWork() {
  const ends: ((error?: Error) => void)[] = [];
  const begin = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  return { ends, begin };
}

describe('a concurrency limit', () => {
  it('runs a limited number of tasks, and the others in order, even after one that failed', async () => {
    const limit = createConcurrencyLimit(2, 5000);
    const { ends, begin } = createWork();
    const order: number[] = [];
    const all = [0, 1, 2, 3].map((place) =>
      limit.use(() => {
        order.push(place);
        return begin();
      }),
    );
    await nextTurn();
    assert.deepEqual(order, [0, 1]);
    ends[1]?.(new Error('failed'));
    await assert.rejects(all[1] as Promise<void>, /failed/);
    await nextTurn();
    assert.deepEqual(order, [0, 1, 2]);
    ends[0]?.();
    await nextTurn();
    assert.deepEqual(order, [0, 1, 2, 3]);
    ends[2]?.();
    ends[3]?.();
    await Promise.all([all[0], all[2], all[3]]);
    assert.equal(await limit.use(async () => 'free again'), 'free again');
  });

  it('rejects tasks that have waited too long, which take no slot', async () => {
    const limit = createConcurrencyLimit(1, 20);
    const { ends, begin } = createWork();
    const first = limit.use(begin);
    let isBegun = false;
    const second = limit.use(async () => {
      isBegun = true;
    });
    await assert.rejects(second, (error) => error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE');
    ends[0]?.();
    await first;
    assert.equal(isBegun, false);
    assert.equal(await limit.use(async () => 'free'), 'free');
  });

  it('reports the expected wait, and detects a standstill', async () => {
    let now = 0;
    const limit = createConcurrencyLimit(2, 5000, () => now);
    const takeFiveMs = async () => {
      now += 5;
    };
    for (let count = 0; count < 200; count += 1) await limit.use(takeFiveMs);
    const { ends, begin } = createWork();
    const all = Array.from({ length: 62 }, () => limit.use(begin));
    assert.equal(limit.expectedWaitMs(), 0, 'this many are not overload');
    all.push(...Array.from({ length: 140 }, () => limit.use(begin)));
    const expected = limit.expectedWaitMs();
    assert.ok(expected > 450 && expected <= 500, `${expected} ms for 200 that wait for 2 limit of 5 ms`);
    now += 1500;
    assert.equal(limit.expectedWaitMs(), 1500);
    while (ends.length > 0) {
      ends.shift()?.();
      await nextTurn();
    }
    await Promise.all(all);
    assert.equal(limit.expectedWaitMs(), 0);
  });
});
