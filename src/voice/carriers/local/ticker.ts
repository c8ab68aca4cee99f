import type { Clock } from '../../clock.ts';
import { frameMs } from './mulaw.ts';

export interface TickerMember {
  /** First every member says what it says in this frame, */
  collect(): void;
  /** then every member hears it. */
  deliver(): void;
}

/** After a longer stall of the process, the frames before are skipped. */
const maxFramesBehind = 250;

/** One timer of 20 ms for the audio of all calls. Late timers are made up for, so the audio keeps the pace of the clock. */
export class Ticker {
  readonly #clock: Clock;
  readonly #members = new Set<TickerMember>();
  #nextAt = 0;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(member: TickerMember): void {
    this.#members.add(member);
    if (this.#cancel !== null) return;
    this.#nextAt = this.#clock.now() + frameMs;
    this.#schedule();
  }

  remove(member: TickerMember): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    this.#cancel?.();
    this.#cancel = null;
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(this.#nextAt - this.#clock.now(), () => this.#run());
  }

  #run(): void {
    const now = this.#clock.now();
    this.#nextAt = Math.max(this.#nextAt, now - maxFramesBehind * frameMs);
    while (this.#nextAt <= now && this.#members.size > 0) {
      this.#nextAt += frameMs;
      const members = [...this.#members];
      for (const member of members) member.collect();
      for (const member of members) member.deliver();
    }
    if (this.#members.size > 0) this.#schedule();
    else this.#cancel = null;
  }
}
