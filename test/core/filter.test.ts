import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Filter, FilterOp, FilterScalar } from '../../src/contract/filter.ts';
import { compileFilter, explainFilter } from '../../src/core/filter.ts';

function matches(filter: Filter, values: Record<string, unknown>): boolean {
  return compileFilter(filter)((field) => values[field]);
}

function leaf(op: FilterOp, value: FilterScalar | readonly FilterScalar[]): Filter {
  return { field: 'f', op, value };
}

describe('a compiled filter', () => {
  it('follows the table of operators', () => {
    const cases: [Filter, unknown, boolean][] = [
      [leaf('eq', 5), 5, true],
      [leaf('eq', 5), '5', false],
      [leaf('eq', 'é'), 'e\u0301', false],
      [leaf('ne', 5), 6, true],
      [leaf('ne', 5), 5, false],
      [leaf('ne', 5), '6', false],
      [leaf('ne', true), false, true],
      [leaf('in', ['a', 1]), 1, true],
      [leaf('in', ['a', 1]), '1', false],
      [leaf('lt', 5), 4.9, true],
      [leaf('lt', 5), '4', false],
      [leaf('lte', 5), 5, true],
      [leaf('gt', 5), 5, false],
      [leaf('gte', 5), 5, true],
      [leaf('contains', 'ｶﾌﾞ'), '株式カブ会社', true],
      [leaf('contains', 'SS'), 'Straße', true],
      [leaf('startsWith', 'ab'), 'ＡＢＣ', true],
      [leaf('startsWith', 'b'), 'abc', false],
      [leaf('contains', '1'), 1, false],
      [leaf('exists', true), 0, true],
      [leaf('exists', true), '', true],
      [leaf('exists', false), false, false],
    ];
    for (const [filter, value, expected] of cases) {
      assert.equal(matches(filter, { f: value }), expected, `${JSON.stringify(filter)} of ${JSON.stringify(value)}`);
    }
  });

  it('is false for a field without a value, except exists with false', () => {
    const ops: [FilterOp, FilterScalar | FilterScalar[]][] = [
      ['eq', 'x'],
      ['ne', 'x'],
      ['in', ['x']],
      ['lt', 1],
      ['lte', 1],
      ['gt', 1],
      ['gte', 1],
      ['contains', 'x'],
      ['startsWith', 'x'],
      ['exists', true],
    ];
    for (const value of [undefined, null]) {
      for (const [op, operand] of ops) assert.equal(matches(leaf(op, operand), { f: value }), false, op);
      assert.equal(matches(leaf('exists', false), { f: value }), true);
      assert.equal(matches({ not: leaf('eq', 'x') }, { f: value }), true);
    }
  });

  it('treats an object and a list as a value for exists only', () => {
    for (const value of [{ a: 1 }, ['x']]) {
      assert.equal(matches(leaf('exists', true), { f: value }), true);
      assert.equal(matches(leaf('eq', 'x'), { f: value }), false);
      assert.equal(matches(leaf('ne', 'x'), { f: value }), false);
      assert.equal(matches(leaf('contains', 'x'), { f: value }), false);
    }
  });

  it('compares times as instants', () => {
    const nine = '2026-01-31T09:00:00+09:00';
    assert.equal(matches(leaf('lt', nine), { f: '2026-01-30T23:59:59.999Z' }), true);
    assert.equal(matches(leaf('lt', nine), { f: '2026-01-31T00:00:00Z' }), false);
    assert.equal(matches(leaf('gte', nine), { f: '2026-01-31T00:00:00Z' }), true);
    assert.equal(matches(leaf('lt', nine), { f: 'yesterday' }), false);
    assert.equal(matches(leaf('lt', nine), { f: 5 }), false);
    const isTime = compileFilter(leaf('eq', nine), undefined, () => true);
    assert.equal(
      isTime(() => '2026-01-31T00:00:00.000Z'),
      true,
    );
    const differs = compileFilter(leaf('ne', nine), undefined, () => true);
    assert.equal(
      differs(() => '2026-01-31T00:00:00.000Z'),
      false,
    );
  });

  it('combines with all, any and not', () => {
    const a: Filter = { field: 'a', op: 'eq', value: 1 };
    const b: Filter = { field: 'b', op: 'eq', value: 1 };
    assert.equal(matches({ all: [a, b] }, { a: 1, b: 1 }), true);
    assert.equal(matches({ all: [a, b] }, { a: 1, b: 2 }), false);
    assert.equal(matches({ any: [a, { not: b }] }, { a: 2, b: 2 }), true);
    assert.equal(matches({ any: [a, { not: b }] }, { a: 2, b: 1 }), false);
  });
});

describe('an explained filter', () => {
  it('says of each condition where it is, what it expects, what it finds and whether it is true', () => {
    const filter: Filter = {
      all: [
        { field: 'a', op: 'eq', value: 1 },
        { any: [{ field: 'b', op: 'contains', value: 'x' }, { not: { field: 'c', op: 'exists', value: true } }] },
        { field: 'd', op: 'in', value: [1, 2] },
      ],
    };
    const values: Record<string, unknown> = { a: 1, b: ['x'], d: 3 };
    assert.deepEqual(
      explainFilter(filter, (field) => values[field]),
      {
        matched: false,
        leaves: [
          { path: 'all.0', field: 'a', op: 'eq', expected: 1, actual: 1, result: true },
          { path: 'all.1.any.0', field: 'b', op: 'contains', expected: 'x', actual: ['x'], result: false },
          { path: 'all.1.any.1.not', field: 'c', op: 'exists', expected: true, actual: null, result: false },
          { path: 'all.2', field: 'd', op: 'in', expected: [1, 2], actual: 3, result: false },
        ],
      },
    );
    assert.deepEqual(
      explainFilter(leaf('exists', false), () => null),
      { matched: true, leaves: [{ path: '', field: 'f', op: 'exists', expected: false, actual: null, result: true }] },
    );
  });

  it('compares times as instants where fields are times', () => {
    const filter = leaf('eq', '2026-01-31T09:00:00+09:00');
    const read = () => '2026-01-31T00:00:00.000Z';
    assert.equal(explainFilter(filter, read).matched, false);
    assert.equal(explainFilter(filter, read, { isTime: () => true }).matched, true);
  });
});
