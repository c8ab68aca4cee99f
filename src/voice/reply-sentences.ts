import type { Clock } from './clock.ts';
import { createSentenceSplitter, type SentenceSplitter } from './text/sentences.ts';

/** A sentence is said if nothing follows it for this long: only the start of the next one would show that it is over. */
const sentencePauseMs = 300;
/** The same for words without a full stop, such as “one moment” from a server that then looks something up. */
const wordsPauseMs = 1000;

/**
 * The text of a reply on its way to the voice, in sentences. What is complete is not held back while the text pauses:
 * the caller would hear it only when the reply goes on, or ends.
 */
export class ReplySentences {
  private readonly splitter: SentenceSplitter;
  private readonly clock: Clock | null;
  private readonly send: (sentence: string, isUninterruptible: boolean) => void;
  private cancelPause: () => void = () => {};

  /** Without a clock, pauses do not matter: a chat is read, and not heard. */
  constructor(language: string, clock: Clock | null, send: (sentence: string, isUninterruptible: boolean) => void) {
    this.splitter = createSentenceSplitter(language);
    this.clock = clock;
    this.send = send;
  }

  add(text: string, isUninterruptible: boolean): void {
    this.stop();
    if (isUninterruptible) this.flush();
    this.sendAll(this.splitter.push(text), isUninterruptible);
    if (isUninterruptible) this.sendAll(this.splitter.end(), true);
    else this.awaitPause();
  }

  /** The reply is over, or pauses for a tool. */
  flush(): void {
    this.stop();
    this.sendAll(this.splitter.end(), false);
  }

  /** Nobody wants the rest. */
  stop(): void {
    this.cancelPause();
  }

  private awaitPause(): void {
    const pending = this.splitter.pending();
    if (this.clock === null || pending === 'nothing') return;
    this.cancelPause = this.clock.after(pending === 'sentence' ? sentencePauseMs : wordsPauseMs, () => this.flush());
  }

  private sendAll(sentences: readonly string[], isUninterruptible: boolean): void {
    if (sentences.length === 0) return;
    // Read at once: a text of thousands of sentences would take milliseconds of the turn machine.
    if (this.clock === null) this.send(sentences.join(''), isUninterruptible);
    else for (const sentence of sentences) this.send(sentence, isUninterruptible);
  }
}
