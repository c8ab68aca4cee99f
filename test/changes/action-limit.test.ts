import assert from 'node:assert/strict';
import { it } from 'node:test';
import { claimMs, createChanges, maxActionMs } from '../../src/changes/change.ts';
import { createIdempotencyStore } from '../../src/changes/idempotency/store.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { createIdGenerator } from '../../src/core/ids.ts';
import type { ActionTools } from '../../src/http/operations/handlers.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { type Engine, locationOf, onEachEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { testSealer } from '../support/sealer.ts';

const operation = { id: 'calls.start', success: { status: 200 } } as Operation;
const caller = { workspaceId: 'wsp_1', keyId: 'key_1', scopes: new Set<never>(), access: null };
const context = { operation, caller, requestId: 'req_1', repeat: { key: 'k', fingerprint: 'f', sealWith: null } };

/** Two instances on one database, with a clock that only moves when a test sets it. */
async function startInstances(engine: Engine) {
  const database = openDatabase(locationOf(await engine.newServiceUrl()), () => {});
  await migrate(database, Date.now);
  const clock = { ms: 1_800_000_000_000, timers: new Set<{ at: number; run: () => void }>() };
  const audited: string[] = [];
  const now = () => clock.ms;
  const createInstance = () =>
    createChanges({
      database,
      recordAudit: async (_queries, { resourceId }) => void audited.push(resourceId),
      idempotency: createIdempotencyStore(database, testSealer, now),
      checkCaller: async () => {},
      now,
      timing: {
        now,
        later: (run, afterMs) => {
          const timer = { at: clock.ms + afterMs, run };
          clock.timers.add(timer);
          return () => void clock.timers.delete(timer);
        },
      },
    });
  const pass = (ms: number): void => {
    clock.ms += ms;
    for (const timer of [...clock.timers].filter(({ at }) => at <= clock.ms)) {
      clock.timers.delete(timer);
      timer.run();
    }
  };
  const close = () => database.close();
  return { one: createInstance(), two: createInstance(), database, clock, pass, audited, close };
}

type Tools = Pick<ActionTools, 'begin' | 'record'>;

/** Begins, waits for something else and records. */
async function act({ begin, record }: Tools, id: string, work: () => Promise<void> = async () => {}) {
  const { saved } = await begin(async () => ({ resourceId: id, result: null }));
  if (saved !== null) return saved;
  await work();
  return record(async () => ({ body: { id }, resourceId: id }));
}

onEachEngine('the time limit of an action', (engine) => {
  const newId = createIdGenerator();

  const bodyOf = (reply: unknown) => String((reply as { body: { bytes: unknown } }).body.bytes);

  it('aborts its signal and responds with 503 when its time is over, and not earlier', async () => {
    const { one, pass, close } = await startInstances(engine);
    const started = Promise.withResolvers<AbortSignal>();
    const acting = one.performAction(context, (_tools, deadline) => {
      started.resolve(deadline);
      return new Promise((_, reject) => {
        deadline.addEventListener('abort', () => reject(deadline.reason));
      });
    });
    const signal = await started.promise;
    pass(maxActionMs - 1);
    assert.equal(signal.aborted, false);
    pass(1);
    assert.equal(signal.aborted, true);
    await assert.rejects(acting, { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '1' } });
    await close();
  });

  it('responds even if the handler ignores its signal, which then records nothing', async () => {
    const { one, two, pass, audited, close } = await startInstances(engine);
    const started = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const acting = one.performAction(context, (tools) =>
      act(tools, 'late', () => {
        started.resolve();
        return end.promise;
      }).catch((error) => {
        late.resolve(error);
        throw error;
      }),
    );
    await started.promise;
    pass(maxActionMs);
    await assert.rejects(acting, { code: 'SERVICE_UNAVAILABLE' });
    // The handler is still running here, so the same instance does not start it again.
    const again = one.performAction(context, async () => assert.fail('runs twice'));
    await assert.rejects(again, { code: 'IDEMPOTENCY_IN_PROGRESS' });
    const id = newId('tst');
    pass(claimMs);
    await two.performAction(context, (tools) => act(tools, id));
    end.resolve();
    assert.equal(((await late.promise) as { code: string }).code, 'SERVICE_UNAVAILABLE');
    assert.deepEqual(audited, ['late']);
    assert.equal(bodyOf(await two.performAction(context, (tools) => act(tools, 'again'))), JSON.stringify({ id }));
    await close();
  });

  it('does not let a paused instance overwrite the response of another that has claimed the key since', async () => {
    const { one, two, clock, close } = await startInstances(engine);
    const id = newId('tst');
    const acting = one.performAction(context, (tools) =>
      act(tools, 'stale', async () => {
        // The process was paused: its own timers have not fired yet.
        clock.ms += claimMs;
        await two.performAction(context, (others) => act(others, id));
      }),
    );
    await assert.rejects(acting, { code: 'SERVICE_UNAVAILABLE' });
    assert.equal(bodyOf(await two.performAction(context, (tools) => act(tools, 'again'))), JSON.stringify({ id }));
    await close();
  });

  it('ends with the action', async () => {
    const { one, clock, close } = await startInstances(engine);
    await one.performAction({ ...context, repeat: null }, (tools) => act(tools, newId('tst')));
    await one.performAction(context, (tools) => act(tools, newId('tst')));
    assert.equal(clock.timers.size, 0);
    await close();
  });
});

onEachEngine('an action in two transactions', (engine) => {
  const begin = (tools: Tools) => tools.begin(async (_queries, isResumed) => ({ resourceId: 'r', result: isResumed }));

  it('is resumed by a repeated request after a failure, with one audit entry', async () => {
    const { one, two, audited, close } = await startInstances(engine);
    const resumed: unknown[] = [];
    const failing = one.performAction(context, async (tools) => {
      resumed.push((await begin(tools)) as unknown);
      throw new Error('the other system failed');
    });
    await assert.rejects(failing, /failed/);
    await two.performAction(context, async (tools) => {
      resumed.push((await begin(tools)) as unknown);
      return tools.record(async () => ({ body: {}, resourceId: 'r' }));
    });
    assert.deepEqual(resumed, [
      { saved: null, result: false },
      { saved: null, result: true },
    ]);
    assert.deepEqual(audited, ['r']);
    await close();
  });

  it('leaves no claim if its first transaction fails', async () => {
    const { one, close } = await startInstances(engine);
    const failing = one.performAction(context, (tools) => tools.begin(() => Promise.reject(new Error('not found'))));
    await assert.rejects(failing, /not found/);
    const begun = await one.performAction(context, async (tools) => begin(tools));
    assert.deepEqual(begun, { saved: null, result: false });
    await close();
  });

  it('keeps its claim for as long as it runs', async () => {
    const { one, two, database, clock, pass, close } = await startInstances(engine);
    const end = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const acting = one.performAction(context, (tools) =>
      act(tools, 'r', () => {
        started.resolve();
        return end.promise;
      }),
    );
    await started.promise;
    for (let step = 0; step < 12; step += 1) {
      // Each check may find the renewal of the one before in progress, and leave it to the next.
      pass(Math.floor(claimMs / 6));
      await eventually(async () => {
        const row = await database.get('SELECT lease_until FROM idempotency_keys');
        return Number(row?.lease_until) >= clock.ms + claimMs / 2;
      }, 'a renewal');
    }
    await assert.rejects(
      two.performAction(context, (tools) => act(tools, 'other')),
      { code: 'IDEMPOTENCY_IN_PROGRESS' },
    );
    end.resolve();
    await acting;
    await close();
  });
});
