import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Filter } from '../../src/contract/filter.ts';
import { compileFilterToSql, type FilterColumn } from '../../src/core/filter-sql.ts';

const columns: Readonly<Record<string, FilterColumn>> = {
  status: { name: 'status', field: { type: 'string', values: ['ended', 'error', 'ongoing'] } },
  reference: { name: 'reference', field: { type: 'string' } },
  number: { name: 'number', field: { type: 'number' } },
  time: { name: 'time', field: { type: 'time' } },
};
const columnOf = (field: string) => columns[field];
const sqlOf = (filter: Filter) => compileFilterToSql(filter, { columnOf, firstParameter: 3 });

const onColumn: Filter = { field: 'number', op: 'eq', value: 1 };
const inProcess: Filter = { field: 'metadata.page', op: 'eq', value: 'x' };

describe('a filter as SQL', () => {
  it('asks for a value in every comparison, so that not is never NULL', () => {
    const { sql, parameters, isExact } = sqlOf({
      not: { all: [onColumn, { field: 'time', op: 'exists', value: false }] },
    });
    assert.equal(sql, 'NOT ((number IS NOT NULL AND number IN ($3)) AND (time IS NULL))');
    assert.deepEqual([parameters, isExact], [[1], true]);
  });

  it('keeps every row that a leaf in the process may keep, also inside of not', () => {
    const column = '(number IS NOT NULL AND number IN ($3))';
    const cases: [Filter, string][] = [
      [inProcess, 'TRUE'],
      [{ not: inProcess }, 'TRUE'],
      [{ all: [inProcess, onColumn] }, `(${column})`],
      [{ any: [inProcess, onColumn] }, 'TRUE'],
      [{ not: { all: [inProcess, onColumn] } }, 'TRUE'],
      [{ not: { any: [inProcess, onColumn] } }, `NOT (${column})`],
      [{ not: { not: { all: [inProcess, onColumn] } } }, `NOT NOT (${column})`],
    ];
    for (const [filter, expected] of cases) {
      const { sql, parameters, isExact } = sqlOf(filter);
      assert.equal(sql, expected, JSON.stringify(filter));
      assert.equal(isExact, false);
      assert.equal(parameters.length, expected === 'TRUE' ? 0 : 1, 'it has no parameters that are not used');
    }
  });

  it('compares folded text only where all values are known', () => {
    const known = sqlOf({ field: 'status', op: 'startsWith', value: 'Ｅ' });
    assert.deepEqual([known.parameters, known.isExact], [['ended', 'error'], true]);
    assert.equal(sqlOf({ field: 'reference', op: 'contains', value: 'e' }).isExact, false);
  });

  it('compares times in milliseconds, and numbers as integers', () => {
    const parametersOf = (filter: Filter) => sqlOf(filter).parameters;
    assert.deepEqual(parametersOf({ field: 'time', op: 'eq', value: '1970-01-01T09:00:01+09:00' }), [1000]);
    assert.deepEqual(parametersOf({ field: 'number', op: 'lt', value: 1.5 }), [2]);
    assert.deepEqual(parametersOf({ field: 'number', op: 'lte', value: 1.5 }), [1]);
    assert.deepEqual(parametersOf({ field: 'number', op: 'in', value: [1, 1.5, 1e300] }), [1]);
    assert.equal(sqlOf({ field: 'reference', op: 'eq', value: '\0' }).sql, 'FALSE');
  });
});
