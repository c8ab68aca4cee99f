import { fold } from '../../../core/folding.ts';
import { isEnglishGrammar } from './english-grammar.ts';
import { everydayWords } from './everyday-words.ts';
import { comparableSpelling, isEnglish, visitTerms } from './terms.ts';

/** `word` is null for characters. */
export interface QueryTerm {
  readonly word: string | null;
  readonly first: number;
  readonly second: number;
  readonly weight: number;
}

/** For terms that are mostly grammar: those written in hiragana only, and English words such as `the` and `would`. */
export const grammarWeight = 0.3;
/** For pairs of characters of which one is hiragana: the end of a word with what follows it. */
const endingWeight = 0.5;
const synonymWeight = 0.7;
/** 500 characters, as the contract counts them, have up to this many UTF-16 units. */
const maxQueryUnits = 1000;
/** 500 characters have about 700. More of them are synonyms, which are left out from here on. */
const maxTerms = 1000;

interface Synonym {
  readonly spelling: string;
  readonly terms: readonly QueryTerm[];
}

/** If a query contains one of `said`, those of `added` that it does not contain are added to it. */
interface SynonymGroup {
  readonly said: readonly Synonym[];
  readonly added: readonly Synonym[];
}

export type SynonymGroups = readonly SynonymGroup[];

/** The groups of a base, prepared for its queries. */
export function prepareSynonyms(groups: readonly (readonly string[])[], language: string): SynonymGroups {
  return groups.map((group) => {
    const synonyms = prepared(group, language);
    return { said: synonyms, added: synonyms };
  });
}

export function everydaySynonyms(language: string): SynonymGroups {
  return everydayWords(language).map(([said, written]) => ({
    said: prepared(said, language),
    added: prepared(written, language),
  }));
}

function prepared(words: readonly string[], language: string): readonly Synonym[] {
  return words
    .map((word) => {
      const folded = fold(word);
      return { spelling: comparableSpelling(folded, language), terms: termsOf(folded, language, synonymWeight) };
    })
    .filter(({ spelling }) => spelling !== '');
}

/** The terms of a query in order, repeated ones repeatedly, then those of its synonyms, each synonym once. */
export function queryTerms(query: string, language: string, synonyms: SynonymGroups = []): readonly QueryTerm[] {
  const folded = fold(query.slice(0, maxQueryUnits));
  const terms = termsOf(folded, language, null);
  const spelling = comparableSpelling(folded, language);
  const known = new Set<string>();
  for (const { said, added } of synonyms) {
    if (terms.length >= maxTerms) break;
    if (!said.some((synonym) => spelling.includes(synonym.spelling))) continue;
    for (const synonym of added) {
      if (spelling.includes(synonym.spelling) || known.has(synonym.spelling)) continue;
      known.add(synonym.spelling);
      terms.push(...synonym.terms);
    }
  }
  return terms.slice(0, maxTerms);
}

/** How many terms of the query are more than grammar. */
export function countWeightedTerms(query: string, language: string): number {
  return queryTerms(query, language).filter(({ weight }) => weight === 1).length;
}

function termsOf(folded: string, language: string, weight: number | null): QueryTerm[] {
  const terms: QueryTerm[] = [];
  visitTerms(folded, language, {
    characters: (first, second, hiragana) =>
      terms.push({
        word: null,
        first,
        second,
        weight: weight ?? ([1, endingWeight, grammarWeight][hiragana] as number),
      }),
    word: (word) => {
      const isGrammar = isEnglish(language) && isEnglishGrammar(word);
      terms.push({ word, first: 0, second: 0, weight: weight ?? (isGrammar ? grammarWeight : 1) });
    },
  });
  return terms;
}
