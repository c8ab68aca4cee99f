import { setTimeout as delay } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';

const workMs = 5;
const restMs = 100;

let isEnded = false;
parentPort?.once('message', () => {
  isEnded = true;
});

let elapsedMs = 0;
let processorMs = 0;
while (!isEnded) {
  const start = performance.now();
  const before = process.threadCpuUsage();
  let used = 0;
  while (used < workMs) {
    const { user, system } = process.threadCpuUsage(before);
    used = (user + system) / 1000;
  }
  elapsedMs += performance.now() - start;
  processorMs += used;
  await delay(restMs);
}
parentPort?.postMessage(Math.max(1, elapsedMs / processorMs));
