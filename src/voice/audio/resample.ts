/** Zero crossings of the filter on each side, at the lower of the two rates. More of them make the band edge steeper. */
const zeroCrossings = 16;
/** Where a filter that lowers the rate cuts off, as a share of half the lower rate, so that nothing folds back. */
const passBand = 0.9;
/** The shape of the Kaiser window: about 80 dB of attenuation. */
const kaiserBeta = 8;

/**
 * Changes the sample rate of a stream of PCM16, with a windowed sinc filter. The result does not depend on how the
 * stream is divided into chunks. It lags by a millisecond or two, until `flush`.
 */
export class Resampler {
  /** The ratio of the rates in lowest terms: output sample n is at input position n * step / phases. */
  readonly #phases: number;
  readonly #step: number;
  readonly #half: number;
  /** One filter of 2 * half taps per phase. Null: the output sample is an input sample. */
  readonly #filters: readonly (Float32Array | null)[];
  /** Input that is still needed, starting at input position `#start`. */
  #input: Float32Array;
  #start: number;
  #received = 0;
  #produced = 0;

  constructor(from: number, to: number) {
    const divisor = greatestCommonDivisor(from, to);
    this.#phases = to / divisor;
    this.#step = from / divisor;
    const scale = Math.min(1, to / from);
    this.#half = from === to ? 0 : Math.ceil(zeroCrossings / scale);
    this.#filters =
      from === to
        ? []
        : Array.from({ length: this.#phases }, (_, phase) =>
            // A filter that cuts off at half the old rate has zeros at all other input samples. It saves half the work of
            // phone calls, whose rate is doubled.
            phase === 0 && scale === 1 ? null : filterOf(phase / this.#phases, this.#half, scale),
          );
    // Silence precedes the first sample.
    this.#input = new Float32Array(this.#half);
    this.#start = -this.#half;
  }

  process(samples: Int16Array): Int16Array {
    if (this.#half === 0) return samples.slice();
    this.#received += samples.length;
    this.#append(samples);
    return this.#produce(Number.POSITIVE_INFINITY);
  }

  /** The end of the stream: as many samples as the whole input has at the new rate. */
  flush(): Int16Array {
    if (this.#half === 0) return new Int16Array(0);
    this.#append(new Int16Array(this.#half));
    return this.#produce(Math.round((this.#received * this.#phases) / this.#step));
  }

  #append(samples: Int16Array): void {
    const joined = new Float32Array(this.#input.length + samples.length);
    joined.set(this.#input);
    joined.set(samples, this.#input.length);
    this.#input = joined;
  }

  #produce(limit: number): Int16Array {
    const end = this.#start + this.#input.length;
    // The last position whose filter has all its input.
    const possible = Math.floor(((end - this.#half) * this.#phases - 1) / this.#step) + 1;
    const output = new Int16Array(Math.max(0, Math.min(possible, limit) - this.#produced));
    this.#fill(output);
    this.#produced += output.length;
    this.#dropUsed();
    return output;
  }

  /** Takes most of the processor time of phone calls. Local variables and two sums at a time halve it. */
  #fill(output: Int16Array): void {
    const input = this.#input;
    const filters = this.#filters;
    const phases = this.#phases;
    const step = this.#step;
    const half = this.#half;
    const taps = 2 * half;
    const position = this.#produced * step;
    let phase = position % phases;
    let first = (position - phase) / phases - this.#half + 1 - this.#start;
    for (let index = 0; index < output.length; index += 1) {
      const filter = filters[phase] as Float32Array | null;
      if (filter === null) output[index] = input[first + half - 1] as number;
      else {
        let even = 0;
        let odd = 0;
        // There is an even number of taps.
        for (let tap = 0; tap < taps; tap += 2) {
          even += (filter[tap] as number) * (input[first + tap] as number);
          odd += (filter[tap + 1] as number) * (input[first + tap + 1] as number);
        }
        output[index] = Math.max(-32_768, Math.min(32_767, Math.round(even + odd)));
      }
      phase += step;
      while (phase >= phases) {
        phase -= phases;
        first += 1;
      }
    }
  }

  #dropUsed(): void {
    const next = Math.floor((this.#produced * this.#step) / this.#phases) - this.#half + 1;
    const used = Math.max(0, Math.min(this.#input.length, next - this.#start));
    this.#input = this.#input.slice(used);
    this.#start += used;
  }
}

/** All of a recording at another rate. */
export function resampled(samples: Int16Array, from: number, to: number): Int16Array {
  const resampler = new Resampler(from, to);
  const body = resampler.process(samples);
  const rest = resampler.flush();
  const whole = new Int16Array(body.length + rest.length);
  whole.set(body);
  whole.set(rest, body.length);
  return whole;
}

/** The taps for an output sample that is `offset` of an input sample after the middle of the filter. */
function filterOf(offset: number, half: number, scale: number): Float32Array {
  const cutoff = scale === 1 ? 1 : scale * passBand;
  const taps = Array.from({ length: 2 * half }, (_, tap) => {
    const distance = tap - half + 1 - offset;
    return cutoff * sinc(cutoff * distance) * kaiser(distance / half);
  });
  // Exactly one at zero frequency, so that a constant level does not ripple from phase to phase.
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return Float32Array.from(taps, (tap) => tap / sum);
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(kaiserBeta * Math.sqrt(1 - x * x)) / bessel(kaiserBeta);
}

/** The modified Bessel function of order zero, as a power series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let index = 1; term > 1e-9 * sum; index++) {
    term *= (x / (2 * index)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
