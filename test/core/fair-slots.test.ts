import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FairSlots, type SlotLimits } from '../../src/core/fair-slots.ts';
import { seed } from '../support/seed.ts';

const groups = ['a', 'b', 'c', 'd', 'e'];

describe('fair slots', () => {
  it('go to each group in turn, and the turn continues where it ended', () => {
    const slots = new FairSlots({ total: 4, perGroup: 4 });
    const demand = new Map([
      ['a', 100],
      ['b', 1],
      ['c', 100],
    ]);
    assert.deepEqual([...slots.reserve(demand)], Object.entries({ a: 2, b: 1, c: 1 }));
    slots.release('a');
    assert.deepEqual([...slots.reserve(demand)], [['b', 1]]);
    slots.release('a');
    assert.deepEqual([...slots.reserve(demand)], [['c', 1]]);
  });

  it('are first for a group that was not served yet', () => {
    const slots = new FairSlots({ total: 1, perGroup: 1 });
    const demand = new Map([['a', 9]]);
    for (let count = 0; count < 3; count += 1) {
      assert.deepEqual([...slots.reserve(demand).keys()], ['a']);
      slots.release('a');
    }
    assert.deepEqual([...slots.reserve(demand.set('b', 1)).keys()], ['b']);
  });

  it('are limited for each group and in total', () => {
    const slots = new FairSlots({ total: 5, perGroup: 3 });
    assert.deepEqual([...slots.reserve(new Map([['a', 9]]))], [['a', 3]]);
    assert.equal(slots.hasRoomFor('a'), false);
    assert.deepEqual([...slots.reserve(new Map([['b', 9]]), 1)], [['b', 1]]);
    assert.deepEqual([slots.free, slots.used, slots.usedBy('a'), slots.usedBy('b')], [1, 4, 3, 1]);
  });

  it('leave room for groups that come later, if asked to', () => {
    const slots = new FairSlots({ total: 1000, perGroup: 1000, leavesRoom: true });
    const shares = ['a', 'b', 'c'].map((group) => slots.reserve(new Map([[group, 1000]])).get(group));
    assert.deepEqual(shares, [500, 250, 125]);
    // At the same time, each of n groups gets an equal share, and one more share is left.
    const even = new FairSlots({ total: 1000, perGroup: 1000, leavesRoom: true });
    assert.deepEqual(
      [...even.reserve(new Map(groups.map((group) => [group, 1000]))).values()],
      [167, 167, 167, 167, 166],
    );
    assert.equal(even.free, 166);
  });

  it('cannot be released more often than they were reserved', () => {
    const slots = new FairSlots({ total: 5, perGroup: 3 });
    slots.reserve(new Map([['a', 1]]));
    assert.throws(() => slots.release('b'), RangeError);
    assert.throws(() => slots.release('a', 2), RangeError);
    slots.release('a');
    assert.throws(() => slots.release('a'), RangeError);
    assert.throws(() => new FairSlots({ total: 0, perGroup: 1 }), RangeError);
  });

  it('forget the groups that were served the longest ago, which stay first', () => {
    const slots = new FairSlots({ total: 1, perGroup: 1 });
    for (let count = 0; count < 10_001; count += 1) {
      slots.reserve(new Map([[`g${count}`, 1]]));
      slots.release(`g${count}`);
    }
    const order = ['g10000', 'g1', 'g0'].map((group): [string, number] => [group, 1]);
    const served: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const [group] = slots.reserve(new Map(order.filter(([name]) => !served.includes(name)))).keys();
      served.push(group as string);
      slots.release(group as string);
    }
    assert.deepEqual(served, ['g0', 'g1', 'g10000']);
  });

  const limits: fc.Arbitrary<SlotLimits> = fc.record({
    total: fc.integer({ min: 1, max: 12 }),
    perGroup: fc.integer({ min: 1, max: 12 }),
    leavesRoom: fc.boolean(),
  });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), demand: fc.array(fc.nat(5), { minLength: 5, maxLength: 5 }) }),
    fc.record({ kind: fc.constant('release' as const), which: fc.nat(100) }),
  );

  it('never exceed a limit, are never idle while a group may use one, and keep no group waiting for long', () => {
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 200 }), (given, steps) => {
        const slots = new FairSlots(given);
        const held: string[] = [];
        /** How many slots others got since a group asked for the first time without getting one. */
        const overtaken = new Map<string, number>();
        for (const taken of steps) {
          if (taken.kind === 'release') {
            const [group] = held.splice(taken.which % Math.max(1, held.length), 1);
            if (group !== undefined) slots.release(group);
            continue;
          }
          const demand = new Map(groups.map((group, index) => [group, taken.demand[index] as number]));
          const mightGet = groups.filter((group) => (demand.get(group) as number) > 0 && slots.hasRoomFor(group));
          const reserved = slots.reserve(demand);
          for (const [group, count] of reserved) {
            assert.ok(count <= (demand.get(group) as number));
            for (let index = 0; index < count; index += 1) held.push(group);
          }
          const granted = reserved.values().reduce((sum, count) => sum + count, 0);
          for (const group of groups) {
            if (reserved.has(group) || !mightGet.includes(group)) overtaken.delete(group);
            else overtaken.set(group, (overtaken.get(group) ?? 0) + granted);
            // Every other group gets one at most.
            assert.ok((overtaken.get(group) ?? 0) < groups.length, `${group} was overtaken too often`);
            const own = held.filter((one) => one === group).length;
            assert.equal(slots.usedBy(group), own);
            assert.ok(own <= given.perGroup, 'the limit of a group');
            const isServed = (reserved.get(group) ?? 0) === demand.get(group);
            assert.ok(isServed || !slots.hasRoomFor(group), 'a free slot was not used');
          }
          assert.equal(slots.used, held.length);
          assert.ok(held.length <= given.total, 'the limit of all');
        }
      }),
      { seed, numRuns: 500 },
    );
  });
});
