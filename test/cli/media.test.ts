import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runInProcess } from '../support/command-line.ts';
import { sqliteEngine } from '../support/engines.ts';
import { type ObjectStorage, startObjectStorage } from '../support/object-storage.ts';

describe('media files in a bucket, on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-media-commands-'));
  const media = join(folder, 'media');
  let storage: ObjectStorage;
  const settings = (url = 's3://recordings/live'): Record<string, string> => ({
    MEDIA_DIR: media,
    MEDIA_URL: url,
    AWS_ENDPOINT_URL: storage.config.endpoint,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  });
  before(async () => {
    storage = await startObjectStorage();
    mkdirSync(join(media, 'calls'), { recursive: true });
    mkdirSync(join(media, 'pieces'));
    writeFileSync(join(media, 'calls', 'call_1.wav'), 'one');
    writeFileSync(join(media, 'calls', 'call_2.wav'), 'two');
    // The recording of a call that is not over.
    writeFileSync(join(media, 'pieces', 'ws_1.call_3.1.wav'), 'three');
  });
  after(async () => {
    await storage?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are checked, with what is wrong in words', async () => {
    const good = await runInProcess(['media', 'check'], settings());
    assert.deepEqual(
      [good.code, good.stdout.split('\n')[0]],
      [0, 'Files can be written to the bucket s3://recordings/live.'],
    );
    const missing = await runInProcess(['media', 'check'], settings('s3://elsewhere'));
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /The bucket s3:\/\/elsewhere cannot be written \(the bucket does not exist/);
    const { AWS_SECRET_ACCESS_KEY: _, ...incomplete } = settings();
    const refused = await runInProcess(['media', 'check'], incomplete);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /AWS_SECRET_ACCESS_KEY is missing, which MEDIA_URL requires/);
  });

  it('are checked with an upload in parts, of which something may be missing', async () => {
    const refused = { status: 403, code: 'AccessDenied' };
    storage.fault = ({ method, url }) => (method === 'GET' && url.searchParams.has('uploads') ? refused : null);
    const warned = await runInProcess(['media', 'check'], settings());
    assert.equal(warned.code, 0, warned.stderr);
    assert.match(warned.stdout, /^Files can be written .+\nUploads in parts .+\(403 AccessDenied\)/);
    const { problems } = JSON.parse((await runInProcess(['media', 'check', '--json'], settings())).stdout);
    assert.deepEqual(
      problems.map(({ isWarning }: { isWarning?: boolean }) => isWarning),
      [true],
    );
    storage.fault = ({ method, url }) => (method === 'POST' && url.searchParams.has('uploads') ? refused : null);
    const failed = await runInProcess(['media', 'check'], settings());
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /Files cannot be uploaded in parts to the bucket s3:\/\/recordings\/live/);
    storage.fault = () => null;
  });

  it('are copied from a folder, once', async () => {
    const first = await runInProcess(['media', 'upload', '--json'], settings());
    assert.equal(first.code, 0, first.stderr);
    const { copied, skipped, bytes } = JSON.parse(first.stdout);
    assert.deepEqual([copied, skipped, bytes], [2, 0, 6]);
    assert.deepEqual(await storage.keys(), ['live/calls/call_1.wav', 'live/calls/call_2.wav']);
    const again = JSON.parse((await runInProcess(['media', 'upload', '--json'], settings())).stdout);
    assert.deepEqual([again.copied, again.skipped], [0, 2]);
    const none = await runInProcess(['media', 'upload'], { MEDIA_DIR: media });
    assert.match(none.stderr, /set MEDIA_URL to the bucket/);
  });

  it('are part of a backup, and restored into another prefix', async () => {
    const file = join(folder, 'all.backup');
    const databaseUrl = await sqliteEngine().newServiceUrl();
    const made = await runInProcess(['backup', file, '--media'], { ...settings(), DATABASE_URL: databaseUrl });
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /Media +2 files, 6 bytes/);
    const target = (url: string, name: string) => ({
      ...settings(url),
      DATABASE_URL: `sqlite:${join(folder, name)}`,
    });
    const occupied = await runInProcess(['restore', file], target('s3://recordings/live', 'one.db'));
    assert.equal(occupied.code, 1);
    assert.match(occupied.stderr, /the bucket s3:\/\/recordings\/live is not empty/);
    const restored = await runInProcess(['restore', file], target('s3://recordings/copy', 'two.db'));
    assert.equal(restored.code, 0, restored.stderr);
    const keys = await storage.keys();
    assert.deepEqual(
      keys.filter((key) => key.startsWith('copy/')),
      ['copy/calls/call_1.wav', 'copy/calls/call_2.wav'],
    );
    assert.equal(keys.length, 4);
    // What is not in the backup is removed.
    rmSync(join(media, 'calls', 'call_1.wav'));
    writeFileSync(join(media, 'calls', 'call_9.wav'), 'nine');
    await runInProcess(['media', 'upload'], settings('s3://recordings/copy'));
    const replaced = await runInProcess(['restore', file, '--replace'], target('s3://recordings/copy', 'two.db'));
    assert.equal(replaced.code, 0, replaced.stderr);
    assert.equal((await storage.keys()).filter((key) => key.startsWith('copy/')).length, 2);
    assert.equal((await storage.keys()).filter((key) => key.startsWith('live/')).length, 2);
  });
});
