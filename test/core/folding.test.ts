import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fold } from '../../src/core/folding.ts';

describe('folding', () => {
  it('ignores differences in case, width and composition', () => {
    const equal: [string, string][] = [
      ['ABC', 'abc'],
      ['ｶﾌﾞｼｷ', 'カブシキ'],
      ['ÜNÏ', 'u\u0308ni\u0308'],
      ['ẞ', 'ss'],
      ['ß', 'SS'],
      ['ΟΔΟΣ', 'οδος'],
      ['ﬁ', 'FI'],
      ['Ⅷ', 'viii'],
      ['①', '1'],
      ['Ǆ', 'ǆ'],
      ['ᾳ', 'αι'],
    ];
    for (const [one, other] of equal) assert.equal(fold(one), fold(other), `${one} ${other}`);
  });

  it('distinguishes different letters', () => {
    const different: [string, string][] = [
      ['ı', 'i'],
      ['カ', 'ガ'],
      ['か', 'カ'],
      ['e', 'é'],
      ['o', 'ø'],
    ];
    for (const [one, other] of different) assert.notEqual(fold(one), fold(other), `${one} ${other}`);
  });

  it('is idempotent', () => {
    for (let point = 1; point < 0x30000; point += 1) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const once = fold(String.fromCodePoint(point));
      if (fold(once) !== once) assert.fail(`U+${point.toString(16)}`);
    }
  });

  it('gives a Japanese text the same form alone and beside a letter with case', () => {
    const ranges: [number, number][] = [
      [0x3000, 0x9fff],
      [0xff00, 0xffef],
    ];
    for (const [first, last] of ranges) {
      for (let code = first; code <= last; code += 1) {
        const character = String.fromCharCode(code);
        assert.equal(`ö ${fold(`${character}A`)}`, fold(`Ö ${character}A`), code.toString(16));
      }
    }
  });
});
