import type { Command, TurnEvent } from '../turn/events.ts';

/** Shorter speech says nothing about how fast somebody speaks. */
const minSpeechMs = 500;
/** More than any agent looks back. */
const maxTurns = 10;

/** How fast the caller speaks, in characters per second of speech, turn by turn. */
export class CallerRates {
  private readonly rated: number[];
  /** The rate of the turn that is being answered: it is committed when the answer is heard. */
  private answered: number | null = null;
  private soundStart: number | null = null;
  private speechMs = 0;

  /** `earlier`: those of the session before. */
  constructor(earlier: readonly number[] = []) {
    this.rated = [...earlier];
  }

  get rates(): readonly number[] {
    return this.answered === null ? this.rated : [...this.rated, this.answered];
  }

  /** The rates of the turns that are in the transcript. */
  get committed(): readonly number[] {
    return [...this.rated];
  }

  observe(event: TurnEvent, commands: readonly Command[]): void {
    if (event.type === 'vad.start') this.soundStart ??= event.since;
    if (event.type === 'vad.end' && this.soundStart !== null) {
      this.speechMs += Math.max(0, event.since - this.soundStart);
      this.soundStart = null;
    }
    for (const command of commands) {
      if (command.type === 'reply.request' && command.words !== '') this.answered = this.rateOf(command.words);
      else if (command.type === 'commit' && command.role === 'caller') this.commit(command.text);
    }
  }

  private rateOf(words: string): number | null {
    return this.speechMs < minSpeechMs ? null : (words.length * 1000) / this.speechMs;
  }

  private commit(words: string): void {
    const rate = this.rateOf(words);
    this.answered = null;
    this.speechMs = 0;
    if (rate === null) return;
    this.rated.push(rate);
    if (this.rated.length > maxTurns) this.rated.shift();
  }
}
