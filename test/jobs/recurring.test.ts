import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkKinds } from '../../src/jobs/kind.ts';
import { nextTime } from '../../src/jobs/recurrence.ts';
import { onEachEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { idleKind, kindOf, type Process, TestClock, useJobs } from './support.ts';

const minuteMs = 60_000;

describe('a recurrence', () => {
  it('has the same times however often it is asked, each after the one before', () => {
    const at = Date.parse('2027-03-01T12:00:30.000Z');
    assert.equal(nextTime({ everyMs: minuteMs }, at), Date.parse('2027-03-01T12:01:00.000Z'));
    assert.equal(nextTime({ everyMs: minuteMs }, at + 29_999), Date.parse('2027-03-01T12:01:00.000Z'));
    assert.equal(nextTime({ everyMs: minuteMs }, at + 30_000), Date.parse('2027-03-01T12:02:00.000Z'));
    const daily = { dailyAt: ['18:30', '03:00'] };
    assert.equal(nextTime(daily, at), Date.parse('2027-03-01T18:30:00.000Z'));
    assert.equal(nextTime(daily, Date.parse('2027-03-01T18:30:00.000Z')), Date.parse('2027-03-02T03:00:00.000Z'));
    assert.equal(nextTime(daily, Date.parse('2027-02-28T23:59:59.999Z')), Date.parse('2027-03-01T03:00:00.000Z'));
  });

  it('that is invalid is rejected at startup', () => {
    for (const recurrence of [{ everyMs: 0 }, { everyMs: 0.5 }, { dailyAt: [] }, { dailyAt: ['3:00', '24:00'] }]) {
      assert.throws(() => checkKinds([{ ...idleKind, recurrence }]), /everyMs|dailyAt/);
    }
  });
});

onEachEngine('a recurring job', (engine) => {
  const { openProcesses, startWorker } = useJobs(engine);
  const stored = async ({ database }: Process) =>
    database.all('SELECT state, attempt, run_at, last_error FROM jobs ORDER BY id');

  it('is run by one of several instances at each of its times', async () => {
    const clock = new TestClock();
    const processes = await openProcesses(2, clock.now);
    const runs: number[] = [];
    const kind = kindOf({ recurrence: { everyMs: minuteMs }, run: async () => void runs.push(clock.time) });
    const workers = processes.map((process) => startWorker(process, [kind]));
    const first = processes[0] as Process;
    await eventually(async () => (await stored(first)).length === 1, 'the job');
    for (let count = 1; count <= 3; count += 1) {
      const next = nextTime({ everyMs: minuteMs }, clock.time);
      clock.time = next - 1;
      await new Promise(setImmediate);
      assert.equal(runs.length, count - 1);
      clock.time = next;
      await eventually(() => workers.flatMap(({ reports }) => reports).length === count, 'a run');
      const rows = await stored(first);
      const row = { state: 'queued', attempt: 0, run_at: next + minuteMs, last_error: null };
      assert.deepEqual(
        rows.map((each) => ({ ...each })),
        [row],
      );
    }
    assert.equal(runs.length, 3);
  });

  it('runs once for all times that were missed, and then at its next one', async () => {
    const clock = new TestClock();
    const [process] = (await openProcesses(1, clock.now)) as [Process];
    const kind = kindOf({ recurrence: { everyMs: minuteMs }, run: async () => {} });
    await process.queue.ensureRecurring(kind);
    clock.time += 24 * 60 * minuteMs + 1;
    const { reports } = startWorker(process, [kind]);
    await eventually(() => reports.length === 1);
    await eventually(async () => Number((await stored(process))[0]?.run_at) > clock.time);
    assert.equal((await stored(process))[0]?.run_at, nextTime({ everyMs: minuteMs }, clock.time));
    assert.equal(reports.length, 1);
  });

  it('is retried like any other, and goes on after its last attempt', async () => {
    const clock = new TestClock();
    const [process] = (await openProcesses(1, clock.now)) as [Process];
    const kind = kindOf({
      recurrence: { everyMs: minuteMs },
      maxAttempts: 2,
      retryDelaysMs: [0],
      run: async () => {
        throw new Error('not now');
      },
    });
    await process.queue.ensureRecurring(kind);
    clock.time = nextTime({ everyMs: minuteMs }, clock.time);
    const { reports } = startWorker(process, [kind]);
    await eventually(() => reports.length === 2);
    assert.deepEqual(
      reports.map(({ outcome }) => outcome),
      ['retried', 'failed'],
    );
    const [row] = await stored(process);
    const expected = { state: 'queued', attempt: 0, run_at: clock.time + minuteMs, last_error: 'not now' };
    assert.deepEqual({ ...row }, expected);
  });

  it('does not run twice at one time if the clock of its instance is behind', async () => {
    const clock = new TestClock();
    const [process] = (await openProcesses(1, clock.now)) as [Process];
    const kind = kindOf({ recurrence: { everyMs: minuteMs }, run: async () => {} });
    const run_at = nextTime({ everyMs: minuteMs }, clock.time);
    const job = { id: 'j', kind: kind.name, attempt: 1, payload: 'null', sealed_payload: null };
    const claimed = { ...job, workspace_id: null, max_attempts: 1, run_at };
    assert.ok(run_at > clock.time);
    assert.equal(process.queue.nextAt(kind, claimed), run_at + minuteMs);
  });

  it('that was added for one of many things keeps its payload, and ends when it is removed', async () => {
    const clock = new TestClock();
    const [process] = (await openProcesses(1, clock.now)) as [Process];
    const payloads: unknown[] = [];
    const kind = kindOf({
      recurrence: { everyMs: minuteMs },
      isAdded: true,
      run: async ({ payload }, { complete }) => {
        payloads.push(payload);
        if (payload === 'b') await process.database.transaction(complete);
      },
    });
    const { reports } = startWorker(process, [kind]);
    for (const payload of ['a', 'b'])
      await process.queue.add(process.database, kind, { payload, workspaceId: 'ws_1', dedupeKey: payload });
    await eventually(() => reports.length === 2);
    await process.queue.remove(process.database, kind, 'a');
    clock.time = nextTime({ everyMs: minuteMs }, clock.time);
    await eventually(() => reports.length === 3);
    assert.deepEqual(payloads.toSorted(), ['a', 'b', 'b']);
    assert.ok(reports.every(({ outcome }) => outcome === 'succeeded'));
    assert.equal((await stored(process)).length, 1);
  });

  it('takes up a shorter period of a newer version when that starts', async () => {
    const clock = new TestClock();
    const [process] = (await openProcesses(1, clock.now)) as [Process];
    const kind = kindOf({ recurrence: { dailyAt: ['00:00'] }, run: async () => {} });
    await process.queue.ensureRecurring(kind);
    await process.queue.ensureRecurring({ ...kind, recurrence: { everyMs: minuteMs } });
    const [row, ...others] = await stored(process);
    assert.equal(row?.run_at, nextTime({ everyMs: minuteMs }, clock.time));
    assert.deepEqual(others, []);
  });
});
