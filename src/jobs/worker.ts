import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { JobRun } from './job-run.ts';
import { checkKinds, type JobKind } from './kind.ts';
import { KindSlots } from './kind-slots.ts';
import { endsWithin, Loop, type Pause } from './loop.ts';
import { OwnedLeases } from './owned-leases.ts';
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
  /** False once the service is shutting down: running jobs continue, but no more of the kind are claimed. */
  readonly mayClaim?: (kind: JobKind) => boolean;
  /** From 0 to 1, for the jitter of retry delays. */
  readonly random?: () => number;
  /** Called once the outcome is committed. */
  readonly onOutcome?: (run: { jobId: string; kind: string; attempt: number }, outcome: RunOutcome) => void;
}

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
  readonly #parts: WorkerParts;
  readonly #kinds: ReadonlyMap<string, JobKind>;
  readonly #slots: KindSlots;
  readonly #settings: WorkerSettings;
  /** Unique per worker, so that a lease belongs to one worker of one process. */
  readonly #owner = randomUUID();
  /** By job id, until the outcome is committed or ignored. */
  readonly #runs = new Map<string, JobRun>();
  readonly #leases: OwnedLeases<JobRun>;
  readonly #loop: Loop;
  /** By job id. */
  readonly #outcomes = new Map<string, Outcome>();
  readonly #counts = new Map<string, Map<RunOutcome, number>>();
  #stopListening: () => void = () => {};
  /** By `performance.now()`. */
  #nextWriteAt = Number.NEGATIVE_INFINITY;
  /** Recurring kinds whose job may not exist yet. */
  #toEnsure: readonly JobKind[];
  #isDraining = false;

  constructor(parts: WorkerParts) {
    const { queue, kinds, logger } = parts;
    checkKinds(kinds);
    this.#parts = parts;
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.#slots = new KindSlots(kinds);
    this.#toEnsure = kinds.filter(({ recurrence, isAdded = false }) => recurrence !== undefined && !isAdded);
    this.#settings = { ...defaultSettings, ...parts.settings };
    const { leaseMs } = this.#settings;
    const warn =
      (what: string) =>
      ({ name, message }: Error): void =>
        logger.warn({ err: { type: name, message } }, what);
    this.#leases = new OwnedLeases({
      leaseMs,
      renew: async (runs) => {
        const ids = runs.map(({ job }) => job.id);
        const kept = await queue.renew(this.#owner, ids, leaseMs);
        return new Set(runs.filter(({ job }) => kept.has(job.id)));
      },
      onLost: (run) => this.#leaseLost(run),
      onExpiring: (run) => this.#leaseLost(run),
      onError: warn('leases of jobs cannot be renewed'),
    });
    this.#loop = new Loop({
      pass: () => this.#pass(),
      goesOn: () => !this.#isDraining || this.#hasWork(),
      // Outcomes are kept until they can be written, and their leases are renewed if possible.
      onError: warn('jobs cannot be claimed or recorded'),
    });
  }

  /** Without kinds there is nothing to do, and no query is sent. */
  start(): void {
    if (this.#kinds.size === 0 || this.#loop.ended !== null) return;
    this.#stopListening = this.#parts.queue.onAdded((kind) => {
      if (this.#kinds.has(kind)) this.#loop.wake();
    });
    this.#loop.start();
  }

  /** The number of runs by kind and outcome since the start. */
  counts(): { kind: string; outcome: RunOutcome; value: number }[] {
    return [...this.#counts].flatMap(([kind, byOutcome]) =>
      [...byOutcome].map(([outcome, value]) => ({ kind, outcome, value })),
    );
  }

  /** Stops claiming, waits for running jobs, and releases those that do not end, so that others can claim them. */
  async stop(): Promise<void> {
    const { ended } = this.#loop;
    if (ended === null) return;
    const { drainMs, abortMs } = this.#settings;
    this.#stopListening();
    this.#isDraining = true;
    this.#loop.endPause();
    if (!(await endsWithin(ended, drainMs))) {
      for (const run of this.#runs.values()) run.stop();
      if (!(await endsWithin(ended, abortMs))) {
        // The handlers of these runs ignore the signal, but the process is about to exit.
        for (const run of this.#runs.values()) if (run.phase === 'running') this.#releaseUnfinished(run);
        this.#loop.endPause();
        if (!(await endsWithin(ended, maxLastWriteMs))) {
          this.#parts.logger.warn('jobs could not be released; other processes will claim them when their leases end');
        }
      }
    }
    this.#loop.stop();
    for (const run of this.#leases.all) this.#leases.release(run);
  }

  #hasWork(): boolean {
    return this.#outcomes.size > 0 || this.#runs.values().some(({ phase }) => phase === 'running');
  }

  async #pass(): Promise<Pause> {
    const { queue } = this.#parts;
    const { leaseMs, pollMs } = this.#settings;
    for (const kind of this.#toEnsure) await queue.ensureRecurring(kind);
    this.#toEnsure = [];
    const due = await queue.due(this.#slots.freeKinds().filter((kind) => this.#isClaiming(kind)));
    const wanted = this.#slots.reserve(due.filter(({ kind }) => this.#isClaiming(kind)));
    const outcomes = [...this.#outcomes.values()];
    if (outcomes.length === 0 && wanted.length === 0) {
      // What is due and has no slot starts when another run ends, which wakes the worker.
      const idleMs = Math.min(pollMs, ...due.map(({ dueInMs }) => dueInMs).filter((ms) => ms > 0));
      return { idleMs, notBefore: this.#nextWriteAt };
    }
    // Measured before the claim, so that the lease never ends earlier in the database than here.
    const startMs = performance.now();
    const { claimed, lost } = await this.#slots.use(wanted, () =>
      queue.exchange(this.#owner, outcomes, wanted, leaseMs),
    );
    const endMs = performance.now();
    this.#nextWriteAt = endMs + Math.min(Math.max((endMs - startMs) * 4, minGapMs), maxGapMs);
    for (const outcome of outcomes) this.#record(outcome, lost.includes(outcome.jobId));
    for (const job of claimed) this.#begin(job, startMs + leaseMs);
    return { idleMs: 0, notBefore: this.#nextWriteAt };
  }

  #isClaiming(kind: string): boolean {
    const { mayClaim = () => true } = this.#parts;
    return !this.#isDraining && mayClaim(this.#kinds.get(kind) as JobKind);
  }

  #record(outcome: Outcome, isLost: boolean): void {
    const { jobId } = outcome;
    // If the worker was stopped in the meantime, the outcome was replaced, and the new one is still to be written.
    if (this.#outcomes.get(jobId) === outcome) this.#outcomes.delete(jobId);
    const run = this.#runs.get(jobId);
    if (run?.phase === 'settled') this.#end(run, isLost ? 'lost' : outcome.as);
  }

  #end(run: JobRun, outcome: RunOutcome): void {
    const { job, kind } = run;
    this.#runs.delete(job.id);
    this.#leases.release(run);
    const counts = this.#counts.get(kind.name) ?? new Map<RunOutcome, number>();
    this.#counts.set(kind.name, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
    const { logger, onOutcome } = this.#parts;
    // Error messages may contain customer data, so they are stored in the row and not logged.
    const fields = { jobId: job.id, kind: kind.name, attempt: Math.min(job.attempt, job.max_attempts) };
    if (outcome === 'failed') logger.error(fields, 'job failed permanently');
    else if (outcome === 'retried') logger.warn(fields, 'job failed and will be retried');
    else if (outcome === 'lost') logger.warn(fields, 'job was claimed by another worker');
    onOutcome?.({ jobId: job.id, kind: kind.name, attempt: job.attempt }, outcome);
  }

  #begin(job: ClaimedJob, leaseEndsAt: number): void {
    const earlier = this.#runs.get(job.id);
    if (earlier !== undefined) {
      // Until its handler settles, the earlier run has a slot of its own.
      this.#slots.release(job);
      // The lease had expired without anyone else claiming it: this claim has renewed it.
      if (earlier.phase !== 'lost') this.#leases.add(earlier, leaseEndsAt);
      // The aborted handler has not settled yet, and must not run twice concurrently.
      else this.#outcomes.set(job.id, { jobId: job.id, as: 'released', delayMs: this.#settings.pollMs });
      return;
    }
    // The process was delayed after the claim: another worker may already have the job.
    if (this.#leases.isExpiring(leaseEndsAt)) {
      this.#slots.release(job);
      this.#outcomes.set(job.id, { jobId: job.id, as: 'released', delayMs: 0 });
      return;
    }
    const run = new JobRun(job, this.#kinds.get(job.kind) as JobKind);
    this.#runs.set(job.id, run);
    this.#leases.add(run, leaseEndsAt);
    void this.#run(run);
  }

  async #run(run: JobRun): Promise<void> {
    const { queue, random = Math.random } = this.#parts;
    await run.perform(queue, this.#owner);
    this.#slots.release(run.job);
    if (run.isCompleted) this.#end(run, 'succeeded');
    else if (run.phase === 'lost') this.#end(run, run.isStopped ? 'released' : 'lost');
    else {
      run.phase = 'settled';
      this.#outcomes.set(run.job.id, run.outcome(queue, random));
    }
    this.#loop.wake();
  }

  #releaseUnfinished(run: JobRun): void {
    run.phase = 'lost';
    this.#leases.release(run);
    this.#outcomes.set(run.job.id, { jobId: run.job.id, as: 'released', delayMs: 0 });
  }

  /** The outcome of a run that has settled is written if the job is still there. */
  #leaseLost(run: JobRun): void {
    if (run.phase !== 'running') return;
    this.#leases.release(run);
    run.leaseLost();
  }
}
