import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createIdGenerator } from '../../../src/core/ids.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { eventReceiver, newWorkspace, useWorkflowService } from './support.ts';

const slowRuns = 10_000;
const batchSize = 500;
const quickRuns = 100;

onEachEngine('a receiver that takes 30 seconds, with 10,000 runs', (engine) => {
  const service = useWorkflowService(engine);

  it('delays only its own workflow: another one is as fast as alone', async () => {
    const slow = await eventReceiver((response) => void setTimeout(() => response.end(), 30_000).unref());
    const quick = await eventReceiver();
    const { create, endedCall, start, until, workspaceId } = await newWorkspace(service);
    const sending = (url: string) => [{ id: 'send', type: 'http_request', url, body: {}, timeoutMs: 30_000 }];
    const [slowId, quickId] = [(await create(sending(slow.url))).id, (await create(sending(quick.url))).id];
    const { id: callId } = await endedCall();
    const slowest = async (): Promise<number> => {
      const times: number[] = [];
      for (let count = 0; count < quickRuns; count += 1) {
        const startMs = performance.now();
        assert.equal((await until((await start(quickId, callId)).id, 'succeeded', 'failed')).status, 'succeeded');
        times.push(performance.now() - startMs);
      }
      return times.toSorted((one, other) => one - other)[Math.floor(quickRuns * 0.99) - 1] as number;
    };
    const aloneMs = await slowest();

    const newId = createIdGenerator();
    const values = [workspaceId, slowId, callId, Date.now()];
    for (let added = 0; added < slowRuns; added += batchSize) {
      const ids = Array.from({ length: batchSize }, () => newId('run'));
      const rows = ids.map((_, place) => `($1, $${place + 5}, $2, 1, $3, 'pending', 'manual', 1, 0, 0, 0, $4)`);
      await service.database.run(
        `INSERT INTO workflow_runs (workspace_id, id, workflow_id, workflow_version, call_id, status, triggered_by, depth,
            due_at, attempt, content_removed, created_at) VALUES ${rows.join(', ')}`,
        [...values, ...ids],
      );
    }
    await eventually(() => slow.requests.length >= 10, 'ten requests to the slow receiver');
    const besideMs = await slowest();
    assert.equal(slow.maxInFlight(), 10);
    // One after the other, the slow ones would take hours. The rest is for a busy machine.
    assert.ok(besideMs < 3 * aloneMs + 1000, `${besideMs} ms beside them, ${aloneMs} ms alone`);
  });
});
