import { ExtractionError } from './failure.ts';

export interface DecodedText {
  readonly text: string;
  /** Neither UTF-8, nor a byte order mark, nor a charset that the server or the page states. */
  readonly isGuessed: boolean;
}

const byteOrderMarks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** ISO-2022-JP consists of ASCII characters, so it is also valid UTF-8: its escape sequences give it away. */
const japaneseEscape = /\x1B(?:\$[@B]|\([IJ])/;
/** The share of characters that may be broken, such as a page cut in the middle of one. */
const maxBrokenShare = 0.01;

/** `stated` is the charset that the server or the page names. */
export function decodeText(bytes: Uint8Array, stated: string | null): DecodedText {
  const mark = byteOrderMarkOf(bytes);
  if (mark !== null) return { text: decode(mark, bytes), isGuessed: false };
  const utf8 = decodeStrictly('utf-8', bytes);
  if (utf8 !== null && !japaneseEscape.test(utf8)) return { text: utf8, isGuessed: false };
  if (utf8 !== null) return { text: decode('iso-2022-jp', bytes), isGuessed: stated?.toLowerCase() !== 'iso-2022-jp' };
  const asStated = stated === null ? null : decodeStrictly(stated, bytes);
  if (asStated !== null) return { text: asStated, isGuessed: false };
  return { text: guess(bytes), isGuessed: true };
}

export function byteOrderMarkOf(bytes: Uint8Array): string | null {
  return byteOrderMarks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0] ?? null;
}

/** Text of an 8-bit encoding: Japanese, or else that of western Europe. */
function guess(bytes: Uint8Array): string {
  if (hasOnlySingleHighBytes(bytes)) return decode('windows-1252', bytes);
  const candidates = ['shift_jis', 'euc-jp', 'utf-8']
    .map((encoding) => decode(encoding, bytes))
    .map((text) => ({ text, brokenShare: brokenShareOf(text), likeness: japaneseLikeness(text) }))
    .filter(({ brokenShare }) => brokenShare <= maxBrokenShare)
    .sort((a, b) => a.brokenShare - b.brokenShare || b.likeness - a.likeness);
  const [best] = candidates;
  if (best === undefined)
    throw new ExtractionError('unsupported_type', 'The file is neither text nor of another supported type.');
  return best.text;
}

/** Japanese characters have several bytes, of which at least some stand next to each other. */
function hasOnlySingleHighBytes(bytes: Uint8Array): boolean {
  return !bytes.some((byte, index) => byte >= 0x80 && (bytes[index + 1] ?? 0) >= 0x80);
}

function brokenShareOf(text: string): number {
  return (text.match(/\uFFFD/g)?.length ?? 0) / Math.max(1, text.length);
}

/** Text in the wrong Japanese encoding is full of half-width katakana and rare kanji, and has hardly any hiragana. */
function japaneseLikeness(text: string): number {
  const sample = text.slice(0, 100_000);
  const count = (pattern: RegExp): number => sample.match(pattern)?.length ?? 0;
  return count(/[ぁ-んァ-ヶー、。]/g) - count(/[\uFF61-\uFF9F]/g);
}

function decodeStrictly(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    // An unknown encoding, or bytes that are not valid in it.
    return null;
  }
}

function decode(encoding: string, bytes: Uint8Array): string {
  return new TextDecoder(encoding).decode(bytes);
}
