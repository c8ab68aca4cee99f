import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createCredentials } from '../../src/storage/s3/credentials.ts';

describe('credentials in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-credentials-'));
  const file = join(folder, 'credentials');
  after(() => rm(folder, { recursive: true, force: true }));
  const writeToken = async (token: string) => {
    const next = join(folder, 'next');
    await writeFile(
      next,
      `[voice]\naws_access_key_id = key\naws_secret_access_key = x\naws_session_token = ${token}\n`,
    );
    await rename(next, file);
  };

  it('are read again within ten seconds of a change, without a request that is refused', async () => {
    let now = 0;
    await writeToken('first');
    const credentials = createCredentials({ file, profile: 'voice' }, () => now);
    const token = async () => (await credentials.get()).sessionToken;
    assert.equal(await token(), 'first');
    await writeToken('second');
    now = 9_999;
    assert.equal(await token(), 'first');
    now = 10_000;
    assert.equal(await token(), 'second');
    // Another program is just writing it.
    await writeFile(file, '[voice]\naws_access_key_id = key\n');
    now = 20_000;
    assert.equal(await token(), 'second');
    await rm(file);
    now = 30_000;
    assert.equal(await token(), 'second');
    await writeToken('third');
    now = 39_999;
    assert.equal(await token(), 'second');
    now = 40_000;
    assert.deepEqual(await Promise.all([token(), token()]), ['third', 'third']);
  });
});
