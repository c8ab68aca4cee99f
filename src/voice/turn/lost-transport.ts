import type { CommandList } from './command-list.ts';
import type { Deadlines, State, TurnPolicy } from './events.ts';
import type { IdleTimers } from './idle-timers.ts';
import type { Speech } from './speech.ts';

/** A transport that is gone and may resume. Meanwhile the speech is paused, and no timer runs but its own. */
export class LostTransport {
  stateBefore: State = 'opening';
  /** The idle timers that were set, with the time that they had left. */
  remaining: Deadlines = [];
  private readonly out: CommandList;
  private readonly policy: () => TurnPolicy;
  private readonly speech: Speech;
  private readonly idle: IdleTimers;

  constructor(out: CommandList, policy: () => TurnPolicy, speech: Speech, idle: IdleTimers) {
    this.out = out;
    this.policy = policy;
    this.speech = speech;
    this.idle = idle;
  }

  detach(state: State): void {
    this.stateBefore = state;
    this.remaining = this.idle.remainingAt(this.out.now);
    this.out.unsetTimers(...[...this.out.timers.keys()].filter((name) => name !== 'max'));
    this.speech.pause();
    this.speech.silence();
    this.speech.isConnected = false;
    this.waitForResume();
  }

  /** While a tool or a transfer runs, the call cannot be resumed in another process: the time counts from its end. */
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
    this.idle.restoreRemaining(this.remaining);
  }
}
