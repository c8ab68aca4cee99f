import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkOwnership, type Lease, watchOwnership } from '../../campaigns/instances/ownership.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf, onPostgres, postgresEngine } from '../support/engines.ts';

describe('what the campaign "instances" finds in the changes of a spoken call', onPostgres, () => {
  const engine = postgresEngine();
  let database: Database;
  before(async () => {
    database = openDatabase(locationOf(await engine.newServiceUrl()), () => {});
    await migrate(database, Date.now);
    await watchOwnership(database);
  });
  after(() => database.close());

  const note = (process: string, at: number, from: Lease, to: Lease) =>
    database.run(
      `INSERT INTO campaign.changes (process, table_name, id, at, old_owner, old_until, new_owner, new_until)
        VALUES ($1, 'calls', 'call_1', $2, $3, $4, $5, $6)`,
      [process, at, from.owner, from.untilMs, to.owner, to.untilMs],
    );
  /** `one` takes the call until 100; then another process changes it. */
  const foundAfter = async (at: number, to: Lease): Promise<string[]> => {
    await database.run('DELETE FROM campaign.changes', []);
    await note('one', 0, { owner: null, untilMs: null }, { owner: 'a', untilMs: 100 });
    await note('two', at, { owner: 'a', untilMs: 100 }, to);
    const findings: string[] = [];
    await checkOwnership(database, { spokenCalls: new Set(['call_1']), found: (what) => findings.push(what) });
    return findings;
  };
  const changed = ['a spoken call was changed by a process that does not have it'];

  it('is a change by a process that does not have it, and a renewal at any time', async () => {
    assert.deepEqual(await foundAfter(50, { owner: 'a', untilMs: 100 }), changed);
    assert.deepEqual(await foundAfter(50, { owner: 'a', untilMs: 150 }), changed);
    assert.deepEqual(await foundAfter(150, { owner: 'a', untilMs: 250 }), changed);
  });

  it('is not that a call of a lost process is given more time, taken over or ended', async () => {
    assert.deepEqual(await foundAfter(150, { owner: 'a', untilMs: 100 }), []);
    assert.deepEqual(await foundAfter(150, { owner: 'b', untilMs: 250 }), []);
    assert.deepEqual(await foundAfter(150, { owner: null, untilMs: null }), []);
  });
});
