import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFormat } from '../../dashboard/src/language/format.ts';

describe('relative times', () => {
  const now = Date.parse('2026-01-10T12:00:00Z');
  const before = (ms: number) => new Date(now - ms).toISOString();

  it('have no space between number and unit in Japanese', () => {
    const { ago, until } = createFormat('ja');
    assert.equal(ago(before(0), now), 'たった今');
    assert.equal(ago(before(52_000), now), '52秒前');
    assert.equal(ago(before(7_200_000), now), '2時間前');
    assert.equal(until(before(-300_000), now), '5分後');
  });

  it('are sentences in English', () => {
    const { ago, until } = createFormat('en');
    assert.equal(ago(before(0), now), 'now');
    assert.equal(ago(before(52_000), now), '52 seconds ago');
    assert.equal(until(before(-300_000), now), 'in 5 minutes');
  });
});
