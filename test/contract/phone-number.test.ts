import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countryOfNumber, maskedNumber, phoneNumberIssue } from '../../src/contract/phone-number.ts';

describe('a phone number', () => {
  it('is valid in E.164 format, and as one of provider test', () => {
    for (const number of ['+81312345678', '+819012345678', '+14155550100', '+442079460000', '+99901234501']) {
      assert.equal(phoneNumberIssue(number), null, number);
    }
  });

  it('that is not gets a proposal if its country is plain', () => {
    for (const [number, proposal] of [
      ['+810312345678', '+81312345678'],
      ['+81 90-1234-5678', '+819012345678'],
      ['+1 (415) 555-0100', '+14155550100'],
      ['0081312345678', '+81312345678'],
    ] as const) {
      assert.ok(phoneNumberIssue(number)?.includes(proposal), number);
    }
    for (const number of ['03-1234-5678', '+1', '', '+819012345678901', '+9990123450', 'anonymous']) {
      const issue = phoneNumberIssue(number);
      assert.match(issue ?? '', /E\.164/, number);
      assert.doesNotMatch(issue ?? '', /did you mean/, number);
    }
  });

  it('has a mask with its country code, its last two digits, and a star for each other', () => {
    assert.equal(maskedNumber('+819012345678'), '+81********78');
    assert.equal(maskedNumber('+14155550100'), '+1********00');
    assert.equal(maskedNumber('+99901234501'), '+999******01');
    // What a carrier may send instead of a number.
    assert.equal(maskedNumber('1234'), '**34');
  });

  it('has a country, or none', () => {
    assert.deepEqual(['+81312345678', '+14155550100', '+18765551234', '+99901234501'].map(countryOfNumber), [
      'JP',
      'US',
      'JM',
      'ZZ',
    ]);
  });
});
