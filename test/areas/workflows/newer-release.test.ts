import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { eventReceiver, newWorkspace, useWorkflowService } from './support.ts';

onEachEngine('workflows that an instance of a newer release has saved', (engine) => {
  const service = useWorkflowService(engine);
  /** Whose document has a version that this release does not know. */
  const setNewer = (id: string, isNewer: boolean) =>
    service.database.run(`UPDATE workflows SET doc_version = doc_version ${isNewer ? '+' : '-'} 1 WHERE id = $1`, [id]);

  it('are left to its instances when they might start', async () => {
    const receiver = await eventReceiver();
    const { enabled, endedCall, runs, runOf, workspaceId } = await newWorkspace(service);
    const { id } = await enabled([{ id: 'send', type: 'http_request', url: receiver.url, body: {} }]);
    await setNewer(id, true);
    const { id: callId } = await endedCall();
    const match = () =>
      service.database.get<{ attempt: number; state: string }>(
        "SELECT attempt, state FROM jobs WHERE kind = 'workflow_match' AND workspace_id = $1",
        [workspaceId],
      );
    await eventually(async () => {
      const { attempt = 0, state } = (await match()) ?? {};
      return attempt > 0 && state === 'queued';
    }, 'an attempt');
    assert.deepEqual(await runs(), []);
    // As an instance that knows it would.
    await setNewer(id, false);
    service.time.advance(60_000);
    await runOf(callId, 'succeeded');
  });

  it('are left to its instances when a run goes on', async () => {
    const receiver = await eventReceiver();
    const { enabled, endedCall, run, until } = await newWorkspace(service);
    const send = (id: string) => ({ id, type: 'http_request', url: `${receiver.url}/${id}`, body: {} });
    const newer = await enabled([{ id: 'pause', type: 'wait', seconds: 3600 }, send('newer')]);
    const known = await enabled([{ id: 'pause', type: 'wait', seconds: 3600 }, send('known')]);
    const { id: callId } = await endedCall();
    await eventually(
      async () =>
        (await service.database.all('SELECT id FROM workflow_runs WHERE call_id = $1', [callId])).length === 2,
    );
    const runIdOf = async (workflowId: string) =>
      (
        await service.database.get<{ id: string }>(
          'SELECT id FROM workflow_runs WHERE workflow_id = $1 AND call_id = $2',
          [workflowId, callId],
        )
      )?.id ?? '';
    const [newerRun, knownRun] = [await runIdOf(newer.id), await runIdOf(known.id)];
    for (const id of [newerRun, knownRun]) await until(id, 'waiting');
    await setNewer(newer.id, true);
    service.time.advance(3_600_000);
    await until(knownRun, 'succeeded');
    assert.equal((await run(newerRun)).status, 'waiting');
    assert.deepEqual(
      receiver.requests.map(({ path }) => path),
      ['/hook/known'],
    );
    await setNewer(newer.id, false);
    await until(newerRun, 'succeeded');
  });
});
