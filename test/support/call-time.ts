import { type Clock, VirtualClock } from '../../src/voice/clock.ts';

const minStepMs = 10;
/** Each step costs processor time, so that those of a fast time are longer. */
const realStepMs = 5;
/** In this many, what was sent over a socket of this process has arrived, and so has the response. */
const turnsPerStep = 4;

/**
 * The time of the calls of a service in this process. It passes in small steps, each after what was sent in the one
 * before has arrived, and never faster than real time: a call takes longer on a busy machine, but is the same call.
 */
export class CallTime implements Clock {
  /** Above 1, it passes faster than real time: for long timeouts. */
  speed: number;
  readonly #clock = new VirtualClock();
  #waiting = 0;
  #holds = 0;
  #isPassing = false;

  constructor({ speed = 1 }: { readonly speed?: number } = {}) {
    this.speed = speed;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, run: () => void): () => void {
    let isWaiting = true;
    const settle = () => {
      if (isWaiting) this.#waiting -= 1;
      isWaiting = false;
    };
    this.#waiting += 1;
    const cancel = this.#clock.after(ms, () => {
      settle();
      run();
    });
    if (!this.#isPassing) void this.#pass();
    return () => {
      settle();
      cancel();
    };
  }

  /** It stands still until what is returned is called. */
  hold(): () => void {
    let isHeld = true;
    this.#holds += 1;
    return () => {
      if (isHeld) this.#holds -= 1;
      isHeld = false;
    };
  }

  /** For as long as something waits for it. */
  async #pass(): Promise<void> {
    this.#isPassing = true;
    let due = performance.now();
    while (this.#waiting > 0) {
      for (let turn = 0; turn < turnsPerStep; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const stepMs = Math.max(minStepMs, realStepMs * this.speed);
      if (this.#holds === 0) this.#clock.advance(stepMs);
      // A step that was late is not made up for.
      due = Math.max(due + stepMs / this.speed, performance.now());
      const leftMs = Math.max(0, due - performance.now());
      await new Promise((resolve) => setTimeout(resolve, leftMs));
    }
    this.#isPassing = false;
  }
}
