import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, it } from 'node:test';
import { newWebhookSecret } from '../../../src/core/webhook-signature.ts';
import { allRows, backUpToBytes, restoreBytes } from '../../backup/support.ts';
import { createAgent, send } from '../../support/client.ts';
import { createPostgresEngine, createSqliteEngine, type Engine, onEachEngine } from '../../support/engines.ts';
import { addWebhook, callEvent, type EventService, eventsOf, startEventService, write } from './support.ts';

/** Something in each of the tables. */
async function fill(service: EventService) {
  const { key, workspaceId } = await service.newKey();
  await addWebhook(service, workspaceId, { include: ['transcript'] });
  const { id } = await createAgent(service, key, { webhookUrl: 'https://shop.example.com/' });
  await send(service, 'POST', `/api/v1/agents/${id}/publish`, { key });
  for (const sequence of [1, 2, 3]) await write(service, callEvent(workspaceId, { sequence }));
  await service.database.run(
    `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, url, outcome, status_code)
      SELECT id, 1, 0, 0, 'https://crm.example.com/', 'http_error', 503 FROM deliveries WHERE workspace_id = $1`,
    [workspaceId],
  );
  return { key, workspaceId, agentId: id };
}

onEachEngine('webhooks in a backup', (engine) => {
  const other: Engine & { remove(): Promise<void> } =
    engine.name === 'sqlite' ? createPostgresEngine() : createSqliteEngine();
  after(() => other.remove());

  it('are restored with their events and secrets, on either engine, and positions continue', async () => {
    const source = await startEventService(engine);
    const { workspaceId, agentId } = await fill(source);
    const second = await fill(source);
    const secrets = await source.webhooks.agentWebhooks.secrets(workspaceId, agentId);
    await source.close();
    const { bytes } = await backUpToBytes(source.databaseUrl);
    const rows = await allRows(source.databaseUrl);
    for (const table of ['webhooks', 'events', 'event_transcripts', 'deliveries', 'delivery_attempts']) {
      assert.ok((rows[table]?.length ?? 0) > 0, table);
    }
    for (const target of [engine, other]) {
      const databaseUrl = await target.newDatabaseUrl();
      await restoreBytes(databaseUrl, bytes);
      assert.deepEqual(await allRows(databaseUrl), rows);
      const restored = await startEventService(target, { databaseUrl });
      assert.deepEqual(await restored.webhooks.agentWebhooks.secrets(workspaceId, agentId), secrets);
      for (const id of [workspaceId, second.workspaceId]) {
        await write(restored, callEvent(id, { sequence: 4 }));
        const positions = (await eventsOf(restored, id)).map(({ position }) => position);
        assert.deepEqual(positions, [1, 2, 3, 4, 5]);
      }
      await restored.close();
    }
  });
});

onEachEngine('a change of the data key', (engine) => {
  it('seals both secrets of a webhook again, and leaves a missing one missing', async () => {
    const [before, next] = [randomBytes(32), randomBytes(32)];
    const source = await startEventService(engine, { dataKeys: [before] });
    const { workspaceId, key } = await source.newKey();
    const previousSecretExpiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const agentFields = (agentId: string) => ({ kind: 'agent', agentId, previousSecretExpiresAt }) as const;
    const [current, previous] = [newWebhookSecret(), newWebhookSecret()];
    await addWebhook(source, workspaceId, agentFields('agt_1'), { current, previous });
    await addWebhook(source, workspaceId, agentFields('agt_2'), { current });
    await source.close();
    const { databaseUrl } = source;
    await (await startEventService(engine, { databaseUrl, dataKeys: [next, before] })).close();
    const service = await startEventService(engine, { databaseUrl, dataKeys: [next] });
    const { secrets } = service.webhooks.agentWebhooks;
    assert.deepEqual(await secrets(workspaceId, 'agt_1'), [current, previous]);
    assert.deepEqual(await secrets(workspaceId, 'agt_2'), [current]);
    const { json } = await send(service, 'GET', '/api/v1/webhooks', { key });
    assert.equal(json.items.length, 2);
    await service.close();
  });
});
