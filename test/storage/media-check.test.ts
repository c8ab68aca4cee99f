import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createMediaStore } from '../../src/storage/media.ts';
import { createMediaCheck } from '../../src/storage/media-check.ts';

describe('the check of the media folder', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'voice-agents-media-check-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('finds a folder that can be written, creates one that is missing, and leaves nothing in it', async () => {
    const missing = join(folder, 'a', 'b');
    assert.equal(await createMediaCheck(createMediaStore(missing))(), null);
    assert.deepEqual(await readdir(missing), []);
  });

  it('says why a folder cannot be written', async () => {
    // Root may write to a folder whatever its mode is, but not below a file.
    await writeFile(join(folder, 'file'), '');
    assert.equal(await createMediaCheck(createMediaStore(join(folder, 'file', 'media')))(), 'ENOTDIR');
    assert.equal(await createMediaCheck(createMediaStore('/proc/media'))(), 'ENOENT');
  });

  it('is made at most once in five seconds, and once for everyone who asks at the same time', async () => {
    const time = { now: 0 };
    let checks = 0;
    const checkWritable = async () => {
      checks += 1;
      if (checks === 1) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    const check = createMediaCheck({ checkWritable }, { now: () => time.now });
    assert.deepEqual(await Promise.all([check(), check()]), ['ENOSPC', 'ENOSPC']);
    time.now = 4999;
    assert.equal(await check(), 'ENOSPC');
    assert.equal(checks, 1);
    time.now = 5000;
    assert.equal(await check(), null);
    assert.equal(checks, 2);
  });

  it('does not wait for a file system that does not respond, and asks it only once', async () => {
    let checks = 0;
    const checkWritable = () => {
      checks += 1;
      return new Promise<void>(() => {});
    };
    const check = createMediaCheck({ checkWritable }, { timeoutMs: 10 });
    assert.deepEqual([await check(), await check()], ['no response', 'no response']);
    assert.equal(checks, 1);
  });
});
