import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NestingError, parseForeignJson } from '../../src/contract/foreign-json.ts';
import { parseStep } from '../../src/contract/simulations/steps.ts';
import { boundedJson } from '../../src/core/json-limits.ts';

const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('JSON from another system', () => {
  it('may have 64 levels and no more', () => {
    for (const nested of [lists, objects]) {
      assert.deepEqual(parseForeignJson(nested(64)), JSON.parse(nested(64)));
      assert.throws(() => parseForeignJson(nested(65)), NestingError);
      assert.throws(() => parseForeignJson(nested(100_000)), NestingError);
    }
  });

  it('is not nested by brackets in strings, nor by brackets one after the other', () => {
    for (const text of [
      JSON.stringify({ a: '['.repeat(1000), [`"{${'\\'.repeat(3)}`]: '{"'.repeat(500) }),
      JSON.stringify(Array.from({ length: 1000 }, () => [[{}]])),
    ]) {
      assert.deepEqual(parseForeignJson(text), JSON.parse(text));
    }
  });

  it('that is no JSON is reported as such, however many brackets it has', () => {
    assert.throws(
      () => parseForeignJson('['.repeat(1000)),
      (error) => error instanceof SyntaxError && !(error instanceof NestingError),
    );
  });
});

describe('the arguments that a script expects', () => {
  it('may have 64 levels and no more', () => {
    const step = (levels: number) => parseStep(`expect tool book {"a":${lists(levels - 1)}}`);
    assert.equal('type' in step(64), true);
    assert.deepEqual(step(65), { column: 18, message: 'the arguments must be a JSON object of at most 64 levels' });
  });
});

describe('JSON that is stored', () => {
  it('is as it is, as long as it can be serialized', () => {
    const value = { a: [1, { b: null }], text: 'あ' };
    assert.equal(boundedJson(value), JSON.stringify(value));
    assert.equal(boundedJson(JSON.parse(lists(500))), lists(500));
  });

  // Only some versions of Node.js can serialize any depth.
  it('loses at most what is nested too deep to be serialized', () => {
    const value = { text: 'kept', deep: JSON.parse(lists(100_000)), after: [1] };
    const written = boundedJson(value);
    assert.ok([lists(100_000), `${'['.repeat(63)}null${']'.repeat(63)}`].includes(written.slice(22, -13)));
    assert.equal(written.slice(0, 22) + written.slice(-13), '{"text":"kept","deep":,"after":[1]}');
  });
});
