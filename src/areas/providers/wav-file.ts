import { bytesOf } from '../../voice/audio/pcm.ts';
import { wavHeader } from '../../voice/audio/wav.ts';

/** One channel of PCM16 as a WAV file. */
export function wavFile(parts: readonly Int16Array[], rate: number): Buffer {
  const data = parts.map(bytesOf);
  const dataBytes = data.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([wavHeader(rate, 1, dataBytes), ...data]);
}
