import { modelRate } from '../sherpa.ts';

/** Silence before the first word, without which the model misses it. */
const padding = 0.3 * modelRate;
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
    return padded(this.#samples.subarray(0, this.#length));
  }

  clear(): void {
    this.#length = 0;
    this.#sound = 0;
    this.#decodedLength = 0;
    this.#decodedSound = 0;
  }

  /** Of a segment that is too long, the part up to the quietest place; the rest stays. */
  cut(): Float32Array {
    const end = this.#quietestPlace();
    const first = padded(this.#samples.subarray(0, end));
    const rest = this.#samples.slice(end, this.#length);
    this.clear();
    this.append(rest, true);
    return first;
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

function padded(samples: Float32Array): Float32Array {
  const whole = new Float32Array(padding + samples.length);
  whole.set(samples, padding);
  return whole;
}
