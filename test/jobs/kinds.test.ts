import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { checkKinds, retryDelayMs } from '../../src/jobs/kind.ts';
import type { JobQueue } from '../../src/jobs/queue.ts';
import { JobWorker } from '../../src/jobs/worker.ts';
import { sqliteEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { startService } from '../support/service.ts';
import { idleKind } from './support.ts';

const engine = sqliteEngine();

it('invalid job kinds are rejected at startup', () => {
  const refused = (change: object, message: RegExp) =>
    assert.throws(() => checkKinds([{ ...idleKind, ...change }]), message);
  refused({ name: '' }, /name of 1 to 100/);
  refused({ maxAttempts: 0 }, /maxAttempts/);
  refused({ maxAttempts: 1.5 }, /maxAttempts/);
  refused({ concurrency: Number.NaN }, /concurrency/);
  refused({ timeoutMs: 0 }, /timeoutMs/);
  refused({ timeoutMs: 2 ** 31 }, /timeoutMs/);
  refused({ retryDelaysMs: [-1] }, /retryDelaysMs/);
  refused({ retryDelaysMs: [] }, /no delay/);
  assert.throws(() => checkKinds([idleKind, idleKind]), /declared twice/);
  checkKinds([{ ...idleKind, maxAttempts: 1, retryDelaysMs: [] }]);
});

it('retry delays follow the schedule, each within 10 %, and the last one repeats', () => {
  const kind = { ...idleKind, retryDelaysMs: [1000, 60_000] };
  assert.deepEqual(
    [1, 2, 3, 9].map((attempt) => retryDelayMs(kind, attempt, () => 0.5)),
    [1000, 60_000, 60_000, 60_000],
  );
  assert.equal(
    retryDelayMs(kind, 1, () => 0),
    900,
  );
  assert.equal(
    retryDelayMs(kind, 2, () => 0.999_999),
    66_000,
  );
});

it('a worker without kinds sends no queries', async () => {
  const queue = new Proxy({} as JobQueue, {
    get: (_target, name) => assert.fail(`asked for ${String(name)}`),
  });
  const worker = new JobWorker({ queue, kinds: [], logger: pino({ level: 'silent' }) });
  worker.start();
  await worker.stop();
});

it('the service runs its jobs and counts them in its metrics', async () => {
  let add: () => Promise<string | null> = async () => null;
  const kind = { ...idleKind, name: 'service.test' };
  const service = await startService(engine, {
    otherJobs: ({ database, jobs }) => {
      add = () => jobs.add(database, kind, { payload: null });
      return [kind];
    },
  });
  assert.notEqual(await add(), null);
  const line = 'job_runs_total{kind="service.test",outcome="succeeded"} 1';
  await eventually(async () => (await (await fetch(`${service.url}/metrics`)).text()).includes(line), line);
  await service.close();
});
