import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithTests } from '../support/children.ts';
import { onEachEngine } from '../support/engines.ts';
import { databaseOf, isEmpty, run, runWhenFree } from './command-support.ts';
import { allRows } from './support.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const command = join(root, 'bin', 'voice-agents.js');

onEachEngine('the backup and restore commands as processes', (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-backup-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  /** Tests about files are the same on both engines. */
  const onOneEngine = { skip: engine.name !== 'sqlite' };
  const newDatabaseOf = (workspaces: number) => databaseOf(engine, workspaces);
  const begin = (databaseUrl: string, args: readonly string[], stdio: ('pipe' | number)[] = ['pipe', 'pipe', 'pipe']) =>
    endWithTests(
      spawn(process.execPath, [command, ...args], {
        env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
        stdio,
      }),
    );

  it('work with pipes', async () => {
    const source = await newDatabaseOf(100);
    const target = await engine.newDatabaseUrl();
    const writing = begin(source, ['backup', '-']);
    const reading = begin(target, ['restore', '-', '--json']);
    writing.stdout?.pipe(reading.stdin as NodeJS.WritableStream);
    const [[written], [read]] = await Promise.all([once(writing, 'close'), once(reading, 'close')]);
    assert.deepEqual([written, read], [0, 0]);
    assert.deepEqual(await allRows(target), await allRows(source));
  });

  it('fail if they cannot write, and leave nothing behind', onOneEngine, async () => {
    const source = await newDatabaseOf(600);
    const missing = await run(source, 'backup', join(folder, 'none', 'a.backup'));
    assert.deepEqual(
      [missing.code, missing.stderr],
      [1, `voice-agents: directory ${join(folder, 'none')} not found\n`],
    );
    for (const place of [folder, '/dev/null']) {
      const { code, stderr } = await run(source, 'backup', place, '--force');
      assert.equal(code, 1);
      assert.match(stderr, /exists and is not a regular file\n$/);
    }
    // As on a full disk: no file may exceed half a mebibyte.
    const shell = ['-c', 'ulimit -f 1024; exec "$0" "$@"', process.execPath, command, 'backup', join(folder, 'full')];
    const limited = spawn('/bin/sh', shell, { env: { PATH: process.env.PATH, DATABASE_URL: source } });
    const [code] = await once(limited, 'close');
    assert.equal(code, 1);
    if (existsSync('/dev/full')) {
      const full = spawn('/bin/sh', ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, command, 'backup', '-'], {
        env: { PATH: process.env.PATH, DATABASE_URL: source },
      });
      assert.deepEqual(await once(full, 'close'), [1, null]);
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  it('leave no file if a backup is interrupted', onOneEngine, async () => {
    const source = await newDatabaseOf(3000);
    const writing = begin(source, ['backup', join(folder, 'never')]);
    const ended = once(writing, 'close');
    while (readdirSync(folder).length === 0 && writing.exitCode === null) await delay(1);
    assert.match(readdirSync(folder)[0] ?? '', /^never\.[0-9a-f]{8}\.partial$/);
    writing.kill('SIGINT');
    assert.deepEqual(await ended, [130, null]);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('leave the database unchanged if a restore is killed halfway', async () => {
    const source = await newDatabaseOf(1000);
    const file = join(folder, 'whole.backup');
    assert.equal((await run(source, 'backup', file)).code, 0);
    const bytes = readFileSync(file);
    const target = await engine.newDatabaseUrl();
    for (const share of [0.5, 0.99]) {
      const reading = begin(target, ['restore', '-']);
      reading.stdin?.write(bytes.subarray(0, Math.floor(bytes.length * share)));
      await untilRead(reading);
      reading.kill('SIGKILL');
      await once(reading, 'close');
      assert.ok(await isEmpty(target));
    }
    const whole = await runWhenFree(target, 'restore', file);
    assert.equal(whole.code, 0, whole.stderr);
    assert.deepEqual(await allRows(target), await allRows(source));
    rmSync(file);
  });
});

/** Until it has read everything but what the pipe buffers: it reads no faster than it restores. */
async function untilRead(child: ChildProcess): Promise<void> {
  const stdin = child.stdin as NodeJS.WritableStream & { writableLength: number };
  while (stdin.writableLength > 0) await delay(5);
}
