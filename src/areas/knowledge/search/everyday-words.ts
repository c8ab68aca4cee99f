import { englishLife } from './everyday/english-life.ts';
import { englishService } from './everyday/english-service.ts';
import { englishTopics } from './everyday/english-topics.ts';
import { japaneseHealth } from './everyday/japanese-health.ts';
import { japaneseLife } from './everyday/japanese-life.ts';
import { japaneseMoreTopics } from './everyday/japanese-more-topics.ts';
import { japaneseService } from './everyday/japanese-service.ts';
import { japaneseShopping } from './everyday/japanese-shopping.ts';
import { japaneseTopics } from './everyday/japanese-topics.ts';
import { japaneseWords } from './everyday/japanese-words.ts';
import { isEnglish } from './terms.ts';

/**
 * Callers say things in everyday words, and documents write them in formal ones. Each line of a table: what is said, and
 * what it may be called in a document. They are added to a query like synonyms of the base, in this direction only.
 * General words of customer service; those of a business belong into the synonyms of its base.
 */
const japaneseTables = [
  japaneseService,
  japaneseShopping,
  japaneseHealth,
  japaneseLife,
  japaneseWords,
  japaneseTopics,
  japaneseMoreTopics,
];
const englishTables = [englishService, englishLife, englishTopics];

export type EverydayWords = readonly (readonly [said: readonly string[], written: readonly string[]])[];

const languages = [
  { isLanguage: (language: string) => /^ja(?:-|$)/i.test(language), words: lazily(japaneseTables, / +/) },
  { isLanguage: isEnglish, words: lazily(englishTables, /, */) },
];

/** The same object for the same language. */
export function everydayWords(language: string): EverydayWords | null {
  return languages.find(({ isLanguage }) => isLanguage(language))?.words() ?? null;
}

function lazily(tables: readonly string[], separator: RegExp): () => EverydayWords {
  let words: EverydayWords | null = null;
  return () => {
    words ??= parsed(tables, separator);
    return words;
  };
}

function parsed(tables: readonly string[], separator: RegExp): EverydayWords {
  const lines = tables.flatMap((table) => table.trim().split('\n'));
  return lines.map((line) => {
    const [said = '', written = ''] = line.split(' : ');
    return [said.split(separator), written.split(separator)];
  });
}
