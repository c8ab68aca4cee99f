import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type RedactableWord, redact, redactJson, redactWords } from '../../../src/voice/text/personal-data.ts';
import { seed } from '../../support/seed.ts';

/** Each word lasts 100 ms. */
function words(...texts: string[]): RedactableWord[] {
  return texts.map((text, index) => ({ text, startMs: index * 100, endMs: index * 100 + 100, confidence: 0.9 }));
}

describe('redaction of words', () => {
  it('makes one word of those that belong to the same number', () => {
    assert.deepEqual(redactWords(words('電話は', '090', '1234', '5678', 'です')), [
      { text: '電話は', startMs: 0, endMs: 100, confidence: 0.9 },
      { text: '[PHONE_NUMBER]', startMs: 100, endMs: 400, confidence: 0.9 },
      { text: 'です', startMs: 400, endMs: 500, confidence: 0.9 },
    ]);
  });

  it('keeps what else is in a word that is partly covered', () => {
    const texts = redactWords(words('番号は090', '1234', '5678です')).map(({ text }) => text);
    assert.deepEqual(texts, ['番号は[PHONE_NUMBER]です']);
  });

  it('finds what is split over words, in both languages', () => {
    const rows: [string[], string[]][] = [
      [
        ['ゼロ', 'キュウ', 'ゼロ', 'いち', 'に', 'さん', 'よん', 'ご', 'ろく', 'なな', 'はち', 'です'],
        ['[PHONE_NUMBER]', 'です'],
      ],
      [['zero', 'nine', 'zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'], ['[PHONE_NUMBER]']],
      [
        ['口座', '番号', 'は', '123', '4567'],
        ['口座', '番号', 'は', '[BANK_ACCOUNT]'],
      ],
      [
        ['my', 'account', 'number', 'is', '12345678'],
        ['my', 'account', 'number', 'is', '[BANK_ACCOUNT]'],
      ],
      [['taro', 'アット', 'マーク', 'example', 'ドット', 'com'], ['[EMAIL]']],
      [['taro', 'at', 'example', 'dot', 'com'], ['[EMAIL]']],
      [
        ['生年', '月日', 'は', '1990年', '5月', '3日'],
        ['生年', '月日', 'は', '[DATE_OF_BIRTH]'],
      ],
      [
        ['090-1234-5678', '080-1234-5678'],
        ['[PHONE_NUMBER]', '[PHONE_NUMBER]'],
      ],
      [
        ['11月20日の', '15時', 'です'],
        ['11月20日の', '15時', 'です'],
      ],
      [[], []],
    ];
    for (const [heard, expected] of rows) {
      assert.deepEqual(
        redactWords(words(...heard)).map(({ text }) => text),
        expected,
      );
    }
  });

  it('has the least confidence of the words it replaces, and null if none has one', () => {
    const [first, second] = words('0901234', '5678');
    const known = [
      { ...first, confidence: 0.5 },
      { ...second, confidence: null },
    ] as RedactableWord[];
    assert.equal(redactWords(known)[0]?.confidence, 0.5);
    const unknown = known.map((word) => ({ ...word, confidence: null }));
    assert.equal(redactWords(unknown)[0]?.confidence, null);
  });

  it('never leaves what redaction of the text would remove, and keeps the times in order', () => {
    const pieces = [
      '090',
      '1234',
      '5678',
      'ゼロ',
      'いち',
      'に',
      'の',
      '口座',
      'taro@example.com',
      'born',
      'May 3',
      '1990',
      'です',
      '[EMAIL]',
      'a',
      '',
    ];
    const check = (texts: string[]): void => {
      const redacted = redactWords(words(...texts));
      assert.deepEqual(redactWords(redacted), redacted);
      for (const { text } of redacted) assert.equal(redact(text), text);
      for (const [index, { startMs, endMs }] of redacted.entries()) {
        assert.ok(startMs < endMs && startMs >= (redacted[index - 1]?.endMs ?? 0));
      }
      assert.equal(redacted.at(-1)?.endMs, texts.length === 0 ? undefined : texts.length * 100);
    };
    fc.assert(fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 15 }), check), { seed, numRuns: 2000 });
  });
});

describe('redaction of JSON', () => {
  it('redacts all strings and leaves everything else', () => {
    const value = {
      name: '田中',
      phone: '090-1234-5678',
      nested: [{ email: 'a@b.co' }, 4111111111111111, null, true],
      at: '15:30',
    };
    assert.deepEqual(redactJson(value), {
      name: '田中',
      phone: '[PHONE_NUMBER]',
      nested: [{ email: '[EMAIL]' }, 4111111111111111, null, true],
      at: '15:30',
    });
    assert.equal(redactJson('a@b.co'), '[EMAIL]');
    assert.equal(redactJson(null), null);
  });

  it('takes the name of a field as a cue for its value', () => {
    assert.deepEqual(
      redactJson({
        dateOfBirth: '1990-05-03',
        postal_code: '150-0001',
        accountNumber: '1234567',
        口座番号: '1234567',
        visitDate: '2026-12-24',
        order_id: '1234567',
      }),
      {
        dateOfBirth: '[DATE_OF_BIRTH]',
        postal_code: '[POSTAL_CODE]',
        accountNumber: '[BANK_ACCOUNT]',
        口座番号: '[BANK_ACCOUNT]',
        visitDate: '2026-12-24',
        order_id: '1234567',
      },
    );
  });

  it('redacts names of fields, too, and loses none', () => {
    const redacted = redactJson({ 'a@b.co': 1, 'c@d.co': 2, plain: 3 });
    assert.deepEqual(redacted, { '[EMAIL]': 1, '[EMAIL]_2': 2, plain: 3 });
    assert.deepEqual(Object.keys(redactJson(JSON.parse('{"__proto__": "a@b.co"}'))), ['__proto__']);
  });

  it('of redacted JSON changes nothing', () => {
    const isStable = (value: fc.JsonValue): void => assert.deepEqual(redactJson(redactJson(value)), redactJson(value));
    fc.assert(fc.property(fc.jsonValue(), isStable), { seed, numRuns: 500 });
  });
});
