import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAgent, send } from '../support/client.ts';
import { locationOf, sqliteEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

describe('a SQLite file that cannot be written', () => {
  const engine = sqliteEngine();

  it('is waited for while another process holds it, without holding up reads', async () => {
    const service = await startService(engine);
    const { key } = await service.newKey();
    const { file } = locationOf(service.databaseUrl) as { file: string };
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const creating = createAgent(service, key, { name: 'patient' });
    const read = await send(service, 'GET', '/api/v1/agents', { key });
    assert.deepEqual(read.json.items, [], 'a read is answered while the write waits');
    other.exec('COMMIT');
    other.close();
    assert.equal((await creating).name, 'patient');
    await service.close();
  });

  it('is answered with 503 and Retry-After when it stays so; reads go on, and writes do once it is free', async () => {
    const service = await startService(engine);
    const { key } = await service.newKey();
    const { file } = locationOf(service.databaseUrl) as { file: string };
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const body = { name: 'a', voiceId: 'v' };
    const ask = async (afterMs: number) => {
      await delay(afterMs);
      const start = performance.now();
      const answer = await send(service, 'POST', '/api/v1/agents', { key, body });
      return { ...answer, tookMs: performance.now() - start };
    };
    // The last one comes while others are waited with, and does not wait for them as well.
    const refused = await Promise.all([0, 0, 1000].map(ask));
    for (const answer of refused) {
      assert.ok(answer.tookMs < 8000, `${answer.tookMs} ms`);
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

  it('is written again when its log has filled the disk, as soon as nobody keeps the log any more', async (context) => {
    const disk = mkdtempSync(join(tmpdir(), 'voice-agents-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      rmSync(disk, { recursive: true });
      context.skip('nothing can be mounted here');
      return;
    }
    try {
      const file = join(disk, 'test.db');
      const service = await startService(engine, { databaseUrl: `sqlite:${file}` });
      const { key } = await service.newKey();
      const { id } = await createAgent(service, key);
      const change = async () => {
        const body = { agentGlobalPrompt: String(Math.random()).repeat(9000) };
        return (await send(service, 'PATCH', `/api/v1/agents/${id}`, { key, body })).status;
      };
      // The file has its size: what follows takes the place of what was there.
      for (let count = 0; count < 3; count += 1) await change();
      const other = new DatabaseSync(file);
      other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      other.close();
      const reader = new DatabaseSync(file);
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM agents').get();
      let status = 200;
      for (let count = 0; count < 500 && status === 200; count += 1) status = await change();
      assert.equal(status, 503, 'the disk is full');
      reader.exec('ROLLBACK');
      reader.close();
      for (let tries = 0; tries < 20 && status !== 200; tries += 1) {
        await delay(100);
        status = await change();
      }
      assert.equal(status, 200);
      await service.close();
    } finally {
      execFileSync('umount', ['--lazy', disk]);
      rmSync(disk, { recursive: true });
    }
  });

  it('is answered with 503 when it is full, and again with 201 when there is room', async () => {
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

  it('is readable by its owner alone, with all that belongs to it', async () => {
    const service = await startService(engine);
    const { file } = locationOf(service.databaseUrl) as { file: string };
    for (const suffix of ['', '-wal', '-shm']) assert.equal(statSync(file + suffix).mode & 0o777, 0o600, suffix);
    await service.close();
  });

  it('says what is wrong when it is no database at all', async () => {
    const url = await engine.newDatabaseUrl();
    const { file } = locationOf(url) as { file: string };
    writeFileSync(file, 'this is not a database, but long enough to be looked at as if it were one'.repeat(100));
    await assert.rejects(startService(engine, { databaseUrl: url }), /not a database/);
  });
});
