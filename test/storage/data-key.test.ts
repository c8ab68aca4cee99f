import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { ConfigError } from '../../src/config.ts';
import type { Sealer } from '../../src/core/sealer.ts';
import { associatedId, keyFileOf, openDataKey } from '../../src/storage/data-key.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { readSetting, removeSetting } from '../../src/storage/settings.ts';
import { backUpToBytes, restoreBytes } from '../backup/support.ts';
import { locationOf, onEachEngine } from '../support/engines.ts';

onEachEngine('the data key', (engine) => {
  const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];

  const newDatabase = async () => {
    const url = await engine.newServiceUrl();
    await using(url, (database) => migrate(database, Date.now));
    return url;
  };
  const start = (url: string, ...given: Buffer[]) =>
    using(url, (database) => openDataKey(database, locationOf(url), given));
  const namesTheVariable = (error: Error) => error instanceof ConfigError && error.message.includes('DATA_KEY');

  it('is generated once if none is given, and kept apart from the database where that is possible', async () => {
    const url = await newDatabase();
    const { sealer, isInDatabase } = await start(url);
    assert.equal(isInDatabase, engine.name === 'postgres');
    await addSecret(url, sealer, 'text');
    assert.equal(await readSecret(url, (await start(url)).sealer), 'text');
    const keyFile = keyFileOf(locationOf(url));
    if (keyFile === null) return;
    assert.equal(statSync(keyFile).mode & 0o777, 0o600);
    assert.equal(Buffer.from(readFileSync(keyFile, 'utf8'), 'base64').length, 32);
    assert.equal(await using(url, (database) => readSetting(database, 'data_key')), null);
  });

  it('is the same for processes that start at once', async () => {
    const url = await newDatabase();
    const started = await Promise.all(Array.from({ length: 4 }, () => start(url)));
    assert.equal(new Set(started.map(({ sealer }) => sealer.derive('x').toString('hex'))).size, 1);
  });

  it('must be the one that the database was used with', async () => {
    const url = await newDatabase();
    await start(url, first);
    await assert.rejects(start(url, second), namesTheVariable);
    await addSecret(url, (await start(url, first)).sealer, 'text');
    await assert.rejects(start(url, second), namesTheVariable);
    await assert.rejects(start(url, second, third), namesTheVariable);
    await assert.rejects(start(url), namesTheVariable);
    assert.equal(await readSecret(url, (await start(url, first)).sealer), 'text');
  });

  it('can be changed: what the old one has sealed is sealed with the new one at the start', async () => {
    const url = await newDatabase();
    const before = (await start(url, first)).sealer;
    await addSecrets(
      url,
      before,
      new Map(Array.from({ length: 450 }, (_, number) => [`S${number}`, `text ${number}`])),
    );
    const { sealer, resealed } = await start(url, second, first);
    assert.equal(resealed, 450);
    assert.equal(await readSecret(url, sealer, 'S449'), 'text 449');
    assert.equal((await start(url, second, first)).resealed, 0);
    assert.equal(await readSecret(url, (await start(url, second)).sealer, 'S0'), 'text 0');
    await assert.rejects(start(url, first), namesTheVariable);
    // An instance that still had the old key first sealed this after the change.
    await addSecret(url, before, 'late', 'LATE');
    await assert.rejects(start(url, second), namesTheVariable);
    assert.equal(await readSecret(url, (await start(url, second, first)).sealer, 'LATE'), 'late');
  });

  it('can be set after one was generated, which is then no longer used', async () => {
    const url = await newDatabase();
    await addSecret(url, (await start(url)).sealer, 'text');
    assert.equal((await start(url, first)).resealed, 1);
    assert.equal(await using(url, (database) => readSetting(database, 'data_key')), null);
    assert.equal(await readSecret(url, (await start(url, first)).sealer), 'text');
    await assert.rejects(start(url), namesTheVariable);
  });

  it('is generated again if it is lost, unless something is sealed', async () => {
    const url = await newDatabase();
    await start(url);
    await loseKey(url);
    const { sealer } = await start(url);
    await addSecret(url, sealer, 'text');
    await loseKey(url);
    await assert.rejects(start(url), namesTheVariable);
    const keyFile = keyFileOf(locationOf(url));
    if (keyFile === null) return;
    assert.ok(!existsSync(keyFile));
    writeFileSync(keyFile, `${first.toString('base64')}\n`);
    await assert.rejects(start(url), namesTheVariable);
    writeFileSync(keyFile, 'no key');
    await assert.rejects(start(url), namesTheVariable);
  });

  it('is part of a backup if it was generated, and of no backup if it was given', async () => {
    const url = await newDatabase();
    const { sealer } = await start(url);
    await addSecret(url, sealer, 'text');
    const { bytes, sha256 } = await backUpToBytes(url);
    const target = await engine.newDatabaseUrl();
    await restoreBytes(target, bytes);
    assert.equal(await readSecret(target, (await start(target)).sealer), 'text');
    assert.equal((await backUpToBytes(target)).sha256, sha256);

    await start(url, first);
    const without = await engine.newDatabaseUrl();
    await restoreBytes(without, (await backUpToBytes(url)).bytes);
    await assert.rejects(start(without), namesTheVariable);
    assert.equal(await readSecret(without, (await start(without, first)).sealer), 'text');
  });

  it('stays as it was if a restore fails, and gives way to that of the backup if it succeeds', async () => {
    const source = await newDatabase();
    await addSecret(source, (await start(source)).sealer, 'restored');
    const { bytes } = await backUpToBytes(source);
    const target = await newDatabase();
    await addSecret(target, (await start(target)).sealer, 'before');
    await assert.rejects(restoreBytes(target, bytes.subarray(0, -1), true));
    assert.equal(await readSecret(target, (await start(target)).sealer), 'before');
    await restoreBytes(target, bytes, true);
    assert.equal(await readSecret(target, (await start(target)).sealer), 'restored');
  });
});

async function using<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(locationOf(url), () => {});
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function addSecret(url: string, sealer: Sealer, value: string, name = 'NAME'): Promise<void> {
  return addSecrets(url, sealer, new Map([[name, value]]));
}

async function addSecrets(url: string, sealer: Sealer, values: ReadonlyMap<string, string>): Promise<void> {
  await using(url, (database) =>
    database.transaction(async (queries) => {
      await queries.run("INSERT INTO workspaces (id, name, created_at) VALUES ('ws', 'ws', 0) ON CONFLICT DO NOTHING");
      for (const [name, value] of values) {
        await queries.run(
          `INSERT INTO secrets (workspace_id, name, hosts, sealed_value, created_at, updated_at)
            VALUES ('ws', $1, '[]', $2, 0, 0)`,
          [name, sealer.seal(value, associatedId('ws', name))],
        );
      }
    }),
  );
}

async function readSecret(url: string, sealer: Sealer, name = 'NAME'): Promise<string> {
  const row = await using(url, async (database) =>
    database.get<{ sealed_value: Uint8Array }>('SELECT sealed_value FROM secrets WHERE name = $1', [name]),
  );
  assert.ok(row !== undefined);
  return String(sealer.open(row.sealed_value, associatedId('ws', name)));
}

async function loseKey(url: string): Promise<void> {
  const keyFile = keyFileOf(locationOf(url));
  if (keyFile === null) await using(url, (database) => removeSetting(database, 'data_key'));
  else rmSync(keyFile);
}
