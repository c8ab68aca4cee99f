import { ResidentThread } from '../../../src/workers/resident/resident-thread.ts';

/** Exits while its thread is in the middle of something that must not be interrupted. */
const thread = new ResidentThread<string, number, string>({
  file: new URL('./working-worker.ts', import.meta.url),
  name: 'test',
  workerData: null,
  resourceLimits: {},
});
const stream = thread.open('work', { event: () => process.exit(0), failed: () => {} });
stream.send(1000);
// The thread does not keep the process alive.
setTimeout(() => {}, 60_000);
