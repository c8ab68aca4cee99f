import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Database, Row } from '../../../src/storage/database.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { type Engine, onEachEngine } from '../../support/engines.ts';
import { createCallEnds, nextRelease } from '../../support/next-release.ts';
import { startService } from '../../support/service.ts';
import { eventually, newChat, on } from './support.ts';

const { documents, migrations: all } = nextRelease;

/** A service of this release, and one of the next on the same database. */
async function startBoth(engine: Engine, context: TestContext) {
  const databaseUrl = await engine.newServiceUrl();
  const service = await startService(engine, { databaseUrl });
  context.after(service.close);
  const migrateToNext = () => migrate(service.database, Date.now, { all });
  return {
    service,
    migrateToNext,
    startNext: async () => {
      await migrateToNext();
      const next = await startService(engine, {
        databaseUrl,
        open: (location) => openDatabase(location, () => {}, { documents, schema: all.length }),
        otherAreas: () => [createCallEnds()],
      });
      context.after(next.close);
      return next;
    },
  };
}

async function count(database: Database, table: string): Promise<number> {
  return (await database.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))?.count ?? 0;
}

const derived: Readonly<Record<string, string>> = {
  call_ends: 'SELECT call_id, end_reason, external_id FROM call_ends ORDER BY call_id',
  call_facts: 'SELECT call_id, end_reason, external_id, agent_turns FROM call_facts ORDER BY call_id',
  call_texts: 'SELECT call_id, content FROM call_texts ORDER BY call_id',
};

async function rowsOf(database: Database): Promise<Record<string, Row[]>> {
  const entries = Object.entries(derived).map(async ([table, sql]) => [table, await database.all(sql)]);
  return Object.fromEntries(await Promise.all(entries));
}

onEachEngine('calls between two releases', (engine) => {
  it('are noted by an instance of the earlier one only if the database has a later schema', async (context) => {
    const { service, migrateToNext } = await startBoth(engine, context);
    const { key } = await service.newKey();
    const endedChat = async () => {
      const chat = on(service, key, (await newChat(service, key)).id);
      assert.equal((await chat.end()).status, 200);
    };
    await endedChat();
    assert.equal(await count(service.database, 'call_catch_up'), 0);
    await migrateToNext();
    await endedChat();
    assert.equal(await count(service.database, 'call_catch_up'), 1);
  });

  it('are derived from again by the later one, if the earlier one has ended, changed, redacted or deleted them', async (context) => {
    const { service, startNext } = await startBoth(engine, context);
    const { key } = await service.newKey();
    const chats = [];
    for (const externalId of ['changed', 'redacted', 'deleted', 'ended', 'by the later one']) {
      const chat = on(service, key, (await newChat(service, key, { call: { externalId } })).id);
      assert.equal((await chat.say('hello')).status, 200);
      chats.push(chat);
    }
    const [changed, redacted, deleted, ended, byNext] = chats;
    assert.ok(changed && redacted && deleted && ended && byNext);
    for (const chat of [changed, redacted, deleted]) assert.equal((await chat.end()).status, 200);
    const next = await startNext();
    const { database } = next;
    // As if this release did not know these tables either.
    for (const table of ['call_facts', 'call_texts']) await database.run(`DELETE FROM ${table}`);
    assert.equal((await changed.patch({ externalId: 'new' })).status, 200);
    assert.equal((await redacted.redact('basic_attributes_only')).status, 200);
    assert.equal((await deleted.delete()).status, 200);
    assert.equal((await ended.end()).status, 200);
    assert.equal((await on(next, key, byNext.id).end()).status, 200);
    const caughtUp = () => eventually(async () => (await count(database, 'call_catch_up')) === 0, 'the catching up');
    await caughtUp();
    const rows = await rowsOf(database);
    const expected = [changed, redacted, ended, byNext].map(({ id }) => id).toSorted();
    for (const table of ['call_ends', 'call_facts']) {
      assert.deepEqual(
        rows[table]?.map(({ call_id }) => call_id),
        expected,
        table,
      );
    }
    assert.deepEqual(
      rows.call_texts?.map(({ call_id }) => call_id),
      [changed, ended, byNext].map(({ id }) => id).toSorted(),
    );
    assert.equal(rows.call_ends?.find(({ call_id }) => call_id === changed.id)?.external_id, 'new');
    assert.equal(rows.call_facts?.find(({ call_id }) => call_id === changed.id)?.external_id, 'new');
    // What was caught up with looks as if the later one had written it.
    await database.run(
      `INSERT INTO call_catch_up (id, workspace_id, call_id, created_at, by_schema)
        SELECT call_id, workspace_id, call_id, created_at, ${service.database.schema} FROM call_facts`,
    );
    await caughtUp();
    assert.deepEqual(await rowsOf(database), rows);
  });

  it('have the columns that follow from their documents, and keep the version of those', async (context) => {
    const { service, startNext } = await startBoth(engine, context);
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key, { call: { externalId: 'order 7' } })).id);
    const { database } = await startNext();
    const row = () =>
      database.get<{ external_id: string; doc: string; doc_version: number }>(
        'SELECT external_id, doc, doc_version FROM calls WHERE id = $1',
        [chat.id],
      );
    assert.equal((await chat.end()).status, 200);
    // As if this release did not know the column.
    await database.run('UPDATE calls SET external_id = NULL WHERE id = $1', [chat.id]);
    assert.equal((await chat.patch({ metadata: {} })).status, 200);
    await eventually(async () => (await row())?.external_id === 'order 7', 'the catching up');
    assert.equal((await row())?.doc_version, service.database.documents.call.version);
    assert.equal((await row())?.doc, (await chat.get()).text);
  });
});
