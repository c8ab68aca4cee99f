import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLanguageNames } from '../../dashboard/src/pages/agents/language-names.ts';

it('short language names are shown in both languages, and invalid tags unchanged', () => {
  const inEnglish = createLanguageNames('en');
  const inJapanese = createLanguageNames('ja');
  for (const [tag, english, japanese] of [
    ['ja', 'Japanese', '日本語'],
    ['ja-JP', 'Japanese (JP)', '日本語 (JP)'],
    ['en-GB', 'English (GB)', '英語 (GB)'],
    ['FR-fr', 'French (FR)', 'フランス語 (FR)'],
    ['zh-Hant', 'Chinese (Hant)', '中国語 (Hant)'],
    ['zh-TW', 'Chinese (TW)', '中国語 (TW)'],
    ['zh-hant-tw', 'Chinese (Hant-TW)', '中国語 (Hant-TW)'],
    ['es-419', 'Spanish (419)', 'スペイン語 (419)'],
    ...['', 'multilingual', 'english', 'en_US', 'ja JP', 'qq-JP', '日本語', '-', 'constructor'].map((text) => [
      text,
      text,
      text,
    ]),
  ] as [string, string, string][]) {
    // The second time from the cache.
    for (const _ of [1, 2]) assert.deepEqual([inEnglish(tag), inJapanese(tag)], [english, japanese]);
  }
});
