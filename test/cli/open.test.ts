import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runInProcess } from '../support/command-line.ts';

describe('open', { skip: process.platform !== 'linux' && 'the program that opens URLs is another one' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-open-'));
  after(() => rmSync(folder, { recursive: true }));
  const opened = join(folder, 'opened');
  const openWith = (script: string | null, settings: Record<string, string> = {}, args: string[] = []) => {
    rmSync(opened, { force: true });
    rmSync(join(folder, 'xdg-open'), { force: true });
    if (script !== null) writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const profiles = { VOICE_AGENTS_PROFILES: join(folder, 'profiles.json') };
    return runInProcess(['open', ...args], {
      PATH: `${folder}:/usr/bin:/bin`,
      DISPLAY: ':0',
      ...profiles,
      ...settings,
    });
  };
  const record = `printf %s "$1" > '${opened}'`;

  it('opens the dashboard of the profile, of --base-url or of this machine, without a key', async () => {
    const local = await openWith(record);
    assert.deepEqual([local.code, local.stdout, local.stderr], [0, 'Opened http://127.0.0.1:8080/\n', '']);
    assert.equal(readFileSync(opened, 'utf8'), 'http://127.0.0.1:8080/');
    await openWith(record, {}, ['--base-url', 'https://voice.example.com']);
    assert.equal(readFileSync(opened, 'utf8'), 'https://voice.example.com/');
    const profile = { baseUrl: 'https://staging.example.com', apiKey: 'vak_1' };
    const file = join(folder, 'profiles.json');
    writeFileSync(file, JSON.stringify({ current: 'staging', profiles: { staging: profile } }), { mode: 0o600 });
    await openWith(record);
    assert.equal(readFileSync(opened, 'utf8'), 'https://staging.example.com/');
    rmSync(file);
  });

  it('prints the URL if there is no browser', async () => {
    const expected = 'Open http://127.0.0.1:8080/ in a browser.\n';
    assert.equal((await openWith(record, { DISPLAY: '' })).stdout, expected);
    assert.equal((await openWith('exit 3')).stdout, expected);
    assert.equal((await openWith(null, { PATH: folder })).stdout, expected);
  });

  it('opens nothing but web addresses', async () => {
    for (const url of ['nonsense', 'file:///etc/passwd', 'javascript:alert(1)']) {
      const { code, stderr } = await openWith(record, {}, ['--base-url', url]);
      assert.deepEqual([code, stderr], [2, 'voice-agents: the service URL is not a valid URL\n']);
    }
  });
});
