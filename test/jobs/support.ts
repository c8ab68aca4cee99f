import { after } from 'node:test';
import { pino } from 'pino';
import { createIdGenerator } from '../../src/core/ids.ts';
import type { JobKind } from '../../src/jobs/kind.ts';
import { createJobQueue, type JobQueue } from '../../src/jobs/queue.ts';
import { JobWorker, type RunOutcome, type WorkerParts, type WorkerSettings } from '../../src/jobs/worker.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { type Engine, locationOf } from '../support/engines.ts';
import { testSealer } from '../support/sealer.ts';

/** A clock that stands still until a test sets it. */
export class TestClock {
  time = 1_800_000_000_000;
  readonly now = (): number => this.time;
}

export interface Process {
  readonly database: Database;
  readonly queue: JobQueue;
  close(): Promise<void>;
}

/** Opens database connections and starts workers for a suite, and stops all of them at its end. */
export function useJobs(engine: Engine) {
  const endings: (() => Promise<void>)[] = [];
  after(async () => {
    for (const end of endings.reverse()) await end();
  });

  /** The resources of one process: a database connection and a queue. */
  const openProcess = async (url: string, now?: () => number): Promise<Process> => {
    const database = openDatabase(locationOf(url), () => {});
    let isClosed = false;
    const close = async (): Promise<void> => {
      if (!isClosed) await database.close();
      isClosed = true;
    };
    endings.push(close);
    await migrate(database, Date.now);
    return {
      database,
      queue: createJobQueue({ database, newId: createIdGenerator(), sealer: testSealer, now }),
      close,
    };
  };

  return {
    openProcess,
    /** On a new database. */
    openProcesses: async (count: number, now?: () => number): Promise<Process[]> => {
      const url = await engine.newServiceUrl();
      return Promise.all(Array.from({ length: count }, () => openProcess(url, now)));
    },
    /** `reports` are the outcomes so far. */
    startWorker: (
      { queue }: Pick<Process, 'queue'>,
      kinds: readonly JobKind[],
      settings: Partial<WorkerSettings> = {},
      mayClaim: WorkerParts['mayClaim'] = () => true,
    ): { worker: JobWorker; reports: Reported[] } => {
      const reports: Reported[] = [];
      const onOutcome: WorkerParts['onOutcome'] = ({ jobId, attempt }, outcome) =>
        reports.push({ jobId, attempt, outcome });
      const worker = new JobWorker({
        queue,
        kinds,
        logger: pino({ level: 'silent' }),
        settings: { pollMs: 5, drainMs: 50, abortMs: 50, ...settings },
        mayClaim,
        random: () => 0.5,
        onOutcome,
      });
      worker.start();
      endings.push(() => worker.stop());
      return { worker, reports };
    },
  };
}

export function kindOf(change: Partial<JobKind> & Pick<JobKind, 'run'>): JobKind {
  return {
    name: 'test.kind',
    maxAttempts: 3,
    retryDelaysMs: [1000, 5000],
    timeoutMs: 60_000,
    concurrency: 10,
    ...change,
  };
}

export const idleKind = kindOf({ run: async () => {} });

export interface Reported {
  readonly jobId: string;
  readonly attempt: number;
  readonly outcome: RunOutcome;
}

/** An event that one side waits for and the other triggers. */
export function signalled(): PromiseWithResolvers<void> {
  return Promise.withResolvers<void>();
}

export async function addJob(
  { database, queue }: Pick<Process, 'database' | 'queue'>,
  kind: JobKind,
  payload: unknown = null,
): Promise<string> {
  const id = await database.transaction((queries) => queue.add(queries, kind, { payload }));
  if (id === null) throw new Error('the job was not added');
  return id;
}
