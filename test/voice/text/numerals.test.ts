import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { normalizeText } from '../../../src/voice/text/normalized.ts';
import { englishNumber, japaneseNumber, kanjiOfKanaNumber } from '../../../src/voice/text/numerals.ts';
import { digitsOf, findDigitRuns, groupsOf } from '../../../src/voice/text/spoken-digits.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { seed } from '../../support/seed.ts';

describe('numerals', () => {
  it('are read in kanji, digits and both', () => {
    const rows: [string, number | undefined][] = [
      ['〇', 0],
      ['十一', 11],
      ['二十', 20],
      ['三百六十五', 365],
      ['千', 1000],
      ['一千', 1000],
      ['九千九百九十九', 9999],
      ['一万', 10000],
      ['十万', 100000],
      ['1億2345万6789', 123456789],
      ['一兆', 1e12],
      ['二〇二六', 2026],
      ['三点一四', 3.14],
      ['二三', undefined],
      ['三十二十', undefined],
      ['万', undefined],
      ['三十25', undefined],
      ['〇十', undefined],
      ['25十', undefined],
      ['1,23', undefined],
      ['三点', undefined],
      ['', undefined],
    ];
    for (const [text, value] of rows) assert.equal(japaneseNumber(text), value, text);
  });

  it('are read in hiragana', () => {
    const rows: [string, string | undefined][] = [
      ['さんじゅうご', '三十五'],
      ['さんびゃくろくじゅう', '三百六十'],
      ['はっせんえん', undefined],
      ['いちまんにせん', '一万二千'],
      ['ろっぴゃく', '六百'],
    ];
    for (const [text, kanji] of rows) assert.equal(kanjiOfKanaNumber(text), kanji, text);
  });

  it('are the same in kanji as in digits, for every number', () => {
    const isSame = (value: number): void => assert.equal(japaneseNumber(kanjiOf(value)), value);
    fc.assert(fc.property(fc.integer({ min: 1, max: 99_999_999 }), isSame), { seed, numRuns: 500 });
  });

  it('are the same in English words as in digits, for every number', () => {
    const isSame = (value: number): void => assert.equal(englishNumber(englishOf(value)), value);
    fc.assert(fc.property(fc.integer({ min: 1, max: 999_999 }), isSame), { seed, numRuns: 500 });
  });
});

describe('spoken digits', () => {
  it('form runs and groups', () => {
    const rows: [string, string[]][] = [
      ['090-1234-5678', ['090-1234-5678']],
      ['いちにさん', ['123']],
      ['one two, three', ['12-3']],
      ['1 2 3', ['123']],
      ['一五〇の〇〇〇一', ['150-0001']],
      ['090-1234-5678に080', ['090-1234-5678', '080']],
      ['3人と4人', ['3', '4']],
      ['double five', ['55']],
      ['5,000', ['5', '000']],
      ['someone', []],
    ];
    for (const [text, expected] of rows) {
      const runs = findDigitRuns(normalizeText(text));
      assert.deepEqual(
        runs.map((run) =>
          groupsOf(run)
            .map(({ digits }) => digits)
            .join('-'),
        ),
        expected,
        text,
      );
      for (const run of runs)
        assert.equal(
          groupsOf(run)
            .map(({ digits }) => digits)
            .join(''),
          digitsOf(run),
        );
    }
  });
});

describe('normalized text', () => {
  it('knows where each of its characters comes from', () => {
    const check = (text: string): void => {
      const { plain, kana, starts, ends } = normalizeText(text);
      assert.equal(kana.length, plain.length);
      assert.equal(starts.length, plain.length);
      assert.equal(ends.length, plain.length);
      for (let place = 0; place < plain.length; place += 1) {
        assert.ok((starts[place] as number) < (ends[place] as number) && (ends[place] as number) <= text.length);
        if (place > 0) assert.ok((starts[place] as number) >= (starts[place - 1] as number));
      }
    };
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), check), { seed, numRuns: 500 });
    assert.equal(normalizeText('ﾊﾞｶ').plain, 'バカ');
  });
});

function kanjiOf(value: number): string {
  const belowMyriad = (part: number): string =>
    [1000, 100, 10, 1]
      .map((unit) => {
        const digit = Math.floor(part / unit) % 10;
        if (digit === 0) return '';
        return (
          (digit === 1 && unit > 1 ? '' : '〇一二三四五六七八九'[digit]) +
          ({ 1000: '千', 100: '百', 10: '十' }[unit] ?? '')
        );
      })
      .join('');
  const [high, low] = [Math.floor(value / 10_000), value % 10_000];
  // 千万 is said 一千万.
  return (high === 0 ? '' : `${belowMyriad(high)}万`) + belowMyriad(low);
}

function englishOf(value: number): string[] {
  const small =
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
      ' ',
    );
  const tens = 'x x twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
  if (value >= 1000)
    return [...englishOf(Math.floor(value / 1000)), 'thousand', ...(value % 1000 === 0 ? [] : englishOf(value % 1000))];
  if (value >= 100)
    return [
      small[Math.floor(value / 100)] as string,
      'hundred',
      ...(value % 100 === 0 ? [] : ['and', ...englishOf(value % 100)]),
    ];
  if (value < 20) return [small[value] as string];
  return [tens[Math.floor(value / 10)] as string, ...(value % 10 === 0 ? [] : [small[value % 10] as string])];
}
