const fullScale = 32_767;
/** Louder samples are compressed, so that a volume above 1 does not distort. */
const knee = 0.8 * fullScale;
const room = fullScale - knee;

/** Changes the volume. 1 returns the samples as they are, 0 is silence; anything else is a copy. */
export function createGain(volume: number): (samples: Int16Array) => Int16Array {
  if (volume === 1) return (samples) => samples;
  if (volume === 0) return (samples) => new Int16Array(samples.length);
  return (samples) => {
    const result = new Int16Array(samples.length);
    for (let index = 0; index < samples.length; index += 1) {
      const sample = (samples[index] as number) * volume;
      result[index] = Math.abs(sample) <= knee ? Math.round(sample) : compressed(sample);
    }
    return result;
  };
}

function compressed(sample: number): number {
  const beyond = Math.abs(sample) - knee;
  return Math.round(Math.sign(sample) * (knee + room * Math.tanh(beyond / room)));
}
