import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Transport } from '../../src/http/transport.ts';
import { Turnstile } from '../../src/http/turnstile.ts';

const transport = { isGone: false } as Transport;

describe('the turnstile', () => {
  let now = 0;
  let databaseWaitMs = 0;
  let turns: (() => void)[] = [];
  let events: string[] = [];
  let turnstile: Turnstile;

  beforeEach(() => {
    now = 1000;
    databaseWaitMs = 0;
    turns = [];
    events = [];
    turnstile = new Turnstile({
      databaseWaitMs: () => databaseWaitMs,
      now: () => now,
      nextTurn: (callback) => void turns.push(callback),
      later: (callback) => void turns.push(callback),
    });
  });

  const arrive = (name: string, { takesMs = 1, isWrite = true } = {}) =>
    turnstile.pass(
      {
        isWrite,
        carryOut: () => {
          events.push(`${name} served`);
          now += takesMs;
        },
        turnAway: () => {
          events.push(`${name} refused`);
          now += 0.03;
        },
      },
      transport,
    );
  const endTurn = () => {
    for (const callback of turns.splice(0)) callback();
  };

  test('serves at once in ordinary times', () => {
    arrive('a');
    arrive('b');
    endTurn();
    arrive('c');
    assert.deepEqual(events, ['a served', 'b served', 'c served']);
  });

  test('lets others wait for the next turn when one has been long enough, in their order', () => {
    arrive('a', { takesMs: 50 });
    arrive('b');
    arrive('c');
    assert.deepEqual(events, ['a served']);
    endTurn();
    assert.deepEqual(events, ['a served', 'b served', 'c served']);
    endTurn();
    arrive('d');
    assert.equal(events.at(-1), 'd served', 'and is as before afterwards');
  });

  test('begins nothing for whoever has gone while waiting', () => {
    arrive('a', { takesMs: 50 });
    const gone = { isWrite: true, carryOut: () => assert.fail('nobody is there'), turnAway: () => {} };
    turnstile.pass(gone, { isGone: true } as Transport);
    arrive('b');
    endTurn();
    assert.deepEqual(events, ['a served', 'b served']);
  });

  test('turns away who would wait for the database too long, and serves again once it has caught up', () => {
    databaseWaitMs = 550;
    arrive('a');
    databaseWaitMs = 450;
    arrive('b');
    assert.deepEqual(events, ['a refused', 'b served']);
  });

  test('asks about the wait of writes for writes and of reads for reads', () => {
    const asked: boolean[] = [];
    const databaseWaitMs = (isWrite: boolean) => {
      asked.push(isWrite);
      return 0;
    };
    const own = new Turnstile({ databaseWaitMs });
    for (const isWrite of [true, false]) own.pass({ isWrite, carryOut: () => {}, turnAway: () => {} }, transport);
    assert.deepEqual(asked, [true, false]);
  });

  test('serves the last one first, and refuses newcomers, when the row has become too long', () => {
    arrive('first', { takesMs: 50 });
    for (let count = 0; count < 256; count += 1) arrive('somebody', { takesMs: 50 });
    for (const name of ['a', 'b', 'c']) arrive(name, { takesMs: 50 });
    now += 1100;
    arrive('newcomer');
    assert.deepEqual(events, ['first served', 'newcomer refused']);
    endTurn();
    assert.equal(events.at(-1), 'c served');
  });

  test('lets a short row wait, however long the process was held up', () => {
    arrive('first', { takesMs: 50 });
    arrive('a');
    now += 5000;
    arrive('b');
    assert.deepEqual(events, ['first served']);
    endTurn();
    endTurn();
    assert.deepEqual(events.toSorted(), ['a served', 'b served', 'first served']);
  });

  test('tells those who have waited for two seconds, beside newcomers', () => {
    arrive('first', { takesMs: 50 });
    arrive('a', { takesMs: 50 });
    for (let count = 0; count < 256; count += 1) arrive('somebody', { takesMs: 50 });
    now += 2100;
    arrive('newcomer');
    assert.deepEqual(events, ['first served', 'newcomer refused', 'a refused']);
  });

  test('spends no more than its share of the time on refusals, and forgets nobody', () => {
    databaseWaitMs = 550;
    const start = now;
    for (let count = 0; count < 20_000; count += 1) {
      arrive(`${count}`);
      now += 0.02;
    }
    const refused = events.filter((event) => event.endsWith('refused')).length;
    // Each takes 0.03 ms here and counts 0.012 ms for its reading; 50 ms are there from quieter times.
    const share = (refused * 0.042 - 50) / (now - start);
    assert.ok(share > 0.12 && share < 0.16, `${share} of the time, ${refused} refused`);

    databaseWaitMs = 0;
    for (let turn = 0; turn < 20_000 && turns.length > 0; turn += 1) {
      endTurn();
      now += 1;
    }
    const served = events.filter((event) => event.endsWith('served')).length;
    const all = events.filter((event) => event.endsWith('refused')).length + served;
    assert.equal(all, 20_000, 'everybody is answered once');
    assert.equal(new Set(events.map((event) => event.split(' ')[0])).size, 20_000);
    assert.ok(served > 0);
  });

  test('waits a moment where nothing can be done, instead of asking again and again', () => {
    const pauses: number[] = [];
    const own = new Turnstile({
      databaseWaitMs: () => 1100,
      now: () => now,
      nextTurn: (callback) => void turns.push(callback),
      later: (_callback, afterMs) => void pauses.push(afterMs),
    });
    const refuse = () => {
      now += 100;
    };
    const costly = { isWrite: true, carryOut: () => {}, turnAway: refuse };
    own.pass(costly, transport);
    own.pass(costly, transport);
    endTurn();
    assert.deepEqual(pauses, [2]);
  });
});
