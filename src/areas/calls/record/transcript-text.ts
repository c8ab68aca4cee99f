import type { Turn } from '../../../contract/calls/turn.ts';
import { fold } from '../../../core/folding.ts';

/** As many as the table `call_texts` has. A column holds integers of up to 53 bits. */
const columnCount = 32;
const bitsOfColumn = 52;
const bitCount = columnCount * bitsOfColumn;

/** What can be searched of a call, so that a search is bounded: two hours of speech. */
const maxLength = 100_000;

/** Most calls have fewer. */
const batchSize = 100;

/** The names of the columns with the signature of a text. */
export const signatureColumns: readonly string[] = Array.from({ length: columnCount }, (_, place) => `s${place}`);

/** Text as it is compared: without differences of case, width and kinds of space. PostgreSQL stores no NUL. */
export function comparedText(text: string): string {
  return fold(text.toWellFormed()).replaceAll(/[\s\p{Cc}]+/gu, ' ');
}

/** What caller and agent said, one turn a line, read in parts. Empty if nothing was said. */
export async function transcriptText(
  read: (from: number, limit: number) => Promise<readonly Pick<Turn, 'index' | 'text'>[]>,
): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  for (let from = 0; length < maxLength; ) {
    const turns = await read(from, batchSize);
    for (const { text } of turns) {
      if (text === '') continue;
      const line = comparedText(text);
      lines.push(line);
      length += line.length + 1;
    }
    const last = turns.at(-1);
    if (last === undefined || turns.length < batchSize) break;
    from = last.index + 1;
  }
  return lines.join('\n').slice(0, maxLength).toWellFormed();
}

/**
 * The signature of a text: two of the bits are set for each of its pairs of characters, and one for each of its triples
 * that begins with a letter of an alphabet. A text that contains another has all of its bits. Alphabets have few letters,
 * so that most texts have most pairs of them; pairs of Japanese characters are rare enough. With one bit, a search for two
 * characters would read every text that has a common pair with the same bit, which can be most texts; rarely do two
 * common pairs have both of its bits.
 */
export function signatureOf(text: string): number[] {
  const isSet = new Uint8Array(bitCount);
  const columns = new Array<number>(columnCount).fill(0);
  const set = (bit: number): void => {
    if (isSet[bit] === 1) return;
    isSet[bit] = 1;
    const column = Math.floor(bit / bitsOfColumn);
    columns[column] = (columns[column] as number) + 2 ** (bit % bitsOfColumn);
  };
  let first = 0;
  let second = 0;
  for (let place = 0; place < text.length; place += 1) {
    const third = text.charCodeAt(place);
    if (place > 0) {
      const mixed = mixOf(0, second, third);
      set(mixed % bitCount);
      set(Math.floor(mixed / bitCount) % bitCount);
    }
    if (place > 1 && first < firstJapanese) set(mixOf(first, second, third) % bitCount);
    first = second;
    second = third;
  }
  return columns;
}

const firstJapanese = 0x3000;

/** Mixes the characters as MurmurHash does, so that similar ones get different bits. */
function mixOf(first: number, second: number, third: number): number {
  let mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed ^= mixed >>> 12;
  return mixed >>> 0;
}
