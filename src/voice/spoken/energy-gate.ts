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
  private readonly beforeSamples: number;
  private quiet: number;
  private readonly before: Int16Array[] = [];
  private beforeLength = 0;
  private hasDropped = false;

  constructor(rate: number) {
    this.closeSamples = (closeMs * rate) / 1000;
    this.beforeSamples = (beforeMs * rate) / 1000;
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
    let samplesAgo = this.beforeLength + after;
    for (const piece of this.before) {
      this.write(piece, samplesAgo, write);
      samplesAgo -= piece.length;
    }
    this.before.length = 0;
    this.beforeLength = 0;
  }

  private withhold(samples: Int16Array): void {
    this.before.push(samples);
    this.beforeLength += samples.length;
    for (;;) {
      const first = this.before[0];
      if (first === undefined || this.beforeLength - first.length < this.beforeSamples) return;
      this.before.shift();
      this.beforeLength -= first.length;
      this.hasDropped = true;
    }
  }
}
