import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { eventReceiver, newWorkspace, startWorkflowService, stepOf, workspaceOf } from './support.ts';

onEachEngine('two instances with one database', (engine) => {
  it('share the runs: each has its effects once, also if one of them stops in the middle', async () => {
    const databaseUrl = await engine.newServiceUrl();
    const [one, other] = [
      await startWorkflowService(engine, { databaseUrl }),
      await startWorkflowService(engine, { databaseUrl }),
    ];
    const bodies = new Map<string, Set<string>>();
    let open = 0;
    let most = 0;
    const receiver = await eventReceiver(async (response, { headers, body }) => {
      const key = String(headers['idempotency-key']);
      bodies.set(key, (bodies.get(key) ?? new Set()).add(body));
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      response.end();
    });
    const { key, create, endedCall, start } = await newWorkspace(one);
    const { id: workflowId } = await create([
      { id: 'send', type: 'http_request', url: receiver.url, body: { run: '{{run.id}}', at: '{{now}}' } },
      { id: 'count', type: 'update_call', metadata: { last: '{{run.id}}' } },
    ]);
    const { id: callId } = await endedCall();
    const ids = await Promise.all(Array.from({ length: 60 }, async () => (await start(workflowId, callId)).id));
    await eventually(() => receiver.requests.length >= 20, 'some requests');
    await one.close();
    const { run } = workspaceOf(other, key);
    for (const id of ids) {
      const ended = await eventually(async () => {
        const found = await run(id);
        return found.completedAt !== null && found;
      }, 'the end of a run');
      assert.equal(ended.status, 'succeeded', JSON.stringify(ended));
      assert.deepEqual([stepOf(ended, 'send').status, stepOf(ended, 'count').attemptCount], ['succeeded', 1]);
      assert.equal(bodies.get(`${id}.send`)?.size, 1);
    }
    assert.equal(bodies.size, ids.length);
    assert.ok(most <= 10, String(most));
    await other.close();
  });
});
