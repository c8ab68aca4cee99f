/**
 * Characters that a terminal would interpret instead of display: control characters, which start escape sequences, and
 * bidirectional controls. Unpaired surrogates are not valid text either.
 */
const unshowable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Untrusted text on one line, with everything escaped that a terminal would interpret. */
export function visible(text: string): string {
  return text.replaceAll(unshowable, (character) => short[character] ?? escaped(character));
}

/** The same for multi-line text. */
export function visibleLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => line.split('\t').map(visible).join('    '));
}

/** `JSON.stringify` leaves some of these characters unescaped. Escaping them does not change the value. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replaceAll(unshowable, escaped)}\n`;
}

/** Such as `1 call` or `1,200 calls`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** East Asian Width "Wide" and "Fullwidth", in ranges: by script alone, the long vowel of Katakana would be missed. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]|\ufe0f/u;
const plain = /^[\x20-\x7e]*$/;

/** The width of a text in terminal cells: wide East Asian characters take two, combined characters count once. */
export function cells(text: string): number {
  if (plain.test(text)) return text.length;
  return charactersOf(text).reduce((width, character) => width + cellsOf(character), 0);
}

/** The text, truncated to a width in cells. */
export function shortened(text: string, most: number): string {
  if (cells(text) <= most) return text;
  let width = 1;
  let kept = '';
  for (const character of charactersOf(text)) {
    width += cellsOf(character);
    if (width > most) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** The text in lines of a width in cells. Breaks after spaces, or anywhere in texts without; nothing is left out. */
export function wrapped(text: string, width: number): string[] {
  if (cells(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const character of charactersOf(text)) {
    const size = cellsOf(character);
    if (used + size > width && character !== ' ') {
      const space = line.lastIndexOf(' ') + 1;
      // A break in the first half of a line would leave most of it empty.
      const end = space > line.length / 2 ? space : line.length;
      lines.push(line.slice(0, end));
      line = line.slice(end);
      used = cells(line);
    }
    line += character;
    used += size;
  }
  return line === '' ? lines : [...lines, line];
}

/** Characters that can combine with others: marks, joiners, variation selectors, skin tones, flags, Hangul jamo. */
const joining = /[\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\u1100-\u11ff]/u;

/** Grapheme clusters. Creating a segmenter is slow, and few texts need one. */
function charactersOf(text: string): string[] {
  if (!joining.test(text)) return [...text];
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

function cellsOf(character: string): number {
  if (/^[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
