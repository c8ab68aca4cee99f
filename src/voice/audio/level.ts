const fullScale = 32_768;

/** The root mean square of the samples: 0 is silence, 1 is a square wave at full scale. */
export function level(samples: Int16Array): number {
  if (samples.length === 0) return 0;
  let sum = 0;
  for (let index = 0; index < samples.length; index += 1) {
    const sample = samples[index] as number;
    sum += sample * sample;
  }
  return Math.sqrt(sum / samples.length) / fullScale;
}

/** −50 dB. */
const silentLevel = 0.003;

/** Where the first 5 ms that are not silent begin; the length if there are none. */
export function soundStart(samples: Int16Array, rate: number): number {
  const step = Math.round(rate / 200);
  for (let start = 0; start < samples.length; start += step) {
    if (level(samples.subarray(start, start + step)) >= silentLevel) return start;
  }
  return samples.length;
}
