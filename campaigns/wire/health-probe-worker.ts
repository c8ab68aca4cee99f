import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../connection.ts';
import type { Health } from './health-probe.ts';

const { port, timeoutMs } = workerData as { port: number; timeoutMs: number };
let health: Health = { answers: 0, failures: 0, maxMs: 0 };
let isWanted = false;
parentPort?.on('message', () => {
  isWanted = true;
});

for (;;) {
  const start = performance.now();
  const connection = new Connection(port, { timeoutMs });
  const isServed = await connection.request('GET', '/healthz').then(
    ({ status }) => status === 200,
    () => false,
  );
  connection.close();
  health = {
    answers: health.answers + (isServed ? 1 : 0),
    failures: health.failures + (isServed ? 0 : 1),
    maxMs: Math.max(health.maxMs, performance.now() - start),
  };
  // Only between requests, so that a pending request counts as well.
  if (isWanted) {
    parentPort?.postMessage(health);
    health = { answers: 0, failures: 0, maxMs: 0 };
    isWanted = false;
  }
  await delay(20);
}
