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

/** Of terms that are mostly grammar: those written in hiragana only, and English words such as `the` and `would`. */
export const grammarWeight = 0.3;
/** Of two characters of which one is hiragana: the end of a word with what follows it. */
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

export const V: any = { S: 1, B: 1, E: 0.5, G: 0.3, W: 0.7, WS: 0.7, WG: 0.7, ...JSON.parse(process.env.V ?? '{}') };

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
      return { folded, spelling: comparableSpelling(folded, language), terms: termsOf(folded, language, synonymWeight) };
    })
    .filter(({ spelling }) => spelling !== '');
}

/** The terms of a query in order, repeated ones repeatedly, then those of its synonyms, each synonym once. */
export function queryTerms(query: string, language: string, synonyms: SynonymGroups = []): readonly QueryTerm[] {
  const folded = fold(query.slice(0, maxQueryUnits));
  const terms = termsOf(folded, language, null);
  const spelling = comparableSpelling(folded, language);
  const known = new Set<string>();
  const tight = (t: string) => comparableSpelling(t.replace(new RegExp(`(?<=[\\p{Script=Han}\\u30a0-\\u30ff])[\\u3041-\\u309f]{1,${V.strip}}(?=[\\p{Script=Han}\\u30a0-\\u30ff])`, 'gu'), ''), language);
  const stripped = V.strip ? tight(folded) : '';
  interface M { g: number; start: number; end: number; n: number }
  let ms: M[] = [];
  synonyms.forEach(({ said }, g) => {
    for (const { spelling: x } of said) {
      for (let at = spelling.indexOf(x); at >= 0; at = spelling.indexOf(x, at + 1)) {
        if (V.kana && /^[\u30a1-\u30ff]+$/.test(x) && x.length <= V.kana && at > 0 && /[\u30a1-\u30ff]/.test(spelling[at - 1] as string) && !'ハガヲニデトモノヘカヨネッ'.includes(spelling[at - 1] as string)) continue;
        ms.push({ g, start: at, end: at + x.length, n: x.length });
      }
    }
  });
  if (V.strip) synonyms.forEach(({ said }, g) => { if (said.some((x: any) => (x.folded.length > 2 || !V.long) && stripped.includes((x.tight ??= tight(x.folded))))) ms.push({ g, start: 0, end: 1, n: 1 }); });
  if (V.munch) ms = ms.filter((m) => !ms.some((o) => o.start <= m.start && o.end >= m.end && o.end - o.start > m.end - m.start));
  const gs = new Set(ms.map((m) => m.g));
  for (const [g, { added }] of synonyms.entries()) {
    const gi = g;
    if (terms.length >= maxTerms) break;
    if (!gs.has(g)) continue;
    const len = Math.max(...ms.filter((m) => m.g === gi).map((m) => m.n));
    const gf = (V.gp ? (4 / Math.max(4, added.length)) ** V.gp : 1) * (V.gq ? added.length ** -V.gq : 1) * (V.sh && len <= 2 ? V.sh : 1) * (V.s1 && len <= 1 ? V.s1 : 1) * (V.l4 && len >= 4 ? V.l4 : 1);
    for (const synonym of added) {
      if (spelling.includes(synonym.spelling) || (!V.rep && known.has(synonym.spelling))) continue;
      known.add(synonym.spelling);
      const n = synonym.terms.length;
      const f = V.norm === 1 ? Math.min(1, 3 / n) : V.norm === 2 ? Math.min(1, Math.sqrt(3 / n)) : V.norm === 3 ? 3 / n : 1;
      terms.push(...synonym.terms.map((t) => ({ ...t, weight: t.weight * f * gf })));
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
        weight: weight === null ? (second === 0 ? V.S : ([V.B, V.E, V.G][hiragana] as number)) : second === 0 && folded.length > 1 ? V.WS : hiragana === 2 ? V.WG : V.W,
      }),
    word: (word) => {
      const isGrammar = isEnglish(language) && isEnglishGrammar(word);
      terms.push({ word, first: 0, second: 0, weight: weight === null ? (isGrammar ? V.G : 1) : isGrammar ? V.WG : V.W });
    },
  });
  return terms;
}
