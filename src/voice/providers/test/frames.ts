import { decodeMulaw, encodeMulaw } from '../../audio/g711.ts';
import { bytesOf } from '../../audio/pcm.ts';

/**
 * Words travel inside the audio: 20 ms that start with `TEST`, the length of a text, and the text. At 16 kHz these are the
 * bytes of the samples; on a phone line, at 8 kHz, those of the mu-law codes, which have to survive decoding and encoding.
 */
export const testRate = 16_000;
export const testFrameSamples = 320;
const lineFrameSamples = 160;
const textStart = 6;
/** 0x7f is the only code that does not survive, and no text of ours has it. */
const maxLineTextBytes = 0x7e;
const mark = Buffer.from('TEST', 'latin1');

/** Whether frames are mu-law at this rate. */
export function isLineRate(rate: number): boolean {
  return rate === 8000;
}

export function frameSamplesAt(rate: number): number {
  return isLineRate(rate) ? lineFrameSamples : testFrameSamples;
}

/** A frame with the start of a word, or ('') with more of the same word. */
export function testFrame(text: string, rate = testRate): Int16Array {
  const isLine = isLineRate(rate);
  const frame = Buffer.alloc(isLine ? lineFrameSamples : testFrameSamples * 2);
  mark.copy(frame);
  const written = frame.write(text, textStart, isLine ? maxLineTextBytes : frame.length - textStart, 'utf8');
  frame.writeUInt16LE(written, mark.length);
  return isLine ? decodeMulaw(frame) : new Int16Array(frame.buffer, frame.byteOffset, testFrameSamples);
}

/** A word, or sound without words (''), over a number of frames. */
export function testFrames(text: string, frames: number, rate = testRate): Int16Array {
  const samples = frameSamplesAt(rate);
  const all = new Int16Array(frames * samples);
  for (let index = 0; index < frames; index += 1) all.set(testFrame(index === 0 ? text : '', rate), index * samples);
  return all;
}

/** The text of a frame, '' if it continues a word, null if it is not speech. */
export function readTestFrame(frame: Int16Array): string | null {
  const bytes = frame.length === lineFrameSamples ? encodeMulaw(frame) : Buffer.from(bytesOf(frame));
  const { length } = bytes;
  if (length < textStart || bytes.compare(mark, 0, mark.length, 0, mark.length) !== 0) return null;
  const end = Math.min(length, textStart + bytes.readUInt16LE(mark.length));
  return bytes.toString('utf8', textStart, end);
}

/** Cuts audio into frames of 20 ms, whatever the pieces it arrives in. `after`: what follows the frame in its piece. */
export function createFrameCutter(
  onFrame: (frame: Int16Array, after: number) => void,
  rate = testRate,
): (samples: Int16Array) => void {
  const frameSamples = frameSamplesAt(rate);
  const rest = new Int16Array(frameSamples);
  let length = 0;
  return (samples) => {
    let position = 0;
    while (position < samples.length) {
      if (length === 0 && samples.length - position >= frameSamples) {
        const frame = samples.subarray(position, position + frameSamples);
        position += frameSamples;
        onFrame(frame, samples.length - position);
        continue;
      }
      const part = samples.subarray(position, position + frameSamples - length);
      rest.set(part, length);
      length += part.length;
      position += part.length;
      if (length < frameSamples) continue;
      length = 0;
      onFrame(rest, samples.length - position);
    }
  };
}
