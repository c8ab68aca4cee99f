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
