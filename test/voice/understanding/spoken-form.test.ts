import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type AnswerKind, type AnswerValue, understand } from '../../../src/voice/understanding/answer.ts';
import { spokenForm } from '../../../src/voice/understanding/spoken-form.ts';
import { seed } from '../../support/seed.ts';
import { english, japanese } from './tables.ts';

describe('the spoken form', () => {
  it('is natural in both languages', () => {
    const rows: [AnswerValue, AnswerKind, string, string][] = [
      ['2026-12-24', 'date', '12月24日', 'December 24th'],
      ['2027-03-01', 'date', '3月1日', 'March 1st'],
      ['2027-03-02', 'date', '3月2日', 'March 2nd'],
      ['2027-03-03', 'date', '3月3日', 'March 3rd'],
      ['2027-03-11', 'date', '3月11日', 'March 11th'],
      ['2027-03-13', 'date', '3月13日', 'March 13th'],
      ['2027-03-22', 'date', '3月22日', 'March 22nd'],
      ['15:30', 'time', '午後3時30分', '3:30 PM'],
      ['15:00', 'time', '午後3時', '3 PM'],
      ['09:05', 'time', '午前9時5分', '9:05 AM'],
      ['00:00', 'time', '午前0時', 'midnight'],
      ['00:30', 'time', '午前0時30分', '12:30 AM'],
      ['12:00', 'time', '正午', 'noon'],
      ['12:30', 'time', '午後0時30分', '12:30 PM'],
      [true, 'yes_no', 'はい', 'yes'],
      [false, 'yes_no', 'いいえ', 'no'],
      [3500, 'number', '3500', '3500'],
      ['1234', 'digits', '1234', '1234'],
      ['+819012345678', 'phone', '090-1234-5678', '090-1234-5678'],
      ['+14155552671', 'phone', '+1 415 555 2671', '+1 415 555 2671'],
      ['taro@example.com', 'email', 'taro アットマーク example ドット com', 'taro at example dot com'],
      ['150-0001', 'postal_code', '150-0001', '150-0001'],
      ['田中', 'text', '田中', '田中'],
      ['twin', 'choice', 'twin', 'twin'],
      ['not a date', 'date', 'not a date', 'not a date'],
      ['not a time', 'time', 'not a time', 'not a time'],
    ];
    for (const [value, as, inJapanese, inEnglish] of rows) {
      assert.equal(spokenForm(value, as, 'ja'), inJapanese);
      assert.equal(spokenForm(value, as, 'ja-JP'), inJapanese);
      assert.equal(spokenForm(value, as, 'en-US'), inEnglish);
    }
  });

  it('is spelled character by character if asked, where that makes sense', () => {
    const rows: [AnswerValue, AnswerKind, string, string][] = [
      ['1290', 'digits', 'イチ、ニ、キュウ、ゼロ', 'one, two, nine, zero'],
      [
        '+819012345678',
        'phone',
        'ゼロ、キュウ、ゼロ、の、イチ、ニ、サン、ヨン、の、ゴ、ロク、ナナ、ハチ',
        'zero, nine, zero, dash, one, two, three, four, dash, five, six, seven, eight',
      ],
      [
        'a_1@b.jp',
        'email',
        'エー、アンダーバー、イチ、アットマーク、ビー、ドット、ジェー、ピー',
        'a, underscore, one, at, b, dot, j, p',
      ],
      [
        '150-0001',
        'postal_code',
        'イチ、ゴ、ゼロ、の、ゼロ、ゼロ、ゼロ、イチ',
        'one, five, zero, dash, zero, zero, zero, one',
      ],
      ['SW1A1AA', 'postal_code', 'エス、ダブリュー、イチ、エー、イチ、エー、エー', 's, w, one, a, one, a, a'],
      ['15:30', 'time', '午後3時30分', '3:30 PM'],
    ];
    for (const [value, as, inJapanese, inEnglish] of rows) {
      assert.equal(spokenForm(value, as, 'ja', { characterByCharacter: true }), inJapanese);
      assert.equal(spokenForm(value, as, 'en', { characterByCharacter: true }), inEnglish);
    }
  });

  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
  const values: [AnswerKind, fc.Arbitrary<AnswerValue>][] = [
    ['yes_no', fc.boolean()],
    ['number', fc.integer({ min: 0, max: 1_000_000 })],
    ['digits', fc.stringMatching(/^[0-9]{2,12}$/).filter((text) => /[1-9]/.test(text))],
    ['date', fc.integer({ min: 0, max: 364 }).map((days) => isoOf(japanese.now + days * 86_400_000))],
    [
      'time',
      fc
        .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
        .map(([hour, minute]) => `${two(hour)}:${two(minute)}`),
    ],
    ['phone', digits(8).map((rest) => `+8190${rest}`)],
    ['postal_code', digits(7).map((code) => `${code.slice(0, 3)}-${code.slice(3)}`)],
    [
      'email',
      fc
        .stringMatching(/^[a-z][a-z0-9]{0,8}([._-][a-z0-9]{1,5})?@[a-z]{2,8}(\.co)?\.(com|jp|net)$/)
        .filter((text) => !/\bat\b|dot|point|period|dash/.test(text)),
    ],
  ];

  it('of a value is understood as the same value', () => {
    for (const [as, arbitrary] of values) {
      for (const context of [japanese, english]) {
        const isReadBack = (value: AnswerValue): void =>
          assert.equal(understand(as, spokenForm(value, as, context.language), context), value);
        fc.assert(fc.property(arbitrary, isReadBack), { seed, numRuns: 300 });
      }
    }
  });

  it('of a value that is spelled is understood as the same value', () => {
    for (const [as, arbitrary] of values.filter(([kind]) =>
      ['digits', 'phone', 'postal_code', 'email'].includes(kind),
    )) {
      for (const context of [japanese, english]) {
        const isReadBack = (value: AnswerValue): void => {
          const spoken = spokenForm(value, as, context.language, { characterByCharacter: true });
          assert.equal(understand(as, spoken, context), value, spoken);
        };
        fc.assert(fc.property(arbitrary, isReadBack), { seed, numRuns: 300 });
      }
    }
  });
});

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}
