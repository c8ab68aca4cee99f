import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createSecret } from '../../src/areas/keys/secret.ts';
import { openDataKey } from '../../src/storage/data-key.ts';
import { migrate, newestSchema } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { runInProcess } from '../support/command-line.ts';
import { locationOf, newMigratedUrl, sqliteEngine } from '../support/engines.ts';
import { runCommand } from '../support/process.ts';

describe('the command rejects', () => {
  const engine = sqliteEngine();

  it('invalid settings, naming each', async () => {
    const result = await runCommand(['serve'], { PORT: 'http', RATE_LIMIT: 'fast', DATABASE_URL: 'sqlite:' });
    assert.equal(result.code, 2);
    assert.match(result.stderr, /PORT must be/);
    assert.match(result.stderr, /RATE_LIMIT must be/);
    assert.match(result.stderr, /DATABASE_URL must/);
    assert.ok(!result.stderr.includes('    at '), 'no stack');
  });

  it('a port that is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const result = await runCommand(['serve'], { PORT: String(port), DATABASE_URL: await engine.newDatabaseUrl() });
    other.close();
    assert.equal(result.code, 1);
    assert.match(result.stderr, /EADDRINUSE/);
    assert.doesNotMatch(result.stdout + result.stderr, /database is not open/, 'nothing goes on in the background');
    assert.ok(!result.stderr.includes('    at '), 'no stack');
  });

  it('a data key that is not the one of the database', async () => {
    const DATABASE_URL = await engine.newDatabaseUrl();
    const database = openDatabase(locationOf(DATABASE_URL), () => {});
    await migrate(database, Date.now);
    await openDataKey(database, locationOf(DATABASE_URL), [Buffer.alloc(32, 1)]);
    await database.close();
    const DATA_KEY = Buffer.alloc(32, 2).toString('base64');
    const result = await runCommand(['serve'], { DATABASE_URL, DATA_KEY, PORT: '0' });
    assert.equal(result.code, 2);
    assert.match(result.stderr, /^voice-agents: DATA_KEY is not the key/);
    assert.ok(!result.stderr.includes(DATA_KEY));
    assert.ok(!result.stderr.includes('    at '), 'no stack');
  });

  it('a database of a newer version', async () => {
    const DATABASE_URL = await newMigratedUrl(engine);
    const database = openDatabase(locationOf(DATABASE_URL), () => {});
    await database.run(
      'INSERT INTO schema_migrations (version, name, applied_at, compatible_from) VALUES ($1, $2, 1, $1)',
      [newestSchema + 1, 'x'],
    );
    await database.close();
    for (const args of [['serve'], ['keys', 'list']]) {
      const result = await runCommand(args, { DATABASE_URL, PORT: '0' });
      assert.equal(result.code, 1);
      assert.match(result.stderr, /created by a newer version/);
    }
  });

  it('a database that is not there, which no command on keys or backups creates', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'voice-agents-missing-'));
    const file = join(folder, 'data', 'voice-agents.db');
    const DATABASE_URL = `sqlite:${file}`;
    const message = new RegExp(
      `^voice-agents: no database found at ${file}: set DATABASE_URL to the database of the service, or start the service once`,
    );
    for (const args of [
      ['keys', 'list'],
      ['keys', 'create', '--workspace', 'w', '--scopes', 'agents:read'],
      ['keys', 'revoke', 'key_1'],
      ['keys', 'rotate', 'key_1'],
      ['backup', join(folder, 'a.backup')],
    ]) {
      const { code, stdout, stderr } = await runInProcess(args, { DATABASE_URL });
      assert.deepEqual([code, stdout], [1, ''], args.join(' '));
      assert.match(stderr, message);
    }
    assert.deepEqual(readdirSync(folder), []);
    rmSync(folder, { recursive: true });
  });

  it('keys with unknown scopes, workspaces and times', async () => {
    const DATABASE_URL = await newMigratedUrl(engine);
    const cases: [string[], RegExp, number][] = [
      [
        ['keys', 'create', '--workspace', 'w', '--scopes', 'agents:fly'],
        /unknown scope agents:fly\. Available scopes: agents:read/,
        1,
      ],
      [['keys', 'create', '--workspace', 'w', '--scopes', ','], /at least one/, 1],
      [['keys', 'create', '--workspace', '', '--scopes', 'agents:read'], /--workspace must be 1 to 255/, 1],
      [['keys', 'create', '--workspace', 'w'], /--scopes/, 2],
      [['keys', 'create', '--scopes', 'agents:read'], /--workspace is required, or --service/, 2],
      [['keys', 'list', '--service', '--workspace', 'w'], /--workspace is for the database/, 2],
      [['keys', 'revoke', 'key_nope'], /no such key key_nope/, 1],
      [['keys', 'rotate', 'key_nope'], /no active key/, 1],
      [['keys', 'rotate', 'key_nope', '--grace', 'soon'], /--grace must be/, 1],
      [['keys', 'forge'], /unknown command/, 2],
      [['nonsense'], /unknown command/, 2],
    ];
    for (const [args, message, code] of cases) {
      const result = await runInProcess(args, { DATABASE_URL });
      assert.match(result.stderr, message);
      assert.equal(result.code, code, args.join(' '));
      assert.equal(result.stdout, '');
    }
    const empty = await runInProcess(['keys', 'list'], { DATABASE_URL });
    assert.match(empty.stdout, /No API keys yet/);
  });

  it('an API key in place of another argument, without printing it', async () => {
    const DATABASE_URL = await newMigratedUrl(engine);
    const key = createSecret();
    const own = 'the-operators-own-secret';
    const cases: [string[], RegExp][] = [
      [['keys', 'revoke', key], /no such key with this id/],
      [['keys', 'rotate', own], /no active key with this id/],
      [['keys', 'list', `--key=${key}`], /unknown option '--key=vak_…'/],
      [['keys', 'list', key], /too many arguments/],
      [['keys', 'revoke', '--service', key], /is not an API key id/],
      [['keys', 'rotate', '--service', own], /a key is not an API key id/],
      [[key], /unknown command 'vak_…'/],
    ];
    for (const [args, message] of cases) {
      const { stdout, stderr } = await runInProcess(args, { DATABASE_URL });
      assert.match(stderr, message);
      assert.ok(!`${stdout}${stderr}`.includes(key.slice(4, 12)), stderr);
      assert.ok(!`${stdout}${stderr}`.includes(own), stderr);
    }
  });
});
