/** The other side of `child.ts`: runs in the child. */
import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { getPriority, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Excess } from '../job-runner.ts';
import { programFile } from '../program-file.ts';
import { FrameReader, frame, frameKinds } from './frames.ts';

const channelFile = 3;
const maxJobBytes = 2 ** 32 - 1;
const maxStackLength = 4000;

/** What the watchdog thread is told. */
export interface WatchdogData {
  readonly maxResidentBytes: number;
}

/** Performs the jobs that the service sends, one at a time. */
export function serveJobs<Job>(perform: (job: Job) => Uint8Array | Excess | Promise<Uint8Array | Excess>): void {
  const maxResidentBytes = Number(process.argv[2]) * 1024 * 1024;
  startWatchdog({ maxResidentBytes });
  dieFirst();
  // Callers wait for the service, and nobody for a job: it has a quarter of a processor that both want. With less, or
  // while this process loads, jobs would time out on a busy machine. Only root could take less than the service has.
  setPriority(Math.max(5, getPriority()));
  const channel = new Socket({ fd: channelFile, readable: true, writable: true });
  const reader = new FrameReader(maxJobBytes);
  const send = (kind: number, body?: Uint8Array, done?: () => void) => channel.write(frame(kind, body), done);
  const fail = (error: unknown) => {
    if (isOutOfMemory(error)) send(frameKinds.memory);
    else send(frameKinds.failed, Buffer.from(String((error as Error)?.stack ?? error).slice(0, maxStackLength)));
  };
  process.on('uncaughtException', fail);
  // The process is always killed, and only an exit of its own would write the cache.
  flushCompileCache();
  channel.on('data', (chunk: Buffer) => {
    for (const { body } of reader.read(chunk)) {
      // The time of a job does not include that of loading this process. Sent before the job occupies the thread.
      send(frameKinds.started, undefined, async () => {
        try {
          const result = await perform(JSON.parse(body.toString()));
          if (typeof result === 'string') send(frameKinds[result]);
          else send(isLarge(maxResidentBytes) ? frameKinds.lastResult : frameKinds.result, result);
        } catch (error) {
          fail(error);
        }
      });
    }
  });
}

/** A job of another workspace must find as much memory as this one had. */
function isLarge(maxResidentBytes: number): boolean {
  return process.memoryUsage.rss() > maxResidentBytes / 2;
}

/** Texts and buffers that are too large to be created throw. Everything else ends the process. */
function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_MEMORY_ALLOCATION_FAILED' || code === 'ERR_STRING_TOO_LONG') return true;
  return error instanceof RangeError && /^Invalid (string|array|typed array) length|allocation failed/.test(message);
}

/** A thread: the main one may be in an endless loop. */
function startWatchdog(workerData: WatchdogData): void {
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };
  new Worker(programFile('./watchdog', import.meta.url), { workerData, resourceLimits, execArgv: [], env: {} }).unref();
}

/** Signals that end a service are sent to all of its processes; what has begun is finished nevertheless. */
function dieFirst(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  try {
    // If the system has no memory left, it ends this process and not the service.
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux has it.
  }
}
