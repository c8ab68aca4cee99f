import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

test('a process that exits lets its threads finish what they are doing: native code that is interrupted aborts it', async () => {
  const file = fileURLToPath(new URL('./support/exiting-process.ts', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { timeout: 60_000 });
  assert.deepEqual([stdout, stderr], ['done', '']);
});
