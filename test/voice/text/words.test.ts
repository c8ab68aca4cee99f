import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fixedPhrases } from '../../../src/voice/text/fixed-phrases.ts';
import { isJapanese } from '../../../src/voice/text/language.ts';
import { countWords, speechMs, wordsOf } from '../../../src/voice/text/words.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { seed } from '../../support/seed.ts';

const languages = fc.constantFrom('ja', 'ja-JP', 'en', 'en-US', 'fr', 'zz', 'not a tag!', '');

describe('a language', () => {
  it('is Japanese by its primary subtag, in any case', () => {
    for (const tag of ['ja', 'ja-JP', 'JA', 'ja-JP-u-ca-japanese', 'ja_JP']) assert.ok(isJapanese(tag), tag);
    for (const tag of ['en', 'jam', 'jav', 'en-JP', '', 'x-ja']) assert.ok(!isJapanese(tag), tag);
  });

  it('has fixed phrases: Japanese ones, and English ones for every other', () => {
    assert.equal(fixedPhrases('ja-JP').waiting, '少々お待ちください。');
    assert.equal(fixedPhrases('ja').fallback, '申し訳ありません。もう一度おっしゃっていただけますか。');
    assert.equal(fixedPhrases('ja').reminder, 'もしもし、聞こえていますか。');
    assert.deepEqual(fixedPhrases('de'), fixedPhrases('en-US'));
    assert.equal(fixedPhrases('en').waiting, 'One moment, please.');
  });
});

describe('words', () => {
  it('are counted without punctuation', () => {
    const counts: readonly (readonly [string, string, number])[] = [
      ['', 'en', 0],
      ['… — !', 'en', 0],
      ["I don't know.", 'en', 3],
      ['twenty-five', 'en', 2],
      ['It costs 3.5 dollars', 'en', 4],
      ['はい', 'ja', 1],
      ['はい、はい。', 'ja', 2],
      ['うんうん', 'ja', 2],
      ['予約をお願いします', 'ja', 5],
      ['はい、でも', 'not a tag!', 2],
    ];
    for (const [text, language, count] of counts) assert.equal(countWords(text, language), count, text);
  });

  it('have offsets that lead back to the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), languages, (text, language) => {
        const words = wordsOf(text, language);
        assert.equal(words.length, countWords(text, language));
        for (const { text: word, start, end } of words) assert.equal(text.slice(start, end), word);
      }),
      { seed },
    );
  });
});

describe('the estimated length of speech', () => {
  it('is near that of a voice', () => {
    const expected: readonly (readonly [string, string, number, number])[] = [
      ['お電話ありがとうございます。', 'ja', 2000, 2900],
      ['はい', 'ja', 200, 400],
      ['九月十五日の午後三時でお願いします。', 'ja', 3000, 4500],
      ['Thank you for calling. How can I help you today?', 'en', 3000, 4500],
      ['yes', 'en', 200, 450],
      ['0312345678', 'en', 3000, 4500],
      ['', 'en', 0, 0],
    ];
    for (const [text, language, min, max] of expected) {
      const ms = speechMs(text, language);
      assert.ok(ms >= min && ms <= max, `${text}: ${ms}`);
    }
  });

  it('is 150 to 170 words per minute in English', () => {
    const text =
      'we have a table for two people near the window on friday and another one at the bar for later that day';
    const perMinute = (countWords(text, 'en') / speechMs(text, 'en')) * 60_000;
    assert.ok(perMinute >= 150 && perMinute <= 175, `${perMinute}`);
  });

  it('never decreases when the text grows', () => {
    const unit = fc.constantFrom(..."aZ é5あゃッー漢한。、.,!\n' ".split(''), '😀');
    fc.assert(
      fc.property(fc.string({ unit }), fc.string({ unit }), languages, (text, more, language) => {
        assert.ok(speechMs(text + more, language) >= speechMs(text, language));
      }),
      { seed },
    );
  });
});
