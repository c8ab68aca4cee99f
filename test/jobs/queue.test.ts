import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { maxErrorLength } from '../../src/jobs/error-text.ts';
import type { ClaimedJob, Outcome } from '../../src/jobs/queue.ts';
import { onEachEngine } from '../support/engines.ts';
import { findJob } from '../support/stored-job.ts';
import { addJob, idleKind, kindOf, type Process, TestClock, useJobs } from './support.ts';

const leaseMs = 1000;

onEachEngine('the job queue', (engine) => {
  const { openProcesses } = useJobs(engine);
  const clock = new TestClock();
  let one: Process;
  let two: Process;
  before(async () => {
    [one, two] = (await openProcesses(2, clock.now)) as [Process, Process];
  });
  let kinds = 0;
  const newKind = () => {
    kinds += 1;
    return kindOf({ ...idleKind, name: `kind ${kinds}` });
  };
  const claim = async ({ queue }: Process, owner: string, kind: string, limit = 10): Promise<ClaimedJob[]> =>
    (await queue.exchange(owner, [], [{ kind, workspaceId: '', limit }], leaseMs)).claimed;
  const record = async ({ queue }: Process, owner: string, outcome: Outcome): Promise<boolean> =>
    (await queue.exchange(owner, [outcome], [], leaseMs)).lost.length === 0;
  const ids = (jobs: readonly ClaimedJob[]) => jobs.map(({ id }) => id);

  it('adds a job when its transaction commits, and not if it is rolled back', async () => {
    const kind = newKind();
    const undone = one.database.transaction(async (queries) => {
      await one.queue.add(queries, kind, { payload: 1 });
      throw new Error('changed my mind');
    });
    await assert.rejects(undone, /changed my mind/);
    assert.deepEqual(await claim(two, 'b', kind.name), []);
    const id = await addJob(one, kind, { 日本: '\u0000 \ud800' });
    const [job] = await claim(two, 'b', kind.name);
    assert.equal(job?.id, id);
    assert.deepEqual(JSON.parse(job?.payload as string), { 日本: '\u0000 \ud800' });
  });

  it('notifies its own process after the commit, not before', async () => {
    const kind = newKind();
    const told: string[] = [];
    const end = one.queue.onAdded((name) => told.push(name));
    await one.database.transaction(async (queries) => {
      await one.queue.add(queries, kind, { payload: 1 });
      assert.deepEqual(told, []);
    });
    assert.deepEqual(told, [kind.name]);
    await one.queue.add(one.database, kind, { payload: 2 });
    end();
    await addJob(one, kind);
    assert.deepEqual(told, [kind.name, kind.name]);
  });

  it('claims due jobs, oldest first, up to the limit', async () => {
    const kind = newKind();
    const add = (delayMs: number) => one.queue.add(one.database, kind, { payload: null, delayMs });
    const later = await add(500);
    const [first, second, third] = [await add(0), await add(0), await add(0)];
    assert.deepEqual(ids(await claim(two, 'b', kind.name, 2)), [first, second]);
    assert.deepEqual(ids(await claim(two, 'b', kind.name)), [third]);
    assert.deepEqual(await one.queue.due([kind.name, 'none']), [{ kind: kind.name, workspaceId: '', dueInMs: 500 }]);
    clock.time += 500;
    assert.deepEqual(ids(await claim(two, 'b', kind.name)), [later]);
  });

  it('never gives a job to two owners, however many claim concurrently', async () => {
    const kind = newKind();
    await one.database.transaction(async (queries) => {
      for (let count = 0; count < 200; count += 1) await one.queue.add(queries, kind, { payload: count });
    });
    const claims = Array.from({ length: 60 }, (_, number) =>
      claim(number % 2 === 0 ? one : two, `owner ${number}`, kind.name, 7),
    );
    const taken = (await Promise.all(claims)).flatMap(ids);
    assert.equal(new Set(taken).size, taken.length);
    // PostgreSQL skips locked rows, so some may be left for the next claim.
    const rest = ids(await claim(one, 'the last', kind.name, 200));
    assert.equal(new Set([...taken, ...rest]).size, 200);
    assert.equal(taken.length + rest.length, 200);
  });

  it('gives a job with an expired lease to another owner, and not earlier', async () => {
    const kind = newKind();
    const id = await addJob(one, kind);
    await claim(one, 'a', kind.name);
    clock.time += leaseMs - 1;
    assert.deepEqual(await claim(two, 'b', kind.name), []);
    clock.time += 1;
    const [job] = await claim(two, 'b', kind.name);
    assert.equal(job?.id, id);
    assert.equal(job?.attempt, 2);
  });

  it('extends a renewed lease', async () => {
    const kind = newKind();
    const id = await addJob(one, kind);
    await claim(one, 'a', kind.name);
    clock.time += leaseMs - 1;
    assert.deepEqual(await one.queue.renew('a', [id], leaseMs), new Set([id]));
    clock.time += leaseMs - 1;
    assert.deepEqual(await claim(two, 'b', kind.name), []);
  });

  it('ignores outcomes of an owner that has lost its lease, and reports it', async () => {
    const kind = newKind();
    const jobId = await addJob(one, kind);
    await claim(one, 'a', kind.name);
    clock.time += leaseMs;
    await claim(two, 'b', kind.name);
    const before = await findJob(one.database, jobId);
    assert.deepEqual(await one.queue.renew('a', [jobId], leaseMs), new Set());
    const outcomes: Outcome[] = [
      { jobId, as: 'succeeded' },
      { jobId, as: 'retried', error: new Error('late'), attempt: 1, delayMs: 0 },
      { jobId, as: 'failed', error: new Error('late'), attempt: 1 },
      { jobId, as: 'released', delayMs: 0 },
    ];
    for (const outcome of outcomes) assert.equal(await record(one, 'a', outcome), false, outcome.as);
    assert.deepEqual(await findJob(one.database, jobId), before);
    assert.equal(await record(two, 'b', { jobId, as: 'succeeded' }), true);
    assert.equal((await findJob(one.database, jobId))?.state, 'succeeded');
    assert.equal(await record(two, 'b', { jobId, as: 'succeeded' }), false);
  });

  it('accepts the outcome of an owner whose lease has expired if nobody else has claimed the job', async () => {
    const kind = newKind();
    const jobId = await addJob(one, kind);
    await claim(one, 'a', kind.name);
    clock.time += leaseMs * 10;
    assert.equal(await record(one, 'a', { jobId, as: 'succeeded' }), true);
    assert.deepEqual(await claim(two, 'b', kind.name), []);
  });

  it('runs a job again after its delay, with the error of the previous attempt', async () => {
    const kind = newKind();
    const jobId = await addJob(one, kind);
    await claim(one, 'a', kind.name);
    await record(one, 'a', { jobId, as: 'retried', error: new Error('no luck'), attempt: 1, delayMs: 300 });
    const stored = await findJob(one.database, jobId);
    assert.deepEqual([stored?.state, stored?.lastError, stored?.runAt], ['queued', 'no luck', clock.time + 300]);
    clock.time += 299;
    assert.deepEqual(await claim(two, 'b', kind.name), []);
    clock.time += 1;
    assert.equal((await claim(two, 'b', kind.name))[0]?.attempt, 2);
    await record(two, 'b', { jobId, as: 'succeeded' });
    const ended = await findJob(one.database, jobId);
    assert.deepEqual([ended?.state, ended?.lastError, ended?.finishedAt], ['succeeded', null, clock.time]);
  });

  it('stores the last error of a failed job, whatever was thrown', async () => {
    const kind = newKind();
    const unreadable = {
      get message(): string {
        throw new Error('no');
      },
      toString: () => {
        throw new Error('no');
      },
    };
    const cases: [unknown, RegExp][] = [
      [new Error('broken'), /^broken$/],
      ['text', /^text$/],
      [null, /^thrown: null$/],
      [undefined, /^thrown: undefined$/],
      [{ code: 7 }, /code: 7/],
      [new Error(`${'長'.repeat(1_000_000)}`), /^長+$/],
      [new Error('\u0000\ud800'), /^\ufffd\ufffd$/],
      [new Error(''), /^Error$/],
      [unreadable, /.+/],
    ];
    for (const [error, expected] of cases) {
      const jobId = await addJob(one, kind);
      await claim(one, 'a', kind.name);
      await record(one, 'a', { jobId, as: 'failed', error, attempt: 3 });
      const stored = await findJob(one.database, jobId);
      assert.deepEqual([stored?.state, stored?.attempt], ['failed', 3]);
      assert.match(stored?.lastError as string, expected);
      assert.ok(String(stored?.lastError).length <= maxErrorLength);
    }
  });

  it('releases a job as if it had not been claimed', async () => {
    const kind = newKind();
    const jobId = await addJob(one, kind);
    await claim(one, 'a', kind.name);
    assert.equal(await record(one, 'a', { jobId, as: 'released', delayMs: 0 }), true);
    assert.equal((await findJob(one.database, jobId))?.state, 'queued');
    assert.equal((await claim(two, 'b', kind.name))[0]?.attempt, 1);
  });

  it('records every outcome and claims the next jobs in one transaction', async () => {
    const kind = newKind();
    const added = [await addJob(one, kind), await addJob(one, kind), await addJob(one, kind), await addJob(one, kind)];
    const [first, second, third] = ids(await claim(one, 'a', kind.name, 3)) as [string, string, string];
    const outcomes: Outcome[] = [
      { jobId: first, as: 'succeeded' },
      { jobId: second, as: 'failed', error: new Error('x'), attempt: 1 },
      { jobId: third, as: 'succeeded' },
      { jobId: 'job_of_nobody', as: 'succeeded' },
    ];
    const { claimed, lost } = await one.queue.exchange(
      'a',
      outcomes,
      [{ kind: kind.name, workspaceId: '', limit: 5 }],
      leaseMs,
    );
    assert.deepEqual(lost, ['job_of_nobody']);
    assert.deepEqual(ids(claimed), added.slice(3));
  });

  it('allows one unfinished job per kind and dedupe key', async () => {
    const [kind, other] = [newKind(), newKind()];
    const add = (which = kind) => one.queue.add(one.database, which, { payload: null, dedupeKey: 'call 1' });
    const first = (await add()) as string;
    assert.equal(await add(), null);
    assert.notEqual(await add(other), null);
    await claim(one, 'a', kind.name);
    assert.equal(await add(), null);
    await record(one, 'a', { jobId: first, as: 'succeeded' });
    assert.notEqual(await add(), null);
  });

  it('rejects invalid jobs with a clear error', async () => {
    const add = (job: { payload: unknown; delayMs?: number }) => one.queue.add(one.database, idleKind, job);
    await assert.rejects(add({ payload: undefined }), /must be a JSON value/);
    await assert.rejects(add({ payload: 'x'.repeat(300_000) }), /longer than/);
    await assert.rejects(add({ payload: 1, delayMs: -1 }), /must be 0 or more/);
    await assert.rejects(add({ payload: 1, delayMs: Number.NaN }), /must be 0 or more/);
  });

  it('removes jobs that succeeded an hour ago or failed 30 days ago', async () => {
    const kind = newKind();
    const end = async (outcome: Pick<Outcome, 'as'>): Promise<string> => {
      const jobId = await addJob(one, kind);
      await claim(one, 'a', kind.name);
      await record(one, 'a', { jobId, error: new Error('x'), attempt: 1, delayMs: 0, ...outcome } as Outcome);
      return jobId;
    };
    const [succeeded, failed] = [await end({ as: 'succeeded' }), await end({ as: 'failed' })];
    const queued = await addJob(one, kind);
    const left = async () => {
      while (await one.queue.removeFinished());
      const all = await Promise.all([succeeded, failed, queued].map((id) => findJob(one.database, id)));
      return all.map((job) => job !== undefined);
    };
    clock.time += 3_599_999;
    assert.deepEqual(await left(), [true, true, true]);
    clock.time += 1;
    assert.deepEqual(await left(), [false, true, true]);
    clock.time += 30 * 86_400_000;
    assert.deepEqual(await left(), [false, false, true]);
  });

  it('uses the clock of PostgreSQL, and on SQLite that of the machine', async (context) => {
    const [own] = (await openProcesses(1)) as [Process];
    context.mock.method(Date, 'now', () => 5_000);
    const job = await findJob(own.database, await addJob(own, idleKind));
    context.mock.restoreAll();
    if (engine.name === 'sqlite') assert.equal(job?.createdAt, 5_000);
    else assert.ok(Math.abs((job?.createdAt as number) - Date.now()) < 60_000);
  });
});
