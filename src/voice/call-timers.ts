import type { Clock } from './clock.ts';
import type { TimerName } from './turn/events.ts';

interface RunningTimer {
  at: number;
  /** When the clock calls, which may be before `at`. */
  readonly firesAt: number;
  readonly cancel: () => void;
}

/** The timers of a call on its clock. */
export class CallTimers {
  private readonly running = new Map<TimerName, RunningTimer>();
  private readonly clock: Clock;
  private readonly onTimer: (name: TimerName, dueAt: number) => void;

  /** On a busy event loop, a timer fires later than `dueAt`. */
  constructor(clock: Clock, onTimer: (name: TimerName, dueAt: number) => void) {
    this.clock = clock;
    this.onTimer = onTimer;
  }

  /** Most timers are only ever moved later, as speech goes on: then the clock is asked again when the old time comes. */
  set(name: TimerName, at: number): void {
    const running = this.running.get(name);
    if (running !== undefined && running.firesAt <= at) running.at = at;
    else this.start(name, at);
  }

  unset(name: TimerName): void {
    this.running.get(name)?.cancel();
    this.running.delete(name);
  }

  unsetAll(): void {
    for (const name of [...this.running.keys()]) this.unset(name);
  }

  private start(name: TimerName, at: number): void {
    this.unset(name);
    // Sound is reported late: what counts from its end may be due already.
    const cancel = this.clock.after(Math.max(0, at - this.clock.now()), () => {
      this.running.delete(name);
      if (timer.at > at) this.start(name, timer.at);
      else this.onTimer(name, at);
    });
    const timer: RunningTimer = { at, firesAt: at, cancel };
    this.running.set(name, timer);
  }
}
