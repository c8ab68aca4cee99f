import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import twilio from 'twilio';
import { authToken, number, World } from './world.ts';

const stream =
  '<Response><Connect><Stream url="ws://service.test/media/1"/></Connect><Redirect>/rejoin</Redirect></Response>';
const call = { To: '+99900000011', From: number, Url: 'http://service.test/answer' };

function connectedWorld(): World {
  const world = new World();
  world.documents['/answer'] = () => stream;
  world.documents['/rejoin'] = () => stream;
  return world;
}

describe('faults of the local carrier', () => {
  it('lose a response before or after the effect, or answer 500 and 429 without one', async () => {
    const world = connectedWorld();
    const expected = [
      ['lost_before', undefined, 0],
      ['lost_after', undefined, 1],
      ['error_500', 500, 1],
      ['too_many', 429, 1],
    ] as const;
    for (const [kind, status, calls] of expected) {
      world.carrier.faults.add({ of: 'request', fault: { kind }, method: 'POST', path: '/Calls.json' });
      assert.equal((await world.rest('GET', '/Calls.json'))?.status, 200);
      const response = await world.rest('POST', '/Calls.json', call);
      assert.equal(response?.status, status, kind);
      assert.equal(world.carrier.log().length, calls, kind);
    }
    assert.equal((await world.rest('POST', '/Calls.json', call))?.status, 201);
  });

  it('delay a response', async () => {
    const world = connectedWorld();
    world.carrier.faults.add({ of: 'request', fault: { kind: 'delay', ms: 7000 } });
    let response: unknown;
    void world.rest('POST', '/Calls.json', call).then((value) => {
      response = value;
    });
    await world.advance(6900);
    assert.equal(response, undefined);
    assert.equal(world.carrier.log().length, 1);
    await world.advance(200);
    assert.notEqual(response, undefined);
  });

  it('send a webhook twice, late, reversed or not at all', async () => {
    const expected = {
      twice: ['initiated', 'ringing', 'ringing', 'in-progress', 'completed'],
      late: ['initiated', 'in-progress', 'completed', 'ringing'],
      reversed: ['initiated', 'in-progress', 'ringing', 'completed'],
      missing: ['initiated', 'in-progress', 'completed'],
    } as const;
    for (const [kind, statuses] of Object.entries(expected)) {
      const world = connectedWorld();
      world.carrier.faults.add({
        of: 'webhook',
        webhook: 'status',
        callStatus: 'ringing',
        fault: { kind: kind as keyof typeof expected, ms: 20_000 },
      });
      await world.dial('+99900000008');
      await world.advance(60_000);
      assert.deepEqual(world.statuses(), statuses, kind);
    }
  });

  it('send the last webhook of a call although no other follows it', async () => {
    const world = connectedWorld();
    world.carrier.faults.add({ of: 'webhook', callStatus: 'completed', fault: { kind: 'reversed' } });
    await world.dial('+99900000008');
    await world.advance(10_000);
    assert.equal(world.statuses().at(-1), 'completed');
  });

  it('sign a webhook badly, once', async () => {
    const world = connectedWorld();
    world.carrier.faults.add({ of: 'webhook', fault: { kind: 'badly_signed' } });
    await world.dial('+99900000008');
    await world.advance(5000);
    const valid = world.webhooks.map(({ request, parameters }) =>
      twilio.validateRequest(authToken, request.headers['x-twilio-signature'] ?? '', request.url, parameters),
    );
    assert.deepEqual(valid.slice(0, 2), [false, true]);
    assert.ok(valid.slice(1).every(Boolean));
  });

  it('cut the media socket: the call goes on with the next verb, or stays', async () => {
    for (const stays of [false, true]) {
      const world = connectedWorld();
      world.carrier.faults.add({ of: 'media', fault: { kind: 'drop', afterMs: 2000, stays } });
      const leg = await world.dial('+99900000011');
      await world.advance(10_000);
      assert.ok(world.sockets[0]?.isCut);
      assert.equal(world.sockets[0]?.of('media').length, 100 - 1);
      assert.equal(world.sent('/rejoin').length, stays ? 0 : 1);
      assert.equal(leg.status, 'in-progress');
      if (stays) await world.rest('POST', `/Calls/${leg.sid}.json`, { Url: 'http://service.test/rejoin' });
      await world.advance(1000);
      assert.equal(world.sockets.length, 2);
    }
  });

  it('return no marks, or stall the media for a time', async () => {
    const world = connectedWorld();
    world.carrier.faults.add({ of: 'media', to: '+99900000011', fault: { kind: 'no_marks' } });
    await world.dial('+99900000011');
    await world.advance(2000);
    world.socket.mark('one');
    await world.advance(1000);
    assert.equal(world.socket.of('mark').length, 0);

    world.carrier.faults.add({ of: 'media', fault: { kind: 'stall', afterMs: 1000, ms: 6000 } });
    await world.dial('+99900000011');
    await world.advance(1200 + 10_000);
    const times = world.socket.of('media').map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    assert.equal(Math.max(...gaps), 6020);
    assert.equal(gaps.filter((gap) => gap !== 20).length, 1);
  });

  it('can belong to a phone, and then apply to every call to it', async () => {
    const world = new World({
      phones: {
        '77': { steps: [], faults: [{ of: 'webhook', callStatus: 'ringing', fault: { kind: 'missing' } }] },
      },
    });
    world.documents['/answer'] = () => '<Response><Hangup/></Response>';
    for (let count = 0; count < 2; count += 1) {
      await world.dial('+99900000077');
      await world.advance(5000);
    }
    assert.deepEqual(world.statuses(), [
      'initiated',
      'in-progress',
      'completed',
      'initiated',
      'in-progress',
      'completed',
    ]);
  });
});
