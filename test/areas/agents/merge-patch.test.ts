import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Change, diff } from '../../../src/areas/agents/diff.ts';
import { mergePatch } from '../../../src/core/merge-patch.ts';
import { seed } from '../../support/seed.ts';

describe('merge patch', () => {
  it('follows the examples of RFC 7396', () => {
    const examples: [unknown, unknown, unknown][] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [
        ['a', 'b'],
        ['c', 'd'],
        ['c', 'd'],
      ],
      [{ a: 'b' }, ['c'], ['c']],
      [{ a: 'foo' }, null, null],
      [{ a: 'foo' }, 'bar', 'bar'],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: 'b', c: null }, { a: 'b' }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ];
    for (const [target, patch, result] of examples) assert.deepEqual(mergePatch(target, patch), result);
  });

  it('modifies neither argument, and treats __proto__ as an ordinary member', () => {
    const target = JSON.parse('{"a":{"b":1},"__proto__":{"x":1}}');
    const patch = JSON.parse('{"a":{"c":2},"__proto__":{"y":2}}');
    const before = JSON.stringify([target, patch]);
    assert.equal(JSON.stringify(mergePatch(target, patch)), '{"a":{"b":1,"c":2},"__proto__":{"x":1,"y":2}}');
    assert.equal(JSON.stringify([target, patch]), before);
    assert.equal(({} as { y?: number }).y, undefined);
  });
});

/** JSON Patch (RFC 6902), as far as a diff uses it. */
function applyChanges(document: unknown, changes: readonly Change[]): unknown {
  const root = structuredClone(document) as Record<string, unknown>;
  for (const { op, path, value } of changes) {
    const parts = path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = parts.pop() as string;
    let place = root;
    for (const part of parts) place = place[part] as Record<string, unknown>;
    assert.equal(Object.hasOwn(place, last), op !== 'add', `${op} ${path}`);
    if (op === 'remove') delete place[last];
    else Object.defineProperty(place, last, { value, enumerable: true, configurable: true, writable: true });
  }
  return root;
}

describe('diff', () => {
  const documents = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 });

  it('turns one document into the other, for any two documents', () => {
    fc.assert(
      fc.property(documents, documents, (before, after) => {
        const [one, other] = JSON.parse(JSON.stringify([before, after]));
        assert.deepEqual(applyChanges(one, diff(one, other)), other);
      }),
      { seed, numRuns: 500 },
    );
  });

  it('describes the effect of a merge patch, and is empty if nothing changes', () => {
    fc.assert(
      fc.property(documents, documents, (before, patch) => {
        const [one, change] = JSON.parse(JSON.stringify([before, patch]));
        const other = mergePatch(one, change) as Record<string, unknown>;
        assert.deepEqual(applyChanges(one, diff(one, other)), other);
        assert.deepEqual(diff(one, structuredClone(one)), []);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('includes old values, descends into objects and replaces lists as a whole', () => {
    const before = { a: 1, gone: true, deep: { x: 1, same: 0 }, list: [1, { y: 2 }], 'a/b~c': 1 };
    const after = { a: 1, deep: { x: 2, same: 0, new: [] }, list: [1, { y: 3 }], 'a/b~c': null, more: {} };
    assert.deepEqual(diff(before, after), [
      { op: 'replace', path: '/deep/x', from: 1, value: 2 },
      { op: 'add', path: '/deep/new', value: [] },
      { op: 'replace', path: '/list', from: [1, { y: 2 }], value: [1, { y: 3 }] },
      { op: 'replace', path: '/a~1b~0c', from: 1, value: null },
      { op: 'add', path: '/more', value: {} },
      { op: 'remove', path: '/gone', from: true },
    ]);
  });
});
