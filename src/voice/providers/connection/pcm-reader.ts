import { samplesOf } from '../../audio/pcm.ts';
import { Resampler } from '../../audio/resample.ts';

/** PCM16 of a provider as samples of the rate that a call wants. Providers may cut a sample in two. */
export function createPcmReader(from: number, to: number) {
  const resampler = from === to ? null : new Resampler(from, to);
  let rest: Uint8Array = new Uint8Array(0);
  return {
    read(bytes: Uint8Array): Int16Array {
      const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const length = all.length - (all.length % 2);
      rest = all.subarray(length);
      const samples = samplesOf(all.subarray(0, length));
      return resampler === null ? samples : resampler.process(samples);
    },
    /** What the filter still holds. */
    end: (): Int16Array => resampler?.flush() ?? new Int16Array(0),
  };
}
