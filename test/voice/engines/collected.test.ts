import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sizeIssues, variableLimits } from '../../../src/contract/calls/values.ts';
import { collect, warnRejected } from '../../../src/voice/engines/collected.ts';
import type { Scalar } from '../../../src/voice/variables.ts';
import { seed } from '../../support/seed.ts';

describe('collected variables', () => {
  it('have at most 100 keys: another is not set, and those that are there can still be changed', () => {
    const known = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`v${index}`, index]));
    const { collected, set, rejected } = collect(known, { v5: 'new', more: 1 });
    assert.deepEqual([set, rejected], [{ v5: 'new' }, ['more']]);
    assert.deepEqual([collected.v5, Object.keys(collected).length], ['new', 100]);
  });

  it('have at most 16 KiB as JSON: a value beyond that is not set, and a smaller one still is', () => {
    const { collected, rejected } = collect({ kept: 'あ'.repeat(5000) }, { large: 'い'.repeat(500), small: 1 });
    assert.deepEqual(rejected, ['large']);
    assert.deepEqual(Object.keys(collected), ['kept', 'small']);
  });

  it('are within the limits of the API whatever is set, and nothing is rejected that fits', () => {
    const value = fc.oneof(fc.string({ maxLength: 3000 }), fc.double(), fc.boolean(), fc.constant(null));
    const variables = fc
      .array(fc.tuple(fc.stringMatching(/^[a-z_]{1,8}$/), value), { maxLength: 60 })
      .map((entries) => Object.fromEntries(entries) as Record<string, Scalar>);
    fc.assert(
      fc.property(variables, variables, (first, second) => {
        const known = collect({}, first).collected;
        const { collected, rejected } = collect(known, second);
        assert.deepEqual(sizeIssues(collected, variableLimits), []);
        if (sizeIssues({ ...known, ...second }, variableLimits).length === 0) assert.deepEqual(rejected, []);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('that are not set are one warning', () => {
    const warnings: string[] = [];
    warnRejected([], (code) => warnings.push(code));
    warnRejected(['a', 'b', 'c'], (code, message) => warnings.push(`${code}: ${message}`));
    assert.deepEqual(warnings, [
      'variable_not_set: the variable a and 2 more could not be set: collected variables have at most 100 keys and 16 KiB as JSON',
    ]);
  });
});
