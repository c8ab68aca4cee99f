import { fold } from '../../../core/folding.ts';
import { type EverydayWords, everydayWords } from './everyday-words.ts';
import { comparableSpelling } from './terms.ts';

/** If a query contains one of `said`, those of `added` that it does not contain are added to it. */
interface SynonymGroup {
  readonly said: readonly Said[];
  readonly added: readonly Added[];
}

/** Groups, and where to look for what a query may contain: trying all of thousands of words would take a millisecond. */
export interface SynonymGroups {
  readonly groups: readonly SynonymGroup[];
  /** By the first two characters of a spelling: what may be said, and the index of its group. */
  readonly bySpelling: SaidWords;
  readonly byTightSpelling: SaidWords;
}

type SaidWords = ReadonlyMap<string, readonly { readonly spelling: string; readonly group: number }[]>;

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
  return indexed(
    groups.map((group) => {
      const synonyms = prepared(group, language);
      return { said: synonyms.map(({ spelling }) => ({ spelling, tightSpelling: null })), added: synonyms };
    }),
  );
}

const noSynonyms = prepareSynonyms([], 'ja');

/** All bases of a language share them in memory. */
const everydayGroups = new Map<EverydayWords, SynonymGroups>();

export function everydaySynonyms(language: string): SynonymGroups {
  const words = everydayWords(language);
  if (words === null) return noSynonyms;
  const known = everydayGroups.get(words);
  if (known !== undefined) return known;
  const groups = indexed(
    words.map(([said, written]) => ({
      said: prepared(said, language).map(({ folded, spelling }) => ({
        spelling,
        tightSpelling: tightSpelling(folded, language),
      })),
      added: prepared(written, language),
    })),
  );
  everydayGroups.set(words, groups);
  return groups;
}

function indexed(groups: readonly SynonymGroup[]): SynonymGroups {
  const all = groups.flatMap(({ said }, group) => said.map((word) => ({ ...word, group })));
  const tight = all.flatMap(({ tightSpelling, group }) =>
    tightSpelling === null ? [] : { spelling: tightSpelling, group },
  );
  return {
    groups,
    bySpelling: Map.groupBy(all, ({ spelling }) => spelling.slice(0, 2)),
    byTightSpelling: Map.groupBy(tight, ({ spelling }) => spelling.slice(0, 2)),
  };
}

function prepared(words: readonly string[], language: string): readonly Added[] {
  return words
    .map((word) => {
      const folded = fold(word);
      return { folded, spelling: comparableSpelling(folded, language) };
    })
    .filter(({ spelling }) => spelling !== '');
}

/** The synonyms that belong to a query and are not in it, each once and folded, in the order of the groups. */
export function addedWords(folded: string, language: string, synonyms: readonly SynonymGroups[]): readonly string[] {
  const spelling = comparableSpelling(folded, language);
  const tight = tightSpelling(folded, language);
  const words = new Map<string, string>();
  for (const { groups, bySpelling, byTightSpelling } of synonyms) {
    const said = new Set([...groupsSaid(spelling, bySpelling), ...groupsSaid(tight, byTightSpelling)]);
    for (const group of [...said].toSorted((one, other) => one - other)) {
      for (const word of groups[group]?.added ?? []) {
        if (!spelling.includes(word.spelling) && !words.has(word.spelling)) words.set(word.spelling, word.folded);
      }
    }
  }
  return [...words.values()];
}

function* groupsSaid(query: string, words: SaidWords): Iterable<number> {
  for (let at = 0; at < query.length; at += 1) {
    for (const length of [1, 2]) {
      for (const { spelling, group } of words.get(query.slice(at, at + length)) ?? [])
        if (query.startsWith(spelling, at)) yield group;
    }
  }
}

/** Up to four hiragana between kanji or katakana are mostly particles and endings: カードがまだ届かない has カード届かない. */
const hiraganaBetweenWords =
  /(?<=[\p{Script=Han}\u30a0-\u30ff])[\u3041-\u309f]{1,4}(?=[\p{Script=Han}\u30a0-\u30ff])/gu;

function tightSpelling(folded: string, language: string): string {
  return comparableSpelling(folded.replace(hiraganaBetweenWords, ''), language);
}
