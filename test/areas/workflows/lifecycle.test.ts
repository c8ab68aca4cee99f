import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AuditEntry } from '../../../src/contract/audit/index.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { type EventReceiver, eventReceiver } from '../webhooks/receiving.ts';
import { newWorkspace, stepOf, useWorkflowService } from './support.ts';

onEachEngine('the life of a run', (engine) => {
  const service = useWorkflowService(engine, { workflows: { maxOpenRuns: 1000 } });
  const send = (receiver: EventReceiver, fields: object = {}) => ({
    id: 'send',
    type: 'http_request',
    url: receiver.url,
    body: { at: '{{now}}' },
    maxAttempts: 1,
    ...fields,
  });

  it('keeps the version that it started with, also if the workflow is edited while it waits', async () => {
    const receiver = await eventReceiver();
    const { enabled, endedCall, runOf, patch, until, start } = await newWorkspace(service);
    const wait = { id: 'pause', type: 'wait', seconds: 60 };
    const { id: workflowId } = await enabled([wait, send(receiver, { body: { version: 1 } })]);
    const { id } = await endedCall();
    const waiting = await runOf(id, 'waiting');
    await patch(workflowId, { steps: [send(receiver, { id: 'other', body: { version: 2 } })] });
    const second = await until((await start(workflowId, id)).id, 'succeeded', 'failed');
    assert.deepEqual([second.workflowVersion, second.steps.map((step) => step.id)], [2, ['other']]);
    service.time.advance(60_000);
    const first = await until(waiting.id, 'succeeded', 'failed');
    assert.deepEqual([first.workflowVersion, first.steps.map((step) => step.id)], [1, ['pause', 'send']]);
    assert.deepEqual(
      receiver.requests.map(({ body }) => body),
      ['{"version":2}', '{"version":1}'],
    );
  });

  it('is resumed at its failed step with the same bytes and the same key, and started anew with new ones', async () => {
    let isDown = true;
    const receiver = await eventReceiver((response) => void response.writeHead(isDown ? 400 : 200).end());
    const { enabled, endedCall, runOf, until, request, start, patch } = await newWorkspace(service);
    const { id: workflowId } = await enabled([
      { id: 'mark', type: 'update_call', metadata: { run: '{{run.id}}' } },
      send(receiver),
    ]);
    const { id } = await endedCall();
    const failed = await runOf(id, 'failed', 'succeeded');
    assert.equal(failed.reason, 'http_error');
    await patch(workflowId, { steps: [send(receiver, { body: {} })] });
    isDown = false;
    const resumed = await request('POST', `/workflow-runs/${failed.id}/resume`);
    assert.equal(resumed.status, 200, resumed.text);
    const { status, completedAt, reason } = resumed.json;
    assert.deepEqual([status, completedAt, reason], ['waiting', null, null]);
    const run = await until(failed.id, 'succeeded', 'failed');
    assert.deepEqual([run.status, run.workflowVersion], ['succeeded', 1]);
    assert.deepEqual([stepOf(run, 'mark').attemptCount, stepOf(run, 'send').attempts.length], [1, 2]);
    const [first, second] = receiver.requests;
    assert.deepEqual(
      [second?.body, second?.headers['idempotency-key']],
      [first?.body, first?.headers['idempotency-key']],
    );
    const again = await until((await start(workflowId, id)).id, 'succeeded', 'failed');
    assert.deepEqual([again.workflowVersion, again.eventId, again.trigger], [2, null, 'manual']);
    assert.equal(receiver.requests[2]?.headers['idempotency-key'], `${again.id}.send`);
    const conflict = await request('POST', `/workflow-runs/${failed.id}/resume`);
    assert.deepEqual([conflict.status, conflict.json.error.details.status], [409, 'succeeded']);
  });

  it('goes on with all others of its workflow that failed in a time', async () => {
    let isDown = true;
    const receiver = await eventReceiver((response) => void response.writeHead(isDown ? 400 : 200).end());
    const { create, endedCall, until, start, request, runs } = await newWorkspace(service);
    const { id: workflowId } = await create([send(receiver)]);
    const { id } = await endedCall();
    const since = new Date(service.time.now() - 1000).toISOString();
    for (let count = 0; count < 5; count += 1) await until((await start(workflowId, id)).id, 'failed');
    const until_ = new Date(service.time.now() + 1000).toISOString();
    service.time.advance(60_000);
    const late = await start(workflowId, id);
    await until(late.id, 'failed');
    isDown = false;
    const path = `/workflows/${workflowId}/resume`;
    const none = await request('POST', path, { since: new Date(service.time.now() + 60_000).toISOString() });
    assert.equal(none.json.matched, 0);
    assert.deepEqual((await request('POST', path, { since, until: until_ })).json, { matched: 5 });
    await eventually(async () => (await runs('?status=succeeded')).length === 5);
    assert.equal((await runs('?status=failed')).map((run) => run.id).join(), late.id);
  });

  it('can be canceled while it waits and before it starts: nothing is sent after the response', async () => {
    const receiver = await eventReceiver((response) => void response.writeHead(503).end());
    const { create, endedCall, until, start, request } = await newWorkspace(service);
    const { id: pausing } = await create([{ id: 'pause', type: 'wait', seconds: 60 }, send(receiver)]);
    const { id: retrying } = await create([send(receiver, { maxAttempts: 5 })]);
    const { id } = await endedCall();
    const runs = [
      await until((await start(pausing, id)).id, 'waiting'),
      await until((await start(retrying, id)).id, 'waiting'),
    ];
    assert.equal(receiver.requests.length, 1);
    for (const { id: runId } of runs) {
      const canceled = await request('POST', `/workflow-runs/${runId}/cancel`);
      assert.deepEqual([canceled.json.status, canceled.json.reason], ['canceled', 'by_user']);
      assert.deepEqual((await request('POST', `/workflow-runs/${runId}/cancel`)).json, canceled.json);
      const resumed = await request('POST', `/workflow-runs/${runId}/resume`);
      assert.equal(resumed.status, 409);
    }
    service.time.advance(7_200_000);
    const last = await until((await start(pausing, id)).id, 'waiting');
    service.time.advance(60_000);
    // Whatever was due before it would have been sent by now.
    await until(last.id, 'failed');
    assert.equal(receiver.requests.length, 2);
    const [waited, retried] = await Promise.all(runs.map((run) => until(run.id, 'canceled')));
    assert.deepEqual(
      waited?.steps.map(({ status }) => status),
      ['canceled', 'not_reached'],
    );
    assert.deepEqual([retried?.steps[0]?.status, retried?.steps[0]?.attempts.length], ['canceled', 1]);
  });

  it('is in the audit log under the name of its workflow', async () => {
    const { create, endedCall, until, start, request } = await newWorkspace(service);
    const { id: workflowId, name } = await create([{ id: 'pause', type: 'wait', seconds: 60 }]);
    const { id } = await start(workflowId, (await endedCall()).id);
    await until(id, 'waiting');
    await request('PATCH', `/workflows/${workflowId}`, { name: 'After the call' });
    await request('POST', `/workflow-runs/${id}/cancel`);
    const { items } = (await request('GET', `/audit-log?resourceId=${id}`)).json;
    assert.deepEqual(
      items.map((entry: AuditEntry) => [entry.routeId, entry.resourceName]),
      [
        ['workflows.runs.cancel', 'After the call'],
        ['workflows.runs.create', name],
      ],
    );
  });

  it('records a request that is in flight when it is canceled, and nothing follows it', async () => {
    const answers: (() => void)[] = [];
    const receiver = await eventReceiver((response) => {
      answers.push(() => response.end('late'));
    });
    const { create, endedCall, until, start, request, run } = await newWorkspace(service);
    const { id: workflowId } = await create([send(receiver), send(receiver, { id: 'next' })]);
    const { id } = await endedCall();
    const started = await start(workflowId, id);
    await eventually(() => receiver.requests.length === 1, 'a request');
    assert.equal((await request('POST', `/workflow-runs/${started.id}/cancel`)).json.status, 'canceled');
    answers[0]?.();
    await eventually(async () => stepOf(await run(started.id), 'send').attempts.length === 1, 'the attempt');
    const canceled = await until(started.id, 'canceled');
    const { status, attempts } = stepOf(canceled, 'send');
    assert.deepEqual([status, attempts[0]?.outcome, attempts[0]?.responseBody], ['succeeded', 'succeeded', 'late']);
    assert.equal(stepOf(canceled, 'next').status, 'not_reached');
    assert.equal(receiver.requests.length, 1);
  });

  it('ends with its workflow: open runs are canceled, and all can still be read', async () => {
    const receiver = await eventReceiver((response) => void response.writeHead(400).end());
    const { create, endedCall, until, start, request, run } = await newWorkspace(service);
    const { id: workflowId } = await create([send(receiver), { id: 'pause', type: 'wait', seconds: 60 }]);
    const { id: waitingId } = await create([{ id: 'pause', type: 'wait', seconds: 60 }]);
    const { id } = await endedCall();
    const failed = await until((await start(workflowId, id)).id, 'failed');
    const waiting = await until((await start(waitingId, id)).id, 'waiting');
    for (const one of [workflowId, waitingId]) assert.equal((await request('DELETE', `/workflows/${one}`)).status, 200);
    const canceled = await run(waiting.id);
    assert.deepEqual([canceled.status, canceled.reason], ['canceled', 'workflow_deleted']);
    assert.deepEqual(await run(failed.id), failed);
    const resumed = await request('POST', `/workflow-runs/${failed.id}/resume`);
    assert.deepEqual([resumed.status, resumed.json.error.details.reason], [409, 'workflow_deleted']);
    assert.equal((await request('POST', `/workflows/${workflowId}/runs`, { callId: id })).status, 404);
  });

  it('fails 45 days after its start, whatever it waits for', async () => {
    const { create, endedCall, until, start } = await newWorkspace(service);
    const pause = (id: string) => ({ id, type: 'wait', seconds: 30 * 86_400 });
    const { id: workflowId } = await create([pause('first'), pause('second')]);
    const { id } = await endedCall();
    const { id: runId } = await until((await start(workflowId, id)).id, 'waiting');
    service.time.advance(30 * 86_400_000);
    await eventually(async () => stepOf(await until(runId, 'waiting'), 'second').status === 'waiting');
    service.time.advance(15 * 86_400_000);
    const run = await until(runId, 'failed', 'succeeded');
    assert.deepEqual([run.reason, stepOf(run, 'second').error?.code], ['timeout', 'timeout']);
  });

  it('goes on after its process was lost: with the same bytes, and one attempt more than are listed', async () => {
    const receiver = await eventReceiver((response) => void response.writeHead(503).end());
    const { create, endedCall, until, start } = await newWorkspace(service);
    const { id: workflowId } = await create([send(receiver, { maxAttempts: 5 })]);
    const { id } = await endedCall();
    const { id: runId } = await until((await start(workflowId, id)).id, 'waiting');
    // As a process leaves it that ends after the request was sent, and before its result was stored.
    await service.database.run("UPDATE workflow_steps SET status = 'running', attempt_count = 2 WHERE run_id = $1", [
      runId,
    ]);
    await service.database.run(
      "UPDATE workflow_runs SET status = 'running', lease_owner = 'lost', lease_until = 1 WHERE id = $1",
      [runId],
    );
    const run = await eventually(async () => {
      const found = await until(runId, 'waiting', 'running');
      return stepOf(found, 'send').attempts.length === 2 && found;
    });
    const { attemptCount, attempts } = stepOf(run, 'send');
    assert.deepEqual([attemptCount, attempts.map(({ number }) => number)], [3, [1, 3]]);
    const [first, second] = receiver.requests;
    assert.deepEqual(
      [second?.body, second?.headers['idempotency-key']],
      [first?.body, first?.headers['idempotency-key']],
    );
  });

  it('is skipped while too many are open', async () => {
    const { create, endedCall, start, workspaceId } = await newWorkspace(service);
    const { id: workflowId } = await create([{ id: 'pause', type: 'wait', seconds: 60 }]);
    const { id } = await endedCall();
    const { id: open } = await start(workflowId, id);
    await service.database.run(
      `INSERT INTO workflow_runs (workspace_id, id, workflow_id, workflow_version, call_id, status, triggered_by, depth,
          due_at, attempt, content_removed, created_at)
        SELECT workspace_id, id || column1, workflow_id, workflow_version, call_id, 'waiting', triggered_by, depth,
          9999999999999, 0, 0, created_at
        FROM workflow_runs, (VALUES ${Array.from({ length: 999 }, (_, index) => `('${index}')`).join()}) AS numbers
        WHERE id = $1 AND workspace_id = $2`,
      [open, workspaceId],
    );
    // They are counted from time to time.
    service.time.advance(30_000);
    const skipped = await start(workflowId, id);
    assert.deepEqual(
      [skipped.status, skipped.reason, skipped.steps[0]?.status],
      ['skipped', 'limit_reached', 'not_reached'],
    );
  });
});
