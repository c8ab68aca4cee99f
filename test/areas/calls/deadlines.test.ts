import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReplyLeases } from '../../../src/areas/calls/channels/text/reply-leases.ts';
import { onEachEngine, onPostgres, postgresEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { chatWith, eventually, gate, newChat, on, quickSweep, TestClock, testAgent } from './support.ts';

onEachEngine('deadlines of calls', (engine) => {
  const clock = new TestClock();
  const service = useService(engine, { now: clock.now, calls: quickSweep });

  it('end a call although others that are due before cannot be ended, without a pause', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    const newCall = () => chatWith(service, key, { agentId });
    const broken = [await newCall(), await newCall()];
    for (const { id } of broken) await service.database.run("UPDATE calls SET doc = '{' WHERE id = $1", [id]);
    for (let round = 0; round < 3; round += 1) {
      const other = await newCall();
      clock.advance(130_000);
      await eventually(async () => (await other.call()).endReason === 'not_joined');
    }
    const failed = service.log.filter(({ msg }) => msg === 'scheduled task failed');
    assert.deepEqual(failed, [], 'the task pauses after a failure of its own');
    assert.ok(service.log.some(({ msg }) => msg === 'calls that are due could not be ended'));
    for (const { id } of broken) await service.database.run('DELETE FROM calls WHERE id = $1', [id]);
  });
});

describe('deadlines of calls while a process stalls', onPostgres, () => {
  const clock = new TestClock();
  const service = useService(postgresEngine(), { now: clock.now, calls: quickSweep });

  it('do not wait for a call that somebody else has locked', async () => {
    const { key } = await service.newKey();
    const locked = await newChat(service, key);
    const other = await newChat(service, key);
    const [isLocked, mayEnd] = [gate(), gate()];
    const stalled = service.database.transaction(async (queries) => {
      await queries.get('SELECT id FROM calls WHERE id = $1 FOR UPDATE', [locked.id]);
      isLocked.open();
      await mayEnd.opened;
    });
    await isLocked.opened;
    clock.advance(130_000);
    await eventually(async () => (await on(service, key, other.id).call()).status === 'not_connected');
    assert.equal((await on(service, key, locked.id).call()).status, 'registered');
    mayEnd.open();
    await stalled;
    await eventually(async () => (await on(service, key, locked.id).call()).status === 'not_connected');
  });

  it('do not wait for queued calls, whose pool somebody else has locked', async () => {
    const { key, workspaceId } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    const startAt = new Date(clock.now() + 60_000).toISOString();
    const queued = await chatWith(service, key, { agentId, startAt });
    const first = await newChat(service, key);
    clock.advance(50_000);
    const second = await newChat(service, key);
    const [isLocked, mayEnd] = [gate(), gate()];
    const stalled = service.database.transaction(async (queries) => {
      await queries.get('SELECT pool FROM call_pools WHERE workspace_id = $1 FOR UPDATE', [workspaceId]);
      isLocked.open();
      await mayEnd.opened;
    });
    await isLocked.opened;
    for (const { id } of [first, second]) {
      clock.advance(75_000);
      await eventually(async () => (await on(service, key, id).call()).status === 'not_connected');
    }
    assert.equal((await queued.call()).status, 'queued');
    mayEnd.open();
    await stalled;
    await eventually(async () => (await queued.call()).status === 'registered');
  });

  it('leave leases alone: they are renewed although every other request waits', async () => {
    const { key } = await service.newKey();
    const { id, workspaceId } = await newChat(service, key);
    const { database } = service;
    await database.run("UPDATE calls SET owner = 'own_1', lease_until = 1 WHERE id = $1", [id]);
    const order: string[] = [];
    const busy = Array.from({ length: 24 }, async () => {
      await database.all('SELECT pg_sleep(0.5)');
      order.push('request');
    });
    const reply = { workspaceId, callId: id, owner: 'own_1' };
    const renewed = createReplyLeases(database).renew(workspaceId, [reply], 2);
    await Promise.all([...busy, renewed.then(() => void order.push('lease'))]);
    const row = await database.get('SELECT lease_until FROM calls WHERE id = $1', [id]);
    assert.equal(row?.lease_until, 2);
    assert.equal(order[0], 'lease');
  });
});
