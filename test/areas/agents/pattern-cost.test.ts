import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { patternCost } from '../../../src/contract/agents/pattern-cost.ts';
import { patternIssues } from '../../../src/contract/agents/patterns.ts';
import { seed } from '../../support/seed.ts';

const rulesOf = (patterns: readonly string[]) => patterns.map((find) => ({ find, isRegex: true }));
const repeated = (text: string) => text.repeat(Math.floor(990 / text.length));

describe('the cost of a pattern', () => {
  it('keeps a request from blocking others, whatever its patterns are', (context) => {
    const compile = context.mock.method(RE2JS, 'compile');
    const hostile = [
      repeated('x{1000}'),
      repeated('x{0,1000}'),
      repeated('(x){1000}'),
      repeated('((x{1,9}){9}){9,}'),
      `(${'x'.repeat(500)}[(]){1000}`,
      `(${'x'.repeat(500)}\\Q)\\E){1000}`,
      `(${'x'.repeat(500)}\\)){1000}`,
      `(${'x'.repeat(500)}[](]){1000}`,
      `(${'x'.repeat(500)}[[:alpha:](]){1000}`,
      `(?i)${repeated('[!-\uffff]').slice(0, 980)}`,
      `(?i)${repeated('\\pL')}`,
    ];
    for (const pattern of hostile) {
      const rules = rulesOf(Array(100).fill(pattern));
      const before = process.cpuUsage();
      const issues = patternIssues(rules);
      // CPU time of this process, because the machine is shared.
      const { user, system } = process.cpuUsage(before);
      assert.match(issues[0]?.message ?? '', /too complex in total/, pattern.slice(0, 30));
      assert.equal(compile.mock.callCount(), 0, 'nothing is compiled for the check');
      assert.ok((user + system) / 1000 < 500, pattern.slice(0, 30));
    }
  });

  it('allows realistic patterns', () => {
    const usual = [
      '\\d{2,4}-\\d{2,4}-\\d{4}',
      '(?i)\\b[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,24}\\b',
      '[\\p{Han}\\p{Hiragana}\\p{Katakana}ー]{1,20}',
      '([01]?\\d|2[0-3]):[0-5]\\d',
      '(?:株式会社|有限会社)\\s*(\\S{1,50})',
    ];
    assert.deepEqual(patternIssues(rulesOf(Array.from({ length: 100 }, (_, place) => usual[place % 5] as string))), []);
  });

  it('is never lower than the size of the compiled program', () => {
    const pieces = fc.constantFrom(
      ...[
        'a',
        '秘',
        '(',
        '(?:',
        '(?P<n>',
        ')',
        ')',
        '|',
        '*',
        '+',
        '?',
        '.',
        '{3}',
        '{0,5}',
        '{2,}',
        '{',
        '}',
        '-',
        '^',
      ],
      ...['[(]', '[)]', '[^]]', '[]a]', '[[:alpha:])]', '[\\]]', '[\\Q)]', '\\(', '\\)', '\\[', '\\Q(\\E', '\\Q)[\\E'],
      ...['\\pL', '\\p{Han}', '\\x{29}', '\\x28', '(?i)', '\\Q', '\\E', '[', ']', '\\'],
    );
    let compiled = 0;
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
        const pattern = parts.join('');
        let size: number;
        try {
          size = RE2JS.compile(pattern).programSize();
        } catch {
          return;
        }
        compiled += 1;
        // Three per copy, and the instructions of every program.
        assert.ok(patternCost(pattern) + 9 >= 3 * size, `${pattern}: ${patternCost(pattern)} for ${size}`);
      }),
      { seed, numRuns: 20_000 },
    );
    assert.ok(compiled > 500, String(compiled));
  });

  it('is reported without repeating the pattern', () => {
    const [issue] = patternIssues(rulesOf(['(my-secret']));
    assert.deepEqual(issue?.path, [0, 'find']);
    assert.match(issue?.message ?? '', /^is not a regular expression in RE2 syntax \(missing closing \)\)$/);
  });
});
