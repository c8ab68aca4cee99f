export const wavHeaderBytes = 44;
/** A stream whose length is not known yet: players then play to the end of the file. */
const unknownBytes = 0xff_ff_ff_ff;

/** The header of PCM16 audio. `dataBytes` null: not known yet. */
export function wavHeader(rate: number, channels: number, dataBytes: number | null): Uint8Array {
  const header = new Uint8Array(wavHeaderBytes);
  const view = new DataView(header.buffer);
  const frameBytes = channels * 2;
  const write = (position: number, text: string) => header.set(Buffer.from(text, 'latin1'), position);
  write(0, 'RIFF');
  view.setUint32(4, dataBytes === null ? unknownBytes : dataBytes + wavHeaderBytes - 8, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * frameBytes, true);
  view.setUint16(32, frameBytes, true);
  view.setUint16(34, 16, true);
  write(36, 'data');
  view.setUint32(40, dataBytes ?? unknownBytes, true);
  return header;
}
