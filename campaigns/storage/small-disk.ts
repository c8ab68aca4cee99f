import { execFileSync } from 'node:child_process';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Returns false where nothing can be mounted. */
export function mountSmallDisk(folder: string, sizeMiB: number): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Space that the WAL occupies could be used although the disk is full. */
export function emptyWal(file: string): void {
  const other = new DatabaseSync(file, { timeout: 200 });
  other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  other.close();
}

/** Uses all disk space except `left` bytes. Returns the file to remove. */
export function fill(disk: string, left: number): string {
  const filler = join(disk, 'filler');
  const step = Buffer.alloc(64 * 1024);
  writeFileSync(filler, '');
  for (const bytes of [step, Buffer.alloc(4096)]) {
    try {
      for (;;) writeFileSync(filler, bytes, { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  const { size } = statSync(filler);
  if (left > 0) truncateSync(filler, Math.max(0, size - left));
  return filler;
}
