import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../connection.ts';

const { port, key, path } = workerData as { port: number; key: string; path: string };
const connection = new Connection(port);
let times: number[] = [];
let start = performance.now();
parentPort?.on('message', () => {
  // Without any response so far, reports the time waited, so that it is not mistaken for an idle probe.
  parentPort?.postMessage(times.length === 0 ? [performance.now() - start] : times);
  times = [];
});

for (;;) {
  start = performance.now();
  const { status } = await connection.request('GET', path, { key });
  if (status !== 200) throw new Error(`a client that does nothing wrong was answered ${status}`);
  times.push(performance.now() - start);
  await delay(2);
}
