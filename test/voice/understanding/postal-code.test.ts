import { describe, it } from 'node:test';
import { check, english, japanese } from './tables.ts';

describe('a postal code', () => {
  it('is understood in Japanese', () => {
    check('postal_code', japanese, [
      ['150-0001', '150-0001'],
      ['1500001', '150-0001'],
      ['〒150-0001', '150-0001'],
      ['〒１５０－０００１', '150-0001'],
      ['〒 150 0001', '150-0001'],
      ['150の0001', '150-0001'],
      ['150ハイフン0001です', '150-0001'],
      ['一五〇の〇〇〇一', '150-0001'],
      ['一五〇〇〇〇一', '150-0001'],
      ['いちごーぜろ、のー、ぜろぜろぜろいち', '150-0001'],
      ['いちごゼロのゼロゼロゼロいちです', '150-0001'],
      ['郵便番号は150-0001です', '150-0001'],
      ['郵便番号は、一五〇の〇〇〇一でお願いします', '150-0001'],
      ['えっと、150-0001', '150-0001'],
      ['ナナナナナのゼロゼロゼロイチ', undefined],
      ['ハチキュウゼロのまるまるまるいち', '890-0001'],
      ['one five zero, zero zero zero one', '150-0001'],
      ['1 5 0 0 0 0 1', '150-0001'],
      ['060-0042', '060-0042'],
      ['〇六〇の〇〇四二', '060-0042'],
    ]);
  });

  it('is understood outside Japan, with letters and digits as they are said', () => {
    check('postal_code', english, [
      ['94107', '94107'],
      ['nine four one oh seven', '94107'],
      ['nine four one o seven', '94107'],
      ['9 4 1 0 7', '94107'],
      ['94107-1234', '94107-1234'],
      ['nine four one zero seven dash one two three four', '94107-1234'],
      ['SW1A 1AA', 'SW1A1AA'],
      ['s w one a one a a', 'SW1A1AA'],
      ['S, W, 1, A, 1, A, A', 'SW1A1AA'],
      ['K1A 0B1', 'K1A0B1'],
      ['k one a zero b one', 'K1A0B1'],
      ['my zip code is 94107', '94107'],
      ["it's 94107", '94107'],
      ['the postcode is SW1A 1AA please', 'SW1A1AA'],
      ['double one one zero one', '11101'],
      ['150-0001', '150-0001'],
    ]);
  });

  it('is not understood if it has another length, or if there are other words', () => {
    check('postal_code', japanese, [
      ['150-000', undefined],
      ['150-00012', undefined],
      ['渋谷区です', undefined],
      ['150-0001か150-0002', undefined],
      ['わかりません', undefined],
      ['', undefined],
    ]);
    check('postal_code', english, [
      ['San Francisco', undefined],
      ['a b c', undefined],
      ['12', undefined],
      ['94107 or 94108', undefined],
      ['12345678901', undefined],
      ['I am not sure', undefined],
      ['um', undefined],
      ['', undefined],
    ]);
  });
});
