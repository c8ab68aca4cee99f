import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import fc from 'fast-check';
import { type CallListing, createCallListing, maxScanned } from '../../../src/areas/calls/listing/listing.ts';
import { CallScan } from '../../../src/areas/calls/listing/scan.ts';
import { explainTrigger, triggerMatcher } from '../../../src/areas/workflows/steps/filters.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import type { Filter } from '../../../src/contract/filter.ts';
import type { Trigger } from '../../../src/contract/workflows/definition.ts';
import { afterEveryId } from '../../../src/storage/page.ts';
import type { Engine } from '../../support/engines.ts';
import { insertCalls, newWorkspace } from '../../support/stored-calls.ts';
import { idsOf, useDatabase } from '../calls/listing-support.ts';
import { randomCall, randomFilter } from '../calls/random-filters.ts';

function triggerWith(filter: Filter): Trigger {
  return { event: 'call_ended', agentIds: [], filter, onEveryAnalysis: false, includeDrafts: true };
}

export interface MatchingOptions {
  readonly seed: number;
  readonly calls: number;
  readonly filters: number;
  /** As calls.search does. Ten times as slow. */
  readonly isInThread: boolean;
}

/** Random calls and filters: what a test says, what starts a run and what calls.search finds is the same. */
export function useMatchingCalls(engine: Engine) {
  const context = useDatabase(engine);
  let listing: CallListing;
  before(() => {
    listing = createCallListing(context.database);
  });
  after(() => listing.close());

  const search = async (workspaceId: string, filter: Filter, limit: number, isInThread: boolean) => {
    if (isInThread) return idsOf(await listing.searchCalls(workspaceId, filter, null, limit));
    const scan = new CallScan(context.database, { workspaceId, filter, limit, maxScanned });
    return [...(await scan.finish(scan.start(afterEveryId))).ids];
  };

  return async (options: MatchingOptions): Promise<void> => {
    const workspaceId = await newWorkspace(context.database);
    const calls = fc.sample(randomCall(workspaceId), { numRuns: options.calls, seed: options.seed });
    await insertCalls(context.database, calls);
    // As they are read from the database.
    const stored = calls.map((call) => JSON.parse(JSON.stringify(call)) as Call);
    const matchers = stored.map((call) => ({ call, matches: triggerMatcher(call) }));
    let found = 0;
    for (const filter of fc.sample(randomFilter, { numRuns: options.filters, seed: options.seed })) {
      const trigger = triggerWith(filter);
      const started = matchers.filter(({ matches }) => matches(trigger)).map(({ call }) => call.id);
      const tested = stored.filter((call) => explainTrigger(trigger, call).matched).map(({ id }) => id);
      const searched = await search(workspaceId, filter, options.calls, options.isInThread);
      const message = JSON.stringify({ filter, seed: options.seed });
      assert.deepEqual(started.sort(), searched.sort(), message);
      assert.deepEqual(tested.sort(), started, message);
      found += searched.length;
    }
    const pairs = options.calls * options.filters;
    assert.ok(found > pairs / 20 && found < pairs - pairs / 20, `${found} of ${pairs} match`);
  };
}
