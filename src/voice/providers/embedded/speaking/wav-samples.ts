export interface Recording {
  readonly rate: number;
  readonly samples: Int16Array;
}

/** The samples of a WAV file with one channel of PCM16, as the programs of the voices write it. */
export function wavSamples(file: Buffer): Recording {
  if (file.toString('latin1', 0, 4) !== 'RIFF') throw new Error('the voice wrote no WAV file');
  let rate = 0;
  for (let place = 12; place + 8 <= file.length; ) {
    const name = file.toString('latin1', place, place + 4);
    const start = place + 8;
    // A program that writes to a pipe may not know the length.
    const end = Math.min(file.length, start + file.readUInt32LE(place + 4));
    if (name === 'fmt ') rate = file.readUInt32LE(start + 4);
    if (name === 'data') {
      const samples = new Int16Array((end - start) >> 1);
      for (let index = 0; index < samples.length; index++) samples[index] = file.readInt16LE(start + 2 * index);
      return { rate, samples };
    }
    place = end + ((end - start) % 2);
  }
  throw new Error('the voice wrote no audio');
}
