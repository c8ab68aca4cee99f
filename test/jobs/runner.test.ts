import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { DueSources } from '../../src/jobs/due-sources.ts';
import { createLeases } from '../../src/jobs/leases.ts';
import { type Run, Runner, type RunnerSettings } from '../../src/jobs/runner.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf, onEachEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';

interface Errand {
  readonly id: string;
}

const settings: RunnerSettings = {
  leaseMs: 60_000,
  pollMs: 20,
  drainMs: 50,
  failingPerSecond: 20,
  inFlight: { total: 4, perWorkspace: 4, perSource: 2 },
};

/** A table of an area that has nothing but work, with this much of each source. */
async function createTable(database: Database, sources: number, perSource: number) {
  const { idType, integerType } = database.dialect;
  await database.run(`CREATE TABLE errands (id ${idType} PRIMARY KEY, workspace_id ${idType} NOT NULL,
    source_id ${idType} NOT NULL, run_at ${integerType} NOT NULL, lease_owner TEXT, lease_until ${integerType},
    attempt ${integerType} NOT NULL, is_done ${integerType} NOT NULL)`);
  for (let source = 0; source < sources; source += 1) {
    for (let count = 0; count < perSource; count += 1) {
      const values = [`e${source}.${count}`, 'ws_1', `s${source}`];
      await database.run('INSERT INTO errands VALUES ($1, $2, $3, 0, NULL, NULL, 0, 0)', values);
    }
  }
  const columns = { columns: [], whenClaimed: null, whenReleased: null };
  const among = 'workspace_id = $5 AND source_id = $6';
  return createLeases(database, { name: 'errands', runAt: 'run_at', isOpen: 'is_done = 0', among, ...columns });
}

onEachEngine('a runner', (engine) => {
  const start = async (
    shape: { sources: number; perSource: number; listed?: number; settings?: Partial<RunnerSettings> },
    run: (run: Run<Errand>, done: () => Promise<string>) => Promise<string | null>,
  ) => {
    const database = openDatabase(locationOf(await engine.newServiceUrl()), () => {});
    const leases = await createTable(database, shape.sources, shape.perSource);
    const seen = { passes: 0 };
    const runner: Runner<Errand> = new Runner<Errand>({
      database,
      leases,
      due: new DueSources(database, leases, 'source_id', shape.listed),
      claim: ({ workspaceId, id }, claim) =>
        database.transaction((queries) => leases.claim(queries, { ...claim, parameters: [workspaceId, id] })),
      run: (each) =>
        run(each, async () => {
          const ids = [each.work.id];
          const settle = () =>
            database.transaction((queries) =>
              leases.settle(queries, runner.owner, ids, `is_done = 1, run_at = ${leases.time}`, []),
            );
          return (await settle()).size === 1 ? 'succeeded' : 'lost';
        }),
      logger: pino({ level: 'silent' }),
      mayClaim: () => {
        seen.passes += 1;
        return true;
      },
      settings: { ...settings, ...shape.settings },
    });
    runner.start();
    const close = async (): Promise<void> => {
      await runner.stop();
      await database.close();
    };
    return { database, runner, seen, close };
  };

  it('does all work of all sources, within the limits', async () => {
    const running = new Map<string, number>();
    let most = 0;
    const { database, runner, close } = await start({ sources: 5, perSource: 6 }, async ({ source }, done) => {
      running.set(source.id, (running.get(source.id) ?? 0) + 1);
      most = Math.max(most, running.get(source.id) as number);
      const outcome = await done();
      running.set(source.id, (running.get(source.id) as number) - 1);
      return outcome;
    });
    await eventually(() => runner.counts().some(({ value }) => value === 30));
    const left = await database.get('SELECT count(*) AS count FROM errands WHERE is_done = 0');
    assert.equal(Number(left?.count), 0);
    assert.ok(most <= 2);
    await close();
  });

  it('waits while all slots are in use, although it has not looked at all sources', async () => {
    const end = Promise.withResolvers<void>();
    let started = 0;
    const one = { pollMs: 3_600_000, inFlight: { total: 1, perWorkspace: 1, perSource: 1 } };
    const shape = { sources: 8, perSource: 2, listed: 2, settings: one };
    const { runner, seen, close } = await start(shape, async (_run, done) => {
      started += 1;
      await end.promise;
      return done();
    });
    await eventually(() => started > 0);
    runner.wake();
    await delay(100);
    const before = seen.passes;
    runner.wake();
    await delay(100);
    assert.ok(seen.passes - before < 20, `${seen.passes - before} passes`);
    end.resolve();
    await eventually(() => runner.counts().some(({ value }) => value === 16));
    await close();
  });

  it('aborts a run whose lease another process has', async () => {
    const aborted = Promise.withResolvers<void>();
    const shape = { sources: 1, perSource: 1, settings: { leaseMs: 600 } };
    const { database, runner, close } = await start(shape, async ({ signal, work }) => {
      await database.run('UPDATE errands SET lease_owner = $1, lease_until = $2 WHERE id = $3', [
        'another',
        Number.MAX_SAFE_INTEGER,
        work.id,
      ]);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted.resolve();
      return null;
    });
    await aborted.promise;
    await eventually(() => runner.counts().length > 0);
    assert.deepEqual(runner.counts(), [{ outcome: 'lost', value: 1 }]);
    await close();
  });

  it('releases what does not end when it stops, as if it had not been claimed', async () => {
    const started = Promise.withResolvers<void>();
    const { database, runner, close } = await start({ sources: 1, perSource: 1 }, async ({ signal }) => {
      started.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return null;
    });
    await started.promise;
    await runner.stop();
    const row = await database.get('SELECT lease_owner, attempt FROM errands');
    assert.deepEqual({ ...row }, { lease_owner: null, attempt: 0 });
    assert.deepEqual(runner.counts(), [{ outcome: 'released', value: 1 }]);
    await close();
  });
});
