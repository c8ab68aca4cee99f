import { closeSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from './processes.ts';
import { median } from './statistics.ts';

const blockBytes = 8192;
const blocks = 512;

/**
 * The reference for a durable write: one write of 8 KB and fdatasync, on the disk of the databases. The file already
 * has its size, like a write-ahead log, which is cheaper and so the stricter reference.
 */
export function syncedWriteMs(times: number): number {
  mkdirSync(dataFolder, { recursive: true });
  const file = join(dataFolder, `synced-write-${process.pid}`);
  const handle = openSync(file, 'w');
  try {
    const block = Buffer.alloc(blockBytes, 1);
    for (let index = 0; index < blocks; index += 1) writeSync(handle, block, 0, blockBytes, index * blockBytes);
    fdatasyncSync(handle);
    const durations: number[] = [];
    for (let index = 0; index < times; index += 1) {
      const start = performance.now();
      writeSync(handle, block, 0, blockBytes, (index % blocks) * blockBytes);
      fdatasyncSync(handle);
      durations.push(performance.now() - start);
    }
    return median(durations);
  } finally {
    closeSync(handle);
    rmSync(file, { force: true });
  }
}
