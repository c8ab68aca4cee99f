import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from '../../src/workers/resident/turns.ts';

test('groups take turns, however much one of them has to do', async () => {
  const turns = new Turns();
  const done: string[] = [];
  const work = async (group: string, count: number): Promise<void> => {
    for (let step = 0; step < count; step += 1) {
      await turns.turn(group);
      done.push(group);
    }
  };
  const busy = Array.from({ length: 50 }, () => work('busy', 3));
  await Promise.all([work('first', 3), work('second', 3)]);
  // The others waited for one step of the busy group at a time.
  assert.ok(done.filter((group) => group === 'busy').length <= 4, done.join(' '));
  await Promise.all(busy);
  assert.equal(done.length, 156);
});
