import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isMigrated, migrate, newestSchema, SchemaTooNewError } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { sharedSecret } from '../../src/storage/settings.ts';
import { locationOf, onEachEngine } from '../support/engines.ts';

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

  it('reject a database of a newer version with instructions, and leave it unchanged', async () => {
    const database = openDatabase(locationOf(await engine.newDatabaseUrl()), () => {});
    await migrate(database, () => 1);
    await database.run('INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, 1)', [
      newestSchema + 1,
      'later',
    ]);
    await assert.rejects(
      migrate(database, () => 2),
      (error: Error) => {
        assert.ok(error instanceof SchemaTooNewError);
        assert.match(error.message, new RegExp(`schema version ${newestSchema + 1}.*newer version`));
        return true;
      },
    );
    assert.ok(!(await isMigrated(database)));
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
