import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Calls } from '../../../src/areas/calls/area.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { phoneNumberId } from '../calls/phone/support.ts';
import { eventReceiver, newWorkspace, onEnd, stepOf, useWorkflowService } from './support.ts';

onEachEngine('what starts a run', (engine) => {
  let phone: Calls['phone'] | undefined;
  const service = useWorkflowService(engine, {
    otherAreas: (_kernel, given) => {
      phone = given;
      return [];
    },
  });
  const pause = { id: 'pause', type: 'wait', seconds: 60 };
  const analyzed = { event: 'call_analyzed', includeDrafts: true };
  const endPhoneCall = (workspaceId: string, callId: string) =>
    service.database.transaction(async (queries) => {
      await phone?.end(queries, workspaceId, callId, { reason: 'dial_no_answer', by: 'system', detail: null });
    });

  const matchAgain = async (eventId: string | null) => {
    const sql = `UPDATE jobs SET state = 'queued', finished_at = NULL, attempt = 0, lease_owner = NULL, lease_until = NULL,
      run_at = 0 WHERE kind = 'workflow_match' AND dedupe_key = $1`;
    await service.database.run(sql, [String(eventId)]);
    await eventually(async () => {
      const row = await service.database.get(
        "SELECT 1 AS one FROM jobs WHERE kind = 'workflow_match' AND dedupe_key = $1 AND finished_at IS NULL",
        [String(eventId)],
      );
      return row === undefined;
    });
  };

  it('is the event, the filter, the agents and drafts of the trigger: each only of its own workspace', async () => {
    const { enabled, create, endedCall, runs, agent, key } = await newWorkspace(service);
    const other = await newWorkspace(service);
    const { id: agentId } = await agent();
    const page = (value: string) => ({ field: 'metadata.page', op: 'eq', value });
    const matching = [
      await enabled([pause]),
      await enabled([pause], { ...onEnd, filter: page('/a') }),
      await enabled([pause], analyzed),
    ];
    await enabled([pause], { ...onEnd, filter: page('/b') });
    await enabled([pause], { ...onEnd, agentIds: [agentId] });
    await enabled([pause], { event: 'call_ended' });
    await create([pause], onEnd);
    await other.enabled([pause]);
    const { id } = await endedCall({ metadata: { page: '/a' } });
    const ids = matching.map((workflow) => workflow.id);
    const found = await eventually(async () => {
      const started = await runs(`?callId=${id}`);
      return started.length >= 3 && started;
    });
    assert.deepEqual(found.map(({ workflowId }) => workflowId).sort(), ids.sort());
    assert.ok(found.every(({ eventId }) => eventId?.startsWith('evt_')));
    assert.deepEqual(await other.runs(), []);
    assert.ok(key);
  });

  it('starts nothing for events before the workflow was enabled', async () => {
    const { create, patch, endedCall, runs, runOf } = await newWorkspace(service);
    const { id: workflowId } = await create([pause]);
    const before = await endedCall();
    await patch(workflowId, { enabled: true });
    const after = await endedCall();
    await runOf(after.id, 'waiting');
    assert.deepEqual(await runs(`?callId=${before.id}`), []);
  });

  it('is judged by the order of transactions: clocks that differ, or are set back, start nothing too much and miss nothing', async (context) => {
    const { create, enabled, patch, endedCall, runs, runOf } = await newWorkspace(service);
    const hourMs = 3_600_000;
    const early = await enabled([pause]);
    service.time.advance(-hourMs);
    context.after(() => service.time.advance(hourMs));
    const { id: behind } = await endedCall();
    const { eventId } = await runOf(behind, 'waiting');
    // It is later on this clock than the next workflow is enabled on another one, and earlier in the database.
    const { id: late } = await create([pause]);
    service.time.advance(-hourMs);
    context.after(() => service.time.advance(hourMs));
    await patch(late, { enabled: true });
    await matchAgain(eventId);
    assert.deepEqual(
      (await runs(`?callId=${behind}`)).map(({ workflowId }) => workflowId),
      [early.id],
    );
    const { id: last } = await endedCall();
    const started = await eventually(async () => {
      const found = await runs(`?callId=${last}`);
      return found.length === 2 && found;
    });
    assert.deepEqual(started.map(({ workflowId }) => workflowId).toSorted(), [early.id, late].toSorted());
  });

  it('is one event for each call, unless it is to be every analysis', async () => {
    const { enabled, endedCall, runs, request } = await newWorkspace(service);
    const { id: once } = await enabled([pause], analyzed);
    const { id: always } = await enabled([pause], { ...analyzed, onEveryAnalysis: true });
    const { id } = await endedCall();
    await eventually(async () => (await runs(`?callId=${id}`)).length === 2);
    const again = await request('POST', `/calls/${id}/analysis`, { model: 'test-extract' });
    assert.equal(again.status, 201, again.text);
    await eventually(async () => (await runs(`?callId=${id}`)).length === 3);
    const started = (await runs(`?callId=${id}`)).map(({ workflowId }) => workflowId);
    assert.deepEqual(started.toSorted(), [once, always, always].toSorted());
  });

  it('is one run for an event, also if it is matched twice', async () => {
    const { enabled, endedCall, runs, runOf } = await newWorkspace(service);
    await enabled([pause], { ...analyzed, onEveryAnalysis: true });
    const { id } = await endedCall();
    const { eventId } = await runOf(id, 'waiting');
    await matchAgain(eventId);
    assert.equal((await runs(`?callId=${id}`)).length, 1);
  });

  it('stops at depth 4 if a workflow starts itself by calling back', async () => {
    const { enabled, endedCall, runs, agent, workspaceId } = await newWorkspace(service);
    const { id: agentId } = await agent();
    const call = {
      type: 'phone',
      agentId,
      agentVersion: 'latest',
      fromPhoneNumberId: phoneNumberId,
      to: '+819012345678',
    };
    await enabled([{ id: 'call', type: 'create_call', call }]);
    await endedCall();
    for (let depth = 1; depth <= 3; depth += 1) {
      const run = await eventually(async () => {
        const found = (await runs()).find((each) => each.depth === depth);
        return found?.status === 'succeeded' && found;
      }, `the run at depth ${depth}`);
      await endPhoneCall(workspaceId, String(stepOf(run, 'call').output?.callId));
    }
    const last = await eventually(async () => (await runs()).find(({ depth }) => depth === 4));
    assert.deepEqual([last.status, last.reason, last.startedAt], ['skipped', 'loop', null]);
    assert.equal((await runs()).length, 4);
  });

  it('calls a number at most three times a day, whichever workflow does', async () => {
    const { create, endedCall, start, until, agent } = await newWorkspace(service);
    const { id: agentId } = await agent();
    const call = { type: 'phone', agentId, agentVersion: 'latest', fromPhoneNumberId: phoneNumberId };
    const step = (to: string) => [{ id: 'call', type: 'create_call', call: { ...call, to } }];
    const [first, second] = [await create(step('+819012345678')), await create(step('+819012345678'))];
    const { id: elsewhere } = await create(step('+819087654321'));
    const { id } = await endedCall();
    const statusOf = async (workflowId: string) => {
      const { status, reason } = await until((await start(workflowId, id)).id, 'succeeded', 'failed', 'waiting');
      return [status, reason];
    };
    for (const workflowId of [first.id, second.id, first.id]) {
      assert.deepEqual(await statusOf(workflowId), ['succeeded', null]);
    }
    assert.deepEqual(await statusOf(second.id), ['failed', 'destination_limit']);
    assert.deepEqual(await statusOf(elsewhere), ['succeeded', null]);
    service.time.advance(25 * 3_600_000);
    assert.deepEqual(await statusOf(first.id), ['succeeded', null]);
  });

  it('tries a call again that has no free slot, and fails with what calls.create refuses', async () => {
    const { create, endedCall, start, until, agent } = await newWorkspace(service);
    const { id: agentId } = await agent();
    const call = { type: 'phone', agentId, agentVersion: 'latest', fromPhoneNumberId: phoneNumberId };
    const { id: workflowId } = await create([
      { id: 'call', type: 'create_call', call: { ...call, to: '+819012345678' } },
    ]);
    const { id: invalid } = await create([
      { id: 'call', type: 'create_call', call: { ...call, to: '{{call.from | default: "nobody"}}' } },
    ]);
    const { id } = await endedCall();
    service.lines.max = 0;
    const { id: runId } = await until((await start(workflowId, id)).id, 'waiting');
    service.lines.max = null;
    service.time.advance(11_000);
    const run = await until(runId, 'succeeded', 'failed');
    assert.deepEqual([run.status, stepOf(run, 'call').attemptCount], ['succeeded', 2]);
    const refused = await until((await start(invalid, id)).id, 'failed', 'succeeded');
    assert.equal(refused.reason, 'VALIDATION_ERROR');
  });

  it('disables the workflow after 20 failed runs in a row, and says so in events', async () => {
    const receiver = await eventReceiver((response, _request, index) => {
      response.writeHead(index === 5 ? 200 : 400).end();
    });
    const { enabled, endedCall, start, until, request } = await newWorkspace(service);
    const { id: workflowId } = await enabled([{ id: 'send', type: 'http_request', url: receiver.url }]);
    const { id } = await endedCall();
    const workflow = async () => (await request('GET', `/workflows/${workflowId}`)).json;
    // The event has started one.
    await eventually(() => receiver.requests.length === 1);
    const runs = [];
    for (let count = 0; count < 24; count += 1)
      runs.push(await until((await start(workflowId, id)).id, 'failed', 'succeeded'));
    assert.deepEqual(
      [(await workflow()).enabled, runs.filter(({ status }) => status === 'succeeded').length],
      [true, 1],
    );
    await until((await start(workflowId, id)).id, 'failed');
    assert.deepEqual([(await workflow()).enabled, (await workflow()).disabledReason], [false, 'failing']);
    const { items } = (await request('GET', '/events?limit=200')).json;
    const ofWorkflow = items.filter(({ subject }: { subject: { id: string } }) => subject.id === workflowId);
    const types = ofWorkflow.map(({ type }: { type: string }) => type);
    assert.equal(types.filter((type: string) => type === 'workflow_run_failed').length, 25);
    assert.deepEqual(types[0], 'workflow_disabled');
    const { data } = ofWorkflow[1].body;
    assert.deepEqual([data.workflowId, data.callId, data.stepId, data.code], [workflowId, id, 'send', 'http_error']);
    const again = await request('PATCH', `/workflows/${workflowId}`, { enabled: true });
    assert.deepEqual([again.json.enabled, again.json.disabledReason], [true, null]);
    await until((await start(workflowId, id)).id, 'failed');
    assert.equal((await workflow()).enabled, true);
  });
});
