/** PCM16, little-endian, mono: what travels. In memory it is `Int16Array`; every platform of the service is little-endian. */

/** The samples of a frame. A view of the bytes if they are aligned, so the frame must not be reused. An odd last byte is dropped. */
export function samplesOf(bytes: Uint8Array): Int16Array {
  const length = bytes.byteLength >> 1;
  if (bytes.byteOffset % 2 === 0) return new Int16Array(bytes.buffer, bytes.byteOffset, length);
  const copy = new Int16Array(length);
  bytesOf(copy).set(bytes.subarray(0, length * 2));
  return copy;
}

/** The bytes of the samples, as a view of them. */
export function bytesOf(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}
