import { level } from '../audio/level.ts';

/** −54 dB: quieter is the noise of a room, and no speech that a recognizer understands. */
const openLevel = 0.002;
/** Speech has pauses, and recognizers need some silence after a word. */
const closeMs = 1500;
/** The quiet start of a word. */
const beforeMs = 300;

type WritePiece = (piece: Int16Array, samplesAgo: number, isContinued: boolean) => void;

/** Withholds silence from a recognizer, which is paid for or computed by the second. */
export class EnergyGate {
  private readonly closeSamples: number;
  private quiet: number;
  /**
   * What was withheld last, in a ring. Copied, because frames that were kept one by one filled the old generation: with
   * 400 calls, the garbage collector stopped all of them for more than 100 ms every few seconds.
   */
  private readonly before: Int16Array;
  private beforeLength = 0;
  private beforeEnd = 0;
  private hasDropped = false;

  constructor(rate: number) {
    this.closeSamples = (closeMs * rate) / 1000;
    this.before = new Int16Array((beforeMs * rate) / 1000);
    this.quiet = this.closeSamples;
  }

  get isOpen(): boolean {
    return this.quiet < this.closeSamples;
  }

  /**
   * Writes what the recognizer gets now: nothing, the samples, or these with what was withheld just before. `samplesAgo`:
   * where a piece starts, counted from the end of these samples. `isContinued`: nothing is missing before it.
   */
  pass(samples: Int16Array, isSpeech: boolean, write: WritePiece): void {
    if (isSpeech || level(samples) >= openLevel) {
      this.release(samples.length, write);
      this.quiet = 0;
    } else this.quiet += samples.length;
    if (this.isOpen) this.write(samples, samples.length, write);
    else this.withhold(samples);
  }

  private write(piece: Int16Array, samplesAgo: number, write: WritePiece): void {
    write(piece, samplesAgo, !this.hasDropped);
    this.hasDropped = false;
  }

  private release(after: number, write: WritePiece): void {
    const { before, beforeLength, beforeEnd } = this;
    if (beforeLength === 0) return;
    const piece = new Int16Array(beforeLength);
    const wrapped = Math.max(0, beforeLength - beforeEnd);
    piece.set(before.subarray(before.length - wrapped));
    piece.set(before.subarray(beforeEnd - (beforeLength - wrapped), beforeEnd), wrapped);
    this.beforeLength = 0;
    this.write(piece, beforeLength + after, write);
  }

  private withhold(samples: Int16Array): void {
    const { before } = this;
    if (this.beforeLength + samples.length > before.length) this.hasDropped = true;
    const last = samples.length > before.length ? samples.subarray(samples.length - before.length) : samples;
    const atEnd = Math.min(last.length, before.length - this.beforeEnd);
    before.set(last.subarray(0, atEnd), this.beforeEnd);
    before.set(last.subarray(atEnd));
    this.beforeEnd = (this.beforeEnd + last.length) % before.length;
    this.beforeLength = Math.min(before.length, this.beforeLength + last.length);
  }
}
