import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openMedia } from '../../src/storage/open-media.ts';

const bucket = {
  bucket: 'recordings',
  prefix: '',
  region: 'us-east-1',
  // Nothing is asked of it.
  endpoint: 'http://127.0.0.1:1',
  isPathStyle: true,
  hasLinks: false,
  credentials: { accessKeyId: 'x', secretAccessKey: 'x', sessionToken: null },
};

describe('the id of a spool', () => {
  const parent = mkdtempSync(join(tmpdir(), 'voice-agents-spool-'));
  after(() => rm(parent, { recursive: true, force: true }));

  const opened = async (folder: string) => {
    const { spool, close } = await openMedia(folder, bucket);
    await close();
    return spool;
  };
  const idOf = async (folder: string): Promise<string> => (await opened(folder)).id as string;
  /** Those of processes that start at the same time. */
  const idsOf = async (folder: string) => new Set(await Promise.all(Array.from({ length: 20 }, () => idOf(folder))));

  it('is the same in all processes that open a new folder at the same time, and later', async () => {
    const folder = join(parent, 'new', 'folder');
    const ids = await idsOf(folder);
    assert.equal(ids.size, 1);
    assert.ok(ids.has(await idOf(folder)));
    assert.deepEqual(await readdir(folder), ['.spool']);
  });

  it('is the same in all processes and after a restart if a full disk has left an empty file', async () => {
    const folder = mkdtempSync(join(parent, 'empty-'));
    await writeFile(join(folder, '.spool'), '');
    const ids = await idsOf(folder);
    assert.equal(ids.size, 1);
    assert.ok(ids.has(await idOf(folder)));
  });

  it('that is in the folder is used', async () => {
    const folder = mkdtempSync(join(parent, 'known-'));
    await writeFile(join(folder, '.spool'), '0123456789abcdef');
    assert.equal(await idOf(folder), '0123456789abcdef');
  });

  it('is written later if the folder could not be written at the start', async () => {
    const folder = join(parent, 'late');
    await writeFile(folder, 'not a folder');
    const spool = await opened(folder);
    await assert.rejects(spool.keepId());
    await rm(folder);
    await spool.keepId();
    assert.equal(await idOf(folder), spool.id);
  });
});
