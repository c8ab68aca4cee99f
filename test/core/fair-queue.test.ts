import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FairQueue, QueueFullError, type QueueLimits } from '../../src/core/fair-queue.ts';
import { seed } from '../support/seed.ts';

const one = { total: 1, perGroup: 1 };

/** Asks for slots of these workspaces in this order. `granted` is filled as they are granted. */
function asking(queue: FairQueue, workspaceIds: readonly string[]) {
  const granted: string[] = [];
  const releases: (() => void)[] = [];
  const asked = workspaceIds.map(async (workspaceId, index) => {
    const release = await queue.acquire(workspaceId);
    granted.push(`${workspaceId}${index}`);
    releases.push(release);
  });
  return { granted, releases, asked };
}

describe('a fair queue', () => {
  it('grants slots in turn between workspaces, and in the order of requests within one', async () => {
    const queue = new FairQueue({ slots: one, waiting: 100, waitingPerWorkspace: 100 });
    const { granted, releases, asked } = asking(queue, ['a', 'a', 'a', 'a', 'b', 'b', 'c']);
    for (let count = 0; count < 7; count += 1) {
      await Promise.race(asked.slice(count));
      while (releases.length <= count) await Promise.resolve();
      releases[count]?.();
    }
    await Promise.all(asked);
    assert.deepEqual(granted, ['a0', 'b4', 'c6', 'a1', 'b5', 'a2', 'a3']);
    assert.deepEqual([queue.used, queue.waiting], [0, 0]);
  });

  it('lets no workspace fill it for the others', async () => {
    const queue = new FairQueue({ slots: one, waiting: 5, waitingPerWorkspace: 3 });
    const release = await queue.acquire('a');
    const waiting = ['a', 'a', 'a', 'b', 'b'].map((workspaceId) => queue.acquire(workspaceId));
    await assert.rejects(queue.acquire('a'), QueueFullError);
    await assert.rejects(queue.acquire('c'), QueueFullError);
    assert.equal(queue.waiting, 5);
    release();
    for (const promise of waiting.slice(3, 4)) (await promise)();
    await Promise.all(waiting.map(async (promise) => (await promise)()));
    assert.deepEqual([queue.used, queue.waiting], [0, 0]);
  });

  it('needs no place to wait for a slot that is free', async () => {
    const queue = new FairQueue({ slots: one, waiting: 0, waitingPerWorkspace: 0 });
    const release = await queue.acquire('a');
    await assert.rejects(queue.acquire('b'), QueueFullError);
    release();
    (await queue.acquire('b'))();
  });

  it('forgets those whose signal is aborted, and rejects with its reason', async () => {
    const queue = new FairQueue({ slots: one, waiting: 5, waitingPerWorkspace: 5 });
    const release = await queue.acquire('a');
    const controller = new AbortController();
    const given = queue.acquire('b', controller.signal);
    const next = queue.acquire('b');
    controller.abort(new Error('no longer needed'));
    await assert.rejects(given, /no longer needed/);
    await assert.rejects(queue.acquire('c', controller.signal), /no longer needed/);
    assert.equal(queue.waiting, 1);
    release();
    const releaseNext = await next;
    assert.equal(queue.used, 1);
    // A slot is released once, however often its owner says so.
    releaseNext();
    releaseNext();
    release();
    assert.equal(queue.used, 0);
  });

  it('refuses everything once it is closed, and keeps count of what still runs', async () => {
    const queue = new FairQueue({ slots: one, waiting: 5, waitingPerWorkspace: 5 });
    const release = await queue.acquire('a');
    const waiting = queue.acquire('b');
    queue.close(new Error('closed'));
    await assert.rejects(waiting, /closed/);
    await assert.rejects(queue.acquire('a'), /closed/);
    assert.deepEqual([queue.used, queue.waiting], [1, 0]);
    release();
    assert.equal(queue.used, 0);
  });

  const workspaces = ['a', 'b', 'c', 'd'];
  const limits: fc.Arbitrary<QueueLimits> = fc.record({
    slots: fc.record({
      total: fc.integer({ min: 1, max: 6 }),
      perGroup: fc.integer({ min: 1, max: 6 }),
      leavesRoom: fc.boolean(),
    }),
    waiting: fc.nat(12),
    waitingPerWorkspace: fc.nat(8),
  });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('acquire' as const), workspace: fc.constantFrom(...workspaces) }),
    fc.record({ kind: fc.constant('release' as const), which: fc.nat(100) }),
    fc.record({ kind: fc.constant('abort' as const), which: fc.nat(100) }),
  );

  it('counts exactly through random arrivals, releases and cancellations, and loses no request', async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 120 }), async (given, steps) => {
        const queue = new FairQueue(given);
        const running: { workspace: string; release: () => void }[] = [];
        const waiting: { workspace: string; order: number; controller: AbortController }[] = [];
        const lastGranted = new Map<string, number>();
        let refused = 0;
        let settled = 0;
        const settle = async (): Promise<void> => {
          for (let count = 0; count < 5; count += 1) await Promise.resolve();
        };
        const check = (): void => {
          assert.deepEqual([queue.used, queue.waiting], [running.length, waiting.length]);
          assert.ok(running.length <= given.slots.total);
          assert.ok(waiting.length <= given.waiting);
          for (const workspace of workspaces) {
            const of = (all: readonly { workspace: string }[]) => all.filter((entry) => entry.workspace === workspace);
            assert.ok(of(running).length <= given.slots.perGroup);
            assert.ok(of(waiting).length <= given.waitingPerWorkspace);
          }
        };
        const acquire = (workspace: string, order: number): void => {
          const controller = new AbortController();
          const entry = { workspace, order, controller };
          waiting.push(entry);
          const leave = (): void => {
            settled += 1;
            waiting.splice(waiting.indexOf(entry), 1);
          };
          queue.acquire(workspace, controller.signal).then(
            (release) => {
              leave();
              running.push({ workspace, release });
              assert.ok((lastGranted.get(workspace) ?? -1) < order, 'the order within a workspace');
              lastGranted.set(workspace, order);
            },
            () => {
              leave();
              refused += 1;
            },
          );
        };
        let acquired = 0;
        for (const taken of steps) {
          if (taken.kind === 'acquire') {
            acquire(taken.workspace, acquired);
            acquired += 1;
          } else if (taken.kind === 'release') {
            running.splice(taken.which % Math.max(1, running.length), 1)[0]?.release();
          } else waiting[taken.which % Math.max(1, waiting.length)]?.controller.abort();
          await settle();
          check();
        }
        while (running.length > 0) {
          running.shift()?.release();
          await settle();
          check();
        }
        assert.deepEqual([waiting.length, settled], [0, acquired]);
        assert.ok(refused <= acquired);
      }),
      { seed, numRuns: 300 },
    );
  });
});
