import { notAccepting } from '../../core/errors.ts';
import type { JobResult, SimulationJob } from './job.ts';
import { type Excess, SimulationThread } from './thread.ts';

export interface SimulationLimits {
  /** How many simulations run at once in this process. */
  readonly threads: number;
  /** How many may wait for a thread; those of one workspace may be half of them. */
  readonly waiting: number;
  readonly maxWaitMs: number;
  /** How long all runs of a simulation may take together. */
  readonly maxMs: number;
}

export const defaultSimulationLimits: SimulationLimits = { threads: 2, waiting: 8, maxWaitMs: 5000, maxMs: 5000 };

/** Starting a thread takes longer than most simulations, so that it is kept for a while. */
const idleMs = 60_000;

interface Waiting {
  readonly workspaceId: string;
  readonly start: (thread: SimulationThread) => void;
  readonly refuse: (error: Error) => void;
}

const tooBusy = () => notAccepting('Too many simulations are running.');
const shuttingDown = () => notAccepting('The service is shutting down.');

/** The threads that simulations run in, so that they do not delay requests. They start when they are needed. */
export class ThreadPool {
  readonly limits: SimulationLimits;
  readonly #threads = new Set<SimulationThread>();
  readonly #idle = new Map<SimulationThread, NodeJS.Timeout>();
  readonly #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(limits: SimulationLimits) {
    this.limits = limits;
  }

  async perform(workspaceId: string, job: Omit<SimulationJob, 'maxMs'>): Promise<JobResult | Excess> {
    if (this.#isClosed) throw shuttingDown();
    const thread = this.#takeThread() ?? (await this.#waitForThread(workspaceId));
    try {
      return await thread.perform({ ...job, maxMs: this.limits.maxMs });
    } finally {
      this.#release(thread);
    }
  }

  /** Runs after the last request: what still runs has no client any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    for (const { refuse } of this.#waiting.splice(0)) refuse(shuttingDown());
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #takeThread(): SimulationThread | undefined {
    const [idle] = this.#idle.keys();
    if (idle !== undefined) {
      clearTimeout(this.#idle.get(idle));
      this.#idle.delete(idle);
      return idle;
    }
    if (this.#threads.size >= this.limits.threads) return undefined;
    const thread = new SimulationThread((ended) => this.#forget(ended));
    this.#threads.add(thread);
    return thread;
  }

  #waitForThread(workspaceId: string): Promise<SimulationThread> {
    const { waiting, maxWaitMs } = this.limits;
    const own = this.#waiting.filter((entry) => entry.workspaceId === workspaceId).length;
    if (this.#waiting.length >= waiting || own >= Math.ceil(waiting / 2)) throw tooBusy();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(tooBusy());
      }, maxWaitMs);
      const settle =
        <Value>(act: (value: Value) => void) =>
        (value: Value): void => {
          clearTimeout(timer);
          act(value);
        };
      const entry = { workspaceId, start: settle(resolve), refuse: settle(reject) };
      this.#waiting.push(entry);
    });
  }

  #release(thread: SimulationThread): void {
    if (!thread.isAlive) this.#forget(thread);
    else if (!this.#startNext(thread)) {
      const timer = setTimeout(() => {
        this.#forget(thread);
        void thread.end();
      }, idleMs);
      this.#idle.set(thread, timer.unref());
    }
  }

  /** A thread that ended makes room for another one. */
  #forget(thread: SimulationThread): void {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
    if (!this.#threads.delete(thread) || this.#waiting.length === 0 || this.#isClosed) return;
    const next = this.#takeThread();
    if (next !== undefined) this.#startNext(next);
  }

  #startNext(thread: SimulationThread): boolean {
    const next = this.#waiting.shift();
    next?.start(thread);
    return next !== undefined;
  }
}
