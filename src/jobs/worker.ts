import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Queries } from '../storage/database.ts';
import { checkKinds, type JobKind, retryDelayMs } from './kind.ts';
import { KindSlots } from './kind-slots.ts';
import type { ClaimedJob, JobQueue, Outcome } from './queue.ts';

export interface WorkerSettings {
  /** How long a job stays with a crashed process. */
  readonly leaseMs: number;
  /** How often to look for jobs that other processes added or left behind. */
  readonly pollMs: number;
  /** How long running jobs may take when the worker stops, before their signals are aborted. */
  readonly drainMs: number;
  /** How long they may take after that, before their leases are released. */
  readonly abortMs: number;
}

const defaultSettings: WorkerSettings = { leaseMs: 30_000, pollMs: 1000, drainMs: 1000, abortMs: 250 };

/** The outcome of a run. `lost`: another worker may have the job, so the run is ignored. */
export type RunOutcome = Outcome['as'] | 'lost';

export interface WorkerParts {
  readonly queue: JobQueue;
  readonly kinds: readonly JobKind[];
  readonly logger: Logger;
  readonly settings?: Partial<WorkerSettings>;
  /** False once the service is shutting down: running jobs continue, but no more are claimed. */
  readonly mayClaim?: () => boolean;
  /** From 0 to 1, for the jitter of retry delays. */
  readonly random?: () => number;
  /** Called once the outcome is committed. */
  readonly onOutcome?: (run: { jobId: string; kind: string; attempt: number }, outcome: RunOutcome) => void;
}

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export class JobTimeoutError extends Error {
  override readonly name = 'JobTimeoutError';
}

interface Run {
  readonly job: ClaimedJob;
  readonly kind: JobKind;
  readonly controller: AbortController;
  /** By `performance.now()`: from then on, another worker may have the job. */
  leaseEndsAt: number;
  /** `settled`: the handler has ended, but its outcome is not committed yet. `lost`: its outcome is ignored. */
  phase: 'running' | 'settled' | 'lost';
  timeoutError: JobTimeoutError | null;
  isStopped: boolean;
  /** The handler has ended the job in a transaction of its own. */
  isCompleted: boolean;
}

/** How often leases are checked. A lease is renewed once a third of it is over, with retries for another third. */
const checksPerLease = 6;
const maxPauseMs = 5000;
/**
 * The pause between two transactions is four times the duration of the last one, within these limits: on SQLite, each
 * commit blocks the process until it is on disk.
 */
const minGapMs = 10;
const maxGapMs = 50;
/** For the last transaction when the worker stops. */
const maxLastWriteMs = 1000;

/**
 * Runs jobs of its kinds. One loop records outcomes and claims due jobs, both in one transaction; handlers run
 * concurrently, outside of any transaction. A run belongs to this worker until its handler has settled.
 */
export class JobWorker {
  readonly #queue: JobQueue;
  readonly #kinds: ReadonlyMap<string, JobKind>;
  readonly #slots: KindSlots;
  readonly #logger: Logger;
  readonly #settings: WorkerSettings;
  readonly #mayClaim: () => boolean;
  readonly #random: () => number;
  readonly #onOutcome: NonNullable<WorkerParts['onOutcome']>;
  /** Unique per worker, so that a lease belongs to one worker of one process. */
  readonly #owner = randomUUID();
  readonly #runs = new Map<string, Run>();
  /** By job id. */
  readonly #outcomes = new Map<string, Outcome>();
  readonly #counts = new Map<string, Map<RunOutcome, number>>();
  #loop: Promise<void> | undefined;
  #stopListening: () => void = () => {};
  #leaseTimer: NodeJS.Timeout | undefined;
  #isRenewing = false;
  /** By `performance.now()`. */
  #nextWriteAt = Number.NEGATIVE_INFINITY;
  #isWoken = false;
  #isDraining = false;
  #isOver = false;
  #sleeper: { readonly end: () => void; readonly isPause: boolean } | undefined;

  constructor(parts: WorkerParts) {
    const { queue, kinds, logger, settings } = parts;
    const { mayClaim = () => true, random = Math.random, onOutcome = () => {} } = parts;
    checkKinds(kinds);
    this.#queue = queue;
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.#slots = new KindSlots(kinds);
    this.#logger = logger;
    this.#settings = { ...defaultSettings, ...settings };
    this.#mayClaim = mayClaim;
    this.#random = random;
    this.#onOutcome = onOutcome;
  }

  /** Without kinds there is nothing to do, and no query is sent. */
  start(): void {
    if (this.#kinds.size === 0 || this.#loop !== undefined) return;
    this.#stopListening = this.#queue.onAdded((kind) => {
      if (this.#kinds.has(kind)) this.#wake();
    });
    this.#loop = this.#work();
  }

  /** The number of runs by kind and outcome since the start. */
  counts(): { kind: string; outcome: RunOutcome; value: number }[] {
    return [...this.#counts].flatMap(([kind, byOutcome]) =>
      [...byOutcome].map(([outcome, value]) => ({ kind, outcome, value })),
    );
  }

  /** Stops claiming, waits for running jobs, and releases those that do not end, so that others can claim them. */
  async stop(): Promise<void> {
    if (this.#loop === undefined) return;
    const loop = this.#loop;
    const { drainMs, abortMs } = this.#settings;
    this.#stopListening();
    this.#isDraining = true;
    this.#wake(true);
    if (!(await endsWithin(loop, drainMs))) {
      for (const run of this.#runs.values()) {
        run.isStopped = true;
        run.controller.abort(new Error('the service is stopping'));
      }
      if (!(await endsWithin(loop, abortMs))) {
        for (const run of this.#runs.values()) if (run.phase === 'running') this.#abandon(run);
        this.#wake(true);
        if (!(await endsWithin(loop, maxLastWriteMs))) {
          this.#logger.warn('jobs could not be released; other processes will claim them when their leases end');
        }
      }
    }
    this.#isOver = true;
    this.#wake(true);
    clearInterval(this.#leaseTimer);
  }

  async #work(): Promise<void> {
    let pauseMs = 0;
    while (!this.#isOver && (!this.#isDraining || this.#hasWork())) {
      this.#isWoken = false;
      try {
        const waitMs = await this.#pass();
        pauseMs = 0;
        await this.#sleep(waitMs, false);
        const gapMs = this.#nextWriteAt - performance.now();
        if (gapMs > 0) await this.#sleep(gapMs, true);
      } catch (error) {
        // Outcomes are kept until they can be written, and their leases are renewed if possible.
        const { name, message } = error as Error;
        this.#logger.warn({ err: { type: name, message } }, 'jobs cannot be claimed or recorded');
        pauseMs = Math.min(Math.max(pauseMs * 2, 100), maxPauseMs);
        await this.#sleep(pauseMs, true);
      }
    }
  }

  #hasWork(): boolean {
    return this.#outcomes.size > 0 || this.#runs.values().some(({ phase }) => phase === 'running');
  }

  /** Resolves to the time until there is something to do again. */
  async #pass(): Promise<number> {
    const { leaseMs, pollMs } = this.#settings;
    const due = this.#isClaiming() ? await this.#queue.due(this.#slots.freeKinds()) : [];
    const wanted = this.#isClaiming() ? this.#slots.reserve(due) : [];
    const outcomes = [...this.#outcomes.values()];
    if (outcomes.length === 0 && wanted.length === 0) {
      // What is due and has no slot starts when another run ends, which wakes the worker.
      return Math.min(pollMs, ...due.map(({ dueInMs }) => dueInMs).filter((ms) => ms > 0));
    }
    // Measured before the claim, so that the lease never ends earlier in the database than here.
    const startMs = performance.now();
    const leaseEndsAt = startMs + leaseMs;
    const { claimed, lost } = await this.#slots.use(wanted, () =>
      this.#queue.exchange(this.#owner, outcomes, wanted, leaseMs),
    );
    const endMs = performance.now();
    this.#nextWriteAt = endMs + Math.min(Math.max((endMs - startMs) * 4, minGapMs), maxGapMs);
    for (const outcome of outcomes) this.#record(outcome, lost.includes(outcome.jobId));
    for (const job of claimed) this.#begin(job, leaseEndsAt);
    return 0;
  }

  #isClaiming(): boolean {
    return !this.#isDraining && this.#mayClaim();
  }

  #record(outcome: Outcome, isLost: boolean): void {
    const { jobId } = outcome;
    // If the worker was stopped in the meantime, the outcome was replaced, and the new one is still to be written.
    if (this.#outcomes.get(jobId) === outcome) this.#outcomes.delete(jobId);
    const run = this.#runs.get(jobId);
    if (run?.phase !== 'settled') return;
    this.#runs.delete(jobId);
    this.#report(run, isLost ? 'lost' : outcome.as);
  }

  #report({ job, kind }: Pick<Run, 'job' | 'kind'>, outcome: RunOutcome): void {
    const counts = this.#counts.get(kind.name) ?? new Map<RunOutcome, number>();
    this.#counts.set(kind.name, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
    // Error messages may contain customer data, so they are stored in the row and not logged.
    const fields = { jobId: job.id, kind: kind.name, attempt: Math.min(job.attempt, job.max_attempts) };
    if (outcome === 'failed') this.#logger.error(fields, 'job failed permanently');
    else if (outcome === 'retried') this.#logger.warn(fields, 'job failed and will be retried');
    else if (outcome === 'lost') this.#logger.warn(fields, 'job was claimed by another worker');
    this.#onOutcome({ jobId: job.id, kind: kind.name, attempt: job.attempt }, outcome);
  }

  #begin(job: ClaimedJob, leaseEndsAt: number): void {
    const kind = this.#kinds.get(job.kind) as JobKind;
    const earlier = this.#runs.get(job.id);
    if (earlier !== undefined) {
      // Until its handler settles, the earlier run has a slot of its own.
      this.#slots.release(job);
      // The lease had expired without anyone else claiming it: this claim has renewed it.
      if (earlier.phase !== 'lost') earlier.leaseEndsAt = leaseEndsAt;
      // The aborted handler has not settled yet, and must not run twice concurrently.
      else this.#outcomes.set(job.id, { jobId: job.id, as: 'released', delayMs: this.#settings.pollMs });
      return;
    }
    // The process was delayed after the claim: another worker may already have the job.
    if (this.#isEnding(leaseEndsAt)) {
      this.#slots.release(job);
      this.#outcomes.set(job.id, { jobId: job.id, as: 'released', delayMs: 0 });
      return;
    }
    const run: Run = {
      job,
      kind,
      controller: new AbortController(),
      leaseEndsAt,
      phase: 'running',
      timeoutError: null,
      isStopped: false,
      isCompleted: false,
    };
    this.#runs.set(job.id, run);
    this.#leaseTimer ??= setInterval(() => this.#checkLeases(), this.#settings.leaseMs / checksPerLease).unref();
    void this.#run(run);
  }

  /** Never rejects. */
  async #run(run: Run): Promise<void> {
    const { job, kind, controller } = run;
    let thrown: { readonly error: unknown } | null = null;
    // Its process crashed in every attempt, perhaps because of the job.
    if (job.attempt > job.max_attempts) {
      thrown = { error: new LeaseLostError(`The worker was lost during attempt ${job.max_attempts}, the last one.`) };
    } else {
      const timer = setTimeout(() => {
        run.timeoutError = new JobTimeoutError(`The attempt took longer than ${kind.timeoutMs} ms.`);
        controller.abort(run.timeoutError);
      }, kind.timeoutMs).unref();
      try {
        const { id, attempt, workspace_id: workspaceId, max_attempts: maxAttempts } = job;
        const payload: unknown = JSON.parse(job.payload);
        const given = { id, kind: kind.name, workspaceId, payload, attempt, maxAttempts };
        const complete = async (queries: Queries): Promise<boolean> => {
          run.isCompleted = run.phase === 'running' && (await this.#queue.complete(queries, this.#owner, id));
          return run.isCompleted;
        };
        await kind.run(given, { signal: controller.signal, complete });
      } catch (error) {
        thrown = { error };
      }
      clearTimeout(timer);
    }
    this.#slots.release(job);
    if (run.isCompleted && thrown === null) {
      this.#runs.delete(job.id);
      this.#report(run, 'succeeded');
    } else if (run.phase === 'lost') {
      this.#runs.delete(job.id);
      this.#report(run, run.isStopped ? 'released' : 'lost');
    } else {
      run.phase = 'settled';
      this.#outcomes.set(job.id, this.#outcomeOf(run, thrown));
    }
    this.#wake();
  }

  #outcomeOf({ job, kind, timeoutError, isStopped }: Run, thrown: { readonly error: unknown } | null): Outcome {
    const { id: jobId, max_attempts: maxAttempts } = job;
    if (thrown !== null && isStopped && timeoutError === null) return { jobId, as: 'released', delayMs: 0 };
    if (thrown === null && timeoutError === null) return { jobId, as: 'succeeded' };
    // A handler that returns after its timeout may not have done all of its work.
    const error: unknown = timeoutError ?? thrown?.error;
    if (job.attempt < maxAttempts) {
      return {
        jobId,
        as: 'retried',
        error,
        attempt: job.attempt,
        delayMs: retryDelayMs(kind, job.attempt, this.#random),
      };
    }
    return { jobId, as: 'failed', error, attempt: maxAttempts };
  }

  /** Its handler ignores the signal, but the process is about to exit. */
  #abandon(run: Run): void {
    run.phase = 'lost';
    this.#outcomes.set(run.job.id, { jobId: run.job.id, as: 'released', delayMs: 0 });
  }

  #checkLeases(): void {
    const { leaseMs } = this.#settings;
    if (this.#runs.size === 0) {
      clearInterval(this.#leaseTimer);
      this.#leaseTimer = undefined;
      return;
    }
    const ending: Run[] = [];
    for (const run of this.#runs.values()) {
      if (run.phase === 'lost') continue;
      if (run.phase === 'running' && this.#isEnding(run.leaseEndsAt)) this.#lose(run);
      else if (run.leaseEndsAt - performance.now() <= (leaseMs * 2) / 3) ending.push(run);
    }
    if (ending.length > 0 && !this.#isRenewing) void this.#renew(ending);
  }

  /** The last third is a reserve for a stalled process: the handler must be aborted before the lease ends. */
  #isEnding(leaseEndsAt: number): boolean {
    return leaseEndsAt - performance.now() < this.#settings.leaseMs / 3;
  }

  async #renew(runs: readonly Run[]): Promise<void> {
    this.#isRenewing = true;
    const { leaseMs } = this.#settings;
    const leaseEndsAt = performance.now() + leaseMs;
    const ids = runs.map(({ job }) => job.id);
    try {
      const held = await this.#queue.renew(this.#owner, ids, leaseMs);
      for (const run of runs) {
        if (held.has(run.job.id)) run.leaseEndsAt = leaseEndsAt;
        else if (this.#runs.get(run.job.id) === run && run.phase === 'running') this.#lose(run);
      }
    } catch (error) {
      const { name, message } = error as Error;
      this.#logger.warn({ err: { type: name, message } }, 'leases of jobs cannot be renewed');
    }
    this.#isRenewing = false;
  }

  #lose(run: Run): void {
    run.phase = 'lost';
    run.controller.abort(new LeaseLostError('The lease was lost: another worker may have the job.'));
  }

  /** Ends the current sleep. A pause can only be ended by a stop. */
  #wake(isStop = false): void {
    this.#isWoken = true;
    if (isStop || this.#sleeper?.isPause === false) this.#sleeper?.end();
  }

  async #sleep(ms: number, isPause: boolean): Promise<void> {
    if (ms > 0 && !this.#isOver && (isPause || !this.#isWoken)) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        const end = () => {
          clearTimeout(timer);
          resolve();
        };
        this.#sleeper = { end, isPause };
      });
      this.#sleeper = undefined;
    }
    // One iteration later, so that simultaneous outcomes share a transaction.
    await nextIteration();
  }
}

async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  try {
    return await Promise.race([work.then(() => true), delay(ms, false, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
  }
}
