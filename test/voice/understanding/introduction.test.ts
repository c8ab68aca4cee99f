import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { understand } from '../../../src/voice/understanding/answer.ts';

const context = { language: 'ja-JP', now: Date.parse('2026-11-16T01:00:00Z'), timeZone: 'Asia/Tokyo' };
const textOf = (words: string) => understand('text', words, context);

describe('a text that a caller gives', () => {
  it('is the name alone where the caller introduces themselves', () => {
    for (const words of [
      '山田です',
      '山田と申します',
      '私、山田と申します',
      '名前は山田です。',
      'ええと、山田といいます',
    ]) {
      assert.equal(textOf(words), '山田', words);
    }
    assert.equal(textOf('さくらでございます'), 'さくら');
  });

  it('is what was said where です ends a sentence', () => {
    for (const words of ['とても良かったです', '特にないです', '待ち時間が長いです'])
      assert.equal(textOf(words), words);
  });

  it('is what was said in other languages', () => {
    assert.equal(understand('text', '山田です', { ...context, language: 'en-US' }), '山田です');
  });
});
