import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Doors, drain, Lifecycle } from '../src/lifecycle.ts';

/** Connections of which nothing but their number is known. */
function createDoors(connections: number) {
  const doors = {
    open: connections,
    isListening: true,
    count: () => doors.open,
    stopListening: () => {
      doors.isListening = false;
    },
    closeIdleFor: () => {
      doors.open = 0;
    },
    closeAll: () => {
      doors.open = 0;
    },
  };
  return doors satisfies Doors;
}

async function timeOf(work: Promise<void>): Promise<number> {
  const start = performance.now();
  await work;
  return performance.now() - start;
}

describe('a service that leaves', () => {
  it('is gone at once where nobody is connected', async () => {
    assert.ok((await timeOf(drain(createDoors(0), new Lifecycle()))) < 500);
  });

  it('goes on as before for a second where somebody is, and says so to nobody but readyz', async () => {
    const doors = createDoors(3);
    const lifecycle = new Lifecycle();
    const leaving = drain(doors, lifecycle);
    await delay(700);
    assert.deepEqual(
      [doors.open, doors.isListening, lifecycle.stage],
      [3, true, 'leaving'],
      'an idle connection may have a request on its way',
    );
    assert.ok((await timeOf(leaving)) < 3000);
    assert.deepEqual([doors.open, doors.isListening, lifecycle.stage], [0, false, 'closing']);
  });

  it('waits for those who come and go with each request', async () => {
    const doors = createDoors(0);
    const lifecycle = new Lifecycle();
    lifecycle.lastRequestAt = performance.now();
    const leaving = drain(doors, lifecycle);
    await delay(700);
    assert.ok(doors.isListening);
    await leaving;
  });

  it('does not wait for ever for those who do not listen', async () => {
    const doors = createDoors(1);
    const lifecycle = new Lifecycle();
    const asking = setInterval(() => {
      lifecycle.lastRequestAt = performance.now();
    }, 10);
    assert.ok((await timeOf(drain(doors, lifecycle))) < 8500);
    clearInterval(asking);
    assert.equal(doors.open, 0);
  });
});
