import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseLocation } from '../../src/config.ts';
import { maxWaitMs } from '../../src/storage/sqlite/group-commit.ts';
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts';
import { createAgent, send } from '../support/client.ts';
import { locationOf, sqliteEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';
import { settle } from '../support/settle.ts';

describe('an unwritable SQLite file', () => {
  const engine = sqliteEngine();

  it('is waited for while another process locks it, without blocking reads', async () => {
    const service = await startService(engine);
    const { key } = await service.newKey();
    const { file } = locationOf(service.databaseUrl) as { file: string };
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const creating = createAgent(service, key, { name: 'patient' });
    const read = await send(service, 'GET', '/api/v1/agents', { key });
    assert.deepEqual(read.json.items, [], 'reads are served while the write waits');
    other.exec('COMMIT');
    other.close();
    assert.equal((await creating).name, 'patient');
    await service.close();
  });

  it('causes 503 with Retry-After while it stays locked; reads continue, and writes do once it is free', async () => {
    let now = 0;
    const open = (location: DatabaseLocation) => openSqlite((location as { file: string }).file, () => now);
    const service = await startService(engine, { open });
    const { key } = await service.newKey();
    const { file } = locationOf(service.databaseUrl) as { file: string };
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const body = { name: 'a', voiceId: 'v' };
    const asking = [1, 2].map(() => send(service, 'POST', '/api/v1/agents', { key, body }));
    await settle(service);
    assert.deepEqual((await send(service, 'GET', '/api/v1/agents', { key })).json.items, []);
    now += maxWaitMs;
    for (const answer of await Promise.all(asking)) {
      assert.equal(answer.status, 503);
      assert.equal(answer.json.error.code, 'SERVICE_UNAVAILABLE');
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    }
    other.exec('COMMIT');
    other.close();
    await createAgent(service, key);
    assert.equal(
      (await send(service, 'GET', '/api/v1/agents', { key })).json.items.length,
      1,
      'nothing of the refused ones',
    );
    await service.close();
  });

  it('is waited for equally long by every write, regardless of the queue', async () => {
    let now = 0;
    const { file } = locationOf(await engine.newDatabaseUrl()) as { file: string };
    const database = openSqlite(file, () => now);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const refused: string[] = [];
    const begin = (name: string) =>
      assert.rejects(
        database.transaction(() => assert.fail('nothing can be written')).finally(() => refused.push(name)),
        { code: 'SERVICE_UNAVAILABLE' },
      );
    const first = [begin('first'), begin('second')];
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    now += 1000;
    // This one arrives while others wait, and does not wait for them as well.
    const last = begin('last');
    now = maxWaitMs;
    await Promise.all(first);
    assert.deepEqual(refused, ['first', 'second']);
    now += 1000;
    await last;
    other.close();
    await database.close();
  });

  it('causes 503 while the disk is full, and 201 once there is space', async () => {
    const service = await startService(engine);
    const { key } = await service.newKey();
    const { page_count } = (await service.database.get<{ page_count: number }>('PRAGMA page_count')) ?? {};
    await service.database.transaction((queries) => queries.get(`PRAGMA max_page_count = ${(page_count ?? 0) + 2}`));
    const big = { name: 'big', voiceId: 'v', prompt: 'x'.repeat(100_000) };
    const answers = await Promise.all([1, 2, 3].map(() => send(service, 'POST', '/api/v1/agents', { key, body: big })));
    for (const answer of answers) assert.equal(answer.status, 503);
    assert.deepEqual((await send(service, 'GET', '/api/v1/agents', { key })).json.items, []);
    await service.database.transaction((queries) => queries.get('PRAGMA max_page_count = 1000000'));
    await createAgent(service, key, big);
    await service.close();
  });

  it('is readable by its owner only, including its WAL files', async () => {
    const service = await startService(engine);
    const { file } = locationOf(service.databaseUrl) as { file: string };
    for (const suffix of ['', '-wal', '-shm']) assert.equal(statSync(file + suffix).mode & 0o777, 0o600, suffix);
    await service.close();
  });

  it('is reported clearly if it is not a database', async () => {
    const url = await engine.newDatabaseUrl();
    const { file } = locationOf(url) as { file: string };
    writeFileSync(file, 'this is not a database, but long enough to be looked at as if it were one'.repeat(100));
    await assert.rejects(startService(engine, { databaseUrl: url }), /not a database/);
  });
});
