import { notAccepting } from '../../core/errors.ts';
import { type Excess, Thread, type ThreadProgram } from './thread.ts';

export interface ThreadLimits {
  /** How many jobs run at once in this process. */
  readonly threads: number;
  /** How many may wait for a thread; those of one workspace may be half of them. */
  readonly waiting: number;
  readonly maxWaitMs: number;
  /** How long a job may take. */
  readonly maxMs: number;
}

/** Starting a thread takes longer than most jobs, so that it is kept for a while. */
const idleMs = 60_000;

interface Waiting<JobThread> {
  readonly workspaceId: string;
  readonly start: (thread: JobThread) => void;
  readonly refuse: (error: Error) => void;
}

const shuttingDown = () => notAccepting('The service is shutting down.');

/** Threads for work that would delay requests. They start when they are needed. */
export class ThreadPool<Job, Result> {
  readonly limits: ThreadLimits;
  readonly #program: ThreadProgram;
  readonly #threads = new Set<Thread<Job, Result>>();
  readonly #idle = new Map<Thread<Job, Result>, NodeJS.Timeout>();
  readonly #waiting: Waiting<Thread<Job, Result>>[] = [];
  #isClosed = false;

  constructor(program: ThreadProgram, limits: ThreadLimits) {
    this.#program = program;
    this.limits = limits;
  }

  async perform(workspaceId: string, job: Job): Promise<Result | Excess> {
    if (this.#isClosed) throw shuttingDown();
    const thread = this.#takeThread() ?? (await this.#waitForThread(workspaceId));
    try {
      return await thread.perform(job, this.limits.maxMs);
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

  #takeThread(): Thread<Job, Result> | undefined {
    const [idle] = this.#idle.keys();
    if (idle !== undefined) {
      clearTimeout(this.#idle.get(idle));
      this.#idle.delete(idle);
      return idle;
    }
    if (this.#threads.size >= this.limits.threads) return undefined;
    const thread = new Thread<Job, Result>(this.#program, (ended) => this.#forget(ended));
    this.#threads.add(thread);
    return thread;
  }

  #waitForThread(workspaceId: string): Promise<Thread<Job, Result>> {
    const { waiting, maxWaitMs } = this.limits;
    const own = this.#waiting.filter((entry) => entry.workspaceId === workspaceId).length;
    if (this.#waiting.length >= waiting || own >= Math.ceil(waiting / 2)) throw this.#tooBusy();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(this.#tooBusy());
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

  #release(thread: Thread<Job, Result>): void {
    if (!thread.isAlive) this.#forget(thread);
    else if (!this.#startNext(thread)) {
      const timer = setTimeout(() => {
        this.#forget(thread);
        void thread.end();
      }, idleMs);
      this.#idle.set(thread, timer.unref());
    }
  }

  #tooBusy(): Error {
    return notAccepting(`Too many ${this.#program.name} are running.`);
  }

  /** A thread that ended makes room for another one. */
  #forget(thread: Thread<Job, Result>): void {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
    if (!this.#threads.delete(thread) || this.#waiting.length === 0 || this.#isClosed) return;
    const next = this.#takeThread();
    if (next !== undefined) this.#startNext(next);
  }

  #startNext(thread: Thread<Job, Result>): boolean {
    const next = this.#waiting.shift();
    next?.start(thread);
    return next !== undefined;
  }
}
