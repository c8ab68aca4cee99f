import { samplesOf } from '../../audio/pcm.ts';
import { Resampler } from '../../audio/resample.ts';

/** PCM16 of a provider as samples of the rate that a call wants. Providers may cut a sample in two. */
export class PcmReader {
  private readonly resampler: Resampler | null;
  private rest: Uint8Array = new Uint8Array(0);

  constructor(from: number, to: number) {
    this.resampler = from === to ? null : new Resampler(from, to);
  }

  read(bytes: Uint8Array): Int16Array {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const length = all.length - (all.length % 2);
    this.rest = all.subarray(length);
    const samples = samplesOf(all.subarray(0, length));
    return this.resampler === null ? samples : this.resampler.process(samples);
  }

  /** What the filter still holds. */
  end(): Int16Array {
    return this.resampler?.flush() ?? new Int16Array(0);
  }
}
