import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cutAtSentence } from '../../../src/voice/text/cut.ts';
import { seed } from '../../support/seed.ts';

describe('a text that is too long', () => {
  it('is cut after its last whole sentence', () => {
    assert.equal(cutAtSentence('One. Two. Three.', 12), 'One. Two.');
    assert.equal(cutAtSentence('一つ。二つ。三つ。', 8), '一つ。二つ。');
    assert.equal(cutAtSentence('It costs 3.50. It is at example.com today.', 36), 'It costs 3.50.');
  });

  it('is cut after a word if it has no sentence, and anywhere if it has no word', () => {
    assert.equal(cutAtSentence('one two three', 9), 'one two');
    assert.equal(cutAtSentence('xxxxxxxxxx', 4), 'xxxx');
    assert.equal(cutAtSentence('😀😀😀', 3), '😀');
    assert.equal(cutAtSentence('one', 0), '');
  });

  it('is a beginning of the text that is short enough', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), fc.nat(60), (text, maxLength) => {
        const cut = cutAtSentence(text, maxLength);
        assert.ok(text.startsWith(cut) && cut.length <= maxLength);
        if (text.length <= maxLength) assert.equal(cut, text);
      }),
      { seed },
    );
  });
});
