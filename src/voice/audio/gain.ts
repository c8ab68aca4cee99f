import { memo } from '../text/memo.ts';

const fullScale = 32_767;
/** Louder samples are compressed, so that a volume above 1 does not distort. */
const knee = 0.8 * fullScale;
const room = fullScale - knee;
const lowest = -32_768;

/** Every possible sample at a volume: looking it up takes a tenth of the time. */
const tableOf = memo((volume) =>
  Int16Array.from({ length: 65_536 }, (_, index) => amplified((index + lowest) * Number(volume))),
);

/** Changes the volume. 1 returns the samples as they are, 0 is silence; anything else is a copy. */
export function createGain(volume: number): (samples: Int16Array) => Int16Array {
  if (volume === 1) return (samples) => samples;
  if (volume === 0) return (samples) => new Int16Array(samples.length);
  const table = tableOf(String(volume));
  return (samples) => {
    const result = new Int16Array(samples.length);
    for (let index = 0; index < samples.length; index += 1) {
      result[index] = table[(samples[index] as number) - lowest] as number;
    }
    return result;
  };
}

function amplified(sample: number): number {
  const beyond = Math.abs(sample) - knee;
  if (beyond <= 0) return Math.round(sample);
  return Math.round(Math.sign(sample) * (knee + room * Math.tanh(beyond / room)));
}
