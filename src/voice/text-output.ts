import type { Output, OutputEvents } from './ports.ts';

/**
 * The agent's side of a chat: what is said is read at once. `onText` gets every piece as it is said, for a reply that is
 * shown while it is generated.
 */
export class TextOutput implements Output {
  private readonly events: OutputEvents;
  private readonly onText: (utterance: number, text: string) => void;
  private readonly lengths = new Map<number, number>();

  constructor(events: OutputEvents, onText: (utterance: number, text: string) => void = () => {}) {
    this.events = events;
    this.onText = onText;
  }

  say(utterance: number, { text, length }: { readonly text: string; readonly length: number }, isLast: boolean): void {
    const before = this.lengths.get(utterance);
    const heard = (before ?? 0) + length;
    this.lengths.set(utterance, heard);
    if (text !== '') this.onText(utterance, text);
    if (before === undefined) {
      this.events.sent(utterance);
      this.events.started(utterance);
    }
    this.events.progress(utterance, heard, 0);
    if (!isLast) return;
    this.lengths.delete(utterance);
    this.events.done(utterance);
  }

  /** Reading cannot be paused. */
  pause(): void {}

  resume(): void {}

  clear(utterance: number): void {
    const heard = this.lengths.get(utterance) ?? 0;
    this.lengths.delete(utterance);
    this.events.cleared(utterance, heard);
  }

  close(): void {
    this.lengths.clear();
  }
}

/** A chat has no recognizer. */
export const noInput = { flush: () => {}, close: () => {} };
