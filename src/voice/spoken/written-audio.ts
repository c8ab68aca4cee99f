interface Piece {
  readonly samples: Int16Array;
  /** When it was recorded, on the clock of the call. */
  readonly startsAt: number;
}

/** A recognizer that has no final for so long is not worth more memory. */
const maxKeptMs = 20_000;
/** Pieces that follow each other are a little early or late on the clock. */
const jitterMs = 200;

/** Where samples of a stream are on the clock of the call. Silence that was withheld makes the difference. */
interface Stretch {
  readonly position: number;
  readonly startsAt: number;
  length: number;
}

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

  add(samples: Int16Array, startsAt: number): void {
    this.keep({ samples, startsAt });
    this.note(samples.length, startsAt);
  }

  /** A new stream: returns what it has to be told, in order. */
  restart(): readonly Piece[] {
    this.position = 0;
    this.stretches = [];
    for (const { samples, startsAt } of this.kept) this.note(samples.length, startsAt);
    return this.kept;
  }

  /** Everything before this time of the stream is final; null: everything so far. */
  settle(streamMs: number | null): void {
    const until = streamMs === null ? Number.POSITIVE_INFINITY : this.timeOf(streamMs);
    const isSettled = ({ samples, startsAt }: Piece) => startsAt + this.milliseconds(samples.length) <= until;
    while (this.kept[0] !== undefined && isSettled(this.kept[0])) this.dropFirst();
  }

  /** The time on the clock of the call of a moment in the stream. */
  timeOf(streamMs: number): number {
    const position = (streamMs * this.rate) / 1000;
    const stretch = this.stretches.findLast((each) => each.position <= position) ?? this.stretches[0];
    if (stretch === undefined) return 0;
    return stretch.startsAt + this.milliseconds(Math.min(position - stretch.position, stretch.length));
  }

  private keep(piece: Piece): void {
    this.kept.push(piece);
    this.keptLength += piece.samples.length;
    while (this.milliseconds(this.keptLength) > maxKeptMs) this.dropFirst();
  }

  private dropFirst(): void {
    this.keptLength -= this.kept.shift()?.samples.length ?? 0;
  }

  private note(length: number, startsAt: number): void {
    const last = this.stretches.at(-1);
    const expected = last === undefined ? 0 : last.startsAt + this.milliseconds(last.length);
    if (last !== undefined && Math.abs(startsAt - expected) < jitterMs) last.length += length;
    else {
      this.stretches.push({ position: this.position, startsAt, length });
      if (this.stretches.length > 50) this.stretches.shift();
    }
    this.position += length;
  }

  private milliseconds(samples: number): number {
    return (samples * 1000) / this.rate;
  }
}
