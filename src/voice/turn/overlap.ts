import type { CommandList } from './command-list.ts';
import type { TurnPolicy } from './events.ts';
import type { Listening } from './listening.ts';
import type { Speech } from './speech.ts';

/** What the caller says while the agent speaks: an interruption, or not. */
export class Overlap {
  /** Words of an earlier overlap that did not take the floor do not count for the next. */
  private wordsFrom = 0;
  private readonly out: CommandList;
  private readonly policy: () => TurnPolicy;
  private readonly speech: Speech;
  private readonly listening: Listening;

  constructor(out: CommandList, policy: () => TurnPolicy, speech: Speech, listening: Listening) {
    this.out = out;
    this.policy = policy;
    this.speech = speech;
    this.listening = listening;
  }

  begin(since: number): void {
    const { listening } = this;
    let before = listening.turn !== null && listening.turn.startedAt < since ? listening.turn : null;
    // An acknowledgment alone was not meant to take the floor: it is dropped when the caller goes on.
    if (before !== null && listening.isAcknowledgment(before.words)) {
      listening.turn = null;
      before = null;
    }
    this.wordsFrom = before?.finalLength ?? 0;
    this.out.setTimer('bargeIn', Math.max(this.out.now, since + this.policy().bargeInMs));
  }

  /** The agent is paused until it is clear whether words follow. */
  hold(): void {
    this.speech.pause();
    this.out.setTimer('hold', this.out.now + this.policy().holdMs);
  }

  /** Another sound while the agent is paused. */
  holdLonger(): void {
    this.out.unsetTimer('falseInterruption');
    this.out.setTimer('hold', this.out.now + this.policy().holdMs);
  }

  /** The sound ended while the agent is paused. Words may still follow, unless it is rejected. */
  judgeSilence(since: number): 'rejected' | 'undecided' {
    // Detectors report the end of a sound late: what was too short to count may have paused the agent already.
    const wasTooShort = since - this.listening.soundSince < this.policy().bargeInMs;
    if (wasTooShort || this.listening.isAcknowledgment(this.words)) return 'rejected';
    this.out.unsetTimer('hold');
    this.out.setTimer('falseInterruption', this.out.now + this.policy().falseInterruptionMs);
    return 'undecided';
  }

  judgeWords(): 'accepted' | 'rejected' | 'undecided' {
    const { words } = this;
    if (words === '') return 'undecided';
    if (this.listening.isAcknowledgment(words)) return this.listening.isSounding ? 'undecided' : 'rejected';
    const { bargeInWords, echoMs, language } = this.policy();
    const isEarly = this.out.now - (this.speech.firstPlayedAt ?? 0) < echoMs;
    return language.countWords(words) >= Math.max(1, bargeInWords, isEarly ? 2 : 0) ? 'accepted' : 'undecided';
  }

  /** Rules 5 and 6: only now is anything cleared. */
  accept(): void {
    this.stop();
    this.out.emit({ type: 'agent_interrupted' });
    this.speech.clear(true);
  }

  reject(): void {
    this.stop();
    if (this.speech.current?.isPaused) this.out.emit({ type: 'false_interruption' });
    this.speech.resume();
  }

  stop(): void {
    this.out.unsetTimers('hold', 'falseInterruption', 'bargeIn');
  }

  private get words(): string {
    return this.listening.words.slice(this.wordsFrom).trim();
  }
}
