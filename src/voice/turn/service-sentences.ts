import type { ServiceSpeech, Source } from './events.ts';
import type { Speech } from './speech.ts';

/** Sentences of the service itself, and those of them that wait for the floor. */
export class ServiceSentences {
  private readonly waiting: ServiceSpeech[] = [];
  private readonly speech: Speech;

  constructor(speech: Speech) {
    this.speech = speech;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  get all(): readonly ServiceSpeech[] {
    return [...this.waiting];
  }

  queue(source: Source, text: string, isUninterruptible = false): void {
    this.queueAll([serviceSentence(source, text, isUninterruptible)]);
  }

  queueAll(sentences: readonly ServiceSpeech[]): void {
    this.waiting.push(...sentences);
  }

  say({ source, sentences }: ServiceSpeech): void {
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

export function serviceSentence(source: Source, text: string, isUninterruptible = false): ServiceSpeech {
  return { source, sentences: [{ text, isUninterruptible }] };
}
