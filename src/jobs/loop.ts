import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';

/** How a loop goes on after a pass. */
export interface Pause {
  /** Until there is something to do, unless the loop is woken earlier. */
  readonly idleMs: number;
  /** The loop does nothing before this time of `performance.now()`. */
  readonly notBefore: number;
}

export interface LoopParts {
  readonly pass: () => Promise<Pause>;
  /** Whether another pass is needed. */
  readonly goesOn: () => boolean;
  /** A pass failed. It is repeated after a while, and after a longer one if it fails again. */
  readonly onError: (error: Error) => void;
}

const minPauseMs = 100;
const maxPauseMs = 5000;

/** Looks for work, one pass after the other, and sleeps while there is none. */
export class Loop {
  readonly #parts: LoopParts;
  #ended: Promise<void> | null = null;
  #isWoken = false;
  #isStopped = false;
  #sleeper: { readonly end: () => void; readonly mayBeWoken: boolean } | undefined;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  /** Null before the start. */
  get ended(): Promise<void> | null {
    return this.#ended;
  }

  start(): void {
    this.#ended ??= this.#run();
  }

  /** There may be something to do. */
  wake(): void {
    this.#isWoken = true;
    if (this.#sleeper?.mayBeWoken === true) this.#sleeper.end();
  }

  /** Ends the current pause, whatever it is for: the loop may have to end. */
  endPause(): void {
    this.#isWoken = true;
    this.#sleeper?.end();
  }

  /** Ends the loop after the current pass. */
  stop(): void {
    this.#isStopped = true;
    this.endPause();
  }

  async #run(): Promise<void> {
    let pauseMs = 0;
    while (!this.#isStopped && this.#parts.goesOn()) {
      this.#isWoken = false;
      try {
        const { idleMs, notBefore } = await this.#parts.pass();
        pauseMs = 0;
        if (!this.#isWoken) await this.#sleep(idleMs, true);
        await this.#sleep(notBefore - performance.now(), false);
      } catch (error) {
        this.#parts.onError(error as Error);
        pauseMs = Math.min(Math.max(pauseMs * 2, minPauseMs), maxPauseMs);
        await this.#sleep(pauseMs, false);
      }
      // What happens at the same time, such as the ends of several runs, is then seen by one pass.
      await nextIteration();
    }
  }

  async #sleep(ms: number, mayBeWoken: boolean): Promise<void> {
    if (!(ms > 0) || this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#sleeper = { end, mayBeWoken };
    });
    this.#sleeper = undefined;
  }
}

/** Whether the work ends within this time. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  try {
    return await Promise.race([work.then(() => true), delay(ms, false, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
  }
}
