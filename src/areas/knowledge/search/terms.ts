import { englishStem } from './english-stem.ts';

/**
 * What texts and queries are compared by. Texts are folded first: NFKC, case folding and, here, hiragana as katakana. In
 * runs of Han and kana, every two adjacent characters and every single Han character are terms: Japanese has no spaces,
 * and a dictionary would miss the names of products and shops. A run of other letters and digits is one word.
 */
export interface TermVisitor {
  /**
   * One Han character (`second` is 0), or two adjacent characters, as code points. `hiragana`: how many of them were
   * written in it. Offsets are those in the folded text.
   */
  characters(first: number, second: number, hiragana: 0 | 1 | 2, start: number, end: number): void;
  word(word: string, start: number, end: number): void;
}

/** Longer words are data, such as addresses and encoded images. They are compared by their beginning. */
const maxWordLength = 64;
const prolongedSoundMark = 0x30fc;

/** `folded`: the result of `fold`. Terms come in the order in which they end. */
export function visitTerms(folded: string, language: string, visitor: TermVisitor): void {
  visitRuns(folded, (isWord, start, end) => {
    if (isWord) visitor.word(termOfWord(folded.slice(start, end), language), start, end);
    else visitCharacters(folded, start, end, visitor);
  });
}

function visitRuns(folded: string, onRun: (isWord: boolean, start: number, end: number) => void): void {
  let start = 0;
  let runKind: 'word' | 'characters' | null = null;
  for (let position = 0; position < folded.length; ) {
    const code = folded.codePointAt(position) as number;
    const kind = kindOf(code);
    const next = kind === 'other' ? null : kind === 'letter' ? 'word' : 'characters';
    if (next !== runKind) {
      if (runKind !== null) onRun(runKind === 'word', start, position);
      runKind = next;
      start = position;
    }
    position += unitsOf(code);
  }
  if (runKind !== null) onRun(runKind === 'word', start, folded.length);
}

function visitCharacters(folded: string, start: number, end: number, visitor: TermVisitor): void {
  let before = 0;
  let beforeStart = start;
  let wasHiragana = false;
  for (let position = start; position < end; ) {
    const code = folded.codePointAt(position) as number;
    const next = position + unitsOf(code);
    const kind = kindOf(code);
    const isHiragana = kind === 'hiragana';
    const character = isHiragana ? toKatakana(code) : code;
    if (position > start) {
      visitor.characters(before, character, hiraganaIn(before, wasHiragana, code, isHiragana), beforeStart, next);
    }
    if (kind === 'han') visitor.characters(code, 0, 0, position, next);
    before = character;
    beforeStart = position;
    wasHiragana = isHiragana;
    position = next;
  }
}

/** The mark that lengthens a vowel belongs to either kana. */
function hiraganaIn(first: number, isFirst: boolean, second: number, isSecond: boolean): 0 | 1 | 2 {
  if (isFirst) return isSecond || second === prolongedSoundMark ? 2 : 1;
  if (!isSecond) return 0;
  return first === prolongedSoundMark ? 2 : 1;
}

export function isEnglish(language: string): boolean {
  return /^en(?:-|$)/i.test(language);
}

function termOfWord(word: string, language: string): string {
  const term = isEnglish(language) ? englishStem(word) : word;
  return term.length > maxWordLength ? term.slice(0, maxWordLength) : term;
}

type Kind = 'other' | 'letter' | 'han' | 'hiragana' | 'katakana';

function kindOf(code: number): Kind {
  if (code < 0x80) return isAsciiLetterOrDigit(code) ? 'letter' : 'other';
  if (code >= 0x4e00 && code <= 0x9fff) return 'han';
  if (code >= 0x3041 && code <= 0x3096) return 'hiragana';
  if ((code >= 0x30a1 && code <= 0x30fa) || code === prolongedSoundMark) return 'katakana';
  // The space, comma and full stop of Japanese.
  if (code >= 0x3000 && code <= 0x3002) return 'other';
  return rareKindOf(code);
}

/** For folded text, which has no capitals. */
function isAsciiLetterOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

function rareKindOf(code: number): Kind {
  // Iteration marks.
  if (code === 0x309d || code === 0x309e) return 'hiragana';
  if (code === 0x30fd || code === 0x30fe) return 'katakana';
  // Voicing marks that have no composed character, and the letters of Ainu.
  if (code === 0x3099 || code === 0x309a || (code >= 0x31f0 && code <= 0x31ff)) return 'katakana';
  const character = String.fromCodePoint(code);
  if (/\p{Script=Han}/u.test(character)) return 'han';
  return /[\p{L}\p{N}\p{M}]/u.test(character) ? 'letter' : 'other';
}

function toKatakana(hiragana: number): number {
  return hiragana + 0x60;
}

function unitsOf(code: number): number {
  return code > 0xffff ? 2 : 1;
}

/**
 * A spelling in which one text contains another if it does so for a reader: characters anywhere in a run, words only as
 * a whole, in any of their forms.
 */
export function comparableSpelling(folded: string, language: string): string {
  let spelling = '';
  let lastEnd = 0;
  visitRuns(folded, (isWord, start, end) => {
    const run = folded.slice(start, end);
    if (start > lastEnd) spelling += ' ';
    spelling += isWord ? ` ${termOfWord(run, language)} ` : katakanaOf(run);
    lastEnd = end;
  });
  return spelling.replace(/ +/g, ' ');
}

function katakanaOf(run: string): string {
  return run.replace(/[\u3041-\u3096\u309d\u309e]/g, (hiragana) =>
    String.fromCharCode(toKatakana(hiragana.charCodeAt(0))),
  );
}
