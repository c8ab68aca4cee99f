import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createChanges, maxActionMs } from '../../src/changes/change.ts';
import { createIdempotencyStore } from '../../src/changes/idempotency/store.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { createIdGenerator } from '../../src/core/ids.ts';
import type { RecordChange } from '../../src/http/operations/handlers.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { type Engine, locationOf, onEachEngine } from '../support/engines.ts';

const operation = { id: 'calls.start', success: { status: 200 } } as Operation;
const caller = { workspaceId: 'wsp_1', keyId: 'key_1', scopes: new Set<never>(), access: null };
const context = { operation, caller, requestId: 'req_1', repeat: { key: 'k', fingerprint: 'f', sealWith: null } };

/** Two instances on one database, with a clock that only moves when a test sets it. */
async function startInstances(engine: Engine) {
  const database = openDatabase(locationOf(await engine.newDatabaseUrl()), () => {});
  await migrate(database, Date.now);
  const clock = { ms: 1_800_000_000_000, timers: new Set<{ at: number; run: () => void }>() };
  const audited: string[] = [];
  const now = () => clock.ms;
  const createInstance = () =>
    createChanges({
      database,
      recordAudit: async (_queries, { resourceId }) => void audited.push(resourceId),
      idempotency: createIdempotencyStore(database, now),
      checkCaller: async () => {},
      now,
      later: (run, afterMs) => {
        const timer = { at: clock.ms + afterMs, run };
        clock.timers.add(timer);
        return () => void clock.timers.delete(timer);
      },
    });
  const pass = (ms: number): void => {
    clock.ms += ms;
    for (const timer of clock.timers) if (timer.at <= clock.ms) timer.run();
  };
  return { one: createInstance(), two: createInstance(), clock, pass, audited, close: () => database.close() };
}

const recordAs = (record: RecordChange, id: string) => record(async () => ({ body: { id }, resourceId: id }));

onEachEngine('the time limit of an action', (engine) => {
  const newId = createIdGenerator();

  it('aborts its signal and responds with 503 when its claim ends, and not earlier', async () => {
    const { one, pass, close } = await startInstances(engine);
    const started = Promise.withResolvers<AbortSignal>();
    const acting = one.performAction(context, (_record, deadline) => {
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
    const acting = one.performAction(context, async (record) => {
      started.resolve();
      await end.promise;
      return recordAs(record, 'late').catch((error) => {
        late.resolve(error);
        throw error;
      });
    });
    await started.promise;
    pass(maxActionMs);
    await assert.rejects(acting, { code: 'SERVICE_UNAVAILABLE' });
    // The handler is still running here, so the same instance does not start it again.
    await assert.rejects(
      one.performAction(context, async () => assert.fail('runs twice')),
      {
        code: 'IDEMPOTENCY_IN_PROGRESS',
      },
    );
    const id = newId('tst');
    await two.performAction(context, (record) => recordAs(record, id));
    end.resolve();
    assert.equal(((await late.promise) as { code: string }).code, 'SERVICE_UNAVAILABLE');
    assert.deepEqual(audited, [id]);
    const replayed = await two.performAction(context, async () => assert.fail('runs again'));
    assert.equal(String((replayed as { body: { bytes: unknown } }).body.bytes), JSON.stringify({ id }));
    await close();
  });

  it('does not let a paused instance overwrite the response of another that has claimed the key since', async () => {
    const { one, two, clock, audited, close } = await startInstances(engine);
    const id = newId('tst');
    const acting = one.performAction(context, async (record) => {
      // The process was paused: its own timer has not fired yet.
      clock.ms += maxActionMs;
      await two.performAction(context, (other) => recordAs(other, id));
      return recordAs(record, 'stale');
    });
    await assert.rejects(acting, { code: 'SERVICE_UNAVAILABLE' });
    const replayed = await two.performAction(context, async () => assert.fail('runs again'));
    assert.equal(String((replayed as { body: { bytes: unknown } }).body.bytes), JSON.stringify({ id }));
    assert.ok(audited.includes(id));
    await close();
  });

  it('ends with the action', async () => {
    const { one, clock, close } = await startInstances(engine);
    await one.performAction({ ...context, repeat: null }, (record) => recordAs(record, newId('tst')));
    assert.equal(clock.timers.size, 0);
    await close();
  });
});
