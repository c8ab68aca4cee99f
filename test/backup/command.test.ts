import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { tablesOf } from '../../src/backup/tables.ts';
import { tableNames, unnamedTables } from '../../src/cli/backup/content.ts';
import { migrations } from '../../src/storage/migrations/index.ts';
import { newChat, on } from '../areas/calls/support.ts';
import { onEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { databaseOf, isEmpty, run, runWhenFree } from './command-support.ts';

onEachEngine('the backup and restore commands', (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-backup-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  /** Tests about files are the same on both engines. */
  const onOneEngine = { skip: engine.name !== 'sqlite' };

  it('write and read a file for the owner only, while the service runs, and report what was done', async (context) => {
    const service = await startService(engine);
    context.after(() => service.close());
    await service.newKey({ workspace: '店' });
    const file = join(folder, 'one.backup');
    const made = await runCommand(['backup', file], { DATABASE_URL: service.databaseUrl });
    assert.equal(made.stderr, '');
    assert.equal(made.code, 0);
    assert.match(made.stdout, /\n {2}Backup {5}.*one\.backup\n {2}Size {7}\d.*\n {2}From .*\n {2}Taken at .*Z\n/);
    assert.match(made.stdout, /\n {2}Content {4}1 workspace, 1 key\n {2}Digest {5}[0-9a-f]{64}\n\n$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(!readFileSync(file).includes('店'), 'it is compressed');

    const again = await run(service.databaseUrl, 'backup', file);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /^voice-agents: .*one\.backup already exists: .* --force to replace it\n$/);
    const forced = await run(service.databaseUrl, 'backup', file, '--force', '--json');
    assert.equal(forced.code, 0, forced.stderr);
    const { content, sha256, bytes } = JSON.parse(forced.stdout);
    const fields = Object.values(tableNames).map(([, , field]) => [field, 0]);
    assert.deepEqual(content, { ...Object.fromEntries(fields), workspaces: 1, keys: 1 });
    assert.equal(bytes, statSync(file).size);

    const checked = await run(service.databaseUrl, 'restore', file, '--check');
    assert.match(checked.stdout, /\n {2}Valid .*one\.backup\n/);
    const inUse = await run(service.databaseUrl, 'restore', file, '--replace');
    assert.equal(inUse.code, 1);
    assert.match(inUse.stderr, /is in use by another process: stop the service first\. Nothing was restored\.\n$/);
    const target = await engine.newDatabaseUrl();
    const restored = await run(target, 'restore', file, '--json');
    assert.equal(restored.code, 0, restored.stderr);
    assert.equal(JSON.parse(restored.stdout).sha256, sha256);
    const refused = await runWhenFree(target, 'restore', file);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is not empty: it contains 1 workspace, 1 key\. .* --replace .*\.\n$/);
    assert.equal((await runWhenFree(target, 'restore', file, '--replace')).code, 0);
    assert.deepEqual(readdirSync(folder), ['one.backup']);
    rmSync(file);
  });

  it('name everything that was saved, calls and webhooks too', async (context) => {
    const service = await startService(engine);
    context.after(() => service.close());
    const { key } = await service.newKey();
    const webhook = { webhookUrl: 'https://shop.example.com/hooks', webhookEvents: ['call_ended'] };
    const chat = on(service, key, (await newChat(service, key, { agent: webhook })).id);
    await chat.say('Hello', { 'idempotency-key': 'hello' });
    await chat.end();
    const file = join(folder, 'calls.backup');
    const { stdout } = await run(service.databaseUrl, 'backup', file);
    assert.match(
      stdout,
      / 1 call, 2 turns, 1 analysis, 1 webhook, 3 events, 1 delivery, \d+ audit entries, 1 saved response\n/,
    );
    const checked = JSON.parse((await run(service.databaseUrl, 'restore', file, '--check', '--json')).stdout);
    const { calls, turns, webhooks, events, deliveries } = checked.content;
    assert.deepEqual([calls, turns, webhooks, events, deliveries], [1, 2, 1, 3, 1]);
    const tables = tablesOf(migrations.length).map(({ name }) => name);
    assert.deepEqual([...Object.keys(tableNames), ...unnamedTables].sort(), tables.sort());
    rmSync(file);
  });

  it('reject invalid backups with 1, and leave the database unchanged', onOneEngine, async () => {
    const source = await databaseOf(engine, 3);
    const file = join(folder, 'good.backup');
    assert.equal((await run(source, 'backup', file)).code, 0);
    const bytes = readFileSync(file);
    const bad = join(folder, 'bad.backup');
    const target = await engine.newDatabaseUrl();
    const refusal = async (contents: Buffer): Promise<string> => {
      writeFileSync(bad, contents);
      const { code, stdout, stderr } = await run(target, 'restore', bad);
      assert.equal(code, 1);
      assert.equal(stdout, '');
      return stderr;
    };
    assert.match(await refusal(bytes.subarray(0, -7)), /bad\.backup is damaged or incomplete\. Nothing was restored\./);
    assert.match(await refusal(Buffer.from('some text that is long enough')), /is not a backup of this service/);
    assert.match(await refusal(Buffer.alloc(0)), /is empty\. Nothing was restored\.\n$/);
    const aFolder = join(folder, 'folder');
    mkdirSync(aFolder);
    assert.match((await run(target, 'restore', aFolder)).stderr, /^voice-agents: .*folder is not a file\n$/);
    assert.match((await run(target, 'restore', join(folder, 'none'))).stderr, /^voice-agents: ENOENT/);
    if (process.getuid?.() !== 0) {
      chmodSync(bad, 0);
      assert.match((await run(target, 'restore', bad)).stderr, /^voice-agents: EACCES/);
    }
    assert.ok(await isEmpty(target));
    assert.equal((await run(target, 'restore')).code, 2);
    for (const name of [file, bad, aFolder]) rmSync(name, { recursive: true });
  });

  it('report that there is nothing to back up', async () => {
    const databaseUrl = engine.name === 'sqlite' ? `sqlite:${join(folder, 'none.db')}` : await engine.newDatabaseUrl();
    const { code, stderr } = await run(databaseUrl, 'backup', join(folder, 'a.backup'));
    assert.equal(code, 1);
    assert.match(stderr, /^voice-agents: (no database found at .+|PostgreSQL at .+ is empty): set DATABASE_URL/);
    assert.deepEqual(readdirSync(folder), []);
  });
});
