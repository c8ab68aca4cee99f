import { describe, it } from 'node:test';
import { check, english, japanese } from './tables.ts';

describe('digits', () => {
  it('are understood in Japanese', () => {
    check('digits', japanese, [
      ['1234', '1234'],
      ['１２３４', '1234'],
      ['0012', '0012'],
      ['一二三四', '1234'],
      ['〇〇一二', '0012'],
      ['いちにさんよん', '1234'],
      ['イチ ニ サン ヨン', '1234'],
      ['ゼロゼロいちに', '0012'],
      ['まるまるいちに', '0012'],
      ['れいいち', '01'],
      ['いち、に、さん', '123'],
      ['いちにの、さんよん', '1234'],
      ['12の34', '1234'],
      ['12ハイフン34', '1234'],
      ['12-34', '1234'],
      ['12ー34', '1234'],
      ['１２－３４', '1234'],
      ['いちにハイフンさんよん', '1234'],
      ['なな しち はち きゅう く', '77899'],
      ['キューキュー', '99'],
      ['えっと、1234です', '1234'],
      ['はい、1234です', '1234'],
      ['番号は1234です', '1234'],
      ['会員番号は、いちにさんよんです', '1234'],
      ['番号ははちいちぜろです', '810'],
      ['1234でお願いします', '1234'],
      ['いちにさんよんでお願いします', '1234'],
      ['1234番です', '1234'],
      ['にいち', '21'],
      ['ごーろく', '56'],
      ['いちに、えっと、さんよん', '1234'],
      ['に', '2'],
    ]);
  });

  it('are understood in English', () => {
    check('digits', english, [
      ['1234', '1234'],
      ['1 2 3 4', '1234'],
      ['one two three four', '1234'],
      ['One, two, three, four.', '1234'],
      ['one two dash three four', '1234'],
      ['12-34', '1234'],
      ['oh one two', '012'],
      ['zero zero seven', '007'],
      ['double five', '55'],
      ['double oh seven', '007'],
      ['triple zero one', '0001'],
      ['one two three four please', '1234'],
      ['my number is one two three four', '1234'],
      ["it's 1234", '1234'],
      ['um, one, uh, two', '12'],
      ['my member number is 1234, thanks', '1234'],
    ]);
  });

  it('are not understood if there are two numbers, none, or a word that only sounds like one', () => {
    check('digits', japanese, [
      ['三十五', undefined],
      ['十五', undefined],
      ['五十', undefined],
      ['百', undefined],
      ['1234か5678', undefined],
      ['1.5', undefined],
      ['15時', undefined],
      ['3人', undefined],
      ['1,234', undefined],
      ['+8190', undefined],
      ['わかりません', undefined],
      ['よろしくお願いします', undefined],
      ['えっと', undefined],
      ['田中さん', undefined],
      ['', undefined],
    ]);
    check('digits', english, [
      ['twelve', undefined],
      ['twenty three', undefined],
      ['I have one question', undefined],
      ['oh', undefined],
      ['oh oh', undefined],
      ['1234 or 5678', undefined],
      ['two thousand', undefined],
      ['none', undefined],
      ['', undefined],
    ]);
  });
});
