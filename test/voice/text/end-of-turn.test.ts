import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type EndOfTurnHint, endOfTurnHint } from '../../../src/voice/text/end-of-turn.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { leastProcessorMs } from '../../support/processor-time.ts';
import { seed } from '../../support/seed.ts';

interface Table {
  readonly finished: readonly string[];
  readonly open: readonly string[];
  readonly unclear: readonly string[];
}

const japanese: Table = {
  finished: [
    ...[
      '予約をお願いします',
      '予約です',
      '予約をお願いします。',
      '三時で大丈夫です',
      'はい。',
      '明日？',
      '違う！',
      'そうなんです',
    ],
    ...[
      '予約できますか',
      '何時からですか',
      'いいですか',
      '空いていますか',
      '行けませんか',
      'よろしいでしょうか',
      '来たか',
      '行くか',
      'いいか',
    ],
    ...[
      'わかりません',
      '予約していません',
      '昨日でした',
      '電話しました',
      '行きませんでした',
      '明日にしましょう',
      'そうでしょう',
    ],
    ...[
      '教えてください',
      '待って下さい',
      'もう一度お願いします',
      '田中と申します',
      'ありがとうございました',
      '以上です',
      '以上',
      '大丈夫',
    ],
    ...[
      '明日ですね',
      '明日ですよね',
      'そうだよね',
      '無理かな',
      'お願い',
      'ありがとう',
      'ちょっと待って',
      '予約したいんです',
      '「はい。」',
    ],
    ...[
      '09012345678',
      '090-1234-5678',
      '0312345678',
      '03の1234の5678',
      '〇三一二三四五六七八',
      '090-1234です',
      'そうですか',
    ],
  ],
  open: [
    ...['予約、', 'えっと', 'えっと。', 'えーっと', 'あの', 'あのー', 'うーん', 'そのー', '明日の予約なんですが'],
    ...['明日は無理なので', '熱があるから', '明日行って', '電話して', '予約して', '読んで', 'それで', 'でも', 'あと'],
    ...[
      '明日か明後日とか',
      '三つしか',
      '行くかどうか',
      '明日は',
      '予約を',
      '田中と',
      '熱もあるし',
      'できれば',
      '明日なら',
      '行ったら',
      '安いですし',
    ],
    ...[
      '予約の変更について',
      'ちょっと',
      'もしくは',
      '例えば',
      'なんか',
      '予約なんですけど、',
      '予約…',
      'はい、えっと',
      'えっとですね',
    ],
    ...[
      '090',
      '090。',
      '0901234',
      '090-1234',
      '03の',
      '090の1234の',
      'ゼロキュウゼロ',
      '〇九〇',
      '12345',
      '1 2 3',
      '090、1234、',
    ],
    ...['東京都', '神奈川県', '東京都渋谷区', '横浜市', '渋谷区神南一丁目', '世田谷区大原町'],
  ],
  unclear: [
    ...['3時くらいで', '五人ぐらいで', '予約したいんですけど', '予約したいんですけれども', '変更したいのですが'],
    ...[
      '',
      '予約',
      '明日',
      '田中',
      '木村',
      '大町',
      '京都',
      'はい',
      'いいえ',
      'そうですね',
      'すみません',
      'すいません',
      'こんにちは',
    ],
    ...[
      'いつか',
      '何か',
      '誰か',
      'すいか',
      '静か',
      '田中か',
      '待って',
      '教えて',
      'すべて',
      '初めて',
      'わたし',
      'ほんと',
      '何でも',
    ],
    ...['3', '2人', '25', '500', '2026', '三千五百', '三時半', '10:30', '3.5', '1500001', '150の0001', 'リンゴ', '3番'],
  ],
};

const english: Table = {
  finished: [
    ...[
      'I want to book a table.',
      'Can you help me?',
      'Stop!',
      'a table for two please',
      'no thanks',
      'thank you',
      "that's all",
    ],
    ...[
      "that's right",
      'Yes.',
      'Tomorrow.',
      'yes please',
      'sounds good',
      'okay bye',
      'goodbye',
      "that's it",
      'thank you so much',
    ],
    ...[
      'what time is it',
      'how much is it',
      'not right now',
      'as soon as possible',
      'He said "yes."',
      'I feel well.',
      'We could go to.',
    ],
    ...[
      '555 123 4567',
      '5551234567',
      'five five five one two three four five six seven',
      '+81 90 1234 5678',
      '1 800 555 0199',
    ],
    ...['03 1234 5678', '4242 4242 4242 4242', 'double five five one two three four five six seven'],
  ],
  open: [
    ...[
      'I want to book,',
      'um',
      'Um.',
      'uh',
      'well',
      'I think um',
      'and',
      'I want a table and',
      'I like it but',
      'because',
      'No because.',
    ],
    ...[
      'so',
      'or',
      'it is for',
      "I'm",
      'my name is',
      'I would like',
      "I'd like a",
      'the',
      'I need the',
      'a table with',
      'from',
      'if',
      'Mr.',
    ],
    ...[
      'let me see',
      "let's see",
      'you know',
      'it was like',
      'I was wondering if',
      'my',
      'for example',
      'such as',
      'Well...',
      'I…',
    ],
    ...[
      'tomorrow at',
      'yes and',
      'the number is',
      'I have',
      'kind of',
      'since',
      'which',
      'unless',
      'we need',
      'taro at example dot',
    ],
    ...[
      '555 123',
      'five five five',
      'oh nine oh',
      '0 9 0 1',
      '0901234',
      'five five five dash',
      '+81',
      '+81 90',
      '12345',
    ],
    ...['123 Main Street', '45 West Park Avenue', 't a r', 'B-C', 'double'],
  ],
  unclear: [
    ...[
      '',
      'yes',
      'no',
      'okay',
      'tomorrow',
      'a table for two',
      'hello',
      'John Smith',
      'next Tuesday',
      'this one',
      'two',
      'twenty five',
    ],
    ...[
      '500',
      '555',
      '2026',
      '25',
      '10:30',
      '3.5',
      '1,000',
      'I can',
      '555 1234',
      'wait',
      'hold on',
      'one moment',
      "I'd like to",
      'I want to',
      'I think so',
    ],
    ...[
      'yes I am',
      'yes it is',
      'what for',
      'as well',
      'very well',
      'plan a',
      'what I want',
      'as soon as you can',
      'I see it',
    ],
    ...['the day after tomorrow', 'reservation', 'I want this', 'go on', 'come in'],
  ],
};

for (const [language, table] of [
  ['ja', japanese],
  ['en', english],
] as const) {
  describe(`the end of a turn in ${language}`, () => {
    const rows = Object.entries(table).flatMap(([hint, all]) =>
      (all as readonly string[]).map(
        (words) => [words, hint === 'unclear' ? undefined : (hint as EndOfTurnHint)] as const,
      ),
    );

    it('has a table of at least 60 rows', () => assert.ok(rows.length >= 60));

    for (const [words, hint] of rows) {
      it(`is ${hint ?? 'not known'} after ${JSON.stringify(words)}`, () => {
        assert.equal(endOfTurnHint(words, language), hint);
      });
    }

    it('does not depend on spaces and closing quotes after the words', () => {
      for (const [words, hint] of rows) assert.equal(endOfTurnHint(`${words} "`, language), hint, words);
    });

    it('does not depend on what was said long before', () => {
      const before = language === 'ja' ? '以前に予約した者です。'.repeat(20) : 'I have called you before. '.repeat(20);
      for (const [words, hint] of rows)
        if (words !== '') assert.equal(endOfTurnHint(before + words, language), hint, words);
    });
  });
}

describe('the end of a turn', () => {
  it('has the English hints in every language without a table', () => {
    for (const language of ['fr', 'en-GB', 'not a tag!']) assert.equal(endOfTurnHint('and', language), 'open');
    assert.equal(endOfTurnHint('予約です', 'ja-JP'), 'finished');
  });

  it('is decided for any text, and in time that does not grow with it', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.constantFrom('ja', 'en'), (text, language) => {
        assert.ok([undefined, 'finished', 'open'].includes(endOfTurnHint(text, language)));
      }),
      { seed },
    );
    const texts = ['1 ', '一', 'の', 'a ', '0-', 'double '].map((unit) => unit.repeat(50_000));
    const decideAll = (): void => {
      for (const text of texts) for (const language of ['ja', 'en']) endOfTurnHint(text, language);
    };
    // Takes less than 1 ms, and more than 15 ms if all of the text is looked at.
    assert.ok(leastProcessorMs(5, decideAll, 8) < 8);
    // Only marks at the end are counted, which takes 2 ms, and seconds if it were quadratic.
    for (const mark of [' ', '"'])
      assert.ok(leastProcessorMs(3, () => endOfTurnHint(mark.repeat(50_000), 'ja'), 300) < 300);
  });
});
