import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../storage/database.ts';
import type { DueSources } from './due-sources.ts';
import type { Leases } from './leases.ts';
import { endsWithin, Loop, type Pause } from './loop.ts';
import { OwnedLeases } from './owned-leases.ts';
import { type Share, type Source, type SourceLimits, SourceSlots } from './source-slots.ts';

export interface RunnerSettings {
  readonly leaseMs: number;
  /** How often to look for work of other processes, and for what has become due. */
  readonly pollMs: number;
  /** How long runs in progress may take when the service stops. */
  readonly drainMs: number;
  /** Runs per second, for a source that fails again and again. */
  readonly failingPerSecond: number;
  /** Runs at the same time: of this process, and for each source by all processes together. */
  readonly inFlight: SourceLimits;
}

/** The options of a claim. */
export interface SourceClaim {
  readonly owner: string;
  readonly leaseMs: number;
  readonly limit: number;
}

/** Claimed work that this process runs. */
export interface Run<Work> {
  readonly source: Source;
  readonly work: Work;
  /** Aborted when the lease is lost, and when the service stops. */
  readonly signal: AbortSignal;
  readonly isStopping: () => boolean;
}

export interface RunnerParts<Work> {
  readonly database: Database;
  /** The leases of the table that has the work. */
  readonly leases: Leases;
  readonly due: DueSources;
  /**
   * Claims due work of a source, in a transaction that holds the source, so that its limit is for all processes. `busy`:
   * another process holds it.
   */
  readonly claim: (source: Source, claim: SourceClaim) => Promise<'busy' | readonly Work[]>;
  /**
   * Does the work and records its outcome. Resolves to null if it was aborted before it had any. Never rejects. `lost`:
   * another process has the work. What is neither `succeeded` nor `lost` counts as a failure of the source.
   */
  readonly run: (run: Run<Work>) => Promise<string | null>;
  readonly logger: Logger;
  readonly mayClaim: () => boolean;
  readonly settings: RunnerSettings;
}

interface ActiveRun<Work> {
  readonly source: Source;
  readonly work: Work;
  readonly controller: AbortController;
  isLost: boolean;
}

/** After so many failures in a row, a source gets few runs per second, so that its backlog costs little. */
const failuresToSlowDown = 20;
/** On SQLite the claims of a pass share a commit; on PostgreSQL they leave connections for requests. */
const concurrentClaims = { sqlite: 100, postgres: 4 };
/**
 * From the start of a pass that has claimed something to the next one. What ends meanwhile is claimed for together: in
 * a backlog, that halves the number of commits.
 */
const minPassMs = 10;

/**
 * Runs the work of sources, such as the deliveries of webhooks. One loop claims what is due, source by source; each run
 * then goes on by itself, outside of any transaction, under a lease. Workspaces get slots in turn, and so do the sources
 * of a workspace, each with a limit, so that a slow one delays only itself. For work whose outcomes can be recorded with
 * the next claims, in one transaction, there are jobs.
 */
export class Runner<Work extends { readonly id: string }> {
  readonly #parts: RunnerParts<Work>;
  /** Unique per process, so that a lease belongs to one of them. */
  readonly owner = randomUUID();
  readonly #slots: SourceSlots;
  readonly #loop: Loop;
  readonly #leases: OwnedLeases<ActiveRun<Work>>;
  /** By the id of the work. */
  readonly #active = new Map<string, ActiveRun<Work>>();
  readonly #running = new Set<Promise<void>>();
  readonly #counts = new Map<string, number>();
  /** How often sources have failed since their last success, and from when on they may be claimed. */
  readonly #failing = new Map<string, { readonly failures: number; readonly fromMs: number }>();
  #isStopping = false;
  /** Not all sources with something to do have been looked at. */
  #isListing = false;
  /** Something was added since the listing began: it may be of a source that was already looked at. */
  #isAdded = false;

  constructor(parts: RunnerParts<Work>) {
    this.#parts = parts;
    const { leases, logger, settings } = parts;
    const { name } = leases.table;
    const warn =
      (what: string) =>
      ({ name: type, message }: Error): void =>
        logger.warn({ err: { type, message } }, what);
    this.#slots = new SourceSlots(settings.inFlight);
    this.#loop = new Loop({
      pass: () => this.#pass(),
      goesOn: () => !this.#isStopping,
      onError: warn(`${name} cannot be claimed`),
    });
    this.#leases = new OwnedLeases({
      leaseMs: settings.leaseMs,
      renew: async (runs) => {
        const ids = runs.map(({ work }) => work.id);
        const kept = await leases.renew(this.owner, ids, settings.leaseMs);
        return new Set(runs.filter(({ work }) => kept.has(work.id)));
      },
      onLost: (run) => {
        run.isLost = true;
        run.controller.abort();
      },
      onError: warn(`leases of ${name} cannot be renewed`),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Something may be due: after the commit that has added it in this process. */
  wake(): void {
    this.#isAdded = true;
    this.#loop.wake();
  }

  /** Stops claiming, waits for runs in progress, and releases those that do not end, so that others continue them. */
  async stop(): Promise<void> {
    if (this.#loop.ended === null) return;
    this.#isStopping = true;
    this.#loop.stop();
    await this.#loop.ended;
    await endsWithin(Promise.all(this.#running), this.#parts.settings.drainMs);
    for (const { controller } of this.#active.values()) controller.abort();
    await Promise.all(this.#running);
  }

  /** The number of runs by outcome since the start. */
  counts(): { readonly outcome: string; readonly value: number }[] {
    return [...this.#counts].map(([outcome, value]) => ({ outcome, value }));
  }

  async #pass(): Promise<Pause> {
    const { mayClaim, settings } = this.#parts;
    if (!this.#isListing) this.#isAdded = false;
    const startMs = performance.now();
    const mayHaveMore = mayClaim() && (await this.#claimDue());
    if (mayHaveMore) return { idleMs: 0, notBefore: startMs + minPassMs };
    // Within a listing, that goes on as soon as there are slots.
    return { idleMs: this.#isAdded && !this.#isListing ? 0 : settings.pollMs, notBefore: startMs };
  }

  /** Claims and starts what is due. Resolves to true if there may be more soon. */
  async #claimDue(): Promise<boolean> {
    // A run that ends wakes the loop.
    if (this.#slots.free === 0) return false;
    const { due, hasMore } = await this.#parts.due.list();
    this.#isListing = hasMore;
    const shares = this.#slots.reserve(due.filter(({ id }) => !this.#isSlowedDown(id)));
    let mayHaveMore = hasMore;
    const queue = shares[Symbol.iterator]();
    const claimSome = async (): Promise<void> => {
      for (const share of queue) if (await this.#claim(share)) mayHaveMore = true;
    };
    const concurrent = concurrentClaims[this.#parts.database.dialect.engine];
    const claims = Array.from({ length: Math.min(concurrent, shares.length) }, claimSome);
    // All of them stop if one fails: the next pass, and the end of the runner, rely on it.
    const failed = (await Promise.allSettled(claims)).find(({ status }) => status === 'rejected');
    for (const { source, limit } of queue) this.#slots.release(source, limit);
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    return mayHaveMore;
  }

  /** Claims work for reserved slots, and starts it. Resolves to true if there may be more soon. */
  async #claim({ source, limit }: Share): Promise<boolean> {
    let begun = 0;
    try {
      if (this.#isStopping) return false;
      const { leaseMs } = this.#parts.settings;
      const endsAt = performance.now() + leaseMs;
      const claimed = await this.#parts.claim(source, { owner: this.owner, leaseMs, limit });
      if (claimed === 'busy') return true;
      this.#noteClaim(source.id, claimed.length);
      for (const work of claimed) {
        const active = this.#active.get(work.id);
        // The process had stalled, and its own lease ended before anyone else claimed it: the run goes on.
        if (active !== undefined) this.#leases.add(active, endsAt);
        else {
          this.#begin(source, work, endsAt);
          begun += 1;
        }
      }
      return claimed.length > 0;
    } finally {
      this.#slots.release(source, limit - begun);
    }
  }

  /** Starts a run, which keeps its slot until its outcome is recorded. */
  #begin(source: Source, work: Work, endsAt: number): void {
    const active: ActiveRun<Work> = { source, work, controller: new AbortController(), isLost: false };
    this.#active.set(work.id, active);
    this.#leases.add(active, endsAt);
    const running = this.#run(active)
      .then((outcome) => this.#countOutcome(source.id, outcome))
      .finally(() => {
        this.#active.delete(work.id);
        this.#leases.release(active);
        this.#running.delete(running);
        this.#slots.release(source);
        this.wake();
      });
    this.#running.add(running);
  }

  async #run(active: ActiveRun<Work>): Promise<string> {
    const { database, leases, run, logger } = this.#parts;
    const { source, work, controller } = active;
    const isStopping = (): boolean => this.#isStopping;
    const outcome = await run({ source, work, signal: controller.signal, isStopping });
    if (outcome !== null) return outcome;
    if (active.isLost) return 'lost';
    try {
      await database.transaction((queries) => leases.release(queries, this.owner, [work.id], 0));
      return 'released';
    } catch (error) {
      // The lease ends, and another process does the work.
      const { name, message } = error as Error;
      logger.warn({ id: work.id, err: { type: name, message } }, `${leases.table.name} cannot be released`);
      return 'lost';
    }
  }

  #isSlowedDown(sourceId: string): boolean {
    return performance.now() < (this.#failing.get(sourceId)?.fromMs ?? 0);
  }

  #noteClaim(sourceId: string, count: number): void {
    const { failures } = this.#failing.get(sourceId) ?? { failures: 0 };
    if (failures < failuresToSlowDown) return;
    const pauseMs = (count * 1000) / this.#parts.settings.failingPerSecond;
    this.#failing.set(sourceId, { failures, fromMs: performance.now() + pauseMs });
  }

  #countOutcome(sourceId: string, outcome: string): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    if (outcome === 'succeeded') this.#failing.delete(sourceId);
    if (outcome === 'succeeded' || outcome === 'lost' || outcome === 'released') return;
    const { failures, fromMs } = this.#failing.get(sourceId) ?? { failures: 0, fromMs: 0 };
    this.#failing.set(sourceId, { failures: failures + 1, fromMs });
  }
}
