/** The beginning of a stream. What is beyond it is not read: the stream is closed. */
export async function* firstBytes(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let left = maxBytes;
  for await (const chunk of stream) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

export async function readFirstBytes(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of firstBytes(stream, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
