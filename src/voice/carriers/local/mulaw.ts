/** G.711 mu-law, 8,000 Hz: one byte a sample. 20 ms are one frame. Written for this carrier alone: it checks the service's own. */
export const frameBytes = 160;
export const frameMs = 20;
export const bytesPerMs = frameBytes / frameMs;
export const silentByte = 0xff;
const bias = 0x84;
const clip = 32_635;

export function decodedByte(byte: number): number {
  const inverted = ~byte & 0xff;
  const magnitude = (((inverted & 0x0f) << 3) + bias) << ((inverted & 0x70) >> 4);
  return (inverted & 0x80) === 0 ? magnitude - bias : bias - magnitude;
}

export function encodedSample(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const biased = Math.min(Math.abs(sample), clip) + bias;
  const exponent = 31 - Math.clz32(biased) - 7;
  return ~(sign | (exponent << 4) | ((biased >> (exponent + 3)) & 0x0f)) & 0xff;
}

export function encoded(samples: Int16Array): Uint8Array {
  return Uint8Array.from(samples, encodedSample);
}

export function decoded(bytes: Uint8Array): Int16Array {
  return Int16Array.from(bytes, decodedByte);
}

/** The sum of several frames, as in a conference. */
export function mixed(frames: readonly Uint8Array[]): Uint8Array {
  const [first] = frames;
  if (first === undefined) return silence(frameBytes);
  if (frames.length === 1) return first;
  return first.map((_, index) =>
    encodedSample(frames.reduce((sum, frame) => sum + decodedByte(frame[index] ?? silentByte), 0)),
  );
}

export function silence(bytes: number): Uint8Array {
  return new Uint8Array(bytes).fill(silentByte);
}

export function tone(hz: number, ms: number): Uint8Array {
  return Uint8Array.from({ length: ms * bytesPerMs }, (_, index) =>
    encodedSample(Math.round(8000 * Math.sin((2 * Math.PI * hz * index) / 8000))),
  );
}

/** Quieter frames are silence. */
const loudness = 500;

export function isSound(frame: Uint8Array): boolean {
  return frame.some((byte) => Math.abs(decodedByte(byte)) > loudness);
}
