import { type CharacterKind, isEastAsian, isExtending, isHiragana, kindOf } from './character-kinds.ts';

const listNumber = /^\s*\(?(?:\d{1,3}|[A-Za-z])$/;
const maxAbbreviationLength = 8;
const closingBrace = 0x7d;
const asterisk = 0x2a;

/** What is known about one sentence while it is read, a character at a time. Offsets count from its start. */
export class Sentence {
  /** Where it could be cut if it gets too long: after a mark inside a quote, a comma, a space. 0: nowhere. */
  lastMark = 0;
  lastComma = 0;
  lastSpace = 0;

  #hasContent = false;
  /** How many 「 are open. */
  #quoteDepth = 0;
  #tagStart = -1;
  /** Whether a `"` or a `*` is open, and where the last `*` was: `**` counts once. */
  #isQuoteOpen = false;
  #isEmphasisOpen = false;
  #lastAsterisk = -2;

  /** The gap: marks, brackets, commas and spaces since the last other character. */
  #ending: 'mark' | 'asciiMark' | 'dot' | undefined;
  #endingStart = 0;
  #isEllipsis = false;
  #closesQuote = false;
  #comma: 'comma' | 'asciiComma' | undefined;
  #hasSpace = false;
  #hasNewline = false;

  /** Reads the next character. If it belongs to the next sentence, nothing changes and the result is true. */
  endsBefore(text: string, index: number, start: number): boolean {
    const code = text.charCodeAt(index);
    const offset = index - start;
    if (this.#tagStart >= 0) {
      this.#readTag(text, index, offset);
      return false;
    }
    const kind = kindOf(code);
    if (kind === 'plain' && !this.#isInGap()) {
      this.#hasContent = true;
      return false;
    }
    if (kind === 'space' || kind === 'newline') {
      this.#hasSpace = true;
      this.#hasNewline ||= kind === 'newline';
      return false;
    }
    if (this.#joinsGap(kind, code, offset) || (this.#isInGap() && isExtending(text, index))) return false;
    if (this.#isBoundary(text, index, start)) return true;
    this.#leaveGap(offset);
    this.#hasContent = true;
    this.#enter(kind, text, index, offset);
    return false;
  }

  #readTag(text: string, index: number, offset: number): void {
    const isClosed = text.charCodeAt(index) === closingBrace && text.charCodeAt(index - 1) === closingBrace;
    if (isClosed && offset > this.#tagStart + 2) this.#tagStart = -1;
  }

  #isInGap(): boolean {
    return this.#ending !== undefined || this.#comma !== undefined || this.#hasSpace;
  }

  /** Whether the character belongs to the mark before it: another mark, or a bracket or quote that closes. */
  #joinsGap(kind: CharacterKind, code: number, offset: number): boolean {
    if (this.#ending === undefined || this.#hasSpace) return false;
    switch (kind) {
      case 'mark':
      case 'asciiMark':
        if (this.#ending !== 'mark') this.#ending = kind;
        return true;
      case 'dot':
        this.#isEllipsis = this.#ending === 'dot';
        return true;
      case 'closeQuote':
        this.#quoteDepth = Math.max(0, this.#quoteDepth - 1);
        this.#closesQuote = true;
        return true;
      case 'closer':
        this.#closesQuote = true;
        return true;
      case 'toggle': {
        const isRepeated = code === asterisk && this.#lastAsterisk === offset - 1;
        if (!isRepeated && !(code === asterisk ? this.#isEmphasisOpen : this.#isQuoteOpen)) return false;
        this.#toggle(code, offset);
        this.#closesQuote = true;
        return true;
      }
      default:
        return false;
    }
  }

  #isBoundary(text: string, index: number, start: number): boolean {
    if (this.#quoteDepth > 0) return false;
    if (this.#hasNewline) return this.#hasContent;
    if (this.#ending === undefined) return false;
    const next = text.charCodeAt(index);
    const kind = kindOf(next);
    if (!this.#hasSpace) {
      if (kind === 'comma' || kind === 'asciiComma') return false;
      // 「はい。」と言いました goes on after the quote, and so do （株）の and its like.
      if (this.#closesQuote && isHiragana(next)) return false;
      if (this.#ending === 'mark') return true;
      if (!isEastAsian(next)) return false;
      return (
        this.#ending === 'asciiMark' ||
        (!this.#isEllipsis && isEastAsian(text.charCodeAt(this.#endingStart + start - 1)))
      );
    }
    if (this.#ending === 'mark') return true;
    const character = String.fromCodePoint(text.codePointAt(index) as number);
    // "Really?" she said.
    if (this.#closesQuote && isLowerCase(character)) return false;
    return this.#ending === 'asciiMark' || this.#isDotBoundary(text, start, character);
  }

  #isDotBoundary(text: string, start: number, next: string): boolean {
    if (this.#isEllipsis) return !isLowerCase(next) && !isHiragana(next.charCodeAt(0));
    const dot = start + this.#endingStart;
    const from = Math.max(start, dot - maxAbbreviationLength - 1);
    if (from === start && listNumber.test(text.slice(start, dot))) return false;
    let wordStart = dot;
    while (wordStart > from && isWordCharacter(text.charCodeAt(wordStart - 1))) wordStart -= 1;
    return !isAbbreviation(text.slice(wordStart, dot), next);
  }

  #leaveGap(offset: number): void {
    if (this.#ending === 'mark' || this.#ending === 'asciiMark' || this.#hasNewline) this.lastMark = offset;
    if (this.#comma === 'comma' || (this.#comma === 'asciiComma' && this.#hasSpace)) this.lastComma = offset;
    if (this.#hasSpace && this.#hasContent) this.lastSpace = offset;
    this.#ending = undefined;
    this.#isEllipsis = false;
    this.#closesQuote = false;
    this.#comma = undefined;
    this.#hasSpace = false;
    this.#hasNewline = false;
  }

  #toggle(code: number, offset: number): void {
    if (code !== asterisk) this.#isQuoteOpen = !this.#isQuoteOpen;
    else if (this.#lastAsterisk !== offset - 1) this.#isEmphasisOpen = !this.#isEmphasisOpen;
    if (code === asterisk) this.#lastAsterisk = offset;
  }

  /** Starts a gap, a quote or a tag with a character that belongs to no gap. */
  #enter(kind: CharacterKind, text: string, index: number, offset: number): void {
    const code = text.charCodeAt(index);
    if (kind === 'mark' || kind === 'asciiMark' || kind === 'dot') {
      this.#ending = kind;
      this.#endingStart = offset;
      this.#isEllipsis = kind === 'dot' && (code === 0x2026 || code === 0x2025);
    } else if (kind === 'comma' || kind === 'asciiComma') {
      this.#comma = kind;
    } else if (kind === 'openQuote') {
      this.#quoteDepth += 1;
    } else if (kind === 'closeQuote') {
      this.#quoteDepth = Math.max(0, this.#quoteDepth - 1);
    } else if (kind === 'toggle') {
      this.#toggle(code, offset);
    } else if (kind === 'openBrace' && text.charCodeAt(index + 1) === code) {
      this.#tagStart = offset;
    }
  }
}

function isLowerCase(character: string): boolean {
  return /\p{Ll}/u.test(character);
}

/** Whether it belongs to a word that may be an abbreviation: "(e.g." is one, too. */
function isWordCharacter(code: number): boolean {
  return code === 0x2e || (code > 0x40 && code <= 0x17f && code !== 0x5b && code !== 0xa0);
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Something always follows them: a name, an example, an amount. */
const unfinished = words(
  'mr mrs ms mx dr prof rev hon gen col capt lt sgt st mt ft messrs e.g i.e vs cf approx dept est esp incl viz',
);
/** A sentence may end with them: it does if a capital letter follows. */
const possiblyLast = words(
  'a.m p.m etc inc ltd co corp jr sr bros ph.d m.d b.a m.a min max hr hrs sec tel ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun',
);
/** Abbreviations only in front of a number: "No. 5", but "No. That is wrong." */
const beforeNumber = words('no nos p pp vol ch sec fig art ext para eq ver');

const dottedLetters = /^(?:\p{L}\.)+\p{L}$/u;
const singleCapital = /^[A-HJ-Z]$/;

/** Whether a dot after `word` and before `next`, the first character of what follows, belongs to an abbreviation. */
function isAbbreviation(word: string, next: string): boolean {
  const folded = word.toLowerCase();
  if (unfinished.has(folded)) return true;
  if (beforeNumber.has(folded) && /\d/.test(next)) return true;
  if (possiblyLast.has(folded)) return !/\p{Lu}/u.test(next) && /[\p{L}\p{N}]/u.test(next);
  // U.S., U.K., and initials: a capital letter that follows says nothing. "I." is a whole word.
  return dottedLetters.test(word) || singleCapital.test(word);
}
