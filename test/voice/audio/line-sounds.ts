/** Sounds of phone lines at 8,000 samples per second, for tests. */

export const lineRate = 8000;

export function silence(ms: number): Int16Array {
  return new Int16Array((ms * lineRate) / 1000);
}

export function joined(...parts: Int16Array[]): Int16Array {
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

interface Sine {
  readonly ms: number;
  /** The volume of each frequency, in relation to full scale. */
  readonly volume?: number;
  /** The frequency of a modulation of 85 %. */
  readonly modulationHz?: number;
}

/** Frequencies that sound together. */
export function sines(frequencies: readonly number[], { ms, volume = 0.2, modulationHz = 0 }: Sine): Int16Array {
  return Int16Array.from({ length: (ms * lineRate) / 1000 }, (_, index) => {
    const seconds = index / lineRate;
    const sum = frequencies.reduce((total, frequency) => total + Math.sin(2 * Math.PI * frequency * seconds), 0);
    const envelope = modulationHz === 0 ? 1 : 1 - 0.85 * Math.sin(Math.PI * modulationHz * seconds) ** 2;
    return Math.round(32_767 * volume * envelope * sum);
  });
}

/** Numbers from 0 to 1 that look random and are always the same. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function noise(ms: number, volume: number, seed = 1): Int16Array {
  const next = numbers(seed);
  return silence(ms).map(() => Math.round(32_767 * volume * (2 * next() - 1)));
}

export function mixed(one: Int16Array, other: Int16Array): Int16Array {
  return one.map((sample, index) => Math.max(-32_768, Math.min(32_767, sample + (other[index] ?? 0))));
}

/** Harmonics of a voice through the resonances of vowels, which change as it speaks: syllables of 120 to 300 ms. */
export function babble(ms: number, pitchHz: number, seed: number): Int16Array {
  const next = numbers(seed);
  const samples = silence(ms);
  let phase = 0;
  let pitch = pitchHz;
  for (let start = 0; start < samples.length; ) {
    const length = Math.round((0.12 + 0.18 * next()) * lineRate);
    const [first, second] = [300 + 500 * next(), 900 + 1400 * next()];
    const target = pitchHz * (0.85 + 0.35 * next());
    for (let index = 0; index < length && start + index < samples.length; index += 1) {
      pitch += (target - pitch) / length;
      phase += (2 * Math.PI * pitch) / lineRate;
      let value = 0;
      for (let harmonic = 1; harmonic * pitch < 3400; harmonic += 1) {
        const frequency = harmonic * pitch;
        const gain = 1 / (1 + ((frequency - first) / 90) ** 2) + 0.5 / (1 + ((frequency - second) / 120) ** 2);
        value += gain * Math.sin(harmonic * phase);
      }
      const envelope = Math.sin((Math.PI * index) / length) ** 0.5;
      samples[start + index] = Math.round(32_767 * 0.12 * envelope * value);
    }
    start += length + Math.round(0.03 * next() * lineRate);
  }
  return samples;
}
