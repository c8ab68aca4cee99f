import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { createKeyStore } from '../../src/areas/keys/store.ts';
import { BackupError, openBackup } from '../../src/backup/format.ts';
import { DatabaseNotEmptyError } from '../../src/backup/restore.ts';
import { tablesOf, tablesWithoutBackup } from '../../src/backup/tables.ts';
import { allScopes } from '../../src/contract/scopes.ts';
import { createIdGenerator } from '../../src/core/ids.ts';
import { createJobQueue } from '../../src/jobs/queue.ts';
import type { Database } from '../../src/storage/database.ts';
import { isMigrated, migrate, migrateTo, newestSchema, schemaOf } from '../../src/storage/migrate.ts';
import { eventually, newChat, on } from '../areas/calls/support.ts';
import { idleKind } from '../jobs/support.ts';
import { createAgent, send, walk, walkPages } from '../support/client.ts';
import { createPostgresEngine, createSqliteEngine, onEachEngine, sqliteEngine } from '../support/engines.ts';
import { testSealer } from '../support/sealer.ts';
import { type Service, startService } from '../support/service.ts';
import { allRows, backUpToBytes, checkSeal, inPieces, readThrough, restoreBytes, withDatabase } from './support.ts';

/** Both included. */
function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

interface Lived {
  readonly databaseUrl: string;
  readonly key: string;
  readonly cursor: string;
  readonly agentId: string;
  readonly repeat: { readonly headers: Record<string, string>; readonly body: unknown; readonly text: string };
}

/** A database with rows in every table. */
async function live(service: Service): Promise<Lived> {
  const { key, workspaceId } = await service.newKey();
  const other = await service.newKey();
  await createAgent(service, other.key, { name: '別の店' });
  const webhookUrl = 'https://shop.example.com/hooks';
  const agent = await createAgent(service, key, {
    name: '予約受付 🍣 "quoted" \\ \u2028',
    prompt: '丁寧に',
    webhookUrl,
  });
  const path = `/api/v1/agents/${agent.id}`;
  await send(service, 'POST', `${path}/publish`, { key });
  await send(service, 'PATCH', path, { key, body: { name: '受付' } });
  await send(service, 'POST', `${path}/publish`, { key });
  await send(service, 'PATCH', path, { key, body: { beginMessage: 'もしもし' } });
  // More than a batch, including some of the longest possible documents.
  for (let number = 0; number < 70; number += 1) await createAgent(service, key, { name: `Agent ${number}` });
  for (const filling of ['🍣'.repeat(200_000), '長'.repeat(200_000), '"\\'.repeat(100_000)]) {
    await createAgent(service, key, { name: 'long', prompt: filling });
  }
  const gone = await createAgent(service, key, { name: 'gone' });
  await send(service, 'DELETE', `/api/v1/agents/${gone.id}`, { key });
  const body = { name: 'once', voiceId: 'v' };
  const headers = { 'idempotency-key': 'order-1' };
  const { text } = await send(service, 'POST', '/api/v1/agents', { key, body, headers });
  const secret = { value: 'hidden', hosts: ['shop.example.com'] };
  await send(service, 'PUT', '/api/v1/secrets/SHOP_TOKEN', { key, body: secret });
  const revoked = await service.newKey({ workspace: 'revoked' });
  await service.database.run('UPDATE api_keys SET revoked_at = 5, last_used_at = 4 WHERE id = $1', [revoked.id]);
  const jobs = createJobQueue({ database: service.database, newId: createIdGenerator(), sealer: testSealer });
  await jobs.add(service.database, idleKind, { payload: { 店: '\u0000' }, workspaceId, dedupeKey: 'once' });
  await addDelivery(service.database);
  await addRun(service, key, await addChat(service, key));
  await addFigures(service, key);
  assert.notEqual(workspaceId, other.workspaceId);
  const page = await send(service, 'GET', '/api/v1/agents?limit=10', { key });
  const cursor = page.json.pagination.nextCursor as string;
  return { databaseUrl: service.databaseUrl, key, cursor, agentId: agent.id, repeat: { headers, body, text } };
}

/** A view, an alert that is not evaluated, and prices that apply to no call yet. */
async function addFigures(service: Service, key: string): Promise<void> {
  const query = { range: { last: '7d' }, metrics: ['calls'] };
  const alert = { enabled: false, metric: 'calls', window: '15m', op: 'lt', value: 1 };
  for (const [method, path, body] of [
    ['POST', 'views', { name: '通話', query }],
    ['POST', 'alerts', { name: '不通', ...alert }],
    ['PUT', 'prices/2100-01-01T00:00:00Z', { currency: 'JPY', items: [] }],
  ] as const) {
    const { status } = await send(service, method, `/api/v1/analytics/${path}`, { key, body });
    assert.ok(status < 300, `${path}: ${status}`);
  }
}

/** One that is over and analyzed. */
async function addChat(service: Service, key: string): Promise<string> {
  const { id } = await newChat(service, key, { agent: { postCallAnalysisModel: 'test-extract' } });
  const chat = on(service, key, id);
  await chat.say('もしもし');
  await chat.end();
  await eventually(async () => (await chat.call()).analysis.status === 'completed');
  return id;
}

/** A run of a workflow that has sent a request and created a call. */
async function addRun(service: Service, key: string, callId: string): Promise<void> {
  const steps = [{ id: 'pause', type: 'wait', seconds: 60 }];
  const workflow = { name: '待つ', trigger: { event: 'call_ended' }, steps };
  const created = await send(service, 'POST', '/api/v1/workflows', { key, body: workflow });
  const run = await send(service, 'POST', `/api/v1/workflows/${created.json.id}/runs`, { key, body: { callId } });
  const { id } = run.json;
  await service.database.run(
    `INSERT INTO workflow_steps (run_id, step_id, status, attempt_count, failures, output, started_at)
      VALUES ($1, 'pause', 'waiting', 1, 0, '{"店":1}', 5)`,
    [id],
  );
  await service.database.run(
    `INSERT INTO workflow_attempts (run_id, step_id, number, started_at, duration_ms, outcome, response_body)
      VALUES ($1, 'pause', 1, 4, 1, 'http_error', '混雑')`,
    [id],
  );
  await service.database.run(
    `INSERT INTO workflow_calls (workspace_id, destination, created_at, call_id, depth)
      SELECT id, 'digest', 5, $1, 1 FROM workspaces ORDER BY id LIMIT 1`,
    [callId],
  );
}

/** One of the first event to the first webhook, which has failed once. */
async function addDelivery(database: Database): Promise<void> {
  await database.run(
    `INSERT INTO deliveries (workspace_id, id, webhook_id, event_id, event_type, subject_id, sequence, status,
        triggered_by, attempt, next_attempt_at, created_at)
      SELECT webhooks.workspace_id, 'dlv_1', webhooks.id, events.id, type, subject_id, sequence, 'pending', 'event', 1, 5, 4
        FROM webhooks JOIN events ON events.workspace_id = webhooks.workspace_id ORDER BY position LIMIT 1`,
  );
  await database.run(
    `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, url, outcome, response_body)
      VALUES ('dlv_1', 1, 4, 1, 'https://shop.example.com/hooks', 'http_error', '混雑')`,
  );
  await database.run("INSERT INTO event_transcripts (event_id, body) SELECT id, '{}' FROM events LIMIT 1");
}

async function everythingSeen(service: Service, { key, cursor, agentId }: Lived): Promise<unknown> {
  const path = `/api/v1/agents/${agentId}`;
  const answers: unknown[] = [];
  for (const place of [
    path,
    '/api/v1/secrets',
    '/api/v1/webhooks',
    '/api/v1/events?limit=200',
    `${path}/versions`,
    `${path}/versions/1`,
    `${path}/versions/2`,
    `/api/v1/agents?limit=10&cursor=${encodeURIComponent(cursor)}`,
  ]) {
    const { status, text, headers } = await send(service, 'GET', place, { key });
    answers.push({ place, status, text, etag: headers.get('etag') });
  }
  answers.push(await walk(service, key, { limit: '50' }));
  answers.push(await walk(service, key, { search: '受付' }));
  answers.push(await walkPages(service, key, '/api/v1/audit-log', { limit: '50' }));
  return answers;
}

onEachEngine('a backup', (engine) => {
  const engines = { sqlite: createSqliteEngine(), postgres: createPostgresEngine() };
  after(() => Promise.all([engines.sqlite.remove(), engines.postgres.remove()]));

  it('restores everything as it was, on the same engine and on the other', async (context) => {
    const service = await startService(engine);
    context.after(() => service.close().catch(() => {}));
    const lived = await live(service);
    const seen = await everythingSeen(service, lived);
    // A running service also writes by itself, for example when a key was last used.
    await service.close();
    const { bytes, sha256 } = await backUpToBytes(lived.databaseUrl);
    const rows = await allRows(lived.databaseUrl);
    assert.ok(Object.values(rows).every((found) => found.length > 0));

    for (const target of Object.values(engines)) {
      const databaseUrl = await target.newDatabaseUrl();
      await restoreBytes(databaseUrl, bytes);
      assert.deepEqual(await allRows(databaseUrl), rows, `on ${target.name}`);
      assert.equal((await backUpToBytes(databaseUrl)).sha256, sha256, `on ${target.name}`);

      const restored = await startService(target, { databaseUrl });
      context.after(() => restored.close().catch(() => {}));
      assert.deepEqual(await everythingSeen(restored, lived), seen, `on ${target.name}`);
      const { headers, body, text } = lived.repeat;
      const again = await send(restored, 'POST', '/api/v1/agents', { key: lived.key, headers, body });
      assert.equal(again.text, text);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      const patched = await send(restored, 'PATCH', `/api/v1/agents/${lived.agentId}`, {
        key: lived.key,
        body: { name: 'after' },
      });
      assert.equal(patched.status, 200);
      await restored.close();
    }
  });

  it('is consistent, whatever is written while it is made', async () => {
    const databaseUrl = await engine.newDatabaseUrl();
    await withDatabase(databaseUrl, async (database) => {
      await migrate(database, Date.now);
      await fillWithPairs(database, 0, 200);
      let isOver = false;
      const writing = (async () => {
        for (let number = 200; !isOver; number += 10) await fillWithPairs(database, number, 10);
      })();
      const { bytes } = await backUpToBytes(databaseUrl);
      isOver = true;
      await writing;
      const target = await engine.newDatabaseUrl();
      await restoreBytes(target, bytes);
      const { workspaces, settings } = await allRows(target);
      assert.equal(workspaces?.length, settings?.length);
    });
  });

  it('of an empty database is empty', async () => {
    const databaseUrl = await engine.newDatabaseUrl();
    await withDatabase(databaseUrl, (database) => migrate(database, Date.now));
    const { bytes } = await backUpToBytes(databaseUrl);
    const target = await engine.newDatabaseUrl();
    await restoreBytes(target, bytes);
    assert.ok(await withDatabase(target, isMigrated));
    assert.ok(Object.values(await allRows(target)).every((rows) => rows.length === 0));
    assert.deepEqual(await indexesOf(target), await indexesOf(databaseUrl));
  });

  it('of an older schema is restored and migrated; making it does not change the database', async () => {
    // On PostgreSQL, creating so many databases takes 10 s; the oldest and the previous schema are enough there.
    const schemas = engine.name === 'sqlite' ? range(1, newestSchema) : [1, newestSchema - 1];
    for (const schema of schemas) {
      const source = await engine.newDatabaseUrl();
      await withDatabase(source, async (database) => {
        await database.exclusive((queries) => migrateTo(schema, queries, database.dialect, Date.now));
        await database.run("INSERT INTO workspaces (id, name, created_at) VALUES ('ws_1', '店', 1)");
        await database.run(
          "INSERT INTO agents (workspace_id, id, folded_name, doc_version, doc) VALUES ('ws_1', 'agt_1', 'a', 1, '{}')",
        );
      });
      const { bytes } = await backUpToBytes(source);
      const target = await engine.newDatabaseUrl();
      // One that is already migrated, and empty.
      await withDatabase(target, (database) => migrate(database, Date.now));
      await restoreBytes(target, bytes);
      await withDatabase(target, async (database) => {
        assert.ok(await isMigrated(database));
        assert.deepEqual(await database.get('SELECT id, version, doc FROM agents'), {
          id: 'agt_1',
          version: 1,
          doc: '{}',
        });
      });
      assert.equal(await withDatabase(source, async (database) => schemaOf(database, database.dialect)), schema);
    }
  });

  it('of a newer schema is rejected', async () => {
    const { bytes } = await emptyBackup(engine.newDatabaseUrl);
    const text = zstdDecompressSync(bytes)
      .toString()
      .replace(`"schema":${newestSchema}`, `"schema":${newestSchema + 1}`);
    await assert.rejects(
      readThrough(sealedAnew(bytes, text)),
      /has schema version \d+, .* Restore it with the newer version/,
    );
  });

  it('does not overwrite data unless requested', async () => {
    const source = await engine.newDatabaseUrl();
    await withDatabase(source, async (database) => {
      await migrate(database, Date.now);
      await newKey(database, 'from the backup');
    });
    const { bytes, sha256 } = await backUpToBytes(source);
    const target = await engine.newDatabaseUrl();
    await withDatabase(target, async (database) => {
      await migrate(database, Date.now);
      await newKey(database, 'there before');
    });
    const before = await allRows(target);
    await assert.rejects(restoreBytes(target, bytes), (error) => {
      assert.ok(error instanceof DatabaseNotEmptyError);
      assert.deepEqual(error.rows, { workspaces: 1, api_keys: 1 });
      return true;
    });
    assert.deepEqual(await allRows(target), before);
    await assert.rejects(restoreBytes(target, bytes.subarray(0, -50), true), BackupError);
    assert.deepEqual(await allRows(target), before);
    await restoreBytes(target, bytes, true);
    assert.equal((await backUpToBytes(target)).sha256, sha256);
  });

  it('leaves nothing behind if it turns out to be damaged during the restore', async () => {
    const source = await engine.newDatabaseUrl();
    await withDatabase(source, async (database) => {
      await migrate(database, Date.now);
      await fillWithPairs(database, 0, 2000);
    });
    const { bytes } = await backUpToBytes(source);
    const target = await engine.newDatabaseUrl();
    for (const place of [0.3, 0.6, 0.9, 0.999]) {
      const at = Math.floor(bytes.length * place);
      await assert.rejects(restoreBytes(target, bytes.subarray(0, at)), BackupError);
      await assert.rejects(restoreBytes(target, flipped(bytes, at)), BackupError);
    }
    const tables = await withDatabase(target, async (database) => database.all(database.dialect.tableNames));
    assert.deepEqual(tables, []);
  });

  it('covers every table and column of every schema', async () => {
    await withDatabase(await engine.newDatabaseUrl(), async (database) => {
      for (const schema of range(1, newestSchema)) {
        await database.exclusive((queries) => migrateTo(schema, queries, database.dialect, Date.now));
        const found = await database.all<{ name: string }>(database.dialect.tableNames);
        const known = tablesOf(schema);
        const names = [...known.map(({ name }) => name), ...tablesWithoutBackup];
        assert.deepEqual(
          found.map(({ name }) => name).filter((name) => !names.includes(name)),
          [],
        );
        for (const { name, columns } of known) {
          const sql =
            engine.name === 'sqlite'
              ? `SELECT name FROM pragma_table_info('${name}')`
              : `SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${name}'`;
          const real = await database.all<{ name: string }>(sql);
          assert.deepEqual(real.map((column) => column.name).sort(), [...columns].sort(), `${name} of ${schema}`);
        }
      }
    });
  });
});

describe('an invalid backup file is rejected', () => {
  const engine = sqliteEngine();

  it('with any flipped bit, truncated anywhere, or with trailing data', async () => {
    const { bytes } = await emptyBackup(engine.newDatabaseUrl, 3);
    await checkSeal(inPieces(bytes));
    await readThrough(bytes);
    for (const at of placesIn(bytes)) {
      for (const file of [flipped(bytes, at, at % 8), bytes.subarray(0, at)]) {
        await assert.rejects(checkSeal(inPieces(file)), BackupError, `at ${at}`);
        await assert.rejects(readThrough(file), BackupError, `at ${at}`);
      }
    }
    for (const more of [Buffer.from('x'), randomBytes(100), bytes]) {
      await assert.rejects(checkSeal(inPieces(Buffer.concat([bytes, more]))), BackupError);
      await assert.rejects(readThrough(Buffer.concat([bytes, more])), BackupError);
    }
  });

  it('with a message that describes it', async () => {
    const { bytes } = await emptyBackup(engine.newDatabaseUrl);
    const cases: [Buffer, RegExp][] = [
      [Buffer.alloc(0), /^is empty$/],
      [Buffer.from('{"some":"json"}'), /^is not a backup of this service$/],
      [gzipSync('lines'), /^is not a backup/],
      [zstdCompressSync('lines'), /^is not a backup/],
      [Buffer.alloc(100_000), /^is not a backup/],
      [bytes.subarray(0, 12), /^is damaged or incomplete/],
      [bytes.subarray(0, -1), /^is damaged or incomplete/],
      [Buffer.from(bytes.toString('latin1').replace('backup 1\n', 'backup 2\n'), 'latin1'), /newer version/],
    ];
    for (const [file, message] of cases) {
      await assert.rejects(checkSeal(inPieces(file)), { name: 'BackupError', message });
      await assert.rejects(readThrough(file), { name: 'BackupError', message });
    }
  });

  it('even if the problem is noticed only during the restore', async () => {
    const databaseUrl = await engine.newDatabaseUrl();
    await withDatabase(databaseUrl, async (database) => {
      await migrate(database, Date.now);
      await fillWithPairs(database, 0, 5000);
    });
    const { bytes } = await backUpToBytes(databaseUrl);
    const refuse = async () => assert.fail('the database takes no such row');
    const readWith = async (file: Buffer) => (await openBackup(inPieces(file))).read(1, refuse);
    await assert.rejects(readWith(bytes), /takes no such row/);
    await assert.rejects(readWith(flipped(bytes, bytes.length - 1)), BackupError);
    await assert.rejects(readWith(bytes.subarray(0, -1)), BackupError);
  });

  it('even if it was modified with a valid checksum, where that can be detected', async () => {
    const { bytes } = await emptyBackup(engine.newDatabaseUrl, 3);
    const text = zstdDecompressSync(bytes).toString();
    await readThrough(sealedAnew(bytes, text));
    const lines = text.split('\n');
    const changes = [
      text.replace('店 1', '店 9'),
      lines.toSpliced(3, 1).join('\n'),
      lines.toSpliced(-2, 1).join('\n'),
      text.replace('"columns":["id",', '"columns":["id); DROP TABLE agents; --",'),
      text.replace('"table":"workspaces"', '"table":"rate_limits"'),
      `${text}${text}`,
      text.slice(0, -1),
      text.replace(/\n\["ws_/, '\n["ws_0",["ws_'),
      'null\n',
      '',
    ];
    for (const changed of changes) {
      assert.notEqual(changed, text);
      await assert.rejects(readThrough(sealedAnew(bytes, changed)), BackupError);
    }
  });
});

function indexesOf(databaseUrl: string): Promise<unknown[]> {
  return withDatabase(databaseUrl, async ({ dialect, all }) =>
    all(
      dialect.engine === 'sqlite'
        ? "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name"
        : 'SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY indexname',
    ),
  );
}

async function newKey(database: Database, workspace: string): Promise<void> {
  const keys = createKeyStore(database, createIdGenerator(), Date.now);
  await database.transaction(async (queries) => {
    const workspaceId = await keys.ensureWorkspace(queries, workspace);
    await keys.create(queries, { workspaceId, scopes: allScopes, name: null, expiresAt: null });
  });
}

/** Two rows each, in tables that are read one after the other: a backup contains both or neither. */
async function fillWithPairs(database: Database, first: number, count: number): Promise<void> {
  await database.transaction(async (queries) => {
    for (let number = first; number < first + count; number += 1) {
      const id = String(number).padStart(6, '0');
      const value = randomBytes(20).toString('hex');
      await queries.run('INSERT INTO settings (name, value) VALUES ($1, $2)', [id, value]);
      await queries.run('INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, 1)', [id, value]);
    }
  });
}

async function emptyBackup(newDatabaseUrl: () => Promise<string>, workspaces = 0): Promise<{ bytes: Buffer }> {
  const databaseUrl = await newDatabaseUrl();
  await withDatabase(databaseUrl, async (database) => {
    await migrate(database, Date.now);
    for (let number = 0; number < workspaces; number += 1) await newKey(database, `店 ${number}`);
  });
  return backUpToBytes(databaseUrl);
}

/** Everywhere in the mark, the seal and the next bytes, and in every seventh byte between: each bit of a byte in turn. */
function placesIn({ length }: Buffer): number[] {
  return range(0, length - 1).filter((at) => at < 128 || at >= length - 128 || at % 7 === 0);
}

function flipped(bytes: Buffer, at: number, bit = 0): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ (1 << bit);
  return copy;
}

/** As someone who knows the format could do it. */
function sealedAnew(original: Buffer, text: string): Buffer {
  const markLength = 8 + original.readUInt32LE(4);
  const bytes = Buffer.concat([original.subarray(0, markLength), zstdCompressSync(text)]);
  const seal = original.subarray(-40, -32);
  return Buffer.concat([bytes, seal, createHash('sha256').update(bytes).digest()]);
}
