import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { createCallListing } from '../../../src/areas/calls/listing/listing.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import { callColumns, callFields } from '../../../src/contract/calls/fields.ts';
import { type Filter, filterIssues } from '../../../src/contract/filter.ts';
import { compileFilter } from '../../../src/core/filter.ts';
import { onEachEngine } from '../../support/engines.ts';
import { insertCalls, newWorkspace } from '../../support/stored-calls.ts';
import { idsOf, useDatabase } from './listing-support.ts';
import { fieldValue, randomCall, randomFilter } from './random-filters.ts';

const isTime = (field: string) => callColumns[field]?.type === 'time';

/** What a filter finds, by its definition: newest first. */
function matching(calls: readonly Call[], filter: Filter): string[] {
  const matches = compileFilter(filter, undefined, isTime);
  return calls
    .filter((call) => matches((field) => fieldValue(call, field)))
    .map(({ id }) => id)
    .sort()
    .reverse();
}

onEachEngine('filters of calls', (engine) => {
  const context = useDatabase(engine);
  const calls: Call[] = [];
  let workspaceId = '';
  let listing: ReturnType<typeof createCallListing>;

  before(async () => {
    workspaceId = await newWorkspace(context.database);
    calls.push(...fc.sample(randomCall(workspaceId), { numRuns: 300, seed: 7 }));
    await insertCalls(context.database, calls);
    listing = createCallListing(context.database);
  });
  after(() => listing.close());

  const search = async (filter: Filter) => idsOf(await listing.searchCalls(workspaceId, filter, null, 400));

  it('find what the function finds, for any call and any filter', async () => {
    await fc.assert(
      fc.asyncProperty(randomFilter, async (filter) => {
        assert.deepEqual(filterIssues(filter, callFields), []);
        assert.deepEqual(await search(filter), matching(calls, filter));
      }),
      { numRuns: 200, seed: 11 },
    );
  });

  it('never lose a call to a missing value inside of not', async () => {
    for (const field of [...Object.keys(callColumns), 'metadata.page', 'variables.shop']) {
      const exists: Filter = { field, op: 'exists', value: true };
      const found = await search(exists);
      const others = await search({ not: exists });
      assert.equal(found.length + others.length, calls.length, field);
    }
  });

  it('compare with numbers that no integer column can have', async () => {
    const count = async (op: 'lt' | 'lte' | 'gt' | 'gte' | 'eq' | 'ne', value: number) =>
      (await search({ field: 'agentVersion', op, value })).length;
    for (const large of [Number.POSITIVE_INFINITY, 1e300]) {
      assert.deepEqual([await count('lt', large), await count('gt', large)], [calls.length, 0]);
      assert.deepEqual([await count('lte', -large), await count('gte', -large)], [0, calls.length]);
      assert.deepEqual([await count('eq', large), await count('ne', large)], [0, calls.length]);
    }
    assert.equal(await count('lt', 1.5), await count('lte', 1));
    assert.equal(await count('gte', 1.5), await count('gt', 1));
    assert.deepEqual([await count('eq', 1.5), await count('ne', 1.5)], [0, calls.length]);
  });
});
