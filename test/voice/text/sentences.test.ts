import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createSentenceSplitter } from '../../../src/voice/text/sentences.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { leastProcessorMs } from '../../support/processor-time.ts';
import { seed } from '../../support/seed.ts';

const maxHeld = 120;

function split(text: string, language = 'en'): string[] {
  const splitter = createSentenceSplitter(language);
  return [...splitter.push(text), ...splitter.end()];
}

/** Everything that means something to the splitter, and what could be torn apart. */
const parts = fc.constantFrom(
  ...'。！？!?.…、，,;:「」『』()（）"*\'{}[] \n\u3000'.split(''),
  ...[
    '...',
    '\r\n',
    '{{',
    '}}',
    '{{name}}',
    '[EMAIL]',
    'Mr.',
    'e.g.',
    'a.m.',
    'No. 5',
    '3.5',
    'example.com',
    '- ',
    '1. ',
  ],
  ...[
    'hello',
    'World',
    'です',
    'はい',
    '予約',
    'カ',
    'と',
    '5',
    '😀',
    '👨‍👩‍👧',
    '🇯🇵',
    'e\u0301',
    'か\u3099',
    '\u0301',
    '\u200d',
    '\ufe0f',
    '\u{119d1}',
  ],
  ...['word '.repeat(30), 'あ'.repeat(100), 'x'.repeat(130)],
);
const text = fc
  .array(fc.oneof(parts, fc.string({ unit: anyCharacter, maxLength: 3 })), { maxLength: 60, size: 'max' })
  .map((all) => all.join(''));

describe('the sentence splitter', () => {
  const cases: readonly (readonly string[])[] = [
    ['お電話ありがとうございます。', 'ご予約ですか？', 'はい！', 'どうぞ'],
    ['本当ですか?', 'はい!', 'そうです.', '次です'],
    ['え！？', 'そうなんですか。', 'はい'],
    ['「はい。わかりました。」と言いました。', '次です。'],
    ['「おはよう。」', '彼は言った。'],
    ['『一。二。』', '「三。」と四。', '五'],
    ['予約は（月曜日。）です。', '次。'],
    ['そうですね…はい。', '次'],
    ['例えば、3.5です。', '３．５です。', '次'],
    ['1.予約\n', '2.変更\n', '3.その他'],
    ['**重要です。**', '次は**これ**です。', '終わり'],
    ['"はい。"', '次です。'],
    ['Hello there. ', 'How are you? ', 'Fine! ', 'And'],
    ['Mr. Smith met Dr. Jones and Prof. Lee, e.g. here, i.e. now. ', 'Then'],
    ['It opens at 9 a.m. on Monday. ', 'It closes at 5 p.m. ', 'Please come.'],
    ['The U.S. office is closed. ', 'Ask J. Smith.'],
    ['Take No. 5. ', 'No. ', 'That is wrong.'],
    ['We have tea, coffee, etc. and cake. ', 'We have tea, etc. ', 'Come.'],
    ['It costs 3.5 dollars. ', 'Or 1,000.50 yen. ', 'Yes'],
    ['See example.com. ', 'Write to taro@example.co.jp. ', 'Or https://example.com/?q=1. ', 'Done'],
    ['I... am not sure. ', 'Well... ', 'What now… maybe. ', 'Ok'],
    ['"Really?" she said. ', '"Yes." ', '(He left.) ', 'She stayed.'],
    ['What?! ', 'No!!! ', 'Ok'],
    ['1. Open the app. ', '2. Close it. ', 'A'],
    ['First line\n', 'second line\r\n\r\n', '- third'],
    ['  \n Leading and trailing. \n\n'],
    ['Say {{a. b! c}} now. ', 'Ok'],
  ];
  for (const expected of cases) {
    const whole = expected.join('');
    it(`finds the sentences of ${JSON.stringify(whole)}`, () => {
      assert.deepEqual(split(whole), expected);
    });
  }

  it('passes a sentence on as soon as the next one begins', () => {
    const splitter = createSentenceSplitter('ja');
    assert.deepEqual(splitter.push('はい。'), []);
    assert.deepEqual(splitter.push('次'), ['はい。']);
    assert.deepEqual(splitter.end(), ['次']);
    assert.deepEqual(splitter.end(), []);
  });

  it('can be used again after its end', () => {
    const splitter = createSentenceSplitter('ja');
    splitter.push('「待って');
    assert.deepEqual(splitter.end(), ['「待って']);
    assert.deepEqual(splitter.push('はい。次。さ'), ['はい。', '次。']);
  });

  it('cuts a long sentence at a mark in a quote, a comma, a space, a word, in this order', () => {
    const kana = 'お客様のご希望'.repeat(12);
    assert.equal(split(`「はい。${kana}、${kana}」`)[0], '「はい。');
    assert.equal(split(`${kana}、${kana}`, 'ja')[0], `${kana}、`);
    assert.equal(split(`${'word '.repeat(20)}one, ${'word '.repeat(20)}`)[0], `${'word '.repeat(20)}one, `);
    assert.equal(split('word '.repeat(40))[0], 'word '.repeat(23));
    assert.ok(split(kana.repeat(2), 'ja')[0]?.endsWith('の') || split(kana.repeat(2), 'ja')[0]?.endsWith('希望'));
    assert.equal(split('x'.repeat(300))[0]?.length, 119);
  });

  it('keeps numbers with separators whole when it cuts', () => {
    assert.equal(split(`${'word '.repeat(22)}1,000,000 and more words to come`)[0], 'word '.repeat(22));
  });

  it('restores the text, whatever it is', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('ja', 'en', 'th', '!!'), (whole, language) => {
        assert.equal(split(whole, language).join(''), whole);
      }),
      { seed },
    );
  });

  it('returns the same sentences however the text is divided, and never holds more than 120 characters', () => {
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }), (whole, sizes) => {
        const splitter = createSentenceSplitter('ja');
        const pieces: string[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn += 1) {
          const size = sizes[turn % sizes.length] as number;
          pieces.push(...splitter.push(whole.slice(at, at + size)));
          at += size;
          const held = Math.min(at, whole.length) - pieces.join('').length;
          assert.ok(held <= maxHeld, `${held} characters are held`);
        }
        assert.deepEqual([...pieces, ...splitter.end()], split(whole, 'ja'));
      }),
      { seed },
    );
  });

  it('never splits a character: no surrogate pair, no combining sequence, no emoji', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const boundaries = new Set([whole.length]);
        for (const { index, segment } of new Intl.Segmenter('en').segment(whole)) {
          boundaries.add(index);
          if (segment.length >= maxHeld - 1) for (let at = 0; at < segment.length; at += 1) boundaries.add(index + at);
        }
        let at = 0;
        for (const piece of split(whole)) {
          at += piece.length;
          assert.ok(boundaries.has(at), JSON.stringify(piece));
        }
      }),
      { seed, numRuns: 500 },
    );
  });

  it('never splits a tag', () => {
    const filler = fc.constantFrom('word ', 'です。', 'あ'.repeat(50), 'x'.repeat(40), 'Yes. ', '、', '「');
    const tag = fc.constantFrom('{{customer name}}', '{{ a.b }}', '{{name? yes! no. }}', '[EMAIL]', '[PHONE_NUMBER]');
    fc.assert(
      fc.property(fc.array(fc.oneof(filler, tag), { maxLength: 40, size: 'max' }), (all) => {
        const whole = all.join('');
        const inside = new Set<number>();
        for (const { 0: match, index } of whole.matchAll(/\{\{[^{}]*\}\}|\[[A-Z_]+\]/g)) {
          for (let at = index + 1; at < index + match.length; at += 1) inside.add(at);
        }
        let at = 0;
        for (const piece of split(whole)) {
          at += piece.length;
          assert.ok(!inside.has(at), JSON.stringify(piece));
        }
      }),
      { seed },
    );
  });

  it('takes time in proportion to the text, whatever is in it', () => {
    const hostile = [', ', '{{', '「', 'a', '。」', '. ', '\u0301', '* ', '[A', '"', ' '];
    for (const unit of hostile) {
      // Takes about 20 ms; what is quadratic takes a second.
      const long = unit.repeat(40_000 / unit.length);
      const taken = leastProcessorMs(3, () => split(long), 300);
      assert.ok(taken < 300, `${unit} took ${taken} ms`);
    }
  });
});
