import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CallListing, createCallListing, maxScanned } from '../../../src/areas/calls/listing/listing.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import type { Filter } from '../../../src/contract/filter.ts';
import type { Database } from '../../../src/storage/database.ts';
import type { Page } from '../../../src/storage/page.ts';
import { onEachEngine } from '../../support/engines.ts';
import {
  analysisWith,
  callWith,
  insertCall,
  insertCalls,
  newWorkspace,
  updateCall,
} from '../../support/stored-calls.ts';
import { callsOf, idsOf, useDatabase } from './listing-support.ts';

/** A filter that is compared in a thread and one that SQL compares; both match the same calls. */
const wanted = { externalId: 'wanted', metadata: { wanted: true } };
const filters: Readonly<Record<string, Filter>> = {
  'on columns': { field: 'externalId', op: 'in', value: ['wanted', 'other'] },
  'on values inside of JSON': { field: 'metadata.wanted', op: 'eq', value: true },
};

async function walk(page: (before: string | null) => Promise<Page<Call>>) {
  const ids: string[] = [];
  let pages = 0;
  for (let before: string | null = null; pages === 0 || before !== null; pages += 1) {
    const found: Page<Call> = await page(before);
    ids.push(...idsOf(found));
    before = found.next;
  }
  return { ids, pages };
}

/** Copies of a call. Their documents are those of the original. */
async function insertCopies(database: Database, call: Call, count: number): Promise<void> {
  await insertCall(database, call);
  const { rows } = { rows: await database.all<{ name: string }>(columnNames(database)) };
  const names = rows.map(({ name }) => name).filter((name) => name !== 'id');
  await database.run(
    `INSERT INTO calls (id, ${names.join(', ')})
      WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${count - 1})
      SELECT id || '_' || CAST(1000000 + number AS TEXT), ${names.join(', ')} FROM calls, numbers WHERE id = $1`,
    [call.id],
  );
}

function columnNames({ dialect }: Database): string {
  return dialect.engine === 'sqlite'
    ? "SELECT name FROM pragma_table_info('calls')"
    : "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'calls'";
}

onEachEngine('listing calls', (engine) => {
  const context = useDatabase(engine);
  let listing: CallListing;
  before(() => {
    listing = createCallListing(context.database);
  });
  after(() => listing.close());

  const newCalls = async (changes: readonly Partial<Call>[]) => {
    const workspaceId = await newWorkspace(context.database);
    const calls = changes.map((change) => callWith({ workspaceId, ...change }));
    await insertCalls(context.database, calls);
    return { workspaceId, calls, newestFirst: calls.map(({ id }) => id).reverse() };
  };

  it('returns the stored documents of the workspace, newest first', async () => {
    const { workspaceId, calls } = await newCalls([{}, {}, {}]);
    await newCalls([{}]);
    const page = await listing.listCalls(workspaceId, {}, null, 50);
    assert.deepEqual(callsOf(page), calls.toReversed());
    assert.equal(page.next, null);
  });

  it('combines filters with AND, and the values of one with OR', async () => {
    const ended = { status: 'ended', endReason: 'api_end', type: 'web' } as const;
    const { workspaceId, calls } = await newCalls([
      { ...ended, agentId: 'agt_a', agentVersion: 2, createdAt: '2026-01-01T00:00:00.000Z' },
      { ...ended, agentId: 'agt_b', externalId: 'a,b', createdAt: '2026-01-02T00:00:00.000Z' },
      { agentId: 'agt_a', analysis: analysisWith({ successful: true, sentiment: 'mixed' }) },
      { agentId: 'agt_c', analysis: analysisWith({ successful: false }) },
    ]);
    const found = async (given: Parameters<CallListing['listCalls']>[1]) => {
      const ids = idsOf(await listing.listCalls(workspaceId, given, null, 50));
      return ids.map((id) => calls.findIndex((call) => call.id === id)).sort();
    };
    assert.deepEqual(await found({ agentId: ['agt_a'] }), [0, 2]);
    assert.deepEqual(await found({ agentId: ['agt_a', 'agt_b'] }), [0, 1, 2]);
    assert.deepEqual(await found({ agentId: ['agt_a', 'agt_b'], status: ['ended'] }), [0, 1]);
    assert.deepEqual(await found({ agentId: ['agt_a'], status: ['ended', 'error'] }), [0]);
    assert.deepEqual(await found({ agentId: ['agt_unknown'] }), []);
    assert.deepEqual(await found({ agentVersion: [2] }), [0]);
    assert.deepEqual(await found({ type: ['web'], direction: ['inbound'], endReason: ['api_end'] }), [0, 1]);
    assert.deepEqual(await found({ direction: ['outbound'] }), []);
    assert.deepEqual(await found({ externalId: 'a,b' }), [1]);
    assert.deepEqual(await found({ externalId: 'a,b', status: ['error'] }), []);
    assert.deepEqual(await found({ successful: true, sentiment: ['mixed'] }), [2]);
    assert.deepEqual(await found({ successful: false }), [3]);
    const [first, second] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
    assert.deepEqual(await found({ createdAfter: first, createdBefore: second }), [0]);
    assert.deepEqual(await found({ createdAfter: second, createdBefore: second + 1 }), [1]);
    assert.deepEqual(await found({ createdBefore: Date.UTC(10_000, 0, 1) }), [0, 1, 2, 3]);
  });

  it('pages without gaps or duplicates while calls are added', async () => {
    const { workspaceId, newestFirst } = await newCalls(Array.from({ length: 25 }, () => wanted));
    const pages = {
      list: (before: string | null) => listing.listCalls(workspaceId, {}, before, 4),
      filtered: (before: string | null) => listing.listCalls(workspaceId, { status: ['registered'] }, before, 4),
      ...Object.fromEntries(
        Object.entries(filters).map(([name, filter]) => [
          name,
          (before: string | null) => listing.searchCalls(workspaceId, filter, before, 4),
        ]),
      ),
    };
    for (const [name, page] of Object.entries(pages)) {
      const { ids } = await walk(async (before) => {
        const found = await page(before);
        await insertCall(context.database, callWith({ workspaceId, ...wanted }));
        return found;
      });
      assert.deepEqual(
        ids.filter((id) => newestFirst.includes(id)),
        newestFirst,
        name,
      );
      assert.equal(new Set(ids).size, ids.length, name);
    }
  });

  it('says that nothing follows exactly when nothing does', async () => {
    const { workspaceId, newestFirst } = await newCalls(Array.from({ length: 4 }, () => wanted));
    for (const [name, filter] of Object.entries(filters)) {
      assert.equal((await listing.searchCalls(workspaceId, filter, null, 3)).next, newestFirst[2], name);
      assert.equal((await listing.searchCalls(workspaceId, filter, null, 4)).next, null, name);
    }
    assert.equal((await listing.listCalls(workspaceId, {}, null, 3)).next, newestFirst[2]);
    assert.equal((await listing.listCalls(workspaceId, {}, null, 4)).next, null);
    assert.equal((await listing.listCalls(workspaceId, { status: ['error'] }, null, 4)).next, null);
  });

  it('ends a page at 8 MiB, and continues after it', async () => {
    const endDetail = 'x'.repeat(3 * 1024 * 1024);
    const { workspaceId, newestFirst } = await newCalls(Array.from({ length: 5 }, () => ({ ...wanted, endDetail })));
    for (const filter of Object.values(filters)) {
      const { ids, pages } = await walk((before) => listing.searchCalls(workspaceId, filter, before, 50));
      assert.deepEqual([ids, pages], [newestFirst, 3]);
    }
    const listed = await walk((before) => listing.listCalls(workspaceId, {}, before, 50));
    assert.deepEqual([listed.ids, listed.pages], [newestFirst, 3]);
  });

  it('finds what was committed before, in the process and in a thread', async () => {
    const workspaceId = await newWorkspace(context.database);
    for (let round = 0; round < 20; round += 1) {
      const call = callWith({ workspaceId, externalId: `round-${round}`, metadata: { round } });
      await insertCall(context.database, call);
      const byColumn: Filter = { all: [{ field: 'externalId', op: 'eq', value: `round-${round}` }] };
      const byValue: Filter = { field: 'metadata.round', op: 'eq', value: round };
      for (const filter of [byColumn, byValue]) {
        assert.deepEqual(idsOf(await listing.searchCalls(workspaceId, filter, null, 5)), [call.id]);
      }
      await updateCall(context.database, { ...call, externalId: null, metadata: {} });
      for (const filter of [byColumn, byValue]) {
        assert.deepEqual(idsOf(await listing.searchCalls(workspaceId, filter, null, 5)), []);
      }
    }
  });

  it('finds folded Japanese text', async () => {
    const { workspaceId, newestFirst } = await newCalls([
      { externalId: 'ｷﾞﾝｻﾞ-1', variables: { shop: '㈱ギンザ商店' }, metadata: { page: 'ＢＯＯＫＩＮＧ' } },
    ]);
    const leaves: Filter[] = [
      { field: 'externalId', op: 'startsWith', value: 'ギンザ' },
      { field: 'variables.shop', op: 'contains', value: '(株)ｷﾞﾝｻﾞ' },
      { field: 'metadata.page', op: 'startsWith', value: 'booking' },
      { field: 'status', op: 'contains', value: 'ＲＥＧ' },
    ];
    for (const leaf of leaves) {
      assert.deepEqual(idsOf(await listing.searchCalls(workspaceId, leaf, null, 5)), newestFirst);
      assert.deepEqual(idsOf(await listing.searchCalls(workspaceId, { not: leaf }, null, 5)), []);
    }
  });

  describe(`with more than ${maxScanned} calls`, () => {
    const count = maxScanned * 2 + 5;
    let workspaceId = '';
    let oldest: Call;
    before(async () => {
      workspaceId = await newWorkspace(context.database);
      oldest = callWith({ workspaceId, ...wanted, agentId: 'agt_rare', status: 'error' });
      await insertCall(context.database, oldest);
      await insertCopies(context.database, callWith({ workspaceId, agentId: 'agt_often' }), count);
    });

    for (const [name, filter] of Object.entries(filters)) {
      it(`scans up to ${maxScanned} of them for a page of a search ${name}`, async () => {
        const { ids, pages } = await walk((before) => listing.searchCalls(workspaceId, filter, before, 50));
        assert.deepEqual([ids, pages], [[oldest.id], 3]);
      });
    }

    it('lists a match however far away it is', async () => {
      const found = await listing.listCalls(workspaceId, { status: ['error'] }, null, 50);
      assert.deepEqual([idsOf(found), found.next], [[oldest.id], null]);
    });

    it('goes straight to the calls of one agent or external id', async () => {
      const agent: Filter = { field: 'agentId', op: 'eq', value: 'agt_rare' };
      const externalId: Filter = { field: 'externalId', op: 'eq', value: 'wanted' };
      const other = filters['on values inside of JSON'] as Filter;
      for (const filter of [agent, externalId, { all: [agent, other] }, { all: [{ all: [externalId] }, other] }]) {
        const found = await listing.searchCalls(workspaceId, filter, null, 50);
        assert.deepEqual([idsOf(found), found.next], [[oldest.id], null]);
      }
    });
  });
});
