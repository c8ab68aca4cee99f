import { modelRate } from '../sherpa.ts';

/** Silence before the first word, without which the model misses it; and another try if it finds nothing. */
const padding = 0.3 * modelRate;
const shortPadding = 0.1 * modelRate;
/** The level of the audio is measured in windows of 20 ms. */
const window = 0.02 * modelRate;
/** Quieter than this, compared with the loudest window, is the noise of a microphone: 34 dB below it. */
const quietShare = 0.02;
/**
 * What is kept of the noise around the words: they begin and end quietly. More of it makes the model end before the
 * first word: microphones whose gain is controlled raise their noise before every sentence.
 */
const keptBefore = 0.12 * modelRate;
const keptAfter = 0.2 * modelRate;
/** A segment that ends while the caller goes on ends at the quietest place of the last part. */
const searchedForPause = 0.4 * modelRate;
/** By this much louder is the word after a pause: 10 dB. */
const riseAfterPause = 3;
/** A segment this long ends at the next pause, because each decoding takes longer than the one before. */
const longSegment = 8 * modelRate;
/** Without a pause it ends here, at the quietest place of the last seconds. */
const maxSegment = 16 * modelRate;
const searchedForCut = 3 * modelRate;
const cutWindow = 0.1 * modelRate;
/** New audio between two partials, at least. Those of a long segment are further apart. */
const partialEvery = 0.5 * modelRate;
/** Less sound than this has no word in it. */
const minSound = 0.1 * modelRate;

/** The audio since the last final, at the rate of the model. */
export class Segment {
  #samples = new Float32Array(4 * modelRate);
  #length = 0;
  #sound = 0;
  #decodedLength = 0;
  #decodedSound = 0;

  append(samples: Float32Array, isLoud: boolean): void {
    if (this.#length + samples.length > this.#samples.length) {
      const larger = new Float32Array(2 * (this.#length + samples.length));
      larger.set(this.#samples.subarray(0, this.#length));
      this.#samples = larger;
    }
    this.#samples.set(samples, this.#length);
    this.#length += samples.length;
    if (isLoud) this.#sound += samples.length;
  }

  get hasWords(): boolean {
    return this.#sound >= minSound;
  }

  /** Whether there was sound since the last decoding. */
  get hasNewSound(): boolean {
    return this.#sound > this.#decodedSound;
  }

  get wantsPartial(): boolean {
    const added = this.#length - this.#decodedLength;
    return this.hasWords && this.hasNewSound && added >= Math.max(partialEvery, this.#length / 8);
  }

  get isLong(): boolean {
    return this.#length >= longSegment;
  }

  get isTooLong(): boolean {
    return this.#length >= maxSegment;
  }

  /** What the model is given. */
  take(): Float32Array {
    this.#decodedLength = this.#length;
    this.#decodedSound = this.#sound;
    return this.#prepared(this.#length, padding);
  }

  /** The same again, for a model that has found nothing in it: it sometimes ends before the first word. */
  takeAgain(): Float32Array {
    return this.#prepared(this.#length, shortPadding);
  }

  /**
   * Takes what belongs to the next segment: the beginning of a word, if the caller went on before the pause was
   * noticed. Empty if it is quiet now.
   */
  takeRest(): Float32Array {
    const levels = this.#levels(this.#length);
    const recent = levels.slice(-searchedForPause / window);
    const lowest = Math.min(...recent);
    const place = recent.lastIndexOf(lowest);
    const after = Math.max(0, ...recent.slice(place + 1));
    const isGoingOn = after > quietShare * Math.max(...levels) && after > riseAfterPause * lowest;
    const end = isGoingOn ? (levels.length - recent.length + place + 1) * window : this.#length;
    const rest = this.#samples.slice(end, this.#length);
    this.#length = end;
    this.#sound = Math.max(0, this.#sound - rest.length);
    return rest;
  }

  clear(): void {
    this.#length = 0;
    this.#sound = 0;
    this.#decodedLength = 0;
    this.#decodedSound = 0;
  }

  /** The part of a segment that is too long, up to the quietest place; the rest stays. */
  cut(): Float32Array {
    const end = this.#quietestPlace();
    const first = this.#prepared(end, padding);
    const rest = this.#samples.slice(end, this.#length);
    this.clear();
    this.append(rest, true);
    return first;
  }

  /** The words, with silence around them instead of noise. */
  #prepared(end: number, before: number): Float32Array {
    const levels = this.#levels(end);
    const quiet = quietShare * Math.max(0, ...levels);
    const isLoud = (level: number): boolean => level > quiet;
    const from = Math.max(0, levels.findIndex(isLoud) * window - keptBefore);
    const to = Math.min(end, (levels.findLastIndex(isLoud) + 1) * window);
    const whole = new Float32Array(before + to - from + keptAfter);
    whole.set(this.#samples.subarray(from, Math.min(end, to + keptAfter)), before);
    return whole;
  }

  #levels(end: number): number[] {
    const levels: number[] = [];
    for (let start = 0; start < end; start += window) {
      let sum = 0;
      for (let index = start; index < Math.min(end, start + window); index++)
        sum += (this.#samples[index] as number) ** 2;
      levels.push(Math.sqrt(sum / window));
    }
    return levels;
  }

  #quietestPlace(): number {
    let best = maxSegment;
    let lowest = Number.POSITIVE_INFINITY;
    for (let end = maxSegment; end > maxSegment - searchedForCut; end -= cutWindow) {
      const energy = this.#samples.subarray(end - cutWindow, end).reduce((sum, sample) => sum + sample * sample, 0);
      if (energy >= lowest) continue;
      lowest = energy;
      best = end - cutWindow / 2;
    }
    return best;
  }
}
