import { fold } from '../../../core/folding.ts';
import { isEnglishGrammar } from './english-grammar.ts';
import { addedWords, type SynonymGroups } from './synonyms.ts';
import { isEnglish, visitTerms } from './terms.ts';

/** `word` is null for characters. */
export interface QueryTerm {
  readonly word: string | null;
  readonly first: number;
  readonly second: number;
  readonly weight: number;
  /** Not said, but a synonym of what was said. */
  readonly isAdded: boolean;
}

/** For terms that are mostly grammar: those written in hiragana only, and English words such as `the` and `would`. */
export const grammarWeight = 0.3;
/** For pairs of characters of which one is hiragana: the end of a word with what follows it. */
const endingWeight = 0.5;
/** Of the terms of a synonym, together; each of them has at most 1. */
const synonymWeight = 1.5;
/** 500 characters, as the contract counts them, have up to this many UTF-16 units. */
const maxQueryUnits = 1000;
/** 500 characters have about 700. More of them are synonyms, which are left out from here on. */
const maxTerms = 1000;

/** The terms of a query in order, repeated ones repeatedly, then those of its synonyms, each once. */
export function queryTerms(
  query: string,
  language: string,
  synonyms: readonly SynonymGroups[] = [],
): readonly QueryTerm[] {
  const folded = fold(query.slice(0, maxQueryUnits));
  const added = termsOfSynonyms(addedWords(folded, language, synonyms), language);
  return [...termsOf(folded, language), ...added].slice(0, maxTerms);
}

/** Synonyms often share characters: such a term has the sum of its weights, so that it is looked up once. */
function termsOfSynonyms(words: readonly string[], language: string): Iterable<QueryTerm> {
  const terms = new Map<string, QueryTerm>();
  for (const word of words) {
    const termsOfWord = termsOf(word, language);
    const weight = Math.min(1, synonymWeight / termsOfWord.length);
    for (const term of termsOfWord) {
      const key = keyOf(term);
      terms.set(key, { ...term, weight: weight + (terms.get(key)?.weight ?? 0), isAdded: true });
    }
  }
  return terms.values();
}

/** No word contains a space. */
function keyOf({ word, first, second }: Pick<QueryTerm, 'word' | 'first' | 'second'>): string {
  return word ?? ` ${first} ${second}`;
}

/** How many terms of the query are more than grammar. */
export function countWeightedTerms(query: string, language: string): number {
  return queryTerms(query, language).filter(({ weight }) => weight === 1).length;
}

function termsOf(folded: string, language: string): QueryTerm[] {
  const terms: QueryTerm[] = [];
  visitTerms(folded, language, {
    characters: (first, second, hiragana) =>
      terms.push({
        word: null,
        first,
        second,
        weight: [1, endingWeight, grammarWeight][hiragana] as number,
        isAdded: false,
      }),
    word: (word) => {
      const isGrammar = isEnglish(language) && isEnglishGrammar(word);
      terms.push({ word, first: 0, second: 0, weight: isGrammar ? grammarWeight : 1, isAdded: false });
    },
  });
  return terms;
}
