import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { passageOf } from '../../../../src/areas/knowledge/search/passages.ts';

const around = ['a', 'b', 'c', 'd', 'e'].map((id, index) => ({
  ...{ id, index, text: id.repeat(10) },
  section: index === 0 ? '["other"]' : '["here"]',
}));
const chunk = around[2] as (typeof around)[number];

suite('a passage', () => {
  test('is the chunk with the neighbors under its heading, as far as they fit', () => {
    assert.equal(
      passageOf(chunk, around, 1000, new Set(['c'])),
      around
        .slice(1)
        .map(({ text }) => text)
        .join('\n'),
    );
    assert.equal(passageOf(chunk, around, 32, new Set(['c'])), 'bbbbbbbbbb\ncccccccccc\ndddddddddd');
    assert.equal(passageOf(chunk, around, 31, new Set(['c'])), 'cccccccccc\ndddddddddd');
    assert.equal(passageOf(chunk, around, 5, new Set(['c'])), 'cccccccccc');
  });

  test('does not repeat what another one shows', () => {
    const used = new Set(['c', 'd']);
    assert.equal(passageOf(chunk, around, 1000, used), 'bbbbbbbbbb\ncccccccccc');
    assert.deepEqual([...used], ['c', 'd', 'b']);
  });
});
