import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../connection.ts';
import type { Paces } from './pace.ts';

const { port, key, path } = workerData as { port: number; key: string; path: string };
const connection = new Connection(port);
let paces: Paces = { times: [], refused: [] };
let start = performance.now();
parentPort?.on('message', () => {
  // Without any response so far, reports the time waited, so that it is not mistaken for an idle probe.
  const { times, refused } = paces;
  parentPort?.postMessage({ times: times.length === 0 ? [performance.now() - start] : times, refused });
  paces = { times: [], refused: [] };
});

for (;;) {
  start = performance.now();
  const { status } = await connection.request('GET', path, { key });
  if (status === 200) paces.times.push(performance.now() - start);
  else paces.refused.push(status);
  await delay(2);
}
