import assert from 'node:assert/strict';
import { it } from 'node:test';
import { backUpToBytes, restoreBytes } from '../../../backup/support.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { useWorlds } from './support.ts';

onEachEngine('a restored backup', (engine) => {
  const worlds = useWorlds(engine);
  const { carrier } = worlds;

  it('dials nothing that was intended, because it does not know what was dialed since', async () => {
    const world = await worlds.start();
    await world.addNumber();
    const callId = await world.dial();
    const { bytes } = await backUpToBytes(await worlds.databaseUrl());
    // Since the backup, the call was dialed.
    await world.runJobs();
    assert.equal(carrier.dialRequests, 1);

    const restoredUrl = await engine.newDatabaseUrl();
    await restoreBytes(restoredUrl, bytes);
    const restored = await worlds.start({}, restoredUrl);
    restored.calls.add(callId, world.workspaceId);
    assert.deepEqual(
      (await restored.legs(callId)).map(({ state }) => state),
      ['refused'],
    );
    restored.clock.time += 60_000;
    await restored.runJobs(world.workspaceId);
    assert.equal(carrier.dialRequests, 0);
    assert.deepEqual(restored.calls.endOf(callId), {
      ...{ status: 'not_connected', endReason: 'canceled', endedBy: 'system' },
      endDetail: 'The call was not dialed, because the service was restored from a backup.',
    });
  });

  it('looks for what was sent, and does not send it again', async () => {
    const world = await worlds.start();
    await world.addNumber();
    carrier.behaviors.push('lost before');
    const callId = await world.dial();
    await world.runJobs();
    const { bytes } = await backUpToBytes(await worlds.databaseUrl());
    const restoredUrl = await engine.newDatabaseUrl();
    await restoreBytes(restoredUrl, bytes);
    const restored = await worlds.start({}, restoredUrl);
    restored.calls.add(callId, world.workspaceId);
    restored.clock.time += 120_000;
    await restored.runJobs(world.workspaceId);
    assert.equal(carrier.dialRequests, 0);
    assert.equal(restored.calls.get(callId).endReason, 'carrier_failed');
  });
});
