const headerBytes = 44;

/** One channel of PCM16 as a WAV file. */
export function wavFile(parts: readonly Int16Array[], rate: number): Buffer {
  const dataBytes = 2 * parts.reduce((length, part) => length + part.length, 0);
  const file = Buffer.alloc(headerBytes + dataBytes);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(headerBytes - 8 + dataBytes, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  // PCM, one channel.
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(2 * rate, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(dataBytes, 40);
  let place = headerBytes;
  for (const part of parts) {
    for (const sample of part) {
      file.writeInt16LE(sample, place);
      place += 2;
    }
  }
  return file;
}
