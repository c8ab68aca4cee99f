/** Runs in a thread of a child: ends the process if it uses too much memory, or if the service has ended. */
import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import type { WatchdogData } from './serve-jobs.ts';

const lifelineFile = 4;
const everyMs = 50;

const { maxResidentBytes } = workerData as WatchdogData;

// A signal, because a thread cannot end its process in another way.
new Socket({ fd: lifelineFile, readable: true, writable: false })
  .on('close', () => process.kill(process.pid, 'SIGKILL'))
  .on('error', () => {})
  .resume();

setInterval(() => {
  if (process.memoryUsage.rss() > maxResidentBytes) process.kill(process.pid, 'SIGABRT');
}, everyMs);
