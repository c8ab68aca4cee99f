import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../src/storage/database.ts';
import { createKeptReads } from '../../src/storage/kept-reads.ts';

describe('what is kept of reads', () => {
  const numbers = { state: 1 as number | null, outside: 1 as number | null };
  const database = { stateNumber: () => numbers.state, outsideNumber: () => numbers.outside } as Database;
  const counting = (bytes = 10) => {
    const keep = createKeptReads<{ bytes: number; isHeld(): boolean; number: number }>(database, 100);
    const held = { isHeld: true };
    let reads = 0;
    const ask = async (name: string) => {
      const read = () => {
        reads += 1;
        return { bytes, isHeld: () => held.isHeld, number: reads };
      };
      return (await keep(name, read)).number;
    };
    return { ask, held };
  };

  it('holds while neither number changes', async () => {
    const { ask } = counting();
    assert.deepEqual([await ask('a'), await ask('a'), await ask('b'), await ask('a')], [1, 1, 2, 1]);
  });

  it('ends with either number: a commit of others may be in the state before it shows in what is outside', async () => {
    const { ask } = counting();
    assert.equal(await ask('a'), 1);
    numbers.state = 2;
    assert.equal(await ask('a'), 2);
    numbers.outside = 2;
    assert.equal(await ask('a'), 3);
    assert.equal(await ask('a'), 3);
  });

  it('ends where a part of it is gone', async () => {
    const { ask, held } = counting();
    assert.equal(await ask('a'), 1);
    held.isHeld = false;
    assert.equal(await ask('a'), 2);
  });

  it('keeps to its size, and nothing where the engine cannot tell', async () => {
    const large = counting(101);
    assert.deepEqual([await large.ask('a'), await large.ask('a')], [1, 2]);
    numbers.state = null;
    const { ask } = counting();
    assert.deepEqual([await ask('a'), await ask('a')], [1, 2]);
  });
});
