import { bytesOf } from '../../audio/pcm.ts';

/** Words travel inside the audio: 20 ms at 16 kHz that start with `TEST`, the length of a text, and the text. */
export const testRate = 16_000;
export const testFrameSamples = 320;
const frameBytes = testFrameSamples * 2;
const textStart = 6;
const maxTextBytes = frameBytes - textStart;
const mark = Buffer.from('TEST', 'latin1');

/** A frame with the start of a word, or ('') with more of the same word. */
export function testFrame(text: string): Int16Array {
  const frame = Buffer.alloc(frameBytes);
  mark.copy(frame);
  const written = frame.write(text, textStart, maxTextBytes, 'utf8');
  frame.writeUInt16LE(written, mark.length);
  return new Int16Array(frame.buffer, frame.byteOffset, testFrameSamples);
}

/** A word, or sound without words (''), over a number of frames. */
export function testFrames(text: string, frames: number): Int16Array {
  const all = new Int16Array(frames * testFrameSamples);
  for (let index = 0; index < frames; index += 1) {
    all.set(testFrame(index === 0 ? text : ''), index * testFrameSamples);
  }
  return all;
}

/** The text of a frame, '' if it continues a word, null if it is not speech. */
export function readTestFrame(frame: Int16Array): string | null {
  const { buffer, byteOffset, length } = bytesOf(frame);
  const bytes = Buffer.from(buffer, byteOffset, length);
  if (length < textStart || bytes.compare(mark, 0, mark.length, 0, mark.length) !== 0) return null;
  const end = Math.min(length, textStart + bytes.readUInt16LE(mark.length));
  return bytes.toString('utf8', textStart, end);
}

/** Cuts audio into frames of 20 ms, whatever the pieces it arrives in. `after`: what follows the frame in its piece. */
export function createFrameCutter(onFrame: (frame: Int16Array, after: number) => void): (samples: Int16Array) => void {
  const rest = new Int16Array(testFrameSamples);
  let length = 0;
  return (samples) => {
    let position = 0;
    while (position < samples.length) {
      if (length === 0 && samples.length - position >= testFrameSamples) {
        const frame = samples.subarray(position, position + testFrameSamples);
        position += testFrameSamples;
        onFrame(frame, samples.length - position);
        continue;
      }
      const part = samples.subarray(position, position + testFrameSamples - length);
      rest.set(part, length);
      length += part.length;
      position += part.length;
      if (length < testFrameSamples) continue;
      length = 0;
      onFrame(rest, samples.length - position);
    }
  };
}
