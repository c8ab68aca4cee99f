import type { Source } from './events.ts';
import type { Sentence, Speech } from './speech.ts';

/** What the service says itself, without the engine. */
export interface Own {
  readonly source: Source;
  readonly sentences: readonly Sentence[];
}

/** Sentences of the service itself, and those of them that wait for the floor. */
export class OwnSentences {
  private readonly waiting: Own[] = [];
  private readonly speech: Speech;

  constructor(speech: Speech) {
    this.speech = speech;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  queue(source: Source, text: string, isUninterruptible = false): void {
    this.waiting.push(ownSentence(source, text, isUninterruptible));
  }

  say({ source, sentences }: Own): void {
    this.speech.sayAll(source, 0, sentences, true);
  }

  /** Says the next one, unless something else is being said. Returns whether the agent speaks. */
  sayNext(): boolean {
    if (this.speech.current !== null) return true;
    const next = this.waiting.shift();
    if (next !== undefined) this.say(next);
    return next !== undefined;
  }

  drop(): void {
    this.waiting.length = 0;
  }
}

export function ownSentence(source: Source, text: string, isUninterruptible = false): Own {
  return { source, sentences: [{ text, isUninterruptible }] };
}
