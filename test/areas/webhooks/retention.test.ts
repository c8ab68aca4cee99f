import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import {
  addWebhook,
  callEvent,
  deliveriesOf,
  type EventService,
  eventsOf,
  startEventService,
  write,
} from './support.ts';

const dayMs = 24 * 3_600_000;

onEachEngine('the retention of events', (engine) => {
  const start = async () => {
    const clock = { now: Date.now() };
    const service = await startEventService(engine, { now: () => clock.now, eventRetentionDays: 2 });
    const pass = (days: number) => {
      clock.now += days * dayMs;
    };
    return { service, pass, ...(await service.newKey()) };
  };
  const removeOld = ({ webhooks }: EventService) => webhooks.area.tasks?.[0]?.run();
  const settle = ({ database }: EventService) => database.run("UPDATE deliveries SET status = 'succeeded'");

  it('removes events, deliveries and attempts that are older than it', async () => {
    const { service, pass, workspaceId } = await start();
    await addWebhook(service, workspaceId, { include: ['transcript'] });
    await write(service, callEvent(workspaceId));
    await settle(service);
    await service.database.run(
      `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, url, outcome)
        SELECT id, 1, 0, 0, 'https://crm.example.com/', 'succeeded' FROM deliveries`,
    );
    pass(1);
    const id = await write(service, callEvent(workspaceId, { sequence: 2 }));
    assert.equal(await removeOld(service), false);
    assert.equal((await eventsOf(service, workspaceId)).length, 2);
    pass(1.5);
    assert.equal(await removeOld(service), false);
    assert.deepEqual(
      (await eventsOf(service, workspaceId)).map((row) => [row.id, row.position]),
      [[id, 2]],
    );
    assert.equal((await deliveriesOf(service, workspaceId)).length, 1);
    assert.deepEqual(await service.database.all('SELECT * FROM delivery_attempts'), []);
    assert.deepEqual(await service.database.all('SELECT event_id FROM event_transcripts'), [{ event_id: id }]);
    // Positions continue, although no event is left.
    await settle(service);
    pass(5);
    await removeOld(service);
    assert.deepEqual(await eventsOf(service, workspaceId), []);
    await write(service, callEvent(workspaceId, { sequence: 3 }));
    assert.deepEqual(
      (await eventsOf(service, workspaceId)).map(({ position }) => position),
      [3],
    );
    await service.close();
  });

  it('keeps what is still to be sent', async () => {
    const { service, pass, workspaceId } = await start();
    await addWebhook(service, workspaceId);
    await write(service, callEvent(workspaceId));
    pass(3);
    await removeOld(service);
    assert.equal((await eventsOf(service, workspaceId)).length, 1);
    assert.equal((await deliveriesOf(service, workspaceId)).length, 1);
    await settle(service);
    await removeOld(service);
    assert.deepEqual(await eventsOf(service, workspaceId), []);
    assert.deepEqual(await deliveriesOf(service, workspaceId), []);
    await service.close();
  });

  it('works in batches, and says when there is more', async () => {
    const { service, pass, workspaceId } = await start();
    await service.database.transaction(async (queries) => {
      for (let sequence = 1; sequence <= 501; sequence += 1) {
        await service.webhooks.events.write(queries, callEvent(workspaceId, { sequence }));
      }
    });
    pass(3);
    assert.equal(await removeOld(service), true);
    assert.equal((await eventsOf(service, workspaceId)).length, 1);
    assert.equal(await removeOld(service), false);
    assert.deepEqual(await eventsOf(service, workspaceId), []);
    await service.close();
  });

  it('removes the webhook of an agent that long after the agent was deleted', async () => {
    const { service, pass, key } = await start();
    const ids: string[] = [];
    for (const name of ['kept', 'deleted']) {
      const { id } = await createAgent(service, key, { name, webhookUrl: 'https://shop.example.com/' });
      await send(service, 'POST', `/api/v1/agents/${id}/publish`, { key });
      ids.push(id);
    }
    const [kept, deleted] = ids;
    await service.database.run(
      'INSERT INTO event_subjects (workspace_id, subject_id, last_sequence) SELECT workspace_id, id, 1 FROM webhooks',
    );
    const counted = () => service.database.all("SELECT 1 AS one FROM event_subjects WHERE subject_id LIKE 'whk_%'");
    const agentIds = async () =>
      (await send(service, 'GET', '/api/v1/webhooks', { key })).json.items.map(
        ({ agentId }: { agentId: string }) => agentId,
      );
    pass(3);
    await send(service, 'DELETE', `/api/v1/agents/${deleted}`, { key });
    pass(1);
    await removeOld(service);
    assert.deepEqual(await agentIds(), [deleted, kept]);
    assert.equal((await counted()).length, 2);
    pass(1.5);
    await removeOld(service);
    assert.deepEqual(await agentIds(), [kept]);
    assert.equal((await counted()).length, 1);
    await service.close();
  });

  it('keeps the webhook of a deleted agent for a call that is scheduled for later', async () => {
    const { service, pass, key, workspaceId } = await start();
    const post = async (path: string, body: object = {}) => {
      const answer = await send(service, 'POST', `/api/v1${path}`, { key, body });
      assert.ok(answer.status < 300, answer.text);
      return answer.json;
    };
    const engineFields = { responseEngineType: 'single_prompt', prompt: 'Hello.', llmModel: 'test-script' };
    const { id } = await createAgent(service, key, { ...engineFields, webhookUrl: 'https://shop.example.com/' });
    await post(`/agents/${id}/publish`);
    const startAt = new Date(service.kernel.now() + 20 * dayMs).toISOString();
    const call = await post('/calls', { type: 'chat', agentId: id, startAt });
    assert.equal((await send(service, 'DELETE', `/api/v1/agents/${id}`, { key })).status, 200);
    const count = async () => (await send(service, 'GET', `/api/v1/webhooks?agentId=${id}`, { key })).json.items.length;
    pass(10);
    await removeOld(service);
    assert.equal(await count(), 1);
    await post(`/calls/${call.id}/end`);
    const [ended] = (await deliveriesOf(service, workspaceId)).filter(({ event_type }) => event_type === 'call_ended');
    assert.equal(ended?.url, 'https://shop.example.com/');
    await settle(service);
    pass(3);
    await removeOld(service);
    assert.equal(await count(), 0);
    await service.close();
  });
});
