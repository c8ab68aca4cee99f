import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/storage/database.ts';
import { isMigrated, migrate, newestSchema, SchemaTooNewError } from '../../src/storage/migrate.ts';
import type { Migration } from '../../src/storage/migration.ts';
import { migrations } from '../../src/storage/migrations/index.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { sharedSecret } from '../../src/storage/settings.ts';
import { locationOf, onEachEngine, onPostgres, postgresEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';

/** Migrations of the next release, and of the one after it. */
const later: Migration = { version: newestSchema + 1, name: 'later', statements: () => [] };
const contraction: Migration = {
  version: newestSchema + 2,
  name: 'contraction',
  statements: () => [],
  compatibleFrom: newestSchema + 1,
};

onEachEngine('migrations', (engine) => {
  it('run once, even if several processes start concurrently', async () => {
    const url = await engine.newDatabaseUrl();
    const databases = Array.from({ length: 4 }, () => openDatabase(locationOf(url), () => {}));
    await Promise.all(databases.map((database) => migrate(database, () => 1)));
    const [first] = databases;
    const rows = await first?.all<{ version: number }>('SELECT version FROM schema_migrations ORDER BY version');
    assert.deepEqual(
      rows?.map(({ version }) => version),
      Array.from({ length: newestSchema }, (_, index) => index + 1),
    );
    for (const database of databases) {
      assert.ok(await isMigrated(database));
      await database.close();
    }
  });

  it('leave a later schema alone if this version can use it', async () => {
    const database = openDatabase(locationOf(await engine.newDatabaseUrl()), () => {});
    await migrate(database, () => 1, { all: [...migrations, later] });
    await migrate(database, () => 2);
    assert.ok(await isMigrated(database));
    // Once this version no longer wrote to it, a still later one may take something away.
    await migrate(database, () => 3, { all: [...migrations, later, { ...contraction, compatibleFrom: newestSchema }] });
    assert.ok(await isMigrated(database));
    const rows = await database.all('SELECT version, applied_at FROM schema_migrations ORDER BY version DESC LIMIT 3');
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        [newestSchema + 2, 3],
        [newestSchema + 1, 1],
        [newestSchema, 1],
      ],
    );
    await database.close();
  });

  it('reject a later schema that this version cannot use, with instructions, and leave it unchanged', async () => {
    const database = openDatabase(locationOf(await engine.newDatabaseUrl()), () => {});
    await migrate(database, () => 1);
    await migrate(database, () => 1, { all: [...migrations, later, contraction] });
    await assert.rejects(
      migrate(database, () => 2),
      (error: Error) => {
        assert.ok(error instanceof SchemaTooNewError);
        assert.match(error.message, new RegExp(`schema version ${newestSchema + 2}.*newer version`));
        return true;
      },
    );
    assert.ok(!(await isMigrated(database)));
    assert.ok(await isMigrated({ ...database, schema: newestSchema + 1 }));
    assert.ok(!(await isMigrated({ ...database, schema: newestSchema + 3 })), 'it is to be migrated first');
    await database.close();
  });

  it('create a shared secret that all instances use', async () => {
    const url = await engine.newDatabaseUrl();
    const databases = Array.from({ length: 4 }, () => openDatabase(locationOf(url), () => {}));
    for (const database of databases) await migrate(database, () => 1);
    const secrets = await Promise.all(databases.map((database) => sharedSecret(database, 'test')));
    assert.equal(new Set(secrets.map((secret) => secret.toString('hex'))).size, 1);
    assert.equal(secrets[0]?.length, 32);
    for (const database of databases) await database.close();
  });
});

describe('migrations of a database in use on PostgreSQL', onPostgres, () => {
  const engine = postgresEngine();

  const open = async (context: TestContext) => {
    const url = await engine.newDatabaseUrl();
    const database = openDatabase(locationOf(url), () => {});
    const others = openDatabase(locationOf(url), () => {});
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    context.after(async () => {
      await client.end();
      for (const each of [database, others]) await each.close();
    });
    await migrate(database, Date.now);
    let count = 0;
    const write = async () => {
      count += 1;
      await others.run('INSERT INTO workspaces (id, name, created_at) VALUES ($1, $1, 0)', [`w${count}`]);
    };
    await write();
    const isValid = async () =>
      (
        await others.get<{ valid: boolean }>(
          "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('workspaces_by_mood')",
        )
      )?.valid;
    return { database, others, client, write, isValid };
  };
  const column: Migration = {
    version: newestSchema + 1,
    name: 'column',
    statements: () => ['ALTER TABLE workspaces ADD COLUMN mood TEXT'],
  };
  const index: Migration = {
    version: newestSchema + 2,
    name: 'index',
    statements: () => [],
    index: { name: 'workspaces_by_mood', on: 'workspaces (mood)' },
  };

  it('wait for a long read without holding up those who write', async (context) => {
    const { database, client, write } = await open(context);
    await client.query('BEGIN');
    await client.query('SELECT id FROM workspaces');
    let attempts = 0;
    const onBlocked = () => {
      attempts += 1;
    };
    const migrated = migrate(database, Date.now, { all: [...migrations, column], onBlocked });
    // They would wait for the migration, which waits for the read, until they fail.
    for (let writes = 0; attempts < 3 || writes < 100; writes += 1) await write();
    assert.equal(await schemaVersion(database), newestSchema);
    await client.query('COMMIT');
    await migrated;
    assert.equal(await schemaVersion(database), newestSchema + 1);
  });

  it('build an index while others write', async (context) => {
    const { database, client, write, isValid } = await open(context);
    await migrate(database, Date.now, { all: [...migrations, column] });
    await client.query('BEGIN');
    await client.query("INSERT INTO workspaces (id, name, created_at) VALUES ('open', 'open', 0)");
    const migrated = migrate(database, Date.now, { all: [...migrations, column, index] });
    // It is there, and waits for the transaction that could not know it.
    await eventually(async () => (await isValid()) === false);
    await write();
    assert.equal(await isValid(), false);
    await client.query('COMMIT');
    await migrated;
    assert.equal(await isValid(), true);
  });

  it('build an index again that a lost process has left unfinished', async (context) => {
    const { database, others, client, write, isValid } = await open(context);
    await migrate(database, Date.now, { all: [...migrations, column] });
    await write();
    await assert.rejects(client.query('CREATE UNIQUE INDEX CONCURRENTLY workspaces_by_mood ON workspaces ((1))'));
    assert.equal(await isValid(), false);
    // The one that starts first.
    const all = [...migrations, column, index];
    await Promise.all([database, others].map((each) => migrate(each, Date.now, { all })));
    assert.equal(await isValid(), true);
    assert.equal(await schemaVersion(database), newestSchema + 2);
  });
});

async function schemaVersion(database: Database): Promise<number | undefined> {
  return (await database.get<{ version: number }>('SELECT max(version) AS version FROM schema_migrations'))?.version;
}
