import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { drain, Lifecycle } from '../../src/http/shutdown.ts';
import { JobTimeoutError, LeaseLostError } from '../../src/jobs/job-run.ts';
import type { Job } from '../../src/jobs/kind.ts';
import { onEachEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { findJob } from '../support/stored-job.ts';
import { addJob, kindOf, type Process, signalled, TestClock, useJobs } from './support.ts';

/** Longer than any test: whatever happens anyway does not depend on polling. */
const never = 3_600_000;

onEachEngine('the job worker', (engine) => {
  const { openProcess, openProcesses, startWorker } = useJobs(engine);
  const untilAborted = (signal: AbortSignal): Promise<void> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

  it('never runs a job twice concurrently, with two workers in two processes', async () => {
    const processes = await openProcesses(2);
    const running = new Set<unknown>();
    const done: unknown[] = [];
    const kind = kindOf({
      run: async ({ payload }) => {
        assert.ok(!running.has(payload));
        running.add(payload);
        await new Promise((resolve) => setImmediate(resolve));
        running.delete(payload);
        done.push(payload);
      },
    });
    const workers = processes.map((process) => startWorker(process, [kind]));
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    await Promise.all(numbers.map((number) => addJob(processes[number % 2] as Process, kind, number)));
    await eventually(() => workers.flatMap(({ reports }) => reports).length >= 200);
    assert.deepEqual(
      done.toSorted((a, b) => Number(a) - Number(b)),
      numbers,
    );
    assert.ok(workers.every(({ reports }) => reports.every(({ outcome }) => outcome === 'succeeded')));
  });

  it('runs a job of its own process immediately after the commit, without polling', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const runs: unknown[] = [];
    const kind = kindOf({ run: async ({ payload }) => void runs.push(payload) });
    const { reports } = startWorker(process, [kind], { pollMs: never });
    await addJob(process, kind, 'first');
    await eventually(() => reports.length === 1);
    await process.database.transaction(async (queries) => {
      await process.queue.add(queries, kind, { payload: 'second' });
      // Enough time for a worker that was woken too early.
      for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(runs, ['first']);
    });
    await eventually(() => reports.length === 2);
    assert.deepEqual(runs, ['first', 'second']);
  });

  it('finds jobs added by other processes, and waits for a scheduled job without polling', async () => {
    const [one, two] = (await openProcesses(2)) as [Process, Process];
    const kind = kindOf({ run: async () => {} });
    const { reports } = startWorker(one, [kind]);
    await addJob(two, kind);
    await eventually(() => reports.length === 1);

    const later = kindOf({ name: 'later', run: async () => {} });
    const { reports: laterReports } = startWorker(two, [later], { pollMs: never });
    await two.queue.add(two.database, later, { payload: null, delayMs: 60 });
    await eventually(() => laterReports.length === 1);
  });

  it('never runs a job whose transaction was rolled back', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const runs: unknown[] = [];
    const kind = kindOf({ run: async ({ payload }) => void runs.push(payload) });
    startWorker(process, [kind]);
    const undone = process.database.transaction(async (queries) => {
      await process.queue.add(queries, kind, { payload: 'undone' });
      throw new Error('changed my mind');
    });
    await assert.rejects(undone);
    await addJob(process, kind, 'kept');
    await eventually(() => runs.length > 0);
    assert.deepEqual(runs, ['kept']);
  });

  it('passes the job to the handler as it was added', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const jobs: Job[] = [];
    const kind = kindOf({ run: async (job) => void jobs.push(job) });
    startWorker(process, [kind]);
    const id = await process.queue.add(process.database, kind, { payload: { a: ['日本'] }, workspaceId: 'ws_1' });
    await eventually(() => jobs.length === 1);
    const { name } = kind;
    assert.deepEqual(jobs, [
      { id, kind: name, workspaceId: 'ws_1', payload: { a: ['日本'] }, attempt: 1, maxAttempts: 3 },
    ]);
  });

  it('retries on the schedule of the kind, then gives up and stores the last error', async () => {
    const clock = new TestClock();
    const [process] = (await openProcesses(1, clock.now)) as [Process];
    const kind = kindOf({
      maxAttempts: 4,
      run: async ({ attempt }) => {
        throw new Error(`attempt ${attempt} has failed`);
      },
    });
    const { reports } = startWorker(process, [kind]);
    const id = await addJob(process, kind);
    for (const [index, delayMs] of [1000, 5000, 5000].entries()) {
      await eventually(() => reports.length === index + 1);
      const stored = await findJob(process.database, id);
      assert.deepEqual([stored?.state, stored?.runAt], ['queued', clock.time + delayMs]);
      clock.time += delayMs;
    }
    await eventually(() => reports.length === 4);
    const stored = await findJob(process.database, id);
    assert.deepEqual([stored?.state, stored?.attempt, stored?.lastError], ['failed', 4, 'attempt 4 has failed']);
    assert.deepEqual(
      reports.map(({ outcome }) => outcome),
      ['retried', 'retried', 'retried', 'failed'],
    );
  });

  it('counts the attempts of crashed processes, and gives up a job that crashed every time', async () => {
    const clock = new TestClock();
    const [process] = (await openProcesses(1, clock.now)) as [Process];
    const attempts: number[] = [];
    const kind = kindOf({ maxAttempts: 2, run: async ({ attempt }) => void attempts.push(attempt) });
    const [lostOnce, lostAlways] = [await addJob(process, kind), await addJob(process, kind)];
    await process.queue.exchange('lost process', [], [{ kind: kind.name, workspaceId: '', limit: 2 }], 1000);
    clock.time += 1000;
    await process.queue.exchange('lost process', [], [{ kind: kind.name, workspaceId: '', limit: 1 }], 1000);
    const stored = await findJob(process.database, lostOnce);
    const [twice, once] = stored?.attempt === 2 ? [lostOnce, lostAlways] : [lostAlways, lostOnce];
    clock.time += 1000;
    const { reports } = startWorker(process, [kind]);
    await eventually(() => reports.length === 2);
    assert.deepEqual(attempts, [2]);
    assert.equal((await findJob(process.database, once))?.state, 'succeeded');
    const failed = await findJob(process.database, twice);
    assert.deepEqual([failed?.state, failed?.attempt], ['failed', 2]);
    assert.match(failed?.lastError as string, /lost during attempt 2/);
  });

  it('renews the lease of a job that runs longer than its lease', async () => {
    const clock = new TestClock();
    const [one, two] = (await openProcesses(2, clock.now)) as [Process, Process];
    const end = signalled();
    let runs = 0;
    const kind = kindOf({
      run: async () => {
        runs += 1;
        await end.promise;
      },
    });
    // It is renewed every two seconds. The time of the database passes faster.
    const settings = { leaseMs: 6000 };
    const { reports } = startWorker(one, [kind], settings);
    const id = await addJob(one, kind);
    await eventually(() => runs === 1);
    startWorker(two, [kind], settings);
    for (let renewals = 0; renewals < 2; renewals += 1) {
      clock.time += 4000;
      await eventually(async () => {
        const row = await one.database.get('SELECT lease_until FROM jobs WHERE id = $1', [id]);
        return Number(row?.lease_until) === clock.time + settings.leaseMs;
      }, 'a renewal');
    }
    end.resolve();
    await eventually(() => reports.length === 1);
    assert.equal(reports[0]?.outcome, 'succeeded');
    assert.equal(runs, 1);
  });

  it('aborts a run that has lost its lease, and records no outcome', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    let reason: unknown;
    const started = signalled();
    const kind = kindOf({
      run: async (_job, { signal }) => {
        started.resolve();
        await untilAborted(signal).catch((error) => {
          reason = error;
        });
      },
    });
    const { reports } = startWorker(process, [kind], { leaseMs: 1500 });
    const id = await addJob(process, kind);
    await started.promise;
    await process.database.run('UPDATE jobs SET lease_owner = $1, lease_until = $2 WHERE id = $3', [
      'another worker',
      Number.MAX_SAFE_INTEGER,
      id,
    ]);
    await eventually(() => reports.length === 1);
    assert.ok(reason instanceof LeaseLostError);
    assert.equal(reports[0]?.outcome, 'lost');
    const stored = await findJob(process.database, id);
    assert.deepEqual([stored?.state, stored?.attempt], ['running', 1]);
  });

  it('aborts a run before its lease ends if the database is unreachable, and runs it again afterwards', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    let isAway = false;
    const { queue } = process;
    const away =
      <T extends unknown[], R>(call: (...given: T) => Promise<R>) =>
      async (...given: T): Promise<R> => {
        if (isAway) throw new Error('the database is away');
        return call(...given);
      };
    const cut = { ...queue, exchange: away(queue.exchange), renew: away(queue.renew), due: away(queue.due) };
    const attempts: number[] = [];
    const kind = kindOf({
      run: async ({ attempt }, { signal }) => {
        attempts.push(attempt);
        if (attempt > 1) return;
        isAway = true;
        await untilAborted(signal);
      },
    });
    const { reports } = startWorker({ queue: cut as typeof queue }, [kind], { leaseMs: 1500 });
    await addJob(process, kind);
    await eventually(() => reports.length === 1);
    assert.equal(reports[0]?.outcome, 'lost');
    isAway = false;
    await eventually(() => reports.length === 2);
    assert.equal(reports[1]?.outcome, 'succeeded');
    assert.deepEqual(attempts, [1, 2]);
  });

  it('does not start a claimed job if it was delayed until the lease had ended', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const { queue } = process;
    const attempts: number[] = [];
    const kind = kindOf({ run: async ({ attempt }) => void attempts.push(attempt) });
    let isHeldUp = true;
    const exchange: typeof queue.exchange = async (...given) => {
      const result = await queue.exchange(...given);
      if (!isHeldUp || result.claimed.length === 0) return result;
      isHeldUp = false;
      // Another worker claims and completes the job before this one continues.
      const end = performance.now() + 250;
      while (performance.now() < end);
      const { claimed } = await queue.exchange('other', [], [{ kind: kind.name, workspaceId: '', limit: 1 }], 60_000);
      for (const { id } of claimed) await queue.exchange('other', [{ jobId: id, as: 'succeeded' }], [], 60_000);
      assert.equal(claimed.length, 1);
      return result;
    };
    const { worker } = startWorker({ queue: { ...queue, exchange } }, [kind], { leaseMs: 200 });
    const id = await addJob(process, kind);
    await eventually(async () => (await findJob(process.database, id))?.state === 'succeeded');
    await worker.stop();
    assert.deepEqual(attempts, []);
    assert.equal((await findJob(process.database, id))?.state, 'succeeded');
  });

  it('times out a slow attempt, and starts no other before the handler has settled', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    let running = 0;
    const ends: (() => void)[] = [];
    const reasons: unknown[] = [];
    const kind = kindOf({
      maxAttempts: 2,
      retryDelaysMs: [0],
      timeoutMs: 10,
      run: async (_job, { signal }) => {
        running += 1;
        assert.equal(running, 1);
        await untilAborted(signal).catch((error) => reasons.push(error));
        await new Promise<void>((resolve) => ends.push(resolve));
        running -= 1;
      },
    });
    const { reports } = startWorker(process, [kind], { leaseMs: 1500 });
    const id = await addJob(process, kind);
    await eventually(() => ends.length === 1);
    assert.equal((await findJob(process.database, id))?.state, 'running');
    ends[0]?.();
    await eventually(() => ends.length === 2);
    ends[1]?.();
    await eventually(() => reports.length === 2);
    assert.ok(reasons.every((reason) => reason instanceof JobTimeoutError));
    const stored = await findJob(process.database, id);
    assert.deepEqual([stored?.state, stored?.lastError], ['failed', 'The attempt took longer than 10 ms.']);
  });

  it('respects the concurrency of each kind, and kinds do not block each other', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const end = signalled();
    let most = 0;
    let running = 0;
    const slow = kindOf({
      name: 'slow',
      concurrency: 3,
      run: async () => {
        running += 1;
        most = Math.max(most, running);
        await end.promise;
        running -= 1;
      },
    });
    const quick = kindOf({ name: 'quick', run: async () => {} });
    const { reports } = startWorker(process, [slow, quick], { pollMs: never });
    for (let count = 0; count < 8; count += 1) await addJob(process, slow);
    const last = await addJob(process, quick);
    await eventually(() => reports.some(({ jobId }) => jobId === last));
    await eventually(() => running === 3);
    end.resolve();
    await eventually(() => reports.length === 9);
    assert.equal(most, 3);
  });

  it('waits for running jobs when it stops, and claims no more', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const started = signalled();
    const end = signalled();
    const kind = kindOf({
      concurrency: 1,
      run: async () => {
        started.resolve();
        await end.promise;
      },
    });
    const { worker, reports } = startWorker(process, [kind], { drainMs: 20_000 });
    const [first, second] = [await addJob(process, kind), await addJob(process, kind)];
    await started.promise;
    const stopped = worker.stop();
    end.resolve();
    await stopped;
    assert.deepEqual(reports, [{ jobId: first, attempt: 1, outcome: 'succeeded' }]);
    const stored = await findJob(process.database, second);
    assert.deepEqual([stored?.state, stored?.attempt], ['queued', 0]);
  });

  it('claims no more as soon as the shutdown starts, while requests are still served', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const started = signalled();
    const end = signalled();
    const kind = kindOf({
      run: async () => {
        started.resolve();
        await end.promise;
      },
    });
    const lifecycle = new Lifecycle();
    let checks = 0;
    const { reports } = startWorker(process, [kind], {}, () => {
      checks += 1;
      return lifecycle.stage === 'serving';
    });
    const first = await addJob(process, kind);
    await started.promise;
    let second = '';
    const clock = {
      ms: 0,
      now: () => clock.ms,
      delay: async (ms: number) => {
        clock.ms += ms;
        if (second !== '') return;
        second = await addJob(process, kind);
        end.resolve();
        await eventually(() => reports.length === 1);
        const before = checks;
        await eventually(() => checks > before + 1);
      },
    };
    const server = {
      connectionCount: 1,
      acceptedCount: 1,
      stopListening: () => {},
      closeSockets: () => {},
      closeRequests: () => {},
      closeIdleFor: () => {},
      closeAll: () => {},
    };
    await drain(server, lifecycle, { clock });
    assert.deepEqual(reports, [{ jobId: first, attempt: 1, outcome: 'succeeded' }]);
    const stored = await findJob(process.database, second);
    assert.deepEqual([stored?.state, stored?.attempt], ['queued', 0]);
  });

  it('releases unfinished jobs when it stops, so that another process can claim them immediately', async () => {
    const [one, two] = (await openProcesses(2)) as [Process, Process];
    let started = 0;
    const endless = kindOf({
      run: (_job, { signal }) => {
        started += 1;
        return untilAborted(signal);
      },
    });
    const stubborn = kindOf({
      name: 'stubborn',
      run: () => {
        started += 1;
        return new Promise<void>(() => {});
      },
    });
    const { worker } = startWorker(one, [endless, stubborn], { drainMs: 10, abortMs: 10, leaseMs: never });
    const ids = [await addJob(one, endless), await addJob(one, stubborn)];
    await eventually(() => started === 2);
    await worker.stop();
    const jobs: Job[] = [];
    const run = async (job: Job): Promise<void> => void jobs.push(job);
    startWorker(two, [
      { ...endless, run },
      { ...stubborn, run },
    ]);
    await eventually(() => jobs.length === 2);
    assert.deepEqual(jobs.map(({ id, attempt }) => [id, attempt]).sort(), ids.map((id) => [id, 1]).sort());
  });

  it('records the timeout of a job that was told to stop before and went on', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const started = signalled();
    const kind = kindOf({
      timeoutMs: 50,
      maxAttempts: 1,
      run: async () => {
        started.resolve();
        await delay(100);
        // After a pause of the process, both timers are due at once: one that is set now fires after both.
        await delay(10);
      },
    });
    const { worker } = startWorker(process, [kind], { drainMs: 0, abortMs: 20_000 });
    const id = await addJob(process, kind);
    await started.promise;
    await worker.stop();
    const stored = await findJob(process.database, id);
    assert.deepEqual([stored?.state, stored?.lastError], ['failed', 'The attempt took longer than 50 ms.']);
  });

  it('runs jobs that were queued before a restart', async () => {
    const url = await engine.newServiceUrl();
    const before = await openProcess(url);
    const payloads: unknown[] = [];
    const kind = kindOf({ run: async ({ payload }) => void payloads.push(payload) });
    await addJob(before, kind, 'queued');
    const claimed = await addJob(before, kind, 'claimed');
    await before.queue.exchange('lost process', [], [{ kind: kind.name, workspaceId: '', limit: 2 }], 1);
    await before.close();
    const { reports } = startWorker(await openProcess(url), [kind]);
    await eventually(() => reports.length === 2);
    assert.deepEqual(payloads.toSorted(), ['claimed', 'queued']);
    assert.ok(reports.some(({ jobId }) => jobId === claimed));
  });

  it('ignores jobs of unknown kinds', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const known = kindOf({ run: async () => {} });
    const unknown = kindOf({ name: 'of a newer version', run: async () => {} });
    const { reports } = startWorker(process, [known]);
    const left = await addJob(process, unknown);
    await addJob(process, known);
    await eventually(() => reports.length === 1);
    assert.equal((await findJob(process.database, left))?.state, 'queued');
  });
});
