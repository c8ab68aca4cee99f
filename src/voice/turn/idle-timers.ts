import type { CommandList } from './command-list.ts';
import type { Deadlines, TimerName, TurnPolicy } from './events.ts';

const names: readonly TimerName[] = ['begin', 'reminder', 'silence'];

/** Rule 2: what happens if nobody speaks. Any activity suspends these timers. */
export class IdleTimers {
  /** Reminders since the caller was last active. */
  reminders: number;
  private readonly out: CommandList;
  private readonly policy: () => TurnPolicy;

  constructor(out: CommandList, policy: () => TurnPolicy, reminders: number) {
    this.out = out;
    this.policy = policy;
    this.reminders = reminders;
  }

  /** The silence goes on through a reminder, so its timer may be set already. */
  start(waitMs: number): void {
    const { reminderMs, reminderMax, silenceMs } = this.policy();
    if (this.reminders < reminderMax) this.out.setTimer('reminder', this.out.now + waitMs + reminderMs);
    if (!this.out.hasTimer('silence')) this.out.setTimer('silence', this.out.now + waitMs + silenceMs);
  }

  /** Returns when they would have fired. */
  suspend(): Deadlines {
    const deadlines: (readonly [TimerName, number])[] = [];
    for (const name of names) {
      const at = this.out.deadline(name);
      if (at === undefined) continue;
      deadlines.push([name, at]);
      this.out.unsetTimer(name);
    }
    return deadlines;
  }

  /** How long each of them has left. */
  remainingAt(now: number): Deadlines {
    return [...this.out.timers].flatMap(([name, at]) => (names.includes(name) ? [[name, at - now] as const] : []));
  }

  restoreRemaining(remaining: Deadlines): void {
    for (const [name, ms] of remaining) this.out.setTimer(name, this.out.now + ms);
  }

  restore(deadlines: Deadlines): void {
    for (const [name, at] of deadlines) this.out.setTimer(name, at);
  }

  countReminder(): void {
    this.reminders += 1;
  }

  /** The caller is there. */
  allowReminders(): void {
    this.reminders = 0;
  }
}
