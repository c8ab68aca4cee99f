import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../../test/support/process.ts';
import type { Run } from '../campaign.ts';
import type { Amount, Fault, Faults } from './faults.ts';
import { emptyWal, fill, mountSmallDisk } from './small-disk.ts';

const diskMiB = 192;

/** A disk that fills up, and a file that other processes lock. */
export async function createSqliteFaults(run: Run<Amount>): Promise<Faults> {
  const disk = join(run.folder, 'disk');
  mkdirSync(disk);
  const isMounted = mountSmallDisk(disk, diskMiB);
  if (isMounted) run.atEnd(() => execFileSync('umount', ['--lazy', disk]));
  const file = join(disk, 'test.db');
  const databaseUrl = `sqlite:${file}`;
  const figures = { fillings: 0, maxWalMiB: 0 };
  if (isMounted && run.amount.long > 0) await startOnReadOnlyDisk(run, disk);

  const noteWal = (): void => {
    figures.maxWalMiB = Math.max(figures.maxWalMiB, statSync(`${file}-wal`).size / 2 ** 20);
  };
  const locks: Fault = {
    name: 'locked by another process',
    canBeLong: true,
    strike: async (isLong) => {
      const other = new DatabaseSync(file);
      await begin(other);
      await delay(isLong ? run.random.int(6000, 8000) : run.random.int(50, 700));
      other.exec('ROLLBACK');
      other.close();
    },
  };
  const oldReader: Fault = {
    name: 'read by another process',
    canBeLong: true,
    strike: async (isLong) => {
      const other = new DatabaseSync(file);
      other.exec('BEGIN');
      other.prepare('SELECT count(*) FROM agents').get();
      await delay(isLong ? 6000 : run.random.int(200, 1000));
      noteWal();
      other.exec('ROLLBACK');
      other.close();
    },
  };
  const full: Fault = {
    name: 'full',
    canBeLong: true,
    strike: async (isLong) => {
      const times = run.random.int(1, 3);
      for (let time = 0; time < times; time += 1) {
        // Space that the WAL already occupies could be reused as well.
        emptyWal(file);
        const filler = fill(disk, run.random.pick([0, 4096, 20_000, 100_000]));
        figures.fillings += 1;
        await delay(isLong ? 3000 : run.random.int(100, 600));
        noteWal();
        rmSync(filler);
        await delay(run.random.int(0, 50));
      }
    },
  };
  const fullAndLocked: Fault = {
    name: 'full and locked',
    canBeLong: false,
    strike: async (isLong) => {
      await Promise.all([full.strike(isLong), locks.strike(isLong)]);
    },
  };
  return {
    databaseUrl,
    faults: isMounted ? [full, locks, fullAndLocked, oldReader] : [locks, oldReader],
    doReadsGoOn: true,
    maxAnswerMs: 9000,
    figures: () => ({
      fillings: isMounted ? figures.fillings : 'skipped, as nothing can be mounted here',
      'longest WAL MiB': figures.maxWalMiB,
    }),
  };
}

async function begin(other: DatabaseSync): Promise<void> {
  for (;;) {
    try {
      other.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      // The service holds the lock, or there is no space to begin.
      if (![5, 10, 13].includes((error as { errcode: number }).errcode & 0xff)) throw error;
      await delay(3);
    }
  }
}

/** A start on a read-only disk must report the problem and exit. */
async function startOnReadOnlyDisk(run: Run<Amount>, disk: string): Promise<void> {
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  const { code, stderr } = await runCommand(['serve'], { DATABASE_URL: `sqlite:${join(disk, 'test.db')}`, PORT: '0' });
  if (code === 0 || code === null) run.found('a start on a read-only disk does not fail');
  if (!/read-only/i.test(stderr)) run.found('a start on a read-only disk does not say why it fails');
  execFileSync('mount', ['-o', 'remount,rw', disk]);
}
