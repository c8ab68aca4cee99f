import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { OverloadGuard } from '../../src/http/admission/overload.ts';

const client = { isDisconnected: false };
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the overload guard', () => {
  let now = 0;
  let databaseWaitMs = 0;
  let iterations: (() => unknown)[] = [];
  let events: string[] = [];
  let guard: OverloadGuard;

  beforeEach(() => {
    now = 1000;
    databaseWaitMs = 0;
    iterations = [];
    events = [];
    guard = new OverloadGuard({
      databaseWaitMs: () => databaseWaitMs,
      now: () => now,
      nextIteration: (callback) => void iterations.push(callback),
      later: (callback) => void iterations.push(callback),
    });
  });

  const arrive = (name: string, { takesMs = 1, isWrite = true } = {}) => {
    const serve = () => {
      events.push(`${name} served`);
      now += takesMs;
    };
    const refuse = () => {
      events.push(`${name} refused`);
      now += 0.03;
    };
    const decide = (isAdmitted: boolean) => (isAdmitted ? serve() : refuse());
    const admission = guard.admit(client, isWrite);
    if (admission instanceof Promise) admission.then(decide);
    else decide(admission);
  };
  const endIteration = async () => {
    // Requests rejected on arrival are notified first.
    await settled();
    for (const callback of iterations.splice(0)) await callback();
    await settled();
  };

  test('starts requests immediately under normal load', async () => {
    arrive('a');
    arrive('b');
    await endIteration();
    arrive('c');
    assert.deepEqual(events, ['a served', 'b served', 'c served']);
  });

  test('queues requests for the next iteration, in order, once an iteration has used up its time', async () => {
    arrive('a', { takesMs: 50 });
    arrive('b');
    arrive('c');
    assert.deepEqual(events, ['a served']);
    await endIteration();
    assert.deepEqual(events, ['a served', 'b served', 'c served']);
    await endIteration();
    arrive('d');
    assert.equal(events.at(-1), 'd served', 'and is unchanged afterwards');
  });

  test('starts nothing for a client that disconnected while waiting', async () => {
    arrive('a', { takesMs: 50 });
    const admission = guard.admit({ isDisconnected: true }, true);
    assert.ok(admission instanceof Promise);
    admission.then(() => assert.fail('its client has disconnected'));
    arrive('b');
    await endIteration();
    assert.deepEqual(events, ['a served', 'b served']);
  });

  test('rejects requests that would wait too long for the database, until it has caught up', async () => {
    databaseWaitMs = 550;
    arrive('a');
    await settled();
    databaseWaitMs = 450;
    arrive('b');
    assert.deepEqual(events, ['a refused', 'b served']);
  });

  test('uses the expected wait of writes for writes, and of reads for reads', () => {
    const asked: boolean[] = [];
    const own = new OverloadGuard({
      databaseWaitMs: (isWrite) => {
        asked.push(isWrite);
        return 0;
      },
    });
    for (const isWrite of [true, false]) own.admit(client, isWrite);
    assert.deepEqual(asked, [true, false]);
  });

  test('serves the newest first and rejects new requests when the queue is too long', async () => {
    arrive('first', { takesMs: 50 });
    for (let count = 0; count < 256; count += 1) arrive('other', { takesMs: 50 });
    for (const name of ['a', 'b', 'c']) arrive(name, { takesMs: 50 });
    now += 1100;
    arrive('new');
    await settled();
    assert.deepEqual(events, ['first served', 'new refused']);
    await endIteration();
    assert.equal(events.at(-1), 'c served');
  });

  test('keeps a short queue, however long the process was paused', async () => {
    arrive('first', { takesMs: 50 });
    arrive('a');
    now += 5000;
    arrive('b');
    await settled();
    assert.deepEqual(events, ['first served']);
    await endIteration();
    await endIteration();
    assert.deepEqual(events.toSorted(), ['a served', 'b served', 'first served']);
  });

  test('rejects requests that have waited for two seconds, in addition to new ones', async () => {
    arrive('first', { takesMs: 50 });
    arrive('a', { takesMs: 50 });
    for (let count = 0; count < 256; count += 1) arrive('other', { takesMs: 50 });
    now += 2100;
    arrive('new');
    await settled();
    assert.deepEqual(events.toSorted(), ['a refused', 'first served', 'new refused']);
  });

  test('spends no more than its share of the time on rejections, and answers every request', async () => {
    databaseWaitMs = 550;
    const start = now;
    for (let count = 0; count < 20_000; count += 1) {
      arrive(`${count}`);
      now += 0.04;
    }
    const elapsed = now - start;
    await settled();
    const refused = events.filter((event) => event.endsWith('refused')).length;
    // Each counts 0.03 ms; 50 ms were saved up during normal load.
    const share = (refused * 0.03 - 50) / elapsed;
    assert.ok(share > 0.13 && share < 0.17, `${share} of the time, ${refused} refused`);

    databaseWaitMs = 0;
    for (let count = 0; count < 20_000 && iterations.length > 0; count += 1) {
      for (const callback of iterations.splice(0)) await callback();
      now += 1;
    }
    await settled();
    const served = events.filter((event) => event.endsWith('served')).length;
    const all = events.filter((event) => event.endsWith('refused')).length + served;
    assert.equal(all, 20_000, 'every request is answered once');
    assert.equal(new Set(events.map((event) => event.split(' ')[0])).size, 20_000);
    assert.ok(served > 0);
  });

  test('pauses if nothing can be done, instead of polling', async () => {
    const pauses: number[] = [];
    const own = new OverloadGuard({
      databaseWaitMs: () => 1100,
      now: () => now,
      nextIteration: (callback) => void iterations.push(callback),
      later: (_callback, afterMs) => void pauses.push(afterMs),
    });
    // More than the budget for rejections allows.
    for (let count = 0; count < 1800; count += 1) own.admit(client, true);
    await endIteration();
    assert.deepEqual(pauses, [2]);
  });
});
