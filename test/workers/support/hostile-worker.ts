/** Runs in a child: harms its own process in every way that a job could. */
import { closeSync, existsSync, readdirSync, readlinkSync, writeFileSync, writeSync } from 'node:fs';
import { frame, frameKinds } from '../../../src/workers/children/frames.ts';
import { serveJobs } from '../../../src/workers/children/serve-jobs.ts';

export interface HostileJob {
  readonly do: keyof typeof ways;
  /** Written when the job has started. */
  readonly file?: string;
  /** The job lasts until this file exists. */
  readonly until?: string;
}

const channel = 3;
const megabyte = 1024 * 1024;
const kept: unknown[] = [];

function forever(act: () => unknown): never {
  for (;;) kept.push(act());
}

/** Until its characters are read, a repeated string is only a note of what to repeat. */
function flat(text: string): string {
  return text.charCodeAt(0) === 0 ? '' : text;
}

/** Fills a pipe as fast as it is read. */
function write(bytes: Uint8Array, descriptor = channel): void {
  try {
    writeSync(descriptor, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
}

function descriptors(): string[] {
  return readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return 'closed';
    }
  });
}

const ways = {
  pid: () => process.pid,
  environment: () => ({ env: process.env, execArgv: process.execArgv, descriptors: descriptors() }),
  // Memory.
  'one large string': () => flat('x'.repeat(400 * megabyte)),
  'a string that is filled': () => forever(() => flat('{{a}}'.repeat(400).replaceAll('{{a}}', 'a'.repeat(400_000)))),
  'a string beyond the largest': () => 'x'.repeat(2 ** 30),
  'many strings': () => forever(() => Math.random().toString().repeat(1000)),
  'many objects': () => forever(() => ({ at: kept.length })),
  'one large array': () => new Array(30 * megabyte).fill(0).length,
  'the matches of an expression': () => 'a'.repeat(64 * megabyte).match(/a/g)?.length,
  'array buffers': () => forever(() => new Uint8Array(4 * megabyte).fill(1)),
  buffers: () => forever(() => Buffer.alloc(4 * megabyte, 1)),
  'one large buffer': () => Buffer.alloc(4096 * megabyte - 1, 1).length,
  'memory that stays': () => kept.push(Buffer.alloc(160 * megabyte, 1)),
  // Time.
  'an endless loop': () => {
    for (;;);
  },
  'an endless expression': () => /^(a+)+$/.test(`${'a'.repeat(60)}b`),
  // Ends of the process.
  'process.exit': () => process.exit(0),
  'process.abort': () => process.abort(),
  'an exception': () => {
    throw new Error('this job fails');
  },
  'an exception later': () => {
    queueMicrotask(() => {
      throw new Error('this job has failed');
    });
    return null;
  },
  'endless recursion': function recur(): number {
    return recur() + 1;
  },
  // The channel.
  'a flood of frames': () => {
    for (;;) write(frame(frameKinds.started));
  },
  'a flood of results': () => {
    for (;;) write(frame(frameKinds.result, new Uint8Array(1000)));
  },
  'a result that is too large': () => 'x'.repeat(2 * megabyte),
  'a length of four gigabytes': () => write(Uint8Array.of(frameKinds.result, 255, 255, 255, 255)),
  'an unknown frame': () => write(frame(99)),
  'a closed channel': () => {
    closeSync(channel);
    for (;;);
  },
  'a flood of error output': () => {
    for (;;) write(Buffer.alloc(1000, 'x'), 2);
  },
};

serveJobs(({ do: way, file, until }: HostileJob) => {
  if (file !== undefined) writeFileSync(file, '');
  while (until !== undefined && !existsSync(until)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  return new TextEncoder().encode(JSON.stringify(ways[way]()) ?? 'null');
});
