import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { followEvents } from '../../../src/areas/calls/channels/page/event-feed.ts';
import type { EventRow } from '../../../src/areas/calls/record/turns-and-events.ts';
import { WaitingReaders } from '../../../src/http/waiting-readers.ts';
import { eventually } from './support.ts';

const callId = 'call_1';
const event = (sequence: number): EventRow => ({ sequence, type: 'warning', doc: `{"sequence":${sequence}}` });
const sequences = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A reader of the events of a call that has two so far. */
async function follow(context: TestContext) {
  const stored = [event(1), event(2)];
  const received: number[] = [];
  let reads = 0;
  const readers = new WaitingReaders<EventRow>(async () => new Map());
  const store = {
    events: async (_: string, after: number) => {
      reads += 1;
      return stored.filter(({ sequence }) => sequence > after);
    },
  };
  const stop = new AbortController();
  context.after(() => stop.abort());
  const parts = { store, readers, logFailure: assert.ifError, delay: async () => {} };
  void followEvents(parts, callId, 0, stop.signal, {
    event: (json) => void received.push(JSON.parse(json).sequence),
    ended: () => {},
  });
  const receives = (last: number) => eventually(async () => received.at(-1) === last);
  await receives(2);
  // It waits for the next ones.
  await new Promise(setImmediate);
  return {
    received,
    receives,
    commit: (...rows: EventRow[]) => void stored.push(...rows),
    notify: (rows: EventRow[] | null) => readers.notify(callId, rows),
    reads: () => reads,
  };
}

describe('the events of a call on its socket', () => {
  it('are those that this process has committed, without reading them', async (context) => {
    const feed = await follow(context);
    for (const first of [3, 5, 7]) {
      feed.notify([event(first), event(first + 1)]);
      await feed.receives(first + 1);
    }
    assert.deepEqual([feed.received, feed.reads()], [sequences(1, 8), 1]);
  });

  it('are complete if two transactions of a call end at the same time', async (context) => {
    const feed = await follow(context);
    feed.notify([event(3)]);
    feed.notify([event(4), event(5)]);
    await feed.receives(5);
    assert.deepEqual([feed.received, feed.reads()], [sequences(1, 5), 1]);
  });

  it('are read if others came before them, or if it is not certain that they are committed', async (context) => {
    const feed = await follow(context);
    feed.commit(event(3), event(4));
    feed.notify([event(4)]);
    await feed.receives(4);
    feed.commit(event(5), event(6));
    feed.notify([event(6)]);
    feed.notify([event(5)]);
    await feed.receives(6);
    feed.commit(event(7));
    feed.notify(null);
    await feed.receives(7);
    assert.deepEqual([feed.received, feed.reads()], [sequences(1, 7), 4]);
  });
});
