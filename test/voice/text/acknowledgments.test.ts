import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  acknowledgmentPhrases,
  backchannelWords,
  foldPhrase,
  isAcknowledgment,
} from '../../../src/voice/text/acknowledgments.ts';
import { seed } from '../../support/seed.ts';

function assertAll(texts: readonly string[], expected: boolean, test: (text: string) => boolean): void {
  for (const text of texts) assert.equal(test(text), expected, JSON.stringify(text));
}

describe('acknowledgments', () => {
  it('are recognized in Japanese, one or several', () => {
    assertAll(
      [
        'はい',
        'はい。',
        'はい、はい',
        'はいはいはい',
        'うんうん',
        'うん、うん。',
        'ハイ',
        'ﾊｲ',
        'は〜い',
        'はーーい',
        'ええ',
        'そうですね',
        'なるほど！',
      ],
      true,
      (text) => isAcknowledgment(text, 'ja-JP'),
    );
    assertAll(
      [
        'はい、そうですね',
        'ああ、なるほど',
        'あー、はい',
        'OK',
        'ＯＫです',
        'オーケー',
        'オッケー',
        '分かりました',
        'はい　わかりました',
        'へえ、そうなんですか',
      ],
      true,
      (text) => isAcknowledgment(text, 'ja'),
    );
  });

  it('are recognized in English, one or several, and in every language without a table', () => {
    assertAll(
      [
        'yeah',
        'Yeah.',
        'yeah okay',
        'Okay, okay.',
        'mhm',
        'Mm-hmm',
        'mmmm',
        'uh-huh',
        'I see',
        'Oh, I see.',
        'got it',
        'All right.',
        'Yeah, that makes sense',
      ],
      true,
      (text) => isAcknowledgment(text, 'en-US') && isAcknowledgment(text, 'fr') && isAcknowledgment(text, '!'),
    );
  });

  it('are words as soon as anything else is said', () => {
    assertAll(
      [
        'はい、でも',
        'はい、でも待ってください',
        'いいえ',
        'はい予約です',
        'うんざり',
        'そうですけど',
        '違います',
        '待って',
        '',
        '。',
        '本当ですか',
        'はい'.repeat(60),
      ],
      false,
      (text) => isAcknowledgment(text, 'ja'),
    );
    assertAll(
      [
        'yeah, but',
        'Yeah but wait',
        'no',
        'okay so I want',
        'stop',
        'yesterday',
        'oh no',
        'rightly',
        'see',
        'i',
        '',
        '?!',
      ],
      false,
      (text) => isAcknowledgment(text, 'en'),
    );
  });

  it('stay acknowledgments in any sequence, with any punctuation', () => {
    for (const [language, separators] of [
      ['ja', ['', '、', '。', ' ', '…']],
      ['en', [' ', ', ', '. ', '... ', ' - ']],
    ] as const) {
      const phrase = fc.constantFrom(...acknowledgmentPhrases(language).phrases);
      const separator = fc.constantFrom(...separators);
      fc.assert(
        fc.property(fc.array(fc.tuple(phrase, separator), { minLength: 1, maxLength: 4 }), (parts) => {
          const text = parts.flat().join('');
          assert.equal(isAcknowledgment(text, language), text.length <= 80, text);
        }),
        { seed },
      );
    }
  });

  it('are what the agent says as backchannels', () => {
    for (const language of ['ja', 'en', 'de']) {
      assert.ok(backchannelWords(language).length > 0);
      assertAll(backchannelWords(language), true, (text) => isAcknowledgment(text, language));
    }
  });

  it('have tables in folded form', () => {
    for (const language of ['ja', 'en']) {
      for (const phrase of acknowledgmentPhrases(language).phrases) assert.equal(foldPhrase(phrase, language), phrase);
    }
  });
});
