import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResidentThread } from '../../src/workers/resident/resident-thread.ts';

test('a thread that is closed while it loads for long on a busy machine is waited for', async () => {
  const thread = new ResidentThread<string, number, string>({
    file: new URL('./support/working-worker.ts', import.meta.url),
    name: 'test',
    workerData: null,
    resourceLimits: {},
  });
  const workMs = 25_000;
  await new Promise<void>((resolve, reject) => {
    const stream = thread.open('work', { event: () => resolve(), failed: (detail) => reject(new Error(detail)) });
    stream.send(workMs);
  });
  const start = performance.now();
  await thread.close();
  // It began a little earlier.
  assert.ok(performance.now() - start > workMs - 3000);
});
