import { decodeMulaw } from '../audio/g711.ts';
import type { Clock } from '../clock.ts';

export interface LineFrame {
  /** Counts the frames of the caller from 1. */
  readonly chunk: number;
  /** Where it starts, from the start of the stream. */
  readonly timestampMs: number;
  readonly codes: Buffer;
}

interface InputParts {
  readonly clock: Clock;
  readonly audio: (samples: Int16Array) => void;
}

const samplesPerMs = 8;
/** How long a missing frame is waited for. */
const orderMs = 100;
const maxGapMs = 60;
/** Longer gaps are shortened to this, which limits what the listener has to process at once. */
const maxSilenceMs = 10_000;

/** The caller's audio in the order in which it was spoken, without gaps. */
export class LineInput {
  readonly #parts: InputParts;
  #nextChunk = 1;
  /** Where the next frame should start; null before the first. */
  #expectedMs: number | null = null;
  /** Frames whose predecessors are missing, in order. */
  #early: LineFrame[] = [];
  #cancelWait: (() => void) | null = null;

  constructor(parts: InputParts) {
    this.#parts = parts;
  }

  add(frame: LineFrame): void {
    if (frame.chunk < this.#nextChunk) return;
    if (frame.chunk === this.#nextChunk) {
      this.#deliver(frame);
      if (this.#early.length > 0) this.#deliverEarly();
      return;
    }
    this.#keep(frame);
  }

  close(): void {
    this.#cancelWait?.();
    this.#early = [];
  }

  #keep(frame: LineFrame): void {
    const later = this.#early.findIndex(({ chunk }) => chunk >= frame.chunk);
    if (this.#early[later]?.chunk === frame.chunk) return;
    this.#early.splice(later === -1 ? this.#early.length : later, 0, frame);
    const keptMs = this.#early.reduce((sum, { codes }) => sum + codes.length, 0) / samplesPerMs;
    if (keptMs >= orderMs) this.#skip();
    else this.#cancelWait ??= this.#parts.clock.after(orderMs, () => this.#skip());
  }

  /** The missing frames will not come any more. */
  #skip(): void {
    this.#nextChunk = this.#early[0]?.chunk ?? this.#nextChunk;
    this.#deliverEarly();
  }

  #deliverEarly(): void {
    while (this.#early[0]?.chunk === this.#nextChunk) this.#deliver(this.#early.shift() as LineFrame);
    this.#cancelWait?.();
    this.#cancelWait = this.#early.length === 0 ? null : this.#parts.clock.after(orderMs, () => this.#skip());
  }

  #deliver({ chunk, timestampMs, codes }: LineFrame): void {
    this.#nextChunk = chunk + 1;
    const gapMs = this.#expectedMs === null ? 0 : timestampMs - this.#expectedMs;
    this.#expectedMs = timestampMs + codes.length / samplesPerMs;
    if (gapMs > maxGapMs) {
      this.#parts.audio(new Int16Array(Math.round(Math.min(gapMs, maxSilenceMs) * samplesPerMs)));
    }
    this.#parts.audio(decodeMulaw(codes));
  }
}
