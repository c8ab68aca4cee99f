import { describe, it } from 'node:test';
import { check, english, japanese } from './tables.ts';

describe('an e-mail address', () => {
  it('is understood in Japanese', () => {
    check('email', japanese, [
      ['taro@example.com', 'taro@example.com'],
      ['Taro@Example.COM', 'taro@example.com'],
      ['ｔａｒｏ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'taro@example.com'],
      ['taro アットマーク example ドット com', 'taro@example.com'],
      ['taroアットマークexampleドットcom', 'taro@example.com'],
      ['taro あっとまーく example どっと com です', 'taro@example.com'],
      ['taro アット example ドット co ドット jp', 'taro@example.co.jp'],
      ['メールアドレスは taro@example.com です', 'taro@example.com'],
      ['アドレスはtaro@example.comです', 'taro@example.com'],
      ['えっと、taro@example.com', 'taro@example.com'],
      ['taro@example.comでお願いします', 'taro@example.com'],
      ['ティー エー アール オー アットマーク ジーメール ドット コム', 'taro@gmail.com'],
      ['ティーエーアールオーアットマークジーメールドットコム', 'taro@gmail.com'],
      ['taro いちにさん アットマーク ヤフー ドット co ドット jp', 'taro123@yahoo.co.jp'],
      ['taro アンダーバー yamada アットマーク example ドット com', 'taro_yamada@example.com'],
      ['taro ハイフン y アットマーク example ドット com', 'taro-y@example.com'],
      ['taro ドット yamada アットマーク example ドット ne ドット jp', 'taro.yamada@example.ne.jp'],
      ['t a r o アットマーク example ドット com', 'taro@example.com'],
      ['taro プラス test アットマーク example ドット com', 'taro+test@example.com'],
      ['えー、taro@example.com', 'taro@example.com'],
      ['エー、ティー、アットマーク、エヌ、ドット、シー、オー', 'at@n.co'],
      ['taro1990@docomo.ne.jp', 'taro1990@docomo.ne.jp'],
    ]);
  });

  it('is understood in English', () => {
    check('email', english, [
      ['taro@example.com', 'taro@example.com'],
      ['taro at example dot com', 'taro@example.com'],
      ['Taro at Example dot com.', 'taro@example.com'],
      ['my email is taro at example dot com', 'taro@example.com'],
      ["it's taro at gmail dot com", 'taro@gmail.com'],
      ['taro dot yamada at example dot co dot uk', 'taro.yamada@example.co.uk'],
      ['t a r o at example dot com', 'taro@example.com'],
      ['t, a, r, o, at, g, m, a, i, l, dot, c, o, m', 'taro@gmail.com'],
      ['taro underscore y at example dot org', 'taro_y@example.org'],
      ['taro under score y at example dot org', 'taro_y@example.org'],
      ['taro dash yamada at my dash company dot com', 'taro-yamada@my-company.com'],
      ['taro one two three at example dot com', 'taro123@example.com'],
      ['taro 99 at example dot com please', 'taro99@example.com'],
      ['j smith at example dot com', 'jsmith@example.com'],
      ['taro plus news at example dot io', 'taro+news@example.io'],
      ['taro at sign example dot com', 'taro@example.com'],
    ]);
  });

  it('is not understood if a part is missing or may be another', () => {
    check('email', japanese, [
      ['タロウ アットマーク example ドット com', undefined],
      ['taro アットマーク example', undefined],
      ['taro example ドット com', undefined],
      ['アットマーク', undefined],
      ['taro@@example.com', undefined],
      ['taro..y@example.com', undefined],
      ['taro.@example.com', undefined],
      ['メールはありません', undefined],
      ['えっと', undefined],
      ['', undefined],
    ]);
    check('email', english, [
      ['taro yamada at example dot com', undefined],
      ['send it to taro at example dot com', undefined],
      ['taro at example', undefined],
      ['taro at example at home dot com', undefined],
      ['at example dot com', undefined],
      ['I have none', undefined],
      ['um', undefined],
      ['', undefined],
    ]);
  });
});
