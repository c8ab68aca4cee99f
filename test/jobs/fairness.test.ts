import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createIdGenerator } from '../../src/core/ids.ts';
import type { Job, JobKind } from '../../src/jobs/kind.ts';
import { createJobQueue } from '../../src/jobs/queue.ts';
import { onEachEngine, sqliteEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { explaining } from '../support/query-plans.ts';
import { testSealer } from '../support/sealer.ts';
import { kindOf, type Process, signalled, useJobs } from './support.ts';

onEachEngine('jobs of several workspaces', (engine) => {
  const { openProcesses, startWorker } = useJobs(engine);

  const addAll = async (process: Process, kind: JobKind, workspaces: readonly (string | null)[]): Promise<void> => {
    await process.database.transaction(async (queries) => {
      for (const workspaceId of workspaces) await process.queue.add(queries, kind, { payload: null, workspaceId });
    });
  };

  it('run in turn, however many one of them has', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const order: (string | null)[] = [];
    const kind = kindOf({ concurrency: 1, run: async ({ workspaceId }) => void order.push(workspaceId) });
    await addAll(process, kind, ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c', null]);
    startWorker(process, [kind]);
    await eventually(() => order.length === 9);
    assert.deepEqual(order, [null, 'a', 'b', 'c', 'a', 'b', 'a', 'a', 'a']);
  });

  it('do not wait for slow ones of another workspace', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const end = signalled();
    const running: string[] = [];
    const kind = kindOf({
      concurrency: 8,
      concurrencyPerWorkspace: 4,
      run: async ({ workspaceId }) => {
        running.push(workspaceId as string);
        if (workspaceId !== 'good') await end.promise;
      },
    });
    const { reports } = startWorker(process, [kind]);
    await addAll(process, kind, Array(40).fill('slow'));
    await eventually(() => running.length === 4);
    await addAll(process, kind, Array(40).fill('slow too'));
    await eventually(() => running.length === 6);
    await addAll(process, kind, Array(3).fill('good'));
    // None of the slow ones has ended.
    await eventually(() => reports.length === 3);
    assert.deepEqual(running, [...Array(4).fill('slow'), ...Array(2).fill('slow too'), ...Array(3).fill('good')]);
    end.resolve();
    await eventually(() => reports.length === 83);
  });

  it('never exceed the limits, with failures, timeouts and lost leases, and lose no slot', async () => {
    const [one, two] = (await openProcesses(2)) as [Process, Process];
    const limits = { concurrency: 5, concurrencyPerWorkspace: 2 };
    const exceeded: string[] = [];
    const end = signalled();
    let isLastPart = false;
    let waiting = 0;
    const kindOfProcess = (): JobKind => {
      const running = new Map<string, number>();
      let total = 0;
      const change = (workspaceId: string, by: number): void => {
        total += by;
        running.set(workspaceId, (running.get(workspaceId) ?? 0) + by);
        if (total > limits.concurrency) exceeded.push(`${total} in total`);
        const own = running.get(workspaceId) as number;
        if (own > limits.concurrencyPerWorkspace) exceeded.push(`${own} of ${workspaceId}`);
      };
      const run = async ({ workspaceId, attempt, id }: Job): Promise<void> => {
        change(workspaceId as string, 1);
        try {
          if (isLastPart) {
            waiting += 1;
            return await end.promise;
          }
          const chance = (id.charCodeAt(id.length - 1) + attempt) % 4;
          if (chance === 0) throw new Error('fails');
          // Some outlast their time limit, and ignore that.
          await delay(chance * 40);
        } finally {
          change(workspaceId as string, -1);
        }
      };
      return kindOf({ ...limits, retryDelaysMs: [0], timeoutMs: 100, maxAttempts: 1000, run });
    };
    for (const process of [one, two]) startWorker(process, [kindOfProcess()]);
    const kind = kindOfProcess();
    await addAll(one, kind, [...Array(20).fill('a'), ...Array(10).fill('b'), ...Array(5).fill('c')]);
    let lost = 0;
    await eventually(async () => {
      const row = await one.database.get<{ count: number }>(
        "SELECT count(*) AS count FROM jobs WHERE kind = 'test.kind' AND state = 'succeeded'",
      );
      const succeeded = Number(row?.count);
      if (succeeded >= lost * 5 && lost < 6) {
        lost += 1;
        // All leases have ended, while the jobs still run.
        const running = `SELECT id FROM jobs WHERE lease_until IS NOT NULL ${one.database.dialect.forUpdateSkipLocked}`;
        await one.database.run(`UPDATE jobs SET lease_until = 1 WHERE id IN (${running})`);
      }
      return succeeded === 35;
    });
    // All slots are free again: each process starts as many as it may.
    isLastPart = true;
    for (const workspaceId of ['a', 'b', 'c', 'd', 'e']) await addAll(one, kind, Array(4).fill(workspaceId));
    await eventually(() => waiting === 2 * limits.concurrency);
    end.resolve();
    assert.deepEqual(exceeded, []);
  });
});

describe('a claim of jobs', () => {
  const { openProcesses } = useJobs(sqliteEngine());

  it('looks only at what it claims, however much is due', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const { database, steps } = explaining(process.database);
    const queue = createJobQueue({ database, newId: createIdGenerator(), sealer: testSealer });
    await queue.due(['a kind', 'another']);
    await queue.exchange('owner', [], [{ kind: 'a kind', workspaceId: 'w', limit: 5 }], 1000);
    assert.ok(
      steps.some((step) => /^SEARCH jobs USING INDEX jobs_due \(kind=\? AND <expr>=\? AND <expr><\?\)/.test(step)),
    );
    assert.deepEqual(
      steps.filter((step) => /^SCAN jobs|TEMP B-TREE/.test(step)),
      [],
    );
  });
});
