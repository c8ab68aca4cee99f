import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Random } from '../../../../campaigns/random.ts';
import { foldWithOrigins, highlightsOf } from '../../../../src/areas/knowledge/search/highlights.ts';
import { queryTerms } from '../../../../src/areas/knowledge/search/query.ts';
import { fold } from '../../../../src/core/folding.ts';
import { seed } from '../../../support/seed.ts';

function highlighted(text: string, query: string, language = 'ja'): string[] {
  return highlightsOf(text, queryTerms(query, language), language).map(({ start, end }) => text.slice(start, end));
}

suite('highlights', () => {
  for (const [text, query, ...expected] of [
    ['商品の返品は３０日以内です', '返品', '品', '返品'],
    ['ﾍﾝﾋﾟﾝのｺﾞｱﾝﾅｲ', 'へんぴん', 'ﾍﾝﾋﾟﾝ'],
    ['ごあんない', 'ゴアンナイ', 'ごあんない'],
    ['ＶＩＰ会員', 'vip', 'ＶＩＰ'],
    ['㍿東京', '株式会社', '㍿'],
    ['か\u3099くせい', 'ガク', 'か\u3099く'],
    ['返品できますか', '返品できますか', '返品で'],
    ['営業できますか', '返品できますか', ...[]],
    ['できます', 'できますか', 'できます'],
    ['👩‍👩‍👧返品👩', '返品', '返品'],
  ] as const) {
    test(`of ${query} in ${text}`, () => assert.deepEqual(highlighted(text, query), expected));
  }

  test('of English words are in the form of the text', () => {
    assert.deepEqual(highlighted('Orders were CANCELLED; cancelling', 'cancel an order', 'en'), [
      'Orders',
      'CANCELLED',
      'cancelling',
    ]);
  });

  test('come from the same folding as the index', () => {
    for (const text of [
      'ﾊﾟﾝとﾊﾞﾀｰ ｶﾞ',
      'Straße ẞ İıΣς ﬁ',
      '각 ᄀ\u1161\u11a8 ﾡￂ',
      'e\u0301\u0323 ㍿ ﷺ か\u3099',
      '𠮷\ud800x',
    ]) {
      assert.equal(foldWithOrigins(text).folded, fold(text));
    }
  });

  test('are where the characters are, whatever they are next to', () => {
    const random = new Random(seed);
    const characters = [
      ...'あが漢ァア、Ａa1 ',
      'ﾊ',
      'ﾟ',
      '\u3099',
      'e',
      '\u0301',
      '㍿',
      'ﬁ',
      'ß',
      '👩',
      '\u200d',
      '각',
      '\u11a8',
    ];
    for (let round = 0; round < 500; round += 1) {
      const text = Array.from({ length: random.int(1, 12) }, () => random.pick(characters)).join('');
      const { folded, originOf } = foldWithOrigins(text);
      assert.equal(folded, fold(text), text);
      assert.equal(originOf.length, folded.length);
      for (const { start, end } of originOf) {
        const units = originOf.flatMap((origin, unit) => (origin.start === start ? (folded[unit] as string) : []));
        assert.equal(units.join(''), fold(text.slice(start, end)), text);
      }
    }
  });
});
