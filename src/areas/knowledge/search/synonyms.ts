import { fold } from '../../../core/folding.ts';
import { type EverydayWords, everydayWords } from './everyday-words.ts';
import { comparableSpelling } from './terms.ts';

/** If a query contains one of `said`, those of `added` that it does not contain are added to it. */
interface SynonymGroup {
  readonly said: readonly Said[];
  readonly added: readonly Added[];
}

export type SynonymGroups = readonly SynonymGroup[];

interface Said {
  readonly spelling: string;
  /** Without the hiragana between its words; null: it has to be said exactly so. */
  readonly tightSpelling: string | null;
}

interface Added {
  readonly folded: string;
  readonly spelling: string;
}

/** The groups of a base, prepared for its queries. */
export function prepareSynonyms(groups: readonly (readonly string[])[], language: string): SynonymGroups {
  return groups.map((group) => {
    const synonyms = prepared(group, language);
    return { said: synonyms.map(({ spelling }) => ({ spelling, tightSpelling: null })), added: synonyms };
  });
}

/** All bases of a language share them in memory. */
const everydayGroups = new Map<EverydayWords, SynonymGroups>();

export function everydaySynonyms(language: string): SynonymGroups {
  const words = everydayWords(language);
  if (words === null) return [];
  const known = everydayGroups.get(words);
  if (known !== undefined) return known;
  const groups = words.map(([said, written]) => ({
    said: prepared(said, language).map(({ folded, spelling }) => ({
      spelling,
      tightSpelling: tightSpelling(folded, language),
    })),
    added: prepared(written, language),
  }));
  everydayGroups.set(words, groups);
  return groups;
}

function prepared(words: readonly string[], language: string): readonly Added[] {
  return words
    .map((word) => {
      const folded = fold(word);
      return { folded, spelling: comparableSpelling(folded, language) };
    })
    .filter(({ spelling }) => spelling !== '');
}

/** The synonyms that belong to a query and are not in it, each once and folded. */
export function addedWords(folded: string, language: string, synonyms: SynonymGroups): readonly string[] {
  const spelling = comparableSpelling(folded, language);
  const tight = tightSpelling(folded, language);
  const isSaid = (said: Said): boolean =>
    spelling.includes(said.spelling) || (said.tightSpelling !== null && tight.includes(said.tightSpelling));
  const words = new Map<string, string>();
  for (const { said, added } of synonyms) {
    if (!said.some(isSaid)) continue;
    for (const word of added) {
      if (!spelling.includes(word.spelling) && !words.has(word.spelling)) words.set(word.spelling, word.folded);
    }
  }
  return [...words.values()];
}

/** Up to four hiragana between kanji or katakana are mostly particles and endings: カードがまだ届かない has カード届かない. */
const hiraganaBetweenWords =
  /(?<=[\p{Script=Han}\u30a0-\u30ff])[\u3041-\u309f]{1,4}(?=[\p{Script=Han}\u30a0-\u30ff])/gu;

function tightSpelling(folded: string, language: string): string {
  return comparableSpelling(folded.replace(hiraganaBetweenWords, ''), language);
}
