import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { translatedCheck } from '../../dashboard/src/pages/numbers/check-messages.ts';
import { countryChoices, countryName, formatNumber, readNumber } from '../../dashboard/src/phone/number-format.ts';

describe('phone numbers as people write them', () => {
  it('reads spaces, hyphens, full-width digits, 00 and national numbers, and nothing else', () => {
    const expected = { number: '+81312345678', country: 'JP' };
    for (const typed of ['+81 3-1234-5678', '＋８１３１２３４５６７８', '0081 3 1234 5678', ' +81312345678 ']) {
      assert.deepEqual(readNumber(typed), expected, typed);
    }
    assert.deepEqual(readNumber('03-1234-5678', 'JP'), expected);
    assert.deepEqual(readNumber('+999 0000 0001'), { number: '+99900000001', country: 'ZZ' });
    for (const typed of ['', '03-1234-5678', '+1', '911', 'hello', '+9991'])
      assert.equal(readNumber(typed), null, typed);
  });

  it('shows numbers in groups with their country, and masked ones as they are', () => {
    assert.equal(formatNumber('+81312345678'), '+81 3 1234 5678');
    assert.equal(formatNumber('+99910000001'), '+999 1000 0001');
    assert.equal(formatNumber('+81********78'), '+81********78');
    assert.deepEqual(
      [countryName('JP', 'en'), countryName('JP', 'ja'), countryName('ZZ', 'en')],
      ['Japan', '日本', null],
    );
    assert.ok(countryChoices('en').some(({ value, label }) => value === 'JP' && label === 'Japan (JP)'));
  });
});

describe('checks in Japanese', () => {
  const check = (message: string) => ({
    name: 'agent' as const,
    status: 'failed' as const,
    message,
    remedy: null,
    checkedAt: '',
  });

  it('every sentence of the service has a translation', () => {
    const sources = ['checks.ts', 'public-address.ts'].map((file) =>
      readFileSync(new URL(`../../src/areas/phone/${file}`, import.meta.url), 'utf8'),
    );
    const sentences = sources
      .join('\n')
      .matchAll(/(?:message|remedy|setIt)(?::|\s=)\s*(?:[^'"`\n?]*\?)?\s*(['`])([A-Z].*?\.)\1/gs);
    const texts = [...sentences].map(([, , text = '']) => text.replaceAll(/\$\{[^}]*\}/g, '7'));
    assert.ok(texts.length > 20, `${texts.length} sentences`);
    for (const text of texts) {
      assert.match(translatedCheck(check(text), 'ja').message, /[ぁ-ん]/, text);
      assert.equal(translatedCheck(check(text), 'en').message, text);
    }
  });

  it('keeps names, and sentences that it does not know', () => {
    const { message } = translatedCheck(check('The agent has no version 12.'), 'ja');
    assert.equal(message, 'エージェントにバージョン12はありません。');
    assert.equal(translatedCheck(check('Something new.'), 'ja').message, 'Something new.');
  });
});
