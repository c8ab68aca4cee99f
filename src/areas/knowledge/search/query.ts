import { fold } from '../../../core/folding.ts';
import { comparableSpelling, visitTerms } from './terms.ts';

/** `word` is null for characters. */
export interface QueryTerm {
  readonly word: string | null;
  readonly first: number;
  readonly second: number;
  readonly weight: number;
}

/** Terms that were written in hiragana only are mostly grammar. */
export const hiraganaWeight = 0.3;
const synonymWeight = 0.7;
/** 500 characters, as the contract counts them, have up to this many UTF-16 units. */
const maxQueryUnits = 1000;
/** 500 characters have about 700. More of them are synonyms, which are left out from here on. */
const maxTerms = 1000;

interface Synonym {
  readonly spelling: string;
  readonly terms: readonly QueryTerm[];
}

/** The groups of a base, prepared for its queries. */
export type SynonymGroups = readonly (readonly Synonym[])[];

export function prepareSynonyms(groups: readonly (readonly string[])[], language: string): SynonymGroups {
  return groups.map((group) =>
    group
      .map((synonym) => {
        const folded = fold(synonym);
        return { spelling: comparableSpelling(folded, language), terms: termsOf(folded, language, synonymWeight) };
      })
      .filter(({ spelling }) => spelling !== ''),
  );
}

/**
 * The terms of a query in order, repeated ones repeatedly, then those of its synonyms: if the query contains a member of
 * a group, the members that it does not contain are added.
 */
export function queryTerms(query: string, language: string, synonyms: SynonymGroups = []): readonly QueryTerm[] {
  const folded = fold(query.slice(0, maxQueryUnits));
  const terms = termsOf(folded, language, null);
  const spelling = comparableSpelling(folded, language);
  for (const group of synonyms) {
    if (terms.length >= maxTerms) break;
    const missing = group.filter((synonym) => !spelling.includes(synonym.spelling));
    if (missing.length < group.length) terms.push(...missing.flatMap((synonym) => synonym.terms));
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
    characters: (first, second, isHiragana) =>
      terms.push({ word: null, first, second, weight: weight ?? (isHiragana ? hiraganaWeight : 1) }),
    word: (word) => terms.push({ word, first: 0, second: 0, weight: weight ?? 1 }),
  });
  return terms;
}
