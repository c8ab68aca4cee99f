import { wordsOf } from '../../text/words.ts';
import { frameBytes } from './mulaw.ts';

/**
 * Test speech at 8,000 Hz: words travel inside mu-law frames of 20 ms as `TEST`, two bytes of length, and the text. The
 * byte 0x7f does not survive decoding and encoding, so no length may contain it.
 */
const mark = Buffer.from('TEST', 'latin1');
const textStart = 6;
const maxTextBytes = 126;
const framesPerWord = 10;

/** A frame with the start of a word, or ('') with more of the same word. */
export function testWordFrame(text: string): Uint8Array {
  const frame = Buffer.alloc(frameBytes);
  mark.copy(frame);
  frame.writeUInt16LE(frame.write(text, textStart, maxTextBytes, 'utf8'), mark.length);
  return new Uint8Array(frame);
}

export function testWords(text: string, language: string): Uint8Array {
  const frames = wordsOf(text, language).flatMap(({ text: word }) =>
    Array.from({ length: framesPerWord }, (_, index) => testWordFrame(index === 0 ? word : '')),
  );
  return new Uint8Array(Buffer.concat(frames));
}

/** The words in recorded test speech, and the sample where each starts. */
export function wordsHeard(audio: Uint8Array): { text: string; sample: number }[] {
  const bytes = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength);
  const words: { text: string; sample: number }[] = [];
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + frameBytes)) {
    if (at + textStart > bytes.length) break;
    const length = bytes.readUInt16LE(at + mark.length);
    if (length > 0) words.push({ text: bytes.toString('utf8', at + textStart, at + textStart + length), sample: at });
  }
  return words;
}
