import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { redact, redactJson, redactToolJson } from '../../../src/voice/text/personal-data.ts';
import { personalDataTags } from '../../../src/voice/text/personal-data-tags.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { leastProcessorMs } from '../../support/processor-time.ts';
import { seed } from '../../support/seed.ts';
import { ordinaryTexts } from './ordinary-texts.ts';

function check(rows: readonly (readonly [string, string])[]): void {
  const wrong = rows.flatMap(([text, expected]) => {
    const actual = redact(text);
    return actual === expected ? [] : [{ text, expected, actual }];
  });
  assert.deepEqual(wrong, []);
}

describe('redaction', () => {
  it('replaces e-mail addresses, written and spoken', () => {
    check([
      ['taro@example.com', '[EMAIL]'],
      ['メールはtaro@example.comです', 'メールは[EMAIL]です'],
      ['Write to taro@example.com. Thanks.', 'Write to [EMAIL]. Thanks.'],
      ['taro@example.com.\nSee you', '[EMAIL].\nSee you'],
      ['ｔａｒｏ＠ｅｘａｍｐｌｅ．ｃｏｍに送って', '[EMAIL]に送って'],
      ['Write to Taro.Yamada+news@mail.example.co.jp.', 'Write to [EMAIL].'],
      ['a@b.co, c@d.org', '[EMAIL], [EMAIL]'],
      ['<taro@example.com>', '<[EMAIL]>'],
      ['taro アットマーク example ドット com です', '[EMAIL] です'],
      ['メールは taro アットマーク example ドット co ドット jp です', 'メールは [EMAIL] です'],
      ['タロウアットマークジーメールドットコムです', '[EMAIL]です'],
      ['アドレスはたろうアットマークexampleドットcomです', 'アドレスは[EMAIL]です'],
      ["it's taro at example dot com", "it's [EMAIL]"],
      ['taro dot yamada at gmail dot com please', '[EMAIL] please'],
      ['t a r o at example dot com', '[EMAIL]'],
      ['taro underscore y at sign example dot com', '[EMAIL]'],
    ]);
  });

  it('finds what invisible characters and emoji split', () => {
    check([
      ['090\u200b1234\u200b5678です', '[PHONE_NUMBER]です'],
      ['\u202a090-1234-5678\u202c', '\u202a[PHONE_NUMBER]'],
      ['taro@exam\u00adple.com', '[EMAIL]'],
      ['4242\u20604242\u20604242\u20604242', '[CARD_NUMBER]'],
      ['0️⃣9️⃣0️⃣-1234-5678', '[PHONE_NUMBER]'],
      ['👨‍👩‍👧 3名です', '👨‍👩‍👧 3名です'],
    ]);
  });

  it('of what a tool got and returned includes numbers, and that of other values does not', () => {
    const values = { card: 4242424242424242, account: 1234567, guests: 2, at: [20261224, -1.5], no: 123456789018 };
    assert.deepEqual(redactToolJson(values), {
      card: '[CARD_NUMBER]',
      account: '[BANK_ACCOUNT]',
      guests: 2,
      at: [20261224, -1.5],
      no: '[MY_NUMBER]',
    });
    assert.deepEqual(redactJson(values), values);
  });

  it('replaces phone numbers, written and spoken digit by digit', () => {
    check([
      ['090-1234-5678', '[PHONE_NUMBER]'],
      ['電話は09012345678です', '電話は[PHONE_NUMBER]です'],
      ['０９０－１２３４－５６７８です', '[PHONE_NUMBER]です'],
      ['090ー1234ー5678', '[PHONE_NUMBER]'],
      ['090 1234 5678', '[PHONE_NUMBER]'],
      ['090の1234の5678にお願いします', '[PHONE_NUMBER]にお願いします'],
      ['03-1234-5678', '[PHONE_NUMBER]'],
      ['(03) 1234-5678', '[PHONE_NUMBER]'],
      ['03(1234)5678', '[PHONE_NUMBER]'],
      ['03.1234.5678', '[PHONE_NUMBER]'],
      ['0312345678', '[PHONE_NUMBER]'],
      ['0120-123-456まで', '[PHONE_NUMBER]まで'],
      ['TEL03-1234-5678', 'TEL[PHONE_NUMBER]'],
      ['℡ 045-123-4567', '℡ [PHONE_NUMBER]'],
      ['+81 90-1234-5678', '[PHONE_NUMBER]'],
      ['+819012345678', '[PHONE_NUMBER]'],
      ['+81 (0)90 1234 5678', '[PHONE_NUMBER]'],
      ['+1 (415) 555-2671', '[PHONE_NUMBER]'],
      ['call +44 20 7946 0018 now', 'call [PHONE_NUMBER] now'],
      ['415-555-2671', '[PHONE_NUMBER]'],
      ['(415) 555-2671', '[PHONE_NUMBER]'],
      ['ゼロキュウゼロいちにさんよんごろくななはち', '[PHONE_NUMBER]'],
      ['ゼロキュウゼロ、いちにさんよん、ごろくななはちにお願いします', '[PHONE_NUMBER]にお願いします'],
      ['ゼロ キュー ゼロ の イチ ニ サン ヨン の ゴ ロク ナナ ハチ', '[PHONE_NUMBER]'],
      ['田中さん、ゼロキュウゼロいちにさんよんごろくななはちです', '田中さん、[PHONE_NUMBER]です'],
      ['田中さん090-1234-5678です', '田中さん[PHONE_NUMBER]です'],
      ['〇九〇一二三四五六七八', '[PHONE_NUMBER]'],
      ['〇三の一二三四の五六七八です', '[PHONE_NUMBER]です'],
      ['まるさん、いちにさんよん、ごろくななはち', '[PHONE_NUMBER]'],
      ['ゼロキュウゼロ、えっと、いちにさんよん、ごろくななはち', '[PHONE_NUMBER]'],
      ['zero nine zero one two three four five six seven eight', '[PHONE_NUMBER]'],
      ['oh nine oh, one two three four, five six seven eight', '[PHONE_NUMBER]'],
      ['plus one four one five five five five two six seven one', '[PHONE_NUMBER]'],
      ['zero three double one double two double three double four', '[PHONE_NUMBER]'],
      ['プラスはちいちきゅうゼロいちにさんよんごろくななはち', '[PHONE_NUMBER]'],
      ['090-1234-5678か080-1234-5678', '[PHONE_NUMBER]か[PHONE_NUMBER]'],
      ['090-1234-5678、03-1234-5678', '[PHONE_NUMBER]、[PHONE_NUMBER]'],
      ['010-81-90-1234-5678', '[PHONE_NUMBER]'],
      ['090-1234-5678にご連絡ください', '[PHONE_NUMBER]にご連絡ください'],
      ['080-いちにさんよん-5678', '[PHONE_NUMBER]'],
      ['ゼロきゅうゼロの、いちにーさんよんの、ごうろくななはち', '[PHONE_NUMBER]'],
    ]);
  });

  it('replaces card numbers that pass the Luhn check', () => {
    check([
      ['4111111111111111', '[CARD_NUMBER]'],
      ['4111 1111 1111 1111', '[CARD_NUMBER]'],
      ['4111-1111-1111-1111です', '[CARD_NUMBER]です'],
      ['カードは４１１１　１１１１　１１１１　１１１１', 'カードは[CARD_NUMBER]'],
      ['3782 822463 10005', '[CARD_NUMBER]'],
      ['5555555555554444', '[CARD_NUMBER]'],
      ['4222222222222', '[CARD_NUMBER]'],
      ['4111 1111 1111 1111 123', '[CARD_NUMBER] 123'],
      ['四一一一、一一一一、一一一一、一一一一', '[CARD_NUMBER]'],
      ['よんいちいちいち いちいちいちいち いちいちいちいち いちいちいちいち', '[CARD_NUMBER]'],
      ['four one one one one one one one one one one one one one one one', '[CARD_NUMBER]'],
      ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '[CARD_NUMBER]'],
      ['41 11 11 11 11 11 11 11', '[CARD_NUMBER]'],
    ]);
  });

  it('replaces individual numbers with a valid check digit', () => {
    check([
      ['123456789018', '[MY_NUMBER]'],
      ['1234 5678 9018', '[MY_NUMBER]'],
      ['マイナンバーは1234-5678-9018です', 'マイナンバーは[MY_NUMBER]です'],
      ['一二三四五六七八九〇一八', '[MY_NUMBER]'],
      ['いちにさんよん、ごろくななはち、きゅうゼロいちはち', '[MY_NUMBER]'],
      ['one two three four five six seven eight nine zero one eight', '[MY_NUMBER]'],
    ]);
  });

  it('replaces digits next to a word for a bank account', () => {
    check([
      ['口座番号は1234567です', '口座番号は[BANK_ACCOUNT]です'],
      ['口座は普通の1234567', '口座は普通の[BANK_ACCOUNT]'],
      ['渋谷支店 普通 1234567', '渋谷支店 普通 [BANK_ACCOUNT]'],
      ['支店番号は123、口座番号は1234567', '支店番号は[BANK_ACCOUNT]、口座番号は[BANK_ACCOUNT]'],
      ['店番 001', '店番 [BANK_ACCOUNT]'],
      ['口座は一二三四五六七です', '口座は[BANK_ACCOUNT]です'],
      ['口座番号は、いちにさんよんごろくななです', '口座番号は、[BANK_ACCOUNT]です'],
      ['1234567が口座番号です', '[BANK_ACCOUNT]が口座番号です'],
      ['my account number is 12345678', 'my account number is [BANK_ACCOUNT]'],
      ['account 12345678', 'account [BANK_ACCOUNT]'],
      ['the account ending in 4242', 'the account ending in [BANK_ACCOUNT]'],
      ['12345678 is my account number', '[BANK_ACCOUNT] is my account number'],
      ['account number one two three four five six seven', 'account number [BANK_ACCOUNT]'],
    ]);
  });

  it('replaces postal codes after their sign or next to a word for them', () => {
    check([
      ['〒150-0001', '〒[POSTAL_CODE]'],
      ['〒1500001 東京都', '〒[POSTAL_CODE] 東京都'],
      ['〒１５０－０００１', '〒[POSTAL_CODE]'],
      ['郵便番号は150-0001です', '郵便番号は[POSTAL_CODE]です'],
      ['郵便番号は150の0001', '郵便番号は[POSTAL_CODE]'],
      ['郵便番号は一五〇の〇〇〇一です', '郵便番号は[POSTAL_CODE]です'],
      ['郵便番号はいちごーぜろの、ぜろぜろぜろいちです', '郵便番号は[POSTAL_CODE]です'],
      ['150-0001が郵便番号です', '[POSTAL_CODE]が郵便番号です'],
      ['my postal code is 150-0001', 'my postal code is [POSTAL_CODE]'],
      ['postcode one five zero, zero zero zero one', 'postcode [POSTAL_CODE]'],
      ['zip code 94107', 'zip code [POSTAL_CODE]'],
    ]);
  });

  it('replaces IP addresses', () => {
    check([
      ['192.168.0.1', '[IP_ADDRESS]'],
      ['IPは10.0.0.255です', 'IPは[IP_ADDRESS]です'],
      ['http://203.0.113.7:8080/', 'http://[IP_ADDRESS]:8080/'],
      ['fe80::1', '[IP_ADDRESS]'],
      ['2001:db8:85a3::8a2e:370:7334', '[IP_ADDRESS]'],
      ['2001:0db8:85a3:0000:0000:8a2e:0370:7334', '[IP_ADDRESS]'],
      ['from ::1 only', 'from [IP_ADDRESS] only'],
    ]);
  });

  it('replaces dates next to a word for a birthday', () => {
    check([
      ['生年月日は1990年5月3日です', '生年月日は[DATE_OF_BIRTH]です'],
      ['生年月日は1990/5/3', '生年月日は[DATE_OF_BIRTH]'],
      ['生年月日 1990-05-03', '生年月日 [DATE_OF_BIRTH]'],
      ['生年月日は19900503です', '生年月日は[DATE_OF_BIRTH]です'],
      ['誕生日は5月3日です', '誕生日は[DATE_OF_BIRTH]です'],
      ['誕生日は昭和六十三年五月三日です', '誕生日は[DATE_OF_BIRTH]です'],
      ['平成2年5月3日生まれです', '[DATE_OF_BIRTH]生まれです'],
      ['一九九〇年五月三日に生まれました', '[DATE_OF_BIRTH]に生まれました'],
      ['1990年生まれ', '[DATE_OF_BIRTH]生まれ'],
      ['5月3日が誕生日です', '[DATE_OF_BIRTH]が誕生日です'],
      ['せんきゅうひゃくきゅうじゅうねんごがつみっかうまれ', '[DATE_OF_BIRTH]うまれ'],
      ['I was born on May 3rd, 1990', 'I was born on [DATE_OF_BIRTH]'],
      ['born in Tokyo on 3 May 1990', 'born in Tokyo on [DATE_OF_BIRTH]'],
      ['my date of birth is 05/03/1990', 'my date of birth is [DATE_OF_BIRTH]'],
      ['date of birth: May third nineteen ninety', 'date of birth: [DATE_OF_BIRTH]'],
      ['May 3 1990 is my birthday', '[DATE_OF_BIRTH] is my birthday'],
      ['my birthday is the third of May', 'my birthday is [DATE_OF_BIRTH]'],
      ['I was born in 1990', 'I was born in [DATE_OF_BIRTH]'],
      ['DOB 1990-05-03', 'DOB [DATE_OF_BIRTH]'],
    ]);
  });

  it('leaves ordinary things as they are', () => {
    check(ordinaryTexts.map((text) => [text, text]));
  });

  it('never changes a tag, and does not take it for a cue', () => {
    for (const tag of personalDataTags) {
      for (const text of [`[${tag}]`, `[${tag}][${tag}]`, `[${tag}] 1234567`, `150-0001 [${tag}]`, `5月3日 [${tag}]`]) {
        assert.equal(redact(text), text);
      }
    }
    assert.equal(redact('[EMAIL] 090-1234-5678 [EMAIL]'), '[EMAIL] [PHONE_NUMBER] [EMAIL]');
  });

  const pieces =
    '090 1234 5678 4111 1111 0 1 2 12 150-0001 1990 ゼロ きゅう いち に さん ご の 、 。 , . - + ( ) / : 〒 口座 支店 郵便番号 生年月日 誕生日 生まれ born account zip 5月3日 1990年 円 です は が one two oh double at dot com アットマーク ドット タロウ taro @ example.com 192.168.0.1 :: fe80 [EMAIL] [PHONE_NUMBER] [BANK_ACCOUNT] [ ] EMAIL May 3rd 一 〇 ｶﾞ ﾊﾞ ㍻ ① \u3099'.split(
      ' ',
    );
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((parts) => parts.join('')),
    fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((parts) => parts.join(' ')),
  );

  it('of a redacted text changes nothing', () => {
    const isStable = (text: string): void => assert.equal(redact(redact(text)), redact(text));
    fc.assert(fc.property(texts, isStable), { seed, numRuns: 2000 });
  });

  it('keeps everything else, in order', () => {
    const isKept = (text: string): void => {
      let from = 0;
      for (const part of redact(text).split(new RegExp(`\\[(?:${personalDataTags.join('|')})\\]`))) {
        const at = text.indexOf(part, from);
        assert.notEqual(at, -1);
        from = at + part.length;
      }
    };
    fc.assert(fc.property(texts, isKept), { seed, numRuns: 2000 });
  });

  it('finds a phone number in any text around it', () => {
    const phone = fc.stringMatching(/^0[789]0-[0-9]{4}-[0-9]{4}$/);
    const around = fc.constantFrom('', '電話は', 'です', 'さん、', ' or ', '。', 'に', 'ご', 'まで', 'call ', '：');
    const isFound = (before: string, number: string, after: string): void => {
      assert.equal(redact(before + number + after), `${before}[PHONE_NUMBER]${after}`);
    };
    fc.assert(fc.property(around, phone, around, isFound), { seed, numRuns: 1000 });
  });

  it('takes linear time, whatever the text', () => {
    const units = [
      'え',
      'あ',
      '1',
      '1 ',
      '12, ',
      '0',
      'a@',
      '@',
      'at ',
      'a.',
      'に',
      'にご',
      '口座1234 ',
      '口座',
      '090-1234-5678 ',
      'one ',
      'oh ',
      'double ',
      'アット',
      'アットマークa',
      'ドット',
      ':a',
      '::',
      '1.',
      'may ',
      'born may 3 ',
      '十',
      '五月',
      'ごがつ',
      '+1 ',
      '+',
      'a@a.co ',
      ' ',
      '-',
      '〒',
      '[',
      '[EMAIL]',
      'taro dot ',
      'a at b dot ',
      '生年月日1990',
      'ｶﾞ',
      '\u3099',
      '4111 1111 1111 1111 ',
    ];
    for (const unit of units) {
      // 10,000 characters take 2 to 19 ms of processor time on two busy cores. What is quadratic takes seconds for 40,000.
      const text = `${unit.repeat(Math.ceil(40_000 / unit.length)).slice(0, 40_000)}誕生日 born`;
      const taken = leastProcessorMs(3, () => redact(text), 1000);
      assert.ok(taken < 1000, `${unit} took ${taken} ms`);
    }
  });
});
