interface Piece {
  readonly samples: Int16Array;
  /** When it was recorded, on the clock of the call. */
  readonly startsAt: number;
  /** Nothing was withheld before it. */
  readonly isContinued: boolean;
  /** Where it ends in the stream, in samples. */
  end: number;
}

/** Where a stretch of the stream is on the clock of the call. Silence that was withheld makes the difference. */
interface Stretch {
  readonly position: number;
  readonly startsAt: number;
  length: number;
}

/** A recognizer that has no final for so long is not worth more memory. */
const maxKeptMs = 20_000;
/** Networks delay audio; after a longer time, some of it was never sent. */
const maxDelayMs = 1000;
const maxStretches = 50;

/** What was written to a recognizer: since the last final, to be written again if it fails, and when it was said. */
export class WrittenAudio {
  private readonly rate: number;
  private kept: Piece[] = [];
  private keptLength = 0;
  private stretches: Stretch[] = [];
  private position = 0;

  constructor(rate: number) {
    this.rate = rate;
  }

  add(samples: Int16Array, startsAt: number, isContinued: boolean): void {
    const piece = { samples, startsAt, isContinued, end: 0 };
    this.note(piece);
    this.kept.push(piece);
    this.keptLength += samples.length;
    while (this.milliseconds(this.keptLength) > maxKeptMs) this.dropFirst();
  }

  /** A new stream: returns what it has to be told, in order. */
  restart(): readonly Int16Array[] {
    this.position = 0;
    this.stretches = [];
    for (const piece of this.kept) this.note(piece);
    return this.kept.map(({ samples }) => samples);
  }

  /** Everything before this time of the stream is final; null: everything so far. */
  settle(streamMs: number | null): void {
    const until = streamMs === null ? this.position : (streamMs * this.rate) / 1000;
    while (this.kept[0] !== undefined && this.kept[0].end <= until) this.dropFirst();
  }

  /** The time on the clock of the call of a moment in the stream. */
  timeOf(streamMs: number): number {
    const position = (streamMs * this.rate) / 1000;
    const stretch = this.stretches.findLast((each) => each.position <= position) ?? this.stretches[0];
    if (stretch === undefined) return 0;
    return stretch.startsAt + this.milliseconds(Math.min(position - stretch.position, stretch.length));
  }

  private dropFirst(): void {
    this.keptLength -= this.kept.shift()?.samples.length ?? 0;
  }

  private note(piece: Piece): void {
    const { samples, startsAt, isContinued } = piece;
    const last = this.stretches.at(-1);
    const expected = last === undefined ? 0 : last.startsAt + this.milliseconds(last.length);
    if (last !== undefined && isContinued && Math.abs(startsAt - expected) < maxDelayMs) last.length += samples.length;
    else {
      this.stretches.push({ position: this.position, startsAt, length: samples.length });
      if (this.stretches.length > maxStretches) this.stretches.shift();
    }
    this.position += samples.length;
    piece.end = this.position;
  }

  private milliseconds(samples: number): number {
    return (samples * 1000) / this.rate;
  }
}
