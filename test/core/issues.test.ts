import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { check } from '../../src/core/issues.ts';

describe('the issues of a value', () => {
  it('say what is wrong with the name of a member', () => {
    const schema = z.object({ models: z.record(z.string().regex(/^\S+$/, 'must not have spaces'), z.string()) });
    const result = check(schema, { models: { 'gpt 5': 'llama' } });
    assert.ok('issues' in result);
    assert.deepEqual(
      result.issues.map(({ path, message }) => [path, message]),
      [[['models', 'gpt 5'], 'its name must not have spaces']],
    );
  });
});
