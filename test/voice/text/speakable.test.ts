import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createSpeakableStage } from '../../../src/voice/text/speakable.ts';
import { seed } from '../../support/seed.ts';

function speakable(text: string, language = 'en'): string {
  return createSpeakableStage(language)(text);
}

describe('speakable text', () => {
  const english: readonly (readonly [string, string])[] = [
    ['**Important**: call *now*.', 'Important: call now.'],
    ['__Bold__ and _italic_ and ~~gone~~.', 'Bold and italic and gone.'],
    ['Run `npm install` first.', 'Run npm install first.'],
    ['**This sentence starts bold.', 'This sentence starts bold.'],
    ['This one ends it.**', 'This one ends it.'],
    ['# Opening hours', 'Opening hours'],
    ['### Opening hours', 'Opening hours'],
    ['> As you said', 'As you said'],
    ['- the first', 'the first'],
    ['* the first', 'the first'],
    ['  • the first', 'the first'],
    ['- [x] done', 'done'],
    ['1. the first', '1. the first'],
    ['[our page](https://example.com/a_b?c=d "title")', 'our page'],
    ['![a map](map.png)', 'a map'],
    ['See [this][1] and that[^2].', 'See this and that.'],
    ['| Monday | 9 to 5 |', 'Monday, 9 to 5.'],
    ['|---|:--:|', ''],
    ['---', ''],
    ['* * *', ''],
    ['<b>Bold</b> and<br>new', 'Bold and new'],
    ['Hello 😀 there 👨‍👩‍👧!', 'Hello there!'],
    ['1️⃣ first, 🇯🇵 second ❤️', '1 first, second'],
    ['😀', ''],
    ['...', ''],
    [' \n', ''],
    ['Visit https://example.com/help.', 'Visit example dot com slash help.'],
    ['Visit <https://www.example.com/>', 'Visit www dot example dot com'],
    ['(see example.co.jp/a-b)', '(see example dot co dot jp slash a dash b)'],
    ['Go to https://example.com/a?b=c#d, please', 'Go to example dot com slash a, please'],
    ['Write to taro_y+x@example.com!', 'Write to taro underscore y plus x at example dot com!'],
    ['**https://example.com**', 'example dot com'],
    ['[https://example.com](https://example.com)', 'example dot com'],
  ];
  for (const [text, expected] of english) {
    it(`is ${JSON.stringify(expected)} for ${JSON.stringify(text)}`, () => assert.equal(speakable(text), expected));
  }

  const japanese: readonly (readonly [string, string])[] = [
    ['**重要**です。', '重要です。'],
    ['・予約\n', '予約\n'],
    ['- 予約は[こちら](https://example.com)です😊。', '予約はこちらです。'],
    ['ありがとうございます♪', 'ありがとうございます'],
    ['| 月曜 | 休み |', '月曜、休み。'],
    ['example.comをご覧ください。', 'example ドット comをご覧ください。'],
    ['taro@example.co.jpです', 'taro アットマーク example ドット co ドット jpです'],
    ['https://example.com/help/をどうぞ', 'example ドット com スラッシュ helpをどうぞ'],
  ];
  for (const [text, expected] of japanese) {
    it(`is ${JSON.stringify(expected)} for ${JSON.stringify(text)}`, () =>
      assert.equal(speakable(text, 'ja-JP'), expected));
  }

  it('leaves alone what only looks like a mark or an address', () => {
    const texts = [
      '5 * 3 = 15 and 2*3 = 6.',
      'snake_case stays.',
      'Node.js v1.2.3, e.g. this. Yes.',
      '-5 degrees, #1, a < b > c, $5 & more.',
      'We open at 10:30 - or later.',
      'マーク・トウェインです。',
      '「はい」・「いいえ」',
      '[EMAIL]に送ります。',
      '{{name}} © 2026',
    ];
    for (const text of texts) assert.equal(speakable(text, 'ja'), text);
  });

  it('does not speak a code block, although it spans sentences', () => {
    const stage = createSpeakableStage('en');
    const sentences = ['Use this:\n', '```js\n', 'const x = 1;\n', '# comment\n', '```\n', 'Done.'];
    assert.deepEqual(sentences.map(stage), ['Use this:\n', '', '', '', '', 'Done.']);
    assert.equal(speakable('Before\n```\ncode\n```\nafter'), 'Before\nafter');
  });

  it('is plain text itself', () => {
    const plain = fc.array(
      fc.constantFrom('hello', 'World', '予約', 'です。', ', ', ' ', '!', '3.5', '「はい」', "don't", ': '),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(plain, fc.constantFrom('ja', 'en'), (parts, language) => {
        const text = parts.join('');
        assert.equal(speakable(text, language), /[\p{L}\p{N}]/u.test(text) ? text : '');
      }),
      { seed },
    );
  });

  it('has no emoji, emphasis or links left, whatever the text is', () => {
    const part = fc.constantFrom(
      '**',
      '*',
      '`',
      '~~',
      '😀',
      '🇯🇵',
      '👍🏽',
      '[label](https://example.com)',
      'word',
      '予約',
      ' ',
      '。',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        assert.doesNotMatch(speakable(parts.join('')), /\*\*|`|~~|\p{Emoji_Presentation}|\p{Emoji_Modifier}|\]\(/u);
      }),
      { seed },
    );
  });

  it('takes time in proportion to the text', () => {
    const before = process.cpuUsage();
    const hostile = [
      '*',
      '_',
      '[',
      '[a](',
      '`',
      '<b ',
      'a@',
      'a.',
      'a-',
      '|',
      '😀',
      '\\',
      '~',
      '- ',
      '/',
      '. ',
      ' _',
      '*a',
      '> ',
    ];
    for (const unit of hostile) speakable(unit.repeat(20_000 / unit.length));
    assert.ok(process.cpuUsage(before).user < 5_000_000);
  });
});
