import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { eventually } from '../areas/calls/support.ts';
import { startProcess } from '../support/process.ts';

describe('the start with a media folder that cannot be written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-media-folder-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('names the folder in the log, and serves everything else', async () => {
    writeFileSync(join(folder, 'file'), '');
    const media = join(folder, 'file', 'media');
    const service = await startProcess({ DATABASE_URL: `sqlite:${join(folder, 'data.db')}`, MEDIA_DIR: media });
    const line = await eventually(async () =>
      service
        .output()
        .split('\n')
        .find((text) => text.includes('MEDIA_DIR')),
    );
    const { level, reason, ...rest } = JSON.parse(line as string);
    assert.deepEqual([level, reason, rest.folder], ['warn', 'ENOTDIR', media]);
    assert.match(rest.msg, /cannot be written, so calls are not recorded/);
    assert.deepEqual(await service.end('SIGTERM').then(({ code }) => code), 0);
  });
});
