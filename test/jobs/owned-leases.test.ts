import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OwnedLeases, type Timing } from '../../src/jobs/owned-leases.ts';

/** Time that passes when a test says so. What is due runs in the order of its time. */
function createTiming() {
  let time = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const timing: Timing = {
    now: () => time,
    later: (run, afterMs) => {
      const timer = { at: time + afterMs, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  /** In steps, with what is asynchronous in between. */
  const pass = async (ms: number, step = 50): Promise<void> => {
    for (const end = time + ms; time < end; ) {
      time += Math.min(step, end - time);
      for (const timer of [...timers].filter(({ at }) => at <= time)) {
        timers.delete(timer);
        timer.run();
      }
      await new Promise(setImmediate);
    }
  };
  return { timing, timers, pass };
}

/** Leases of 600 ms. `answer` decides how a renewal goes. */
function createLeases(answer: (leases: readonly string[]) => Promise<ReadonlySet<string>>) {
  const { timing, timers, pass } = createTiming();
  const seen = { renewals: [] as [number, readonly string[]][], lost: [] as string[], expiring: [] as string[] };
  const leases = new OwnedLeases<string>({
    leaseMs: 600,
    renew: (owned) => {
      seen.renewals.push([timing.now(), owned]);
      return answer(owned);
    },
    onLost: (lease) => seen.lost.push(lease),
    onExpiring: (lease) => {
      seen.expiring.push(lease);
      leases.release(lease);
    },
    onError: () => {},
    timing,
  });
  return { leases, timers, pass, seen };
}

const all = async (owned: readonly string[]): Promise<ReadonlySet<string>> => new Set(owned);

describe('owned leases', () => {
  it('are renewed together once a third of their time is over, and not while they are new', async () => {
    const { leases, pass, seen } = createLeases(all);
    leases.add('a');
    leases.add('b');
    await pass(150);
    leases.add('c');
    await pass(150);
    leases.add('d');
    await pass(150);
    assert.deepEqual(seen.renewals, [
      [200, ['a', 'b']],
      [400, ['a', 'b', 'c', 'd']],
    ]);
    leases.add('e');
    await pass(200);
    assert.deepEqual(seen.renewals.slice(2), [[600, ['a', 'b', 'c', 'd', 'e']]]);
    assert.deepEqual([seen.lost, seen.expiring], [[], []]);
  });

  it('that another process has are lost once, and the others stay', async () => {
    const { leases, pass, seen } = createLeases(async () => new Set(['b']));
    leases.add('a');
    leases.add('b');
    await pass(700);
    assert.deepEqual(seen.lost, ['a']);
    assert.deepEqual(leases.all, ['b']);
  });

  it('are given up before they end if they cannot be renewed, even while a renewal hangs', async () => {
    for (const answer of [() => Promise.reject(new Error('away')), () => new Promise<never>(() => {})]) {
      const { leases, pass, seen } = createLeases(answer);
      leases.add('a');
      await pass(400);
      assert.deepEqual(seen.expiring, []);
      await pass(150);
      assert.deepEqual(seen.expiring, ['a']);
    }
  });

  it('are kept if a renewal fails and the next one does not', async () => {
    let isAway = true;
    const { leases, pass, seen } = createLeases(async (owned) => {
      if (isAway) throw new Error('away');
      return new Set(owned);
    });
    leases.add('a');
    await pass(250);
    isAway = false;
    await pass(1000);
    assert.deepEqual([seen.lost, seen.expiring, leases.all], [[], [], ['a']]);
  });

  it('that were released during a renewal are not lost', async () => {
    const renewal = Promise.withResolvers<ReadonlySet<string>>();
    const { leases, pass, seen } = createLeases(() => renewal.promise);
    leases.add('a');
    await pass(200);
    leases.release('a');
    renewal.resolve(new Set());
    await pass(100);
    assert.deepEqual(seen.lost, []);
  });

  it('take no timer once all of them are released', async () => {
    const { leases, timers, pass } = createLeases(all);
    leases.add('a');
    await pass(300);
    leases.release('a');
    assert.equal(timers.size, 0);
  });
});
