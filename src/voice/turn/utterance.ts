import type { Source } from './events.ts';

/** One agent turn: all sentences of a reply, or a sentence of the service's own. */
export class Utterance {
  readonly number: number;
  readonly source: Source;
  /** The reply it belongs to; 0 for sentences that the service says itself. */
  readonly turn: number;
  text = '';
  /** Characters that were heard, as last reported. */
  heard = 0;
  /** Audio that was there and not heard, as last reported. */
  remainingMs = Number.POSITIVE_INFINITY;
  isComplete = false;
  /** Its first audio was handed to the transport. */
  isSent = false;
  isPlaying = false;
  isPaused = false;
  /** It was heard, and its end was reported. */
  isSilenced = false;
  private readonly sentences: { readonly start: number; readonly isUninterruptible: boolean }[] = [];

  constructor(number: number, source: Source, turn: number) {
    this.number = number;
    this.source = source;
    this.turn = turn;
  }

  add(text: string, isUninterruptible: boolean): void {
    this.sentences.push({ start: this.text.length, isUninterruptible });
    this.text += text;
  }

  /** Whether the sentence that is being heard must not be interrupted. */
  get isUninterruptible(): boolean {
    return this.sentenceAt(this.heard)?.isUninterruptible === true;
  }

  /** What is left to say, from the start of the sentence that was cut. */
  get rest(): { readonly text: string; readonly isUninterruptible: boolean }[] {
    return this.sentences.flatMap(({ start, isUninterruptible }, index) => {
      const end = this.sentences[index + 1]?.start ?? this.text.length;
      return end > this.heard ? [{ text: this.text.slice(start, end), isUninterruptible }] : [];
    });
  }

  private sentenceAt(position: number) {
    let found = this.sentences[0];
    for (const sentence of this.sentences) if (sentence.start <= position) found = sentence;
    return found;
  }
}
