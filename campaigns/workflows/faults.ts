import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { locationOf } from '../../test/support/engines.ts';
import type { Run } from '../campaign.ts';
import type { Instances } from '../repeat/instances.ts';
import { NetworkProxy } from '../storage/network-proxy.ts';
import { emptyWal, fill, mountSmallDisk } from '../storage/small-disk.ts';

export interface Faults {
  /** The service cannot use its database for this long. */
  outage(forMs: number): Promise<void>;
  /** The disk of the database is full for this long. False: that cannot be done here. */
  fillDisk(forMs: number): Promise<boolean>;
  /** The machine gets another time of day, up to an hour away: all processes die, and start again with it. */
  moveClock(): Promise<void>;
  /** So late that everything is due, whatever the clock was when it began to wait. */
  settleClock(): Promise<void>;
}

interface FaultParts {
  readonly databaseUrl: string;
  /** The folder of a small disk with the database. */
  readonly disk: string | null;
  /** The environment of processes that start from now on. The URL of the database is added here. */
  readonly settings: Record<string, string>;
  readonly instances: Instances;
}

const hourMs = 3_600_000;

const databaseName = 'test.db';

/** A database on a disk of its own, if one can be mounted here. A server has its own disk, which is not small. */
export async function openDatabaseToFill(run: Run, sizeMiB: number): Promise<Pick<FaultParts, 'databaseUrl' | 'disk'>> {
  const disk = join(run.folder, 'disk');
  mkdirSync(disk);
  if (run.engine === 'postgres' || !mountSmallDisk(disk, sizeMiB)) {
    return { databaseUrl: await run.newDatabaseUrl(), disk: null };
  }
  run.atEnd(() => execFileSync('umount', ['--lazy', disk]));
  return { databaseUrl: `sqlite:${join(disk, databaseName)}`, disk };
}

export async function openFaults(run: Run, { databaseUrl, disk, settings, instances }: FaultParts): Promise<Faults> {
  const setClock = async (offsetMs: number): Promise<void> => {
    settings.CAMPAIGN_CLOCK_OFFSET_MS = String(offsetMs);
    await instances.allUp();
    for (let place = 0; place < instances.count; place += 1) instances.kill(place);
    await instances.allUp();
  };
  const clock = {
    moveClock: () => setClock(run.random.pick([-hourMs, 0, hourMs])),
    settleClock: () => setClock(2 * hourMs),
  };
  const fillDisk = async (forMs: number): Promise<boolean> => {
    if (disk === null) return false;
    emptyWal(join(disk, databaseName));
    const filler = fill(disk, run.random.pick([0, 20_000, 100_000]));
    await delay(forMs);
    rmSync(filler);
    return true;
  };
  if (run.engine === 'sqlite') {
    settings.DATABASE_URL = databaseUrl;
    return { ...clock, fillDisk, outage: (forMs) => holdSqlite(databaseUrl, forMs) };
  }
  const proxy = new NetworkProxy(new URL(databaseUrl));
  await proxy.open();
  run.atEnd(() => proxy.cut());
  settings.DATABASE_URL = proxy.url;
  const outage = async (forMs: number): Promise<void> => {
    await proxy.cut();
    await delay(forMs);
    await proxy.open();
  };
  return { ...clock, fillDisk, outage };
}

/** A file cannot be unreachable; another program can hold it. */
async function holdSqlite(databaseUrl: string, forMs: number): Promise<void> {
  const location = locationOf(databaseUrl);
  if (location.engine !== 'sqlite') throw new Error('not a file');
  const database = new DatabaseSync(location.file);
  database.exec('PRAGMA busy_timeout = 5000');
  try {
    database.exec('BEGIN IMMEDIATE');
    await delay(forMs);
    database.exec('ROLLBACK');
  } finally {
    database.close();
  }
}
