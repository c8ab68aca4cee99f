import { monitorEventLoopDelay } from 'node:perf_hooks';

const samplingMs = 20;
const windowMs = 10_000;
/** Above this, audio frames would leave late enough to be heard. */
const maxDelayMs = 50;

type Monitor = (options: { resolution: number }) => {
  enable(): unknown;
  disable(): unknown;
  reset(): void;
  /** In nanoseconds. */
  percentile(percent: number): number;
};

/** Whether the event loop is too busy for another voice call. */
export class LoopDelay {
  readonly #monitor: Monitor;
  #histogram: ReturnType<Monitor> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #delayMs = 0;

  /** `monitor` is replaced in tests. */
  constructor(monitor: Monitor = monitorEventLoopDelay) {
    this.#monitor = monitor;
  }

  /** Measures only while there are voice calls, because the samples themselves take time. */
  observe(hasCalls: boolean): void {
    if (hasCalls && this.#histogram === null) {
      this.#histogram = this.#monitor({ resolution: samplingMs });
      this.#histogram.enable();
      this.#timer = setInterval(() => this.#take(), windowMs).unref();
    } else if (!hasCalls) this.stop();
  }

  get isBusy(): boolean {
    return this.#delayMs > maxDelayMs;
  }

  stop(): void {
    this.#histogram?.disable();
    this.#histogram = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#delayMs = 0;
  }

  #take(): void {
    if (this.#histogram === null) return;
    this.#delayMs = this.#histogram.percentile(99) / 1e6 - samplingMs;
    this.#histogram.reset();
  }
}
