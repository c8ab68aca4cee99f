import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCallListing } from '../../../src/areas/calls/listing/listing.ts';
import type { Filter } from '../../../src/contract/filter.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { newWorkspace } from '../../support/stored-calls.ts';
import { idsOf, useDatabase } from './listing-support.ts';

const filter: Filter = { field: 'metadata.page', op: 'exists', value: true };

describe('searches in threads', () => {
  const context = useDatabase(sqliteEngine());

  it('wait for a thread, half of them of one workspace, and the rest gets 503', async (test) => {
    const listing = createCallListing(context.database, { runners: 1, waiting: 4, maxWaitMs: 60_000 });
    test.after(() => listing.close());
    const [one, other] = [await newWorkspace(context.database), await newWorkspace(context.database)];
    const search = (workspaceId: string) =>
      listing.searchCalls(workspaceId, filter, null, 5).then(
        () => 'found',
        (error) => error.code,
      );
    // The first one occupies the thread, which has to start, while all others arrive.
    const crowd = Array.from({ length: 6 }, () => search(one));
    const others = Array.from({ length: 2 }, () => search(other));
    const refused = Array.from({ length: 3 }, () => 'SERVICE_UNAVAILABLE');
    assert.deepEqual(await Promise.all(crowd), ['found', 'found', 'found', ...refused]);
    assert.deepEqual(await Promise.all(others), ['found', 'found']);
  });

  it('are refused once the listing is closed, while SQL alone still works', async () => {
    const listing = createCallListing(context.database);
    const workspaceId = await newWorkspace(context.database);
    await listing.close();
    await assert.rejects(listing.searchCalls(workspaceId, filter, null, 5), { code: 'SERVICE_UNAVAILABLE' });
    assert.deepEqual(idsOf(await listing.listCalls(workspaceId, {}, null, 5)), []);
  });
});
