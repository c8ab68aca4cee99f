import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachEngine } from '../../../support/engines.ts';
import { freePort } from '../../../support/free-port.ts';
import { theirNumber, useWorlds, type World } from './support.ts';

const notConfirmed = 'The carrier did not confirm the call. It was not dialed again.';
onEachEngine('a dialed call', (engine) => {
  const worlds = useWorlds(engine);
  const { carrier } = worlds;
  const start = async (): Promise<World> => {
    const world = await worlds.start();
    await world.addNumber();
    return world;
  };
  const onlySid = (): string => carrier.placed[0]?.sid ?? '';

  it('is placed by one request, with our addresses, and confirmed', async () => {
    const world = await start();
    const callId = await world.dial({ agentSettings: { phone: { voicemail: { detect: 'carrier' } } } });
    await world.runJobs();
    const [call] = carrier.placed;
    const root = `https://phone.example.com/carrier/v1/${world.carrier.id}/calls/${callId}`;
    assert.equal(carrier.dialRequests, 1);
    assert.equal(call?.form.get('To'), theirNumber);
    assert.equal(call?.form.get('Url'), `${root}/answer`);
    assert.equal(call?.form.get('StatusCallback'), `${root}/status`);
    assert.equal(call?.form.get('AsyncAmdStatusCallback'), `${root}/amd`);
    assert.equal(call?.form.get('TimeLimit'), '630');
    assert.equal(call?.form.get('Timeout'), '30');
    const [leg] = await world.legs(callId);
    assert.deepEqual([leg?.state, leg?.providerCallId], ['confirmed', onlySid()]);
    assert.equal(world.calls.get(callId).providerCallId, onlySid());
  });

  describe('whose response is lost', () => {
    it('after it was placed is found by a signed report, and dialed once', async () => {
      const world = await start();
      carrier.behaviors.push('lost after');
      carrier.onDial = async ({ sid }) => void (await world.report(callId, sid, 'initiated'));
      const callId = await world.dial();
      await world.runJobs();
      await world.pass(70_000);
      const [leg] = await world.legs(callId);
      assert.deepEqual([leg?.state, carrier.dialRequests, carrier.placed.length], ['confirmed', 1, 1]);
      assert.equal(world.calls.get(callId).status, 'registered');
    });

    it('after it was placed is found in the list of the carrier, and dialed once', async () => {
      const world = await start();
      carrier.behaviors.push('lost after');
      const callId = await world.dial();
      await world.runJobs();
      assert.equal((await world.legs(callId))[0]?.state, 'sent');
      (carrier.placed[0] as { status: string }).status = 'ringing';
      await world.pass(10_000);
      assert.deepEqual([(await world.legs(callId))[0]?.state, carrier.dialRequests], ['confirmed', 1]);
      assert.equal(world.calls.get(callId).status, 'ringing');
    });

    it('before it was placed is looked for during 60 seconds, and never dialed again', async () => {
      const world = await start();
      carrier.behaviors.push('lost before');
      const callId = await world.dial();
      await world.runJobs();
      await world.pass(59_000);
      assert.equal(world.calls.get(callId).status, 'registered');
      await world.pass(3000);
      const end = { status: 'error', endReason: 'carrier_failed', endedBy: 'system', endDetail: notConfirmed };
      assert.deepEqual(world.calls.endOf(callId), end);
      await world.pass(600_000, 10_000);
      assert.deepEqual([carrier.dialRequests, carrier.placed.length], [1, 0]);
    });

    it('and that turns up later is hung up at once', async () => {
      const world = await start();
      carrier.behaviors.push({ status: 500 });
      const callId = await world.dial();
      await world.runJobs();
      await world.pass(62_000);
      assert.equal(world.calls.get(callId).endReason, 'carrier_failed');
      const late = carrier.add({ To: theirNumber, From: '+1' });
      await world.report(callId, late.sid, 'ringing');
      await world.runJobs();
      assert.deepEqual(carrier.hangUps, [late.sid]);
    });

    it('is not taken for the call of another request to the same number', async () => {
      const world = await start();
      carrier.behaviors.push('lost after', 'lost before');
      const [first, second] = [await world.dial(), await world.dial()];
      await world.runJobs();
      await world.pass(10_000);
      await world.report(first, onlySid(), 'ringing');
      await world.pass(60_000);
      assert.equal(world.calls.get(first).status, 'ringing');
      assert.equal(world.calls.get(second).endReason, 'carrier_failed');
    });

    it('is found although an earlier call to the same number was never confirmed', async () => {
      const world = await start();
      carrier.behaviors.push('lost before');
      const first = await world.dial();
      await world.pass(400_000, 10_000);
      assert.equal(world.calls.get(first).endReason, 'carrier_failed');
      carrier.behaviors.push('lost after');
      const second = await world.dial();
      await world.pass(10_000);
      assert.deepEqual((await world.legs(second))[0]?.providerCallId, onlySid());
    });

    it('together with its process is looked up by the next one', async () => {
      const world = await start();
      const callId = await world.dial();
      // The process committed the row, and was lost before or after its request.
      await world.database.transaction((queries) =>
        world.dials.markSent(queries, { callId, leg: 'call' }, world.clock.time),
      );
      await world.pass(62_000);
      assert.equal(carrier.dialRequests, 0);
      assert.equal(world.calls.get(callId).endDetail, notConfirmed);
    });
  });

  describe('of which certainly nothing arrived', () => {
    it('is sent again, three times at most', async () => {
      const world = await start();
      carrier.behaviors.push({ status: 429 }, { status: 429, retryAfter: 5 }, { status: 429 });
      const callId = await world.dial();
      await world.runJobs();
      assert.equal((await world.legs(callId))[0]?.state, 'intended');
      await world.pass(20_000);
      assert.deepEqual([carrier.dialRequests, carrier.placed.length], [4, 1]);
      assert.equal((await world.legs(callId))[0]?.state, 'confirmed');
    });

    it('fails after the fourth attempt, and makes its carrier failing with the third such call', async () => {
      const world = await start();
      for (let count = 0; count < 3; count += 1) {
        carrier.behaviors.push(...Array.from({ length: 4 }, () => ({ status: 429 })));
        const callId = await world.dial();
        await world.pass(20_000);
        assert.equal(world.calls.get(callId).endReason, 'carrier_failed');
      }
      assert.equal(carrier.dialRequests, 12);
      assert.deepEqual(world.statusChanges, ['failing']);
      await world.dial();
      await world.runJobs();
      assert.deepEqual(world.statusChanges, ['failing', 'active']);
    });
  });

  describe('of a carrier that is down', () => {
    it('and cannot be reached ends as carrier_failed, in words, and is not dialed once the carrier is back', async () => {
      const world = await start();
      const { url } = carrier;
      carrier.url = `http://127.0.0.1:${await freePort()}`;
      const callId = await world.dial();
      await world.pass(20_000);
      carrier.url = url;
      const endDetail = 'The connection could not be established.';
      const end = { status: 'error', endReason: 'carrier_failed', endedBy: 'system', endDetail };
      assert.deepEqual(world.calls.endOf(callId), end);
      await world.pass(600_000, 10_000);
      assert.deepEqual([carrier.dialRequests, carrier.placed.length], [0, 0]);
    });

    it('and answers every request with 503 ends so, too, and is not dialed once the carrier is back', async () => {
      const world = await start();
      carrier.behaviors.push({ status: 503 });
      carrier.failing = 503;
      const callId = await world.dial();
      await world.pass(70_000);
      const end = { status: 'error', endReason: 'carrier_failed', endedBy: 'system', endDetail: notConfirmed };
      assert.deepEqual(world.calls.endOf(callId), end);
      carrier.failing = null;
      await world.pass(600_000, 10_000);
      assert.deepEqual([carrier.dialRequests, carrier.placed.length], [1, 0]);
    });
  });

  it('is not dialed if the number was forbidden meanwhile', async () => {
    const world = await start();
    const callId = await world.dial();
    await world.database.transaction((queries) =>
      world.doNotCall.add(queries, world.workspaceId, [theirNumber], { reason: null, source: 'api' }),
    );
    await world.runJobs();
    const { status, endReason, endDetail } = world.calls.endOf(callId);
    assert.deepEqual([status, endReason, carrier.dialRequests], ['not_connected', 'destination_not_allowed', 0]);
    assert.equal(endDetail, 'The number is on the do-not-call list.');
  });

  it('that is canceled before its turn is not dialed', async () => {
    const world = await start();
    const callId = await world.dial();
    await end(world, callId);
    await world.runJobs();
    assert.deepEqual([carrier.dialRequests, (await world.legs(callId))[0]?.state], [0, 'refused']);
  });

  describe('that ends on our side', () => {
    it('is hung up until the carrier says that it is over, and its numbers are removed', async () => {
      const world = await start();
      const callId = await world.dial();
      await world.runJobs();
      carrier.failing = 500;
      carrier.hangsUpAtOnce = false;
      (carrier.placed[0] as { status: string }).status = 'in-progress';
      await end(world, callId);
      await world.runJobs();
      assert.equal((await world.legs(callId))[0]?.plan, null);
      carrier.failing = null;
      await world.pass(6000);
      assert.ok(carrier.hangUps.length >= 2);
      assert.equal((await world.legs(callId))[0]?.endedAt, null);
      carrier.hangsUpAtOnce = true;
      await world.pass(5000);
      const [leg] = await world.legs(callId);
      assert.equal(leg?.rank, 3);
      assert.equal(world.calls.get(callId).billedMs, 7000);
      const hangUps = carrier.hangUps.length;
      await world.pass(300_000, 10_000);
      assert.equal(carrier.hangUps.length, hangUps);
    });

    it('while its request is on its way is hung up once it is confirmed', async () => {
      const world = await start();
      carrier.onDial = () => end(world, callId);
      const callId = await world.dial();
      await world.runJobs();
      assert.deepEqual(carrier.hangUps, [onlySid()]);
    });

    it('is hung up although its response was lost', async () => {
      const world = await start();
      carrier.behaviors.push('lost after');
      carrier.onDial = () => end(world, callId);
      const callId = await world.dial();
      await world.pass(15_000);
      assert.deepEqual(carrier.hangUps, [onlySid()]);
    });
  });

  it('keeps no number in the clear', async () => {
    const world = await start();
    await world.dial();
    carrier.behaviors.push('lost before');
    await world.runJobs();
    const rows = [
      await world.database.all('SELECT * FROM phone_dials'),
      await world.database.all('SELECT * FROM jobs'),
    ];
    const stored = JSON.stringify(rows, (_key, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );
    assert.ok(!stored.includes(theirNumber.slice(1)));
  });

  it('is dialed at the pace of its carrier', async () => {
    const world = await start();
    for (let count = 0; count < 5; count += 1) await world.dial({ to: `+8139876543${count}` });
    await world.runJobs();
    assert.equal(carrier.dialRequests, 1);
    await world.pass(60, 20);
    assert.equal(carrier.dialRequests, 4);
  });
});

async function end(world: World, callId: string): Promise<void> {
  await world.database.transaction((queries) =>
    world.calls.end(queries, world.workspaceId, callId, { reason: 'canceled', by: 'api', detail: null }),
  );
}
