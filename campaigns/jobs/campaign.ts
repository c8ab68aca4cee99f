import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createIdGenerator } from '../../src/core/ids.ts';
import { createSealer } from '../../src/core/sealer.ts';
import { createJobQueue, type JobQueue } from '../../src/jobs/queue.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { endWithTests } from '../../test/support/children.ts';
import { locationOf } from '../../test/support/engines.ts';
import { findJob } from '../../test/support/stored-job.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { type Attack, checkJob } from './check.ts';
import { type Expected, expectations, leaseMs, longKind } from './kinds.ts';
import { busyPids, machineMs, readLedger } from './ledger.ts';

type Amounts = {
  readonly jobs: number;
  readonly workers: number;
  readonly kills: number;
  /** SIGTERM: unfinished jobs are released. */
  readonly stops: number;
  /** SIGSTOP for longer than a lease: its jobs are taken over while it cannot notice. */
  readonly pauses: number;
  /** The maximum number of milliseconds between two of these. */
  readonly maxGapMs: number;
  readonly slackMs: number;
};

/** Few, so that a lost job is not behind a long queue. */
const maxUnfinished = 60;
const maxEndMs = 60_000;

export const jobs = defineCampaign<Amounts>({
  name: 'jobs',
  about:
    'Workers in several processes are killed, paused and stopped while they run jobs of every outcome: none is lost, none runs twice concurrently, and each has the expected outcome.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { jobs: 10_000, workers: 4, kills: 100, stops: 30, pauses: 15, maxGapMs: 800, slackMs: 4000 },
    small: { jobs: 100, workers: 3, kills: 2, stops: 1, pauses: 1, maxGapMs: 40, slackMs: 4000 },
  },
  run: async (run) => {
    const attacked = await AttackedQueue.open(run);
    await attacked.attack();
    return attacked.check();
  },
});

class AttackedQueue {
  readonly #run: Run<Amounts>;
  readonly #url: string;
  readonly #database: Database;
  readonly #queue: JobQueue;
  readonly #ledger: string;
  /** Those that are ready. */
  readonly #workers: ChildProcess[] = [];
  readonly #starting = new Set<Promise<void>>();
  readonly #children: ChildProcess[] = [];
  readonly #attacks: Attack[] = [];
  readonly #added: string[] = [];
  readonly #undone: string[] = [];

  static async open(run: Run<Amounts>): Promise<AttackedQueue> {
    const url = await run.newDatabaseUrl();
    const database = openDatabase(locationOf(url), () => {});
    run.atEnd(() => database.close());
    await migrate(database, Date.now);
    return new AttackedQueue(run, url, database);
  }

  constructor(run: Run<Amounts>, url: string, database: Database) {
    this.#run = run;
    this.#url = url;
    this.#database = database;
    this.#queue = createJobQueue({ database, newId: createIdGenerator(), sealer: createSealer([Buffer.alloc(32)]) });
    this.#ledger = join(run.folder, 'ledger');
    run.atEnd(() => {
      for (const child of this.#children) child.kill('SIGKILL');
    });
  }

  async attack(): Promise<void> {
    const { amount, random } = this.#run;
    await Promise.all(Array.from({ length: amount.workers }, () => this.#startWorker()));
    const planned = random.shuffled<Attack['how']>([
      ...Array.from({ length: amount.kills }, () => 'kill' as const),
      ...Array.from({ length: amount.stops }, () => 'stop' as const),
      ...Array.from({ length: amount.pauses }, () => 'pause' as const),
    ]);
    for (const [number, how] of planned.entries()) {
      if (this.#run.isOver()) break;
      await this.#addUpTo(Math.ceil((amount.jobs * (number + 1)) / planned.length));
      await delay(random.int(0, amount.maxGapMs));
      await this.#hit(how);
      this.#run.showProgress(`${this.#attacks.length} attacks, ${this.#added.length} jobs`);
    }
    await this.#untilEnded();
    await Promise.all(this.#starting);
    const ended = this.#workers.map((child) => once(child, 'exit'));
    for (const child of this.#workers) child.kill('SIGTERM');
    await Promise.all(ended);
  }

  async check() {
    const { amount, found } = this.#run;
    const entries = readLedger(this.#ledger);
    const byJob = Map.groupBy(entries, ({ jobId }) => jobId);
    const options = { attacks: this.#attacks, slackMs: amount.slackMs, found };
    const latenesses: number[] = [];
    const states: Record<string, number> = { succeeded: 0, failed: 0 };
    for (const id of this.#added) {
      const stored = await findJob(this.#database, id);
      if (stored === undefined) {
        found('a job is gone');
        continue;
      }
      states[stored.state] = (states[stored.state] ?? 0) + 1;
      latenesses.push(...checkJob(stored, byJob.get(id) ?? [], options));
    }
    for (const id of this.#undone) {
      if (byJob.has(id) || (await findJob(this.#database, id)) !== undefined)
        found('a job of a transaction that was rolled back exists');
    }
    const count = (how: Attack['how']) => this.#attacks.filter((attack) => attack.how === how).length;
    const lost = entries.filter(({ outcome }) => outcome === 'lost').length;
    return {
      jobs: this.#added.length,
      ...states,
      runs: entries.filter(({ what }) => what === 'start').length,
      kills: count('kill'),
      'taken over': latenesses.length,
      'at most ms after lease and poll': Math.max(0, ...latenesses),
      stops: count('stop'),
      pauses: count('pause'),
      'runs that lost their lease': lost,
    };
  }

  #startWorker(): Promise<void> {
    const starting = this.#start().finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
    return starting;
  }

  async #start(): Promise<void> {
    const child = fork(join(import.meta.dirname, 'worker.ts'), [this.#url, this.#ledger], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    endWithTests(child);
    this.#children.push(child);
    let complaints = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      complaints += chunk;
    });
    const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (first !== 'ready') throw new Error(`a worker did not start: ${complaints}`);
    this.#workers.push(child);
  }

  /** A worker that is running a job, if there is one soon: otherwise most attacks would hit idle workers. */
  async #pickWorker(): Promise<ChildProcess> {
    for (let waited = 0; waited < 20; waited += 1) {
      for (const busy of busyPids(readLedger(this.#ledger), longKind)) {
        const child = this.#workers.find(({ pid }) => pid === busy);
        if (child !== undefined) return child;
      }
      await delay(10);
    }
    if (this.#workers.length === 0) await Promise.all(this.#starting);
    return this.#run.random.pick(this.#workers);
  }

  /** Adds jobs as fast as they are processed, some of them in transactions that are rolled back. */
  async #addUpTo(total: number): Promise<void> {
    const { random } = this.#run;
    while (this.#added.length < total && !this.#run.isOver()) {
      const room = Math.min(total - this.#added.length, maxUnfinished - (await this.#countUnfinished()));
      if (room <= 0) {
        await delay(20);
        continue;
      }
      const added: string[] = [];
      await this.#database.transaction(async (queries) => {
        added.length = 0;
        for (let count = 0; count < room; count += 1) {
          const { kind } = this.#pickKind();
          added.push((await this.#queue.add(queries, kind, { payload: { number: count } })) as string);
        }
      });
      this.#added.push(...added);
      if (random.chance(0.2)) await this.#addAndUndo();
    }
  }

  async #addAndUndo(): Promise<void> {
    const undone = new Error('undone');
    await this.#database
      .transaction(async (queries) => {
        this.#undone.push((await this.#queue.add(queries, this.#pickKind().kind, { payload: null })) as string);
        throw undone;
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error;
      });
  }

  #pickKind(): Expected {
    let place = this.#run.random.int(
      1,
      expectations.reduce((sum, { share }) => sum + share, 0),
    );
    return expectations.find(({ share }) => {
      place -= share;
      return place <= 0;
    }) as Expected;
  }

  async #countUnfinished(): Promise<number> {
    const row = await this.#database.get<{ count: number }>(
      'SELECT count(*) AS count FROM jobs WHERE finished_at IS NULL',
    );
    return row?.count ?? 0;
  }

  async #hit(how: Attack['how']): Promise<void> {
    const child = await this.#pickWorker();
    const pid = child.pid as number;
    const fromMs = machineMs();
    if (how === 'pause') {
      child.kill('SIGSTOP');
      await delay(leaseMs * 1.7);
      child.kill('SIGCONT');
      this.#attacks.push({ how, pid, fromMs, toMs: machineMs() });
      return;
    }
    this.#workers.splice(this.#workers.indexOf(child), 1);
    void this.#startWorker();
    const exited = once(child, 'exit');
    child.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
    const [code] = (await exited) as [number | null];
    this.#attacks.push({ how, pid, fromMs, toMs: machineMs() });
    if (how === 'stop' && code !== 0) this.#run.found(`a worker exited with ${code} after SIGTERM`);
  }

  async #untilEnded(): Promise<void> {
    const deadline = performance.now() + maxEndMs;
    for (;;) {
      const unfinished = await this.#countUnfinished();
      if (unfinished === 0) return;
      if (performance.now() > deadline) {
        this.#run.found(`${unfinished} jobs did not end`);
        return;
      }
      await delay(20);
    }
  }
}
