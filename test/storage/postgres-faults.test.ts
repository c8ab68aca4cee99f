import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, it } from 'node:test';
import pg from 'pg';
import { AppError } from '../../src/core/errors.ts';
import type { Queries } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import { onPostgres, postgresEngine } from '../support/engines.ts';

/** A proxy that can change what the database sends. */
async function between(target: URL, change: (answer: Buffer) => Buffer | null) {
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk: Buffer) => {
      const changed = change(chunk);
      if (changed !== null) client.write(changed);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, close: () => server.close() };
}

function goodbye(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
}

describe('the PostgreSQL driver', onPostgres, () => {
  const engine = postgresEngine();

  it('survives a session that ends right after its handshake', async () => {
    const greetingEnd = Buffer.from('Z\0\0\0\x05I', 'latin1');
    const way = await between(new URL(await engine.newDatabaseUrl()), (answer) =>
      answer.subarray(-greetingEnd.length).equals(greetingEnd) ? Buffer.concat([answer, goodbye()]) : answer,
    );
    const database = openPostgres(way.url, () => {});
    await assert.rejects(
      database.transaction((queries) => queries.get('SELECT 1')),
      isUnavailable,
    );
    await assert.rejects(async () => database.get('SELECT 1'), isUnavailable);
    await database.close();
    way.close();
  });

  it('serves reads while waiting changes occupy all slots for writes', async () => {
    const database = openPostgres(await engine.newDatabaseUrl(), () => {});
    await database.run('CREATE TABLE places (id INTEGER PRIMARY KEY)');
    await database.run('INSERT INTO places VALUES (1)');
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const hold = (queries: Queries) => queries.get('SELECT id FROM places WHERE id = 1 FOR UPDATE');
    const holding = database.transaction(async (queries) => {
      await hold(queries);
      await held;
    });
    const waiting = Array.from({ length: 40 }, () => database.transaction(hold));
    for (let count = 0; count < 20; count += 1) assert.deepEqual(await database.get('SELECT 1 AS one'), { one: 1 });
    assert.deepEqual(await database.unqueued.get('SELECT 1 AS one'), { one: 1 });
    letGo();
    await Promise.all([holding, ...waiting]);
    await database.close();
  });

  it('times out if the server is silent, even in the middle of a transaction', async (context) => {
    const query = context.mock.method(pg.Client.prototype, 'query');
    let isSilent = false;
    const way = await between(new URL(await engine.newDatabaseUrl()), (answer) => (isSilent ? null : answer));
    const database = openPostgres(way.url, () => {}, 500);
    // One connection for each, so that none has to be opened while the server is silent.
    await Promise.all([database.get('SELECT 1'), database.get('SELECT 1')]);
    let reading: Promise<void> | undefined;
    await assert.rejects(
      database.transaction(async (queries) => {
        await queries.run('SELECT 1');
        isSilent = true;
        reading = assert.rejects(async () => database.get('SELECT 3'), isUnavailable);
        await queries.run('SELECT 2');
      }),
      isUnavailable,
    );
    await reading;
    const asked = query.mock.calls.map(({ arguments: [statement] }) => statement as unknown);
    assert.ok(asked.includes('BEGIN'));
    assert.ok(!asked.includes('ROLLBACK'), 'the timeout applies once, and not again to the rollback');
    isSilent = false;
    assert.deepEqual(await database.get('SELECT 1 AS one'), { one: 1 });
    await database.close();
    way.close();
  });
});
