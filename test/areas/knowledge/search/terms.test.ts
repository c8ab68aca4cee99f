import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { everydayWords } from '../../../../src/areas/knowledge/search/everyday-words.ts';
import { queryTerms } from '../../../../src/areas/knowledge/search/query.ts';
import { everydaySynonyms, prepareSynonyms } from '../../../../src/areas/knowledge/search/synonyms.ts';
import { visitTerms } from '../../../../src/areas/knowledge/search/terms.ts';
import { fold } from '../../../../src/core/folding.ts';

function termsOf(text: string, language = 'ja'): string[] {
  const terms: string[] = [];
  visitTerms(fold(text), language, {
    characters: (first, second) =>
      terms.push(String.fromCodePoint(first) + (second === 0 ? '' : String.fromCodePoint(second))),
    word: (word) => terms.push(word),
  });
  return terms;
}

/** As `term weight`. */
function weightsOf(query: string, synonyms: readonly (readonly string[])[] = [], language = 'ja'): string[] {
  return queryTerms(query, language, [prepareSynonyms(synonyms, language)]).map(({ word, first, second, weight }) => {
    const characters = String.fromCodePoint(first) + (second === 0 ? '' : String.fromCodePoint(second));
    return `${word ?? characters} ${weight}`;
  });
}

suite('the terms of a text', () => {
  for (const [text, ...expected] of [
    ['返品', '返', '返品', '品'],
    ['返品です', '返', '返品', '品', '品デ', 'デス'],
    ['ﾍﾝﾋﾟﾝ', 'ヘン', 'ンピ', 'ピン'],
    ['へんぴん', 'ヘン', 'ンピ', 'ピン'],
    ['ＶＩＰ会員', 'vip', '会', '会員', '員'],
    ['品', '品'],
    ['を', ...[]],
    ['犬、猫', '犬', '猫'],
    ['コーヒー', 'コー', 'ーヒ', 'ヒー'],
    ['ソフト・ハード', 'ソフ', 'フト', 'ハー', 'ード'],
    ['佐々木', '佐', '佐々', '々', '々木', '木'],
    ['𠮷野家', '𠮷', '𠮷野', '野', '野家', '家'],
    ['Wi-Fi 6E', 'wi', 'fi', '6e'],
    ['Größe Straße', 'grösse', 'strasse'],
    ['3日以内', '3', '日', '日以', '以', '以内', '内'],
    ['안녕 세계', '안녕', '세계'],
    ['！？…', ...[]],
    ['', ...[]],
  ] as const) {
    test(`of ${text === '' ? 'nothing' : text}`, () => assert.deepEqual(termsOf(text as string), expected));
  }

  test('words lose their endings in English only', () => {
    assert.deepEqual(termsOf('Cancelled orders', 'en'), ['cancel', 'order']);
    assert.deepEqual(termsOf('Cancelled orders', 'ja'), ['cancelled', 'orders']);
  });

  test('a word is compared by its first 64 characters', () => {
    assert.deepEqual(termsOf('a'.repeat(100)), ['a'.repeat(64)]);
  });
});

suite('the terms of a query', () => {
  test('written in hiragana only count less, repeated ones count again', () => {
    assert.deepEqual(weightsOf('返品の返品'), [
      '返 1',
      '返品 1',
      '品 1',
      '品ノ 0.5',
      'ノ返 0.5',
      '返 1',
      '返品 1',
      '品 1',
    ]);
    assert.deepEqual(weightsOf('できますか'), ['デキ 0.3', 'キマ 0.3', 'マス 0.3', 'スカ 0.3']);
    assert.deepEqual(weightsOf('らーめん'), ['ラー 0.3', 'ーメ 0.3', 'メン 0.3']);
    assert.deepEqual(weightsOf('ラーメン'), ['ラー 1', 'ーメ 1', 'メン 1']);
  });

  test('include those of the synonyms that the query does not contain', () => {
    const pets = ['犬', '猫', 'ペット'];
    assert.deepEqual(weightsOf('犬', [pets]), ['犬 1', '猫 1', 'ペッ 0.75', 'ット 0.75']);
    assert.deepEqual(weightsOf('犬と猫', [pets]).slice(-2), ['ペッ 0.75', 'ット 0.75']);
    assert.deepEqual(weightsOf('ﾍﾟｯﾄ', [pets]).slice(-2), ['犬 1', '猫 1']);
    assert.deepEqual(weightsOf('鳥', [pets]), ['鳥 1']);
  });

  test('of a synonym weigh 1.5 together, and at most 1 each', () => {
    const groups = [['犬', '返却']];
    assert.deepEqual(weightsOf('犬', groups), ['犬 1', '返 0.5', '返却 0.5', '却 0.5']);
    const [term] = queryTerms('猫', 'ja', [prepareSynonyms([['猫', '返却']], 'ja')]).slice(1);
    assert.deepEqual(term, { word: null, first: 0x8fd4, second: 0, weight: 0.5, isAdded: true });
  });

  test('of several synonyms are there once, with the sum of their weights', () => {
    assert.deepEqual(weightsOf('犬', [['犬', '子', '双子']]).slice(1), ['子 1.5', '双 0.5', '双子 0.5']);
  });

  test('a synonym that is a word applies to whole words, in any form', () => {
    const groups = [
      ['art', 'painting'],
      ['wi-fi', 'wireless'],
    ];
    assert.deepEqual(weightsOf('start', groups, 'en'), ['start 1']);
    assert.deepEqual(weightsOf('arts', groups, 'en'), ['art 1', 'paint 1']);
    assert.deepEqual(weightsOf('Wi Fi', groups, 'en'), ['wi 1', 'fi 1', 'wireless 1']);
    assert.deepEqual(weightsOf('WI-FIは', groups), ['wi 1', 'fi 1', 'wireless 1']);
  });

  test('of English that are mostly grammar count less', () => {
    assert.deepEqual(weightsOf('Would you cancel it?', [], 'en'), ['would 0.3', 'you 0.3', 'cancel 1', 'it 0.3']);
    assert.deepEqual(weightsOf('it couldn’t fit', [], 'en'), ['it 0.3', 'couldn 0.3', 't 0.3', 'fit 1']);
  });

  test('include the written words for what is said, but not the reverse', () => {
    const groups = [everydaySynonyms('ja')];
    const spelled = (query: string) =>
      queryTerms(query, 'ja', groups).map(({ first, second }) => String.fromCodePoint(first, second || 0x20));
    assert.ok(spelled('歯医者').includes('歯科'));
    assert.ok(!spelled('歯科').includes('医者'));
  });

  test('of everyday words are found across up to four hiragana, those of a base only as they are', () => {
    const isAdded = (query: string, groups: ReturnType<typeof prepareSynonyms>) =>
      queryTerms(query, 'ja', [groups]).some((term) => term.isAdded);
    const base = prepareSynonyms([['カード届', '発行']], 'ja');
    assert.ok(isAdded('カード届', base) && !isAdded('カードがまだ届く', base));
    const added = (query: string) => queryTerms(query, 'ja', [everydaySynonyms('ja')]).filter((term) => term.isAdded);
    const issued = ['発', '行'].map((character) => character.codePointAt(0));
    const hasIssued = (query: string) =>
      added(query).some(({ first, second }) => first === issued[0] && second === issued[1]);
    assert.ok(hasIssued('カードがまだ届くのは') && !hasIssued('カードについてそして届く'));
  });

  test('synonyms without letters do nothing', () => {
    assert.deepEqual(weightsOf('!', [['!', '犬']]), []);
  });

  test('are at most a thousand', () => {
    const group = ['犬', ...Array.from({ length: 9 }, (_, number) => String(number).repeat(3) + '猫'.repeat(45))];
    assert.equal(weightsOf(`犬${'あ'.repeat(2000)}`, Array(20).fill(group)).length, 1000);
  });
});

suite('the tables of everyday words', () => {
  for (const language of ['ja', 'en']) {
    test(`of ${language} have something on both sides of every line, and no word twice on one`, () => {
      const words = everydayWords(language) ?? [];
      assert.ok(words.length > 300);
      for (const sides of words) {
        for (const side of sides) {
          assert.ok(side.length > 0 && side.every((word) => word.trim() === word && word !== ''), side.join());
          assert.equal(new Set(side).size, side.length, side.join());
        }
      }
    });
  }

  test('are for Japanese and English, whatever the region', () => {
    assert.equal(everydayWords('en-GB'), everydayWords('en'));
    assert.equal(everydayWords('ja-JP'), everydayWords('ja'));
    assert.equal(everydayWords('fr'), null);
  });
});
