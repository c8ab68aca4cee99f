/** Audio of an utterance that was sent: what was not played, and the last moment of what was. */
export class SentAudio {
  private readonly unplayed: Int16Array[] = [];
  private readonly played: Int16Array[] = [];
  private playedSamples = 0;
  private readonly keptSamples: number;

  /** `keptSamples`: how far `rewind` can go back. */
  constructor(keptSamples: number) {
    this.keptSamples = keptSamples;
  }

  add(audio: Int16Array): void {
    this.unplayed.push(audio);
  }

  /** The next so many samples were played. Returns them, in pieces. */
  play(samples: number): Int16Array[] {
    const pieces: Int16Array[] = [];
    let rest = samples;
    while (rest > 0) {
      const first = this.unplayed[0];
      if (first === undefined) break;
      const piece = first.subarray(0, rest);
      if (piece.length === first.length) this.unplayed.shift();
      else this.unplayed[0] = first.subarray(rest);
      pieces.push(piece);
      rest -= piece.length;
    }
    this.keep(pieces);
    return pieces;
  }

  /** Plays this many samples again. Returns how many of them are still there. */
  rewind(samples: number): number {
    let rest = samples;
    while (rest > 0) {
      const last = this.played.pop();
      if (last === undefined) break;
      const count = Math.min(rest, last.length);
      if (count < last.length) this.played.push(last.subarray(0, last.length - count));
      this.unplayed.unshift(last.subarray(last.length - count));
      this.playedSamples -= count;
      rest -= count;
    }
    return samples - rest;
  }

  get rest(): readonly Int16Array[] {
    return this.unplayed;
  }

  private keep(pieces: readonly Int16Array[]): void {
    this.played.push(...pieces);
    this.playedSamples += pieces.reduce((sum, { length }) => sum + length, 0);
    while (this.playedSamples - (this.played[0]?.length ?? 0) >= this.keptSamples && this.played.length > 0) {
      this.playedSamples -= this.played.shift()?.length ?? 0;
    }
  }
}
