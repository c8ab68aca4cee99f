import { joined } from './caller-turn.ts';

/**
 * Words that were committed before they were final (rule 9). Their final transcript arrives later, or never: it is told
 * from the same words said again by its segment, which a flush has ended.
 */
export class UnconfirmedWords {
  readonly segment: number | undefined;
  /** Everything that was committed, for recognizers that do not name segments. */
  private readonly turn: string;
  /** What no final has confirmed in the segment. */
  private rest: string;

  constructor(turn: string, rest: string, segment: number | undefined) {
    this.turn = turn;
    this.rest = rest;
    this.segment = segment;
  }

  /** More words of the same segment were committed. */
  with(turn: string, rest: string): UnconfirmedWords {
    return new UnconfirmedWords(turn, joined(this.rest, rest), this.segment);
  }

  /** Whether the text is nothing but the end of what was committed. */
  endsWith(text: string): boolean {
    return bare(this.turn).endsWith(bare(text));
  }

  /** What a transcript of the segment says beyond these words. A final confirms them. */
  beyond(text: string, isFinal: boolean, countWords: (text: string) => number): string {
    const length = commonLength(this.rest, text);
    const known = afterSeparators(this.rest.slice(length.of));
    const heard = afterSeparators(text.slice(length.in));
    // The words were corrected: as many or fewer are the same words, more of them have not been answered yet.
    const isNews = bare(heard) !== '' && (bare(known) === '' || countWords(heard) > countWords(known));
    if (isFinal && (isNews || bare(heard) === '')) this.rest = isNews ? '' : known;
    return isNews ? heard : '';
  }
}

/** How much of both texts is the same words, whatever their case and punctuation. */
function commonLength(one: string, other: string): { readonly of: number; readonly in: number } {
  let common = { of: 0, in: 0 };
  let [first, second] = [0, 0];
  for (;;) {
    while (isSeparator(one[first])) first += 1;
    while (isSeparator(other[second])) second += 1;
    const [a, b] = [one[first], other[second]];
    if (a === undefined || b === undefined || a.toLowerCase() !== b.toLowerCase()) return common;
    first += 1;
    second += 1;
    if (isWordEnd(one, first) && isWordEnd(other, second)) common = { of: first, in: second };
  }
}

/** "phone" is not the beginning of "phones". Japanese has no such boundary. */
function isWordEnd(text: string, position: number): boolean {
  const next = text[position];
  return next === undefined || !/[\p{Script=Latin}\p{N}'’]/u.test(next);
}

function isSeparator(character: string | undefined): boolean {
  return character !== undefined && /[\s\p{P}]/u.test(character);
}

function afterSeparators(text: string): string {
  return text.replace(/^[\s\p{P}]+/u, '');
}

/** Recognizers add punctuation to a final transcript. */
export function bare(text: string): string {
  return text.replace(/[\s\p{P}]/gu, '').toLowerCase();
}
