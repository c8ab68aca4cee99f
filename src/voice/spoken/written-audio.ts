interface Piece {
  readonly length: number;
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
const maxSegments = 50;
/** Recognizers round the times of what they heard; no word is as short. */
const roundingMs = 50;

/** What was written to a recognizer: since the last final, to be written again if it fails, and when it was said. */
export class WrittenAudio {
  private readonly rate: number;
  private kept: Piece[] = [];
  /**
   * The samples of all pieces, one after the other. Copied, because pieces that are kept one by one fill the old
   * generation of the garbage collector, which then stops all calls.
   */
  private readonly samples = new SampleQueue();
  private stretches: Stretch[] = [];
  private position = 0;
  /** Samples written to earlier streams, less what this one was told again. */
  private earlier = 0;
  /** Where the last segments end, counted from the first sample of the call, and how many there were before them. */
  private segmentEnds: number[] = [];
  private earlierSegments = 0;

  constructor(rate: number) {
    this.rate = rate;
  }

  add(samples: Int16Array, startsAt: number, isContinued: boolean): void {
    const piece = { length: samples.length, startsAt, isContinued, end: 0 };
    this.note(piece);
    this.kept.push(piece);
    this.samples.push(samples);
    while (this.milliseconds(this.samples.length) > maxKeptMs) this.dropFirst();
  }

  /** A new stream: returns what it has to be told, in order, and whether a segment ends there. */
  restart(): readonly { readonly samples: Int16Array; readonly endsSegment: boolean }[] {
    this.earlier += this.position - this.samples.length;
    this.position = 0;
    this.stretches = [];
    for (const piece of this.kept) this.note(piece);
    const all = this.samples.all();
    return this.kept.map(({ length, end }) => ({
      samples: all.subarray(end - length, end),
      endsSegment: this.segmentEnds.includes(this.earlier + end),
    }));
  }

  /** A flush: what follows is another segment, unless nothing was written since the last. */
  endSegment(): void {
    const end = this.earlier + this.position;
    if (end === (this.segmentEnds.at(-1) ?? 0)) return;
    this.segmentEnds.push(end);
    if (this.segmentEnds.length <= maxSegments) return;
    this.segmentEnds.shift();
    this.earlierSegments += 1;
  }

  /** The segment that starts, or goes on, at this time of the stream. */
  segmentFrom(streamMs: number): number {
    return this.segmentsBefore(streamMs + roundingMs);
  }

  /** The segment that ends, or goes on, at this time of the stream. */
  segmentUntil(streamMs: number): number {
    return this.segmentsBefore(streamMs - roundingMs);
  }

  private segmentsBefore(streamMs: number): number {
    const position = this.earlier + (streamMs * this.rate) / 1000;
    return this.earlierSegments + this.segmentEnds.filter((end) => end <= position).length;
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
    this.samples.drop(this.kept.shift()?.length ?? 0);
  }

  private note(piece: Piece): void {
    const { length, startsAt, isContinued } = piece;
    const last = this.stretches.at(-1);
    const expected = last === undefined ? 0 : last.startsAt + this.milliseconds(last.length);
    if (last !== undefined && isContinued && Math.abs(startsAt - expected) < maxDelayMs) last.length += length;
    else {
      this.stretches.push({ position: this.position, startsAt, length });
      if (this.stretches.length > maxStretches) this.stretches.shift();
    }
    this.position += length;
    piece.end = this.position;
  }

  private milliseconds(samples: number): number {
    return (samples * 1000) / this.rate;
  }
}

class SampleQueue {
  private buffer = new Int16Array(0);
  private start = 0;
  length = 0;

  push(samples: Int16Array): void {
    const length = this.length + samples.length;
    if (this.start + length > this.buffer.length) this.makeRoom(length);
    this.buffer.set(samples, this.start + this.length);
    this.length = length;
  }

  drop(count: number): void {
    this.length -= count;
    this.start = this.length === 0 ? 0 : this.start + count;
  }

  all(): Int16Array {
    return this.buffer.slice(this.start, this.start + this.length);
  }

  private makeRoom(length: number): void {
    const kept = this.buffer.subarray(this.start, this.start + this.length);
    if (2 * length > this.buffer.length) this.buffer = new Int16Array(2 * length);
    this.buffer.set(kept);
    this.start = 0;
  }
}
