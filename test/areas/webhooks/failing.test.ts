import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxAttempts } from '../../../src/areas/webhooks/schedule.ts';
import { newWebhook, type WebhookHealth, withAttempt, withStatus } from '../../../src/areas/webhooks/webhook.ts';
import { migrate, migrateTo } from '../../../src/storage/migrate.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { locationOf, onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { eventReceiver, newWorkspace, startSendingService } from './receiving.ts';
import { callEvent, write } from './support.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 10, 15);

describe('the health of a webhook', () => {
  const fields = { url: 'https://crm.example.com/', description: null, events: ['*'], agentIds: [], include: [] };
  const fresh: WebhookHealth = {
    webhook: newWebhook('whk_1', 'ws_1', fields, new Date(start).toISOString()),
    failures: 0,
  };
  /** Attempts in the order in which they end: `+5` is a success that began at 5 seconds, `-5` a failure. */
  const after = (health: WebhookHealth, ...attempts: readonly number[]): WebhookHealth =>
    attempts.reduce((known, attempt) => withAttempt(known, attempt > 0, start + Math.abs(attempt) * 1000), health);
  const seconds = (time: string | null) => (time === null ? null : (Date.parse(time) - start) / 1000);
  const shown = ({ webhook: { lastSuccessAt, lastFailureAt, failingSince }, failures }: WebhookHealth) => ({
    success: seconds(lastSuccessAt),
    failure: seconds(lastFailureAt),
    since: seconds(failingSince),
    failures,
  });

  it('is failing since the first failure after the last success', () => {
    assert.deepEqual(shown(after(fresh, -1, -2)), { success: null, failure: 2, since: 1, failures: 2 });
    assert.deepEqual(shown(after(fresh, -1, -2, 3)), { success: 3, failure: 2, since: null, failures: 0 });
    assert.deepEqual(shown(after(fresh, -1, 3, -4, -5)), { success: 3, failure: 5, since: 4, failures: 2 });
  });

  it('is not failing because of an attempt that began before a later success', () => {
    assert.deepEqual(shown(after(fresh, 5, -3)), { success: 5, failure: 3, since: null, failures: 0 });
    assert.deepEqual(shown(after(fresh, 5, -3, -6, -4)), { success: 5, failure: 6, since: 6, failures: 1 });
  });

  it('is failing since the one that began first, whichever ended first', () => {
    assert.deepEqual(shown(after(fresh, 1, -4, -3)), { success: 1, failure: 4, since: 3, failures: 2 });
  });

  it('starts over once it is active again', () => {
    const { webhook, failures } = after(fresh, -1, -2, -3);
    const again = { webhook: withStatus(webhook, 'active', null), failures };
    assert.deepEqual(shown(after(again, -9)), { success: null, failure: 9, since: 9, failures: 1 });
  });
});

onEachEngine('a webhook that fails', (engine) => {
  const fails = () => eventReceiver((response) => void response.writeHead(500).end());

  it('is disabled after five days, although its first attempts are no longer kept', async (context) => {
    const service = await startSendingService(engine, {
      eventRetentionDays: 1,
      webhookSending: { pollMs: 20, retryDelaysMs: Array(maxAttempts - 1).fill(hourMs) },
    });
    context.after(() => service.close());
    const receiver = await fails();
    const { workspaceId, create, deliveries, get } = await newWorkspace(service);
    const { id } = await create({ url: receiver.url });
    await write(service, callEvent(workspaceId));
    for (let count = 1; count <= maxAttempts; count += 1) {
      await eventually(async () => (await deliveries(id))[0]?.attempts.length === count, `attempt ${count}`);
      if (count < maxAttempts) service.advance(2 * hourMs);
    }
    service.advance(5 * dayMs);
    await service.webhooks.area.tasks?.[0]?.run();
    assert.deepEqual(await deliveries(id), []);
    assert.equal((await get(`/webhooks/${id}`)).status, 'active');
    await write(service, callEvent(workspaceId, { sequence: 2 }));
    const webhook = await eventually(async () => {
      const found = await get(`/webhooks/${id}`);
      return found.status === 'disabled' && found;
    }, 'the end');
    assert.equal(webhook.disabledReason, 'failing');
  });

  it('stays active if the address that is gone is not its address any more', async (context) => {
    const service = await startSendingService(engine);
    context.after(() => service.close());
    const held: (() => void)[] = [];
    const old = await eventReceiver((response) => void held.push(() => response.writeHead(410).end()));
    const current = await eventReceiver();
    const { workspaceId, create, deliveries, get, patch } = await newWorkspace(service);
    const { id } = await create({ url: old.url });
    await write(service, callEvent(workspaceId));
    await eventually(() => held.length === 1, 'a request');
    await patch(`/webhooks/${id}`, { url: current.url });
    held[0]?.();
    const delivery = await eventually(async () => (await deliveries(id, '?status=failed'))[0], 'the end');
    assert.equal(delivery.reason, 'gone');
    assert.equal((await get(`/webhooks/${id}`)).status, 'active');
    await write(service, callEvent(workspaceId, { sequence: 2 }));
    await eventually(() => current.requests.length === 1, 'the next event');
  });

  it('keeps the number of its failures in an upgrade', async () => {
    const database = openDatabase(locationOf(await engine.newDatabaseUrl()), () => {});
    await database.exclusive((queries) => migrateTo(13, queries, database.dialect, Date.now));
    await database.run("INSERT INTO workspaces (id, name, created_at) VALUES ('ws_1', 'one', 0)");
    const outcomes = { whk_1: ['http_error', 'succeeded', 'timeout', 'redirect'], whk_2: ['http_error'], whk_3: [] };
    for (const [webhookId, attempts] of Object.entries(outcomes)) {
      await database.run(
        `INSERT INTO webhooks (workspace_id, id, kind, status, etag, doc, sealed_secret)
          VALUES ('ws_1', $1, 'workspace', 'active', '', '{}', $2)`,
        [webhookId, new Uint8Array()],
      );
      await database.run(
        `INSERT INTO deliveries (workspace_id, id, webhook_id, event_id, event_type, subject_id, sequence, status,
            triggered_by, attempt, created_at)
          VALUES ('ws_1', $1, $2, 'evt_1', 'call_ended', 'call_1', 1, 'pending', 'event', 4, 0)`,
        [`dlv_${webhookId}`, webhookId],
      );
      for (const [index, outcome] of attempts.entries()) {
        await database.run(
          `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, url, outcome)
            VALUES ($1, $2, $2, 0, '', $3)`,
          [`dlv_${webhookId}`, index + 1, outcome],
        );
      }
    }
    await migrate(database, Date.now);
    const rows = await database.all<{ failures: number }>('SELECT failures FROM webhooks ORDER BY id');
    assert.deepEqual(
      rows.map(({ failures }) => failures),
      [2, 1, 0],
    );
    await database.close();
  });
});
