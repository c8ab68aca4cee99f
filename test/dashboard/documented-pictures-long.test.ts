import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runToEnd } from '../support/process.ts';
import { withBrowser } from './support/browser.ts';
import { documentedPictures } from './support/documented-pictures.ts';

const root = join(import.meta.dirname, '..', '..');

describe('the pictures of the documentation', withBrowser, () => {
  it('can all be taken again: what they show is still there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'voice-agents-pictures-'));
    try {
      const script = join(root, 'test', 'dashboard', 'pictures.ts');
      const { code, stderr } = await runToEnd(process.execPath, [script, folder, 'documented'], {});
      assert.deepEqual([code, stderr], [0, '']);
      const files = documentedPictures(root).map(({ file }) => file);
      assert.deepEqual(readdirSync(folder).toSorted(), files.toSorted());
      for (const file of files) assert.ok(statSync(join(folder, file)).size > 5000, file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
