import type { Clock } from '../../clock.ts';

const everyMs = 2000;
const timeoutMs = 5000;

/** Asks a server whether it is still there, as long as it wants to be asked. */
export class Pings {
  private readonly clock: Clock;
  private readonly events: { send(): void; missed(): void };
  private isRunning = false;
  private cancelPing: () => void = () => {};
  private cancelTimeout: () => void = () => {};

  constructor(clock: Clock, events: { send(): void; missed(): void }) {
    this.clock = clock;
    this.events = events;
  }

  start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.answered();
    this.ping();
  }

  stop(): void {
    this.isRunning = false;
    this.cancelPing();
    this.cancelTimeout();
  }

  answered(): void {
    if (!this.isRunning) return;
    this.cancelTimeout();
    this.cancelTimeout = this.clock.after(timeoutMs, () => this.events.missed());
  }

  private ping(): void {
    this.events.send();
    this.cancelPing = this.clock.after(everyMs, () => this.ping());
  }
}
