import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Call } from '../../../src/contract/calls/call.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { seed } from '../../support/seed.ts';
import { randomFilter } from '../calls/random-filters.ts';
import { useMatchingCalls } from './matching-calls.ts';
import { newWorkspace, useWorkflowService } from './support.ts';

onEachEngine('a filter of a workflow', (engine) => {
  const compare = useMatchingCalls(engine);
  const service = useWorkflowService(engine);

  it('matches the same calls in a test, after an event and in calls.search', () =>
    compare({ seed, calls: 60, filters: 150, isInThread: true }));

  it('starts a run exactly if a test says so, and if calls.search finds the call', async () => {
    const { request, enabled, endedCall, runs } = await newWorkspace(service);
    const filters = fc.sample(randomFilter, { numRuns: 40, seed });
    const own = { field: 'metadata.page', op: 'eq', value: 'ギンザ' } as const;
    const trigger = { event: 'call_analyzed', includeDrafts: true };
    const workflows = [];
    for (const filter of [own, { not: own }, ...filters]) {
      const wait = { id: 'pause', type: 'wait', seconds: 60 };
      workflows.push({ filter, workflow: await enabled([wait], { ...trigger, filter }) });
    }
    const call: Call = await endedCall({
      externalId: 'visit-1',
      metadata: { page: 'ギンザ', n: 2 },
      variables: { page: '1' },
    });
    const expected = [];
    const found = [];
    for (const { filter, workflow } of workflows) {
      const test = await request('POST', '/workflows/test', { callId: call.id, workflowId: workflow.id });
      assert.equal(test.status, 200, test.text);
      if (test.json.matched) expected.push(workflow.id);
      const search = await request('POST', '/calls/search', { filter });
      if (search.json.items.some(({ id }: Call) => id === call.id)) found.push(workflow.id);
    }
    assert.deepEqual(found, expected);
    assert.ok(expected.includes(workflows[0]?.workflow.id as string));
    const started = await eventually(async () => {
      const all = await runs(`?callId=${call.id}&limit=200`);
      return all.length >= expected.length && all;
    }, 'the runs');
    assert.deepEqual(started.map(({ workflowId }) => workflowId).sort(), expected.sort());
  });
});
