import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { allRows, backUpToBytes, restoreBytes } from '../../backup/support.ts';
import { createPostgresEngine, createSqliteEngine, type Engine, onEachEngine } from '../../support/engines.ts';
import { phoneNumberId } from '../calls/phone/support.ts';
import { eventReceiver, newWorkspace, onEnd, startWorkflowService, workspaceOf } from './support.ts';

const tables = [
  'workflows',
  'workflow_versions',
  'workflow_runs',
  'workflow_steps',
  'workflow_attempts',
  'workflow_calls',
] as const;

onEachEngine('workflows in a backup', (engine) => {
  const other: Engine & { remove(): Promise<void> } =
    engine.name === 'sqlite' ? createPostgresEngine() : createSqliteEngine();
  after(() => other.remove());

  it('are restored on either engine, and a run that waits goes on after its time', async () => {
    const receiver = await eventReceiver();
    const source = await startWorkflowService(engine);
    const workspace = await newWorkspace(source);
    const { id: agentId } = await workspace.agent();
    const call = {
      type: 'phone',
      agentId,
      agentVersion: 'latest',
      fromPhoneNumberId: phoneNumberId,
      to: '+819012345678',
    };
    await workspace.enabled(
      [
        { id: 'call', type: 'create_call', call },
        { id: 'first', type: 'http_request', url: receiver.url, body: {} },
        { id: 'pause', type: 'wait', seconds: 600 },
        { id: 'second', type: 'http_request', url: receiver.url, body: { first: '{{steps.first.statusCode}}' } },
      ],
      // Not the phone call of the first step, which ends when nobody has answered.
      { ...onEnd, filter: { field: 'type', op: 'eq', value: 'chat' } },
    );
    const { id: callId } = await workspace.endedCall();
    const { id } = await workspace.runOf(callId, 'waiting');
    await source.close();
    const rows = await allRows(source.databaseUrl);
    const { bytes } = await backUpToBytes(source.databaseUrl);
    for (const target of [engine, other]) {
      const databaseUrl = await target.newDatabaseUrl();
      await restoreBytes(databaseUrl, bytes);
      const restoredRows = await allRows(databaseUrl);
      for (const table of tables) {
        assert.ok((rows[table]?.length ?? 0) > 0, table);
        assert.deepEqual(restoredRows[table], rows[table], table);
      }
      const restored = await startWorkflowService(target, { databaseUrl });
      const again = workspaceOf(restored, workspace.key);
      restored.time.advance(600_000);
      const run = await again.until(id, 'succeeded', 'failed');
      assert.equal(run.status, 'succeeded');
      assert.equal(receiver.requests.at(-1)?.body, '{"first":200}');
      await restored.close();
    }
    assert.equal(receiver.requests.length, 3);
    // The second request was rendered after the backup, each time: the receiver can tell that it is the same.
    const keys = receiver.requests.map(({ headers }) => headers['idempotency-key']);
    assert.deepEqual(keys, [`${id}.first`, `${id}.second`, `${id}.second`]);
  });

  it('repeat the requests that were sent after it with the same bytes and keys, and start no second run', async () => {
    const receiver = await eventReceiver((response, _request, index) => {
      response.statusCode = index === 0 ? 503 : 200;
      response.end('ok');
    });
    const source = await startWorkflowService(engine);
    const workspace = await newWorkspace(source);
    const body = { at: '{{now}}', page: '{{call.metadata.page | default: null}}' };
    await workspace.enabled([{ id: 'tell', type: 'http_request', url: receiver.url, body }], onEnd);
    const { id: callId } = await workspace.endedCall();
    const { id, eventId } = await workspace.runOf(callId, 'waiting');
    const { bytes } = await backUpToBytes(source.databaseUrl);
    // After the backup, the run succeeds, and the call changes.
    source.time.advance(60_000);
    await workspace.until(id, 'succeeded');
    await source.close();

    const databaseUrl = await engine.newDatabaseUrl();
    await restoreBytes(databaseUrl, bytes);
    const restored = await startWorkflowService(engine, { databaseUrl });
    const again = workspaceOf(restored, workspace.key);
    assert.equal((await again.call(callId).patch({ metadata: { page: '/new' } })).status, 200);
    restored.time.advance(60_000);
    await again.until(id, 'succeeded');
    assert.equal((await again.runs()).length, 1);
    const sent = receiver.requests.map(({ headers, body }) => [headers['idempotency-key'], body]);
    assert.equal(sent.length, 3);
    assert.deepEqual(sent[1], sent[0]);
    assert.deepEqual(sent[2], sent[0]);

    // As if the backup had been taken between the event and its run.
    for (const table of ['workflow_attempts', 'workflow_steps', 'workflow_runs'])
      await restored.database.run(`DELETE FROM ${table}`);
    await restored.database.run(
      `UPDATE jobs SET state = 'queued', finished_at = NULL, attempt = 0, lease_owner = NULL, lease_until = NULL, run_at = 0
        WHERE kind = 'workflow_match' AND dedupe_key = $1`,
      [String(eventId)],
    );
    assert.equal((await again.runOf(callId, 'succeeded')).id, id);
    assert.equal(receiver.requests.at(-1)?.headers['idempotency-key'], `${id}.tell`);
    await restored.close();
  });
});
