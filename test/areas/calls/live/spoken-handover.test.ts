import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sqliteEngine } from '../../../support/engines.ts';
import { type Service, startService } from '../../../support/service.ts';
import { quickSweep, said } from '../support.ts';
import { calledAgain, spokenCall } from './caller.ts';

const ten = 'One two three. Four five six seven. Eight nine ten.';
const options = { model: 'test-script', agent: { prompt: ten }, plays: 'when told' } as const;
const quickly = { ...quickSweep, live: { pollMs: 25 } } as const;

describe('a caller who was cut off in the middle of a sentence', { concurrency: true }, () => {
  const engine = sqliteEngine();
  let one: Service;
  let other: Service;
  let key: string;
  before(async () => {
    one = await startService(engine, { calls: quickly });
    other = await startService(engine, { calls: quickly, databaseUrl: one.databaseUrl });
    ({ key } = await one.newKey());
  });
  after(async () => {
    await other.close();
    await one.close();
  });

  const heardInTwoParts = [
    ['caller', 'go'],
    ['agent', 'One two three. Four'],
    ['agent', 'Four five six seven. Eight nine ten.'],
  ];

  for (const [where, target] of [
    ['in the same process', () => one],
    ['in another process', () => other],
  ] as const) {
    for (const isLost of [true, false]) {
      it(`hears it again ${where}, ${isLost ? 'after the connection was lost' : 'from another connection'}`, async () => {
        const { id, client, caller, resumeKey, ...call } = await spokenCall(one, key, options);
        await caller.say('go');
        await caller.play(1, 4);
        await client.next('transcript', ({ text }) => text === 'One two three. Four');
        if (isLost) await client.drop();
        const next = await calledAgain(target(), id, resumeKey);
        await next.client.said('Four five six seven. Eight nine ten.');
        assert.deepEqual(next.caller.words(next.caller.lastUtterance), 'Four five six seven Eight nine ten'.split(' '));
        await next.caller.say('more');
        await next.client.said(ten);
        next.client.send({ type: 'end' });
        await next.client.closed;
        const turns = await call.turns();
        assert.deepEqual(said(turns), [...heardInTwoParts, ['caller', 'more'], ['agent', ten]]);
        assert.deepEqual([turns[1]?.interrupted, turns[1]?.unspokenText], [false, null]);
        const times = turns.flatMap(({ startMs, endMs }) => [startMs, endMs]);
        assert.ok(times.every((ms) => ms >= 0));
        const { usage, conversation } = await call.call();
        const secondPartMs = turns[2]?.startMs ?? 0;
        assert.ok((conversation?.firstWordMs ?? secondPartMs) < secondPartMs, 'the figures are of the whole call');
        assert.equal(usage.stt.provider, 'test');
        assert.equal(usage.llm.model, 'test-script');
      });
    }
  }

  it('is answered in another process', async () => {
    // Nothing of the reply is played where it was requested.
    const { id, client, caller, resumeKey, ...call } = await spokenCall(one, key, { plays: 'when told' });
    await caller.say('are', 'you', 'there');
    await client.next('transcript', ({ text }) => text === 'are you there');
    const next = await calledAgain(other, id, resumeKey);
    await next.client.said('are you there');
    assert.equal(await client.closed, 4409);
    next.client.send({ type: 'end' });
    await next.client.closed;
    assert.deepEqual(said(await call.turns()), [
      ['caller', 'are you there'],
      ['agent', 'are you there'],
    ]);
  });
});
