import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asksForMoment } from '../../../src/voice/understanding/moment.ts';

describe('a request for a moment', () => {
  const requests = {
    ja: [
      '待って',
      'ちょっと待ってください。',
      'えっと、少々お待ちください',
      'すみません、ちょっと待ってもらえますか？',
      '今手帳を見ますので、少しお待ちください',
      'あ、ちょっと待ってね',
      'one moment please',
    ],
    en: [
      'Hold on.',
      'um, one moment, please',
      'Just a second',
      'could you hold on please?',
      'Let me check.',
      'give me a minute',
      'okay, wait',
      'let me check my calendar',
    ],
  };
  const answers = {
    ja: [
      '待っています',
      '3時に待ち合わせです',
      '明日で、ちょっと待ってください、あさってで',
      '待合室',
      'お待たせしました',
      '',
    ],
    en: ['wait until Friday', 'a moment ago', 'the second', 'let me have a table for two', 'one', ''],
  };

  for (const language of ['ja', 'en'] as const) {
    it(`is recognized in ${language}`, () => {
      for (const words of requests[language]) assert.equal(asksForMoment(words, language), true, words);
      for (const words of answers[language]) assert.equal(asksForMoment(words, language), false, words);
    });
  }
});
