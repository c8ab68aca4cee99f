import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readableEnglish } from '../../../../src/voice/providers/embedded/speaking/english-text.ts';
import { readableJapanese } from '../../../../src/voice/providers/embedded/speaking/japanese-text.ts';

suite('text for the English voices', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['It’s a “good” café — really.', 'It\'s a "good" cafe, really.'],
    ['€15, £1 and ¥1,500', '15 euros, 1 pound and 1,500 yen'],
    ['€12.50 or £3.05 or €9.00', '12 euros 50 or 3 pounds oh 5 or 9 euros'],
    ['It costs $12.50.', 'It costs $12.50.'],
    ['on 2026-12-24', 'on December 24th, 2026'],
    ['on 4/1/2026 and 12/22/2026', 'on April 1st, 2026 and December 22nd, 2026'],
    ['on 13/45/2026', 'on 13/45/2026'],
    ['at 19:00 or 7:30 pm or 7am or 7 p.m.', "at 19 o'clock or 7:30 P M or 7 A M or 7 P M"],
    ['at 7:00 pm', 'at 7 P M'],
    ['in 1999, since 1900, in 1905, in 2026', 'in 19 99, since 19 hundred, in 19 oh 5, in 2026'],
    ['I have 1999 boxes.', 'I have 1999 boxes.'],
    ['on March 3rd, 1987', 'on March 3rd, 19 87'],
    ['order A-1234 on NH105', 'order A 1 2 3 4 on N H 1 0 5'],
    ['+1 415 555 0134', 'plus 1 415 555 0134'],
    ['415-555-0134', '415-555-0134'],
    ['Lee & Co. vs. Jones', 'Lee and Co. versus Jones'],
    ['5 km, 10kg, 30°C and 5%', '5 kilometers, 10 kilograms, 30 degrees Celsius and 5%'],
    ['e.g. tea, i.e. a drink, etc.', 'for example tea, that is a drink, et cetera'],
    ['No. 5 and #7', 'number 5 and number 7'],
    ['ありがとう', ''],
    ['…', ''],
  ];
  for (const [text, readable] of cases) {
    test(`reads ${JSON.stringify(text)}`, () => assert.equal(readableEnglish(text), readable));
  }
});

suite('text for the Japanese voice', () => {
  const cases: readonly (readonly [string, string])[] = [
    // Read correctly as they are.
    ['4日に田中様、3名様です。', '4日に田中様、3名様です。'],
    ['電話番号は03-1234-5678です。', '電話番号は03-1234-5678です。'],
    ['料金は12,000円です。', '料金は12,000円です。'],
    ['１２月２４日（木）１９時から４名様', '12月24日(木)19時から4名様'],
    // Read wrongly without a change.
    ['午前9:05から17:00まで', '午前9時5分から17時まで'],
    ['１９：３０', '19時30分'],
    ['10:00-18:00', '10時から18時'],
    ['0時', 'れい時'],
    ['10時', '10時'],
    ['11/16', '11月16日'],
    ['1/2(金)', '1月2日(金)'],
    ['1/2、2/3、3/4', '2分の1、3分の2、4分の3'],
    ['5/3', '5月3日'],
    ['1日（月）', 'ついたち(月)'],
    ['12月1日', '12月1日'],
    ['090 1234 5678', '090-1234-5678'],
    ['０３−１２３４−５６７８', '03-1234-5678'],
    ['予約番号はA1234です。', '予約番号はAイチニーサンヨンです。'],
    ['¥3,000', '3,000円'],
    ['3〜4名様', '3から4名様'],
    ['3～4名様', '3から4名様'],
    ['10時〜12時', '10時から12時'],
    ['5,000円〜', '5,000円から'],
    ['100m先、5m', '100メートル先、5メートル'],
    ['#3を押してください', 'シャープ3を押してください'],
    ['20歳以上', 'はたち以上'],
    ['120歳', '120歳'],
    ['明後日、他の日', 'あさって、ほかの日'],
    ['ご予約の方', 'ご予約のかた'],
    ['担当の方がいいです', '担当の方がいいです'],
    ['、様', '、さま'],
    ['＊＊＊', ''],
  ];
  for (const [text, readable] of cases) {
    test(`reads ${JSON.stringify(text)}`, () => assert.equal(readableJapanese(text), readable));
  }
});
