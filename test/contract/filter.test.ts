import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FieldCatalog, filterIssues, filterSchema } from '../../src/contract/filter.ts';

const catalog: FieldCatalog = (field) => {
  if (field === 'status') return { type: 'string', values: ['ended', 'ongoing'] };
  if (field === 'externalId') return { type: 'string' };
  if (field === 'durationMs') return { type: 'number' };
  if (field === 'createdAt') return { type: 'time' };
  if (field === 'successful') return { type: 'boolean' };
  return field.startsWith('metadata.') ? { type: 'any' } : undefined;
};

function issuesOf(filter: unknown): string[] {
  return filterIssues(filter, catalog).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const leaf = { field: 'durationMs', op: 'gt', value: 1 };

describe('a filter', () => {
  it('is accepted in every form of the grammar', () => {
    const valid: unknown[] = [
      leaf,
      { all: [leaf, { any: [leaf, { not: leaf }] }] },
      { field: 'status', op: 'in', value: ['ended', 'ongoing'] },
      { field: 'createdAt', op: 'lt', value: '2026-01-31T09:00:00+09:00' },
      { field: 'createdAt', op: 'eq', value: '2026-01-31T09:00:00Z' },
      { field: 'metadata.a.b', op: 'lte', value: '2026-01-31T09:00:00Z' },
      { field: 'metadata.a', op: 'contains', value: 'x' },
      { field: 'successful', op: 'ne', value: true },
      { field: 'externalId', op: 'exists', value: false },
    ];
    for (const filter of valid) assert.deepEqual(issuesOf(filter), []);
  });

  it('reports every issue with the path of its leaf', () => {
    const cases: [unknown, string[]][] = [
      [{ all: [leaf, { ...leaf, value: 'x' }] }, ['all.1.value: must be a number']],
      [{ not: { field: 'nothing', op: 'eq', value: 1 } }, ['not.field: is not a field that can be filtered by']],
      [{ ...leaf, op: 'like' }, ['op: must be one of: eq, ne, in, lt, lte, gt, gte, exists']],
      [{ field: 'successful', op: 'lt', value: 1 }, ['op: must be one of: eq, ne, in, exists']],
      [{ field: 'status', op: 'eq', value: 'gone' }, ['value: must be one of: ended, ongoing']],
      [{ field: 'status', op: 'in', value: ['ended', 4] }, ['value.1: must be a string']],
      [{ field: 'status', op: 'in', value: [] }, ['value: must not be empty']],
      [{ field: 'metadata.a', op: 'eq', value: null }, ['value: must be a string, a number, or true or false']],
      [{ field: 'metadata.a', op: 'contains', value: '' }, ['value: must not be empty']],
      [{ field: 'metadata.a', op: 'exists', value: 'yes' }, ['value: must be true or false']],
      [{ field: 'metadata.a', op: 'eq' }, ['value: is required']],
      [{ ...leaf, note: 'x' }, ['note: is not a part of a filter']],
      [{ any: [] }, ['any: must not be empty']],
      [{ any: [[], 'x'] }, ['any.0: must be an object', 'any.1: must be an object']],
      [{}, ['field: is required', 'op: is required', 'value: is required']],
    ];
    for (const [filter, expected] of cases) assert.deepEqual(issuesOf(filter), expected);
  });

  it('has at most 50 leaves and a depth of 5', () => {
    assert.deepEqual(issuesOf({ all: Array(50).fill(leaf) }), []);
    assert.deepEqual(issuesOf({ all: Array(51).fill(leaf) }), [': must have at most 50 conditions']);
    assert.deepEqual(issuesOf({ not: { not: { not: { not: leaf } } } }), []);
    assert.deepEqual(issuesOf({ not: { not: { not: { not: { not: leaf } } } } }), [
      'not.not.not.not.not: must not be nested deeper than 5 levels',
    ]);
  });

  it('is checked without running out of stack, however deep it is', () => {
    let deep: unknown = leaf;
    for (let depth = 0; depth < 100_000; depth += 1) deep = { not: deep };
    assert.equal(issuesOf(deep).length, 1);
  });

  it('is a schema with the same paths', () => {
    const result = filterSchema(catalog).safeParse({ all: [{ ...leaf, value: 'x' }] });
    assert.deepEqual(result.error?.issues[0]?.path, ['all', 0, 'value']);
  });
});
