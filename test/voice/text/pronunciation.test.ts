import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compilePronunciation } from '../../../src/voice/text/pronunciation.ts';
import { seed } from '../../support/seed.ts';

describe('the pronunciation dictionary', () => {
  it('applies its rules in order, once each, to what the rules before left', () => {
    const say = compilePronunciation([
      { find: 'SQL', replace: 'エスキューエル' },
      { find: 'エス', replace: 'S' },
      { find: 'a', replace: 'aa' },
    ]);
    assert.equal(say('SQLとSQL a'), 'SキューエルとSキューエル aa');
  });

  it('takes plain text literally', () => {
    const say = compilePronunciation([{ find: 'a.b$', replace: '$& $1', isRegex: false }]);
    assert.equal(say('a.b$ axb$'), '$& $1 axb$');
  });

  it('matches regular expressions in RE2 syntax, and speaks the replacement as it is written', () => {
    const say = compilePronunciation([{ find: '(?i)\\b(api)\\b', replace: 'エー$1\\アイ', isRegex: true }]);
    assert.equal(say('API, api, apis 𠮷API'), 'エー$1\\アイ, エー$1\\アイ, apis 𠮷エー$1\\アイ');
  });

  it('does not insert anything for an empty match', () => {
    assert.equal(compilePronunciation([{ find: 'x*', replace: '-', isRegex: true }])('axxb'), 'a-b');
    assert.equal(compilePronunciation([{ find: '^|$', replace: '-', isRegex: true }])('ab'), 'ab');
  });

  it('leaves out and reports a pattern that does not compile', () => {
    const invalid: number[] = [];
    const say = compilePronunciation(
      [
        { find: 'a', replace: 'b' },
        { find: '(', replace: '', isRegex: true },
      ],
      (index) => invalid.push(index),
    );
    assert.equal(say('a('), 'b(');
    assert.deepEqual(invalid, [1]);
  });

  it('does not grow without bound when rules feed each other', () => {
    const long = 'a'.repeat(1000);
    for (const isRegex of [false, true]) {
      const say = compilePronunciation(Array.from({ length: 20 }, () => ({ find: 'a', replace: long, isRegex })));
      assert.ok(say('a').length <= 20_000);
    }
  });

  it('has the same result for plain text as the equivalent pattern', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'あ', '😀'), maxLength: 12 });
    fc.assert(
      fc.property(letters, fc.constantFrom('a', 'ab', 'あ', '😀', 'bb'), letters, (text, find, replace) => {
        const [plain, pattern] = [false, true].map((isRegex) => compilePronunciation([{ find, replace, isRegex }]));
        assert.equal(
          plain?.(text),
          text.replaceAll(find, () => replace),
        );
        assert.equal(pattern?.(text), plain?.(text));
      }),
      { seed },
    );
  });
});
