import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { answerKinds } from '../../../src/contract/agents/settings/answer-kinds.ts';
import { type AnswerKind, understand } from '../../../src/voice/understanding/answer.ts';
import { compilePhrases } from '../../../src/voice/understanding/phrases.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { leastProcessorMs } from '../../support/processor-time.ts';
import { seed } from '../../support/seed.ts';
import { english, japanese } from './tables.ts';

const options = [{ value: 'a', say: ['予約', 'book', '/b+/'] }];

/** Pieces of what callers say, in any order: more likely to be almost understood than random characters. */
const pieces =
  '一 二 十 百 千 万 点 半 月 日 時 分 年 曜 来週 明日 午後 の は です はい いいえ ゼロ いち に さん アットマーク ドット one two twenty hundred and point at dot next tuesday may half past to am + - . , 、 。 / : 0 5 12 2026 @ 〒 令和 \u3099 ﾊ ﾞ ｶﾞ 🙂 \ud800'.split(
    ' ',
  );
const words = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(' ')),
);

describe('arbitrary words', () => {
  for (const as of answerKinds) {
    it(`never make ${as} throw, and give a value of its form or nothing`, () => {
      const forms: Partial<Record<AnswerKind, RegExp>> = {
        digits: /^\d+$/,
        date: /^\d{4}-\d{2}-\d{2}$/,
        time: /^([01]\d|2[0-3]):[0-5]\d$/,
        phone: /^\+\d{7,15}$/,
        email: /^[^\s@]+@[^\s@]+$/,
        postal_code: /^[A-Z0-9-]+$/,
      };
      const check = (text: string): void => {
        for (const context of [japanese, english]) {
          const value = understand(as, text, { ...context, options });
          if (value === undefined) continue;
          if (as === 'number') assert.ok(Number.isFinite(value));
          if (as === 'date') assert.ok(String(value) >= '2026-05-06');
          assert.match(String(value), forms[as] ?? /^.*$/s);
        }
      };
      fc.assert(fc.property(words, check), { seed, numRuns: 500 });
    });
  }

  it('never make phrases throw', () => {
    const check = (phrases: string[], text: string): void => {
      const route = compilePhrases([phrases], 'ja').match(text);
      assert.ok(route === undefined || route === 0);
    };
    fc.assert(fc.property(fc.array(words, { maxLength: 5 }), words, check), { seed, numRuns: 500 });
  });

  it('are handled in linear time', () => {
    const units = [
      'あ',
      'え',
      '1',
      '一',
      'はい、',
      'えっと、',
      'a ',
      'um ',
      '@',
      '. ',
      'one ',
      '来週の',
      ' ',
      'ー',
      '/',
      '時',
      'ｶﾞ',
      '\u3099',
    ];
    for (const unit of units) {
      // Takes about 5 ms; what is quadratic takes a second.
      const text = unit.repeat(Math.ceil(40_000 / unit.length));
      for (const as of answerKinds) {
        const taken = leastProcessorMs(3, () => understand(as, text, { ...japanese, options }), 300);
        assert.ok(taken < 300, `${as} of ${unit} took ${taken} ms`);
      }
    }
  });
});
