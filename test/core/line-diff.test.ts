import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { diffLines } from '../../src/core/line-diff.ts';
import { seed } from '../support/seed.ts';

/** The maximum length of a prompt. */
const maxCharacters = 200_000;
/** CPU time of this process, because the machine is shared. The slowest takes a quarter of a second. */
const maxMs = 5000;

function linesOf(before: string, after: string): string[] {
  return diffLines(before, after).map(({ kind, text }) => `${kind} ${text}`);
}

function assertReadable(before: string, after: string): void {
  const lines = diffLines(before, after);
  const without = (kind: string) => lines.filter((line) => line.kind !== kind).map((line) => line.text);
  assert.ok(without('added').join('\n') === before);
  assert.ok(without('removed').join('\n') === after);
}

/** Pseudo-random lines, the same in every run. */
function randomText(kinds: number, seed: number): string {
  let state = seed;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return String(state % kinds);
  };
  let text = '';
  while (text.length < maxCharacters - 12) text += `${next()}\n`;
  return text;
}

describe('a line diff', () => {
  it('contains both texts, with common lines once', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((lines) => lines.join('\n'));
    fc.assert(fc.property(text, text, assertReadable), { seed });
    assert.deepEqual(linesOf('a\nb\nc', 'a\nx\nc'), ['same a', 'removed b', 'added x', 'same c']);
    assert.deepEqual(linesOf('a\nb\nc\nd\ne', 'b\nc\nx\ne'), [
      'removed a',
      'same b',
      'same c',
      'removed d',
      'added x',
      'same e',
    ]);
  });

  it('finds a few changes in a long text, and many lines added at its end', () => {
    const long = Array.from({ length: 20_000 }, (_, index) => `${index}`);
    const changed = long.map((line, index) => (index % 1000 === 500 ? 'changed' : line));
    const count = (kind: string, after: string[]) =>
      diffLines(long.join('\n'), after.join('\n')).filter((line) => line.kind === kind).length;
    assert.equal(count('added', changed), 20);
    assert.equal(count('removed', changed), 20);
    assert.equal(count('removed', [...long, ...changed]), 0);
  });

  it('takes a bounded time for the longest texts, whatever they contain', () => {
    const empty = '\n'.repeat(maxCharacters);
    const pairs = [
      [empty, 'a\n'.repeat(maxCharacters / 2)],
      [empty, 'a'.repeat(maxCharacters)],
      [randomText(2, 1), randomText(2, 7)],
      [randomText(10, 1), randomText(10, 7)],
      [randomText(1e9, 1), randomText(1e9, 7)],
    ] as const;
    for (const [before, after] of pairs) {
      const start = process.cpuUsage();
      assertReadable(before, after);
      const { user, system } = process.cpuUsage(start);
      assert.ok((user + system) / 1000 < maxMs);
    }
  });
});
