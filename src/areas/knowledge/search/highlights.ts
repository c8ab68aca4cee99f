import { fold } from '../../../core/folding.ts';
import { grammarWeight, keyOf, type QueryTerm } from './query.ts';
import type { Highlight } from './search.ts';
import { visitTerms } from './terms.ts';

/**
 * Where terms of the query occur in a text, in its own spelling. Terms that are mostly grammar are left out, unless the
 * query has no others.
 */
export function highlightsOf(text: string, query: readonly QueryTerm[], language: string): readonly Highlight[] {
  const isGrammar = ({ weight, isAdded }: QueryTerm): boolean => !isAdded && weight === grammarWeight;
  const isOnlyGrammar = !query.some(({ weight, isAdded }) => !isAdded && weight === 1);
  const wanted = new Set(query.filter((term) => isOnlyGrammar || !isGrammar(term)).map(keyOf));
  const { folded, originOf } = foldWithOrigins(text);
  const found: Highlight[] = [];
  const note = (start: number, end: number): void => {
    found.push({ start: (originOf[start] as Highlight).start, end: (originOf[end - 1] as Highlight).end });
  };
  visitTerms(folded, language, {
    characters: (first, second, _hiragana, start, end) => {
      if (wanted.has(keyOf({ word: null, first, second }))) note(start, end);
    },
    word: (word, start, end) => {
      if (wanted.has(keyOf({ word, first: 0, second: 0 }))) note(start, end);
    },
  });
  return joined(found);
}

/** A character with everything after it that it may be composed with: marks, also half-width ones, and parts of Hangul. */
const clusters = /[\s\S][\p{M}\uff9e\uff9f\u1160-\u11ff\uffa0-\uffdc]*/gu;

/** Folds a text, and says for each unit of the result from which part of the text it comes. */
export function foldWithOrigins(text: string): { folded: string; originOf: readonly Highlight[] } {
  let folded = '';
  const originOf: Highlight[] = [];
  for (const { 0: cluster, index: start } of text.matchAll(clusters)) {
    const part = fold(cluster);
    const origin = { start, end: start + cluster.length };
    for (let unit = 0; unit < part.length; unit += 1) originOf.push(origin);
    folded += part;
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
