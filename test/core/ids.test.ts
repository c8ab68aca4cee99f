import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createIdGenerator, idFollowing, isId } from '../../src/core/ids.ts';

describe('ids', () => {
  it('ascend in byte order, within a millisecond and if the clock is set back or stands still', () => {
    let time = 1_800_000_000_000;
    const newId = createIdGenerator(() => time);
    const ids: string[] = [];
    for (const step of [0, 0, 1, 0, -5000, -1, 0, 3, 60_000, -60_000, 0]) {
      time += step;
      for (let count = 0; count < 100; count += 1) ids.push(newId('agt'));
    }
    assert.deepEqual(ids, ids.toSorted());
    assert.equal(new Set(ids).size, ids.length);
  });

  it('keep ascending if the counter of a millisecond overflows', () => {
    const newId = createIdGenerator(() => 1_800_000_000_000);
    let last = '';
    for (let count = 0; count < 32 ** 4 + 10; count += 1) {
      const id = newId('agt');
      if (id <= last) assert.fail(`${id} does not come after ${last}`);
      last = id;
    }
  });

  it('cannot be guessed from one another', () => {
    const newId = createIdGenerator(() => 1_800_000_000_000);
    const tails = new Set(Array.from({ length: 1000 }, () => newId('agt').slice(-16)));
    assert.equal(tails.size, 1000);
    const places = Array.from({ length: 16 }, (_, place) => new Set([...tails].map((tail) => tail[place])).size);
    assert.deepEqual(places, Array(16).fill(32));
  });

  it('that follow from another are always the same, sort by its time, and cannot be guessed from one another', () => {
    const newId = createIdGenerator(() => 1_800_000_000_000);
    const [cause, next] = [newId('evt'), newId('evt')];
    const id = idFollowing('run', cause, 'wfl_1');
    assert.ok(isId('run', id), id);
    assert.equal(idFollowing('run', cause, 'wfl_1'), id);
    assert.equal(id.slice(4, 18), cause.slice(4, 18));
    assert.ok(id < idFollowing('run', next, 'wfl_1'));
    const tails = Array.from({ length: 1000 }, (_, place) => idFollowing('run', cause, `wfl_${place}`).slice(-16));
    assert.equal(new Set([...tails, cause.slice(-16)]).size, 1001);
  });

  it('are recognized by their form', () => {
    const id = createIdGenerator()('agt');
    assert.ok(isId('agt', id));
    for (const other of [
      id.slice(1),
      `${id}0`,
      id.toUpperCase(),
      id.replace('agt', 'key'),
      `${id.slice(0, -1)}u`,
      '',
      'agt_',
    ]) {
      assert.ok(!isId('agt', other), other);
    }
  });
});
