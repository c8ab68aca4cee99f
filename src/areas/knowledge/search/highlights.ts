import { fold } from '../../../core/folding.ts';
import { grammarWeight, type QueryTerm } from './query.ts';
import type { Highlight } from './search.ts';
import { visitTerms } from './terms.ts';

/**
 * Where terms of the query occur in a text, in its own spelling. Terms that are mostly grammar are left out, unless the
 * query has no others.
 */
export function highlightsOf(text: string, query: readonly QueryTerm[], language: string): readonly Highlight[] {
  const isGrammar = ({ weight, isAdded }: QueryTerm): boolean => !isAdded && weight === grammarWeight;
  const isOnlyGrammar = !query.some(({ weight, isAdded }) => !isAdded && weight === 1);
  const wanted = query.filter((term) => isOnlyGrammar || !isGrammar(term));
  const words = new Set(wanted.map(({ word }) => word));
  const characters = new Set(wanted.filter(({ word }) => word === null).map(pairOf));
  const { folded, originOf } = foldWithOrigins(text);
  const found: Highlight[] = [];
  const note = (start: number, end: number): void => {
    found.push({ start: (originOf[start] as Highlight).start, end: (originOf[end - 1] as Highlight).end });
  };
  visitTerms(folded, language, {
    characters: (first, second, _hiragana, start, end) => {
      if (characters.has(pairOf({ first, second }))) note(start, end);
    },
    word: (word, start, end) => {
      if (words.has(word)) note(start, end);
    },
  });
  return joined(found);
}

/** A text has a thousand pairs of characters, and strings for all of them would take most of the time. */
function pairOf({ first, second }: Pick<QueryTerm, 'first' | 'second'>): number {
  return first * 0x110000 + second;
}

/**
 * Either characters that are folded one by one to one unit each (ASCII, usual kana and kanji, full-width ASCII), or one
 * with everything after it that it may be composed with: marks, also half-width ones, and parts of Hangul. Folding each
 * cluster of a Japanese text alone took half of the time of a search.
 */
const pieces =
  /([\x00-\x7f\u3000-\u3029\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uff01-\uff5e]+(?![\p{M}\uff9e\uff9f\u1160-\u11ff\uffa0-\uffdc]))|[\s\S][\p{M}\uff9e\uff9f\u1160-\u11ff\uffa0-\uffdc]*/gu;

/** Folds a text, and says for each unit of the result from which part of the text it comes. */
export function foldWithOrigins(text: string): { folded: string; originOf: readonly Highlight[] } {
  let folded = '';
  const originOf: Highlight[] = [];
  for (const { 0: piece, 1: simple, index: start } of text.matchAll(pieces)) {
    if (simple === undefined) {
      const part = fold(piece);
      const origin = { start, end: start + piece.length };
      for (let unit = 0; unit < part.length; unit += 1) originOf.push(origin);
      folded += part;
    } else {
      for (let at = start; at < start + piece.length; at += 1) originOf.push({ start: at, end: at + 1 });
      folded += fold(piece);
    }
  }
  return { folded, originOf };
}

/** In order and without overlaps: terms come in the order in which they end. */
function joined(found: readonly Highlight[]): readonly Highlight[] {
  const sorted = found.toSorted((one, other) => one.start - other.start);
  const highlights: Highlight[] = [];
  for (const { start, end } of sorted) {
    const last = highlights.at(-1);
    if (last === undefined || start > last.end) highlights.push({ start, end });
    else highlights[highlights.length - 1] = { start: last.start, end: Math.max(last.end, end) };
  }
  return highlights;
}
