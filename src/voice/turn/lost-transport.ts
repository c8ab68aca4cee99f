import type { CommandList } from './command-list.ts';
import type { State, TurnPolicy } from './events.ts';
import { type Deadlines, isIdleTimer } from './idle-timers.ts';
import type { Speech } from './speech.ts';

/** A transport that is gone and may resume. Meanwhile the speech is paused, and no timer runs but its own. */
export class LostTransport {
  stateBefore: State = 'opening';
  /** The idle timers that were set, with the time that they had left. */
  private remaining: Deadlines = [];
  private readonly out: CommandList;
  private readonly policy: () => TurnPolicy;
  private readonly speech: Speech;

  constructor(out: CommandList, policy: () => TurnPolicy, speech: Speech) {
    this.out = out;
    this.policy = policy;
    this.speech = speech;
  }

  lose(state: State): void {
    this.stateBefore = state;
    const running = [...this.out.timers].filter(([name]) => name !== 'max');
    for (const [name] of running) this.out.unsetTimer(name);
    this.remaining = running.flatMap(([name, at]) => (isIdleTimer(name) ? [[name, at - this.out.now] as const] : []));
    this.speech.pause();
    this.speech.silence();
    this.speech.isConnected = false;
    this.waitForResume();
  }

  /** While a tool runs, the call cannot be resumed in another process: the time for it counts from the tool's end. */
  toolEnded(): void {
    this.out.isSuspended = false;
    this.waitForResume();
  }

  private waitForResume(): void {
    this.out.setTimer('lost', this.out.now + this.policy().lostMs);
    this.out.isSuspended = true;
  }

  resume(): void {
    this.out.unsetTimer('lost');
    this.out.isSuspended = false;
    this.speech.isConnected = true;
    this.speech.settle();
  }

  restoreIdleTimers(): void {
    for (const [name, ms] of this.remaining) this.out.setTimer(name, this.out.now + ms);
  }
}
