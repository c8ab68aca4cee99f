import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createKeywordCorrection } from '../../../../src/voice/providers/embedded/recognition/keywords.ts';

suite('boosted keywords', () => {
  const cases: readonly (readonly [readonly string[], string, string])[] = [
    [['Moonshine'], 'I like moonshire, too.', 'I like Moonshine, too.'],
    [['Moonshine'], 'I like moon shine.', 'I like Moonshine.'],
    [['Moonshine'], 'MOONSHINE!', 'Moonshine!'],
    [['Moonshine'], 'I like sunshine.', 'I like sunshine.'],
    [['New Yolk'], 'from new york to', 'from New Yolk to'],
    [['New Yolk'], 'from newyolk to', 'from New Yolk to'],
    // Too short to be corrected; the case is.
    [['Lee'], 'Mr. lea and Mr. lee', 'Mr. lea and Mr. Lee'],
    // A listed word stays what it is.
    [['Brown', 'Crown'], 'crown and browns', 'Crown and Brown'],
    [['エンコード'], 'エンコートしてください', 'エンコードしてください'],
    [['田中'], '田名さん', '田名さん'],
    [[], 'as it is', 'as it is'],
    [[' '], 'as it is', 'as it is'],
    [['Moonshine'], '', ''],
  ];
  for (const [keywords, heard, corrected] of cases) {
    test(`${JSON.stringify(keywords)}: ${JSON.stringify(heard)} is ${JSON.stringify(corrected)}`, () =>
      assert.equal(createKeywordCorrection(keywords)(heard), corrected));
  }
});
