import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { syncFolder } from '../../core/sync-folder.ts';
import { CommandError, exitCodes } from '../failures.ts';
import { type AgentFile, readAgentFile } from './agent-file.ts';
import { formatOf } from './document.ts';
import { compare, nameKey } from './file-names.ts';

/** Larger than any valid agent, however its text is escaped. */
const largestFileBytes = 16 * 1024 * 1024;
const lockFile = '.voice-agents.lock';
const leftOver = /^\..*\.[0-9a-f]{8}\.partial$/;

export interface Folder {
  readonly path: string;
  /** The agent files, by file name. */
  readonly files: ReadonlyMap<string, AgentFile>;
  /** The `nameKey` of every entry in the directory, of any type. */
  readonly taken: ReadonlySet<string>;
}

/** Every .yaml, .yml or .json file is an agent, except dotfiles. Subdirectories are ignored. */
export async function readFolder(path: string): Promise<Folder> {
  const names = (await namesIn(path)).sort(compare);
  const files = new Map<string, AgentFile>();
  for (const file of names) {
    const format = formatOf(file);
    if (format === null || !isPlainName(file)) continue;
    // A dangling symbolic link is not a file.
    const found = await stat(join(path, file)).catch(() => null);
    if (!found?.isFile()) continue;
    if (found.size > largestFileBytes) throw new CommandError(`${join(path, file)} is too large for an agent file`);
    files.set(file, readAgentFile(file, await readFile(join(path, file)), format));
  }
  return { path, files, taken: new Set(names.map(nameKey)) };
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export async function folderExists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/** A file name that cannot escape the directory on any platform. */
export function isPlainName(file: string): boolean {
  return /^[^./\\:\0][^/\\:\0]*$/.test(file) && formatOf(file) !== null;
}

/**
 * Writes atomically, through a temporary file and a rename. A symbolic link is replaced, never followed. `isDurable`
 * waits until the file is on disk.
 */
export async function writeInto(folder: string, file: string, text: string, isDurable: boolean): Promise<void> {
  const partial = join(folder, `.${file.slice(0, 40)}.${randomBytes(4).toString('hex')}.partial`);
  try {
    const handle = await open(partial, 'wx', 0o666);
    try {
      await handle.writeFile(text);
      if (isDurable) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, join(folder, file));
    if (isDurable) await syncFolder(folder);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

export async function removeFrom(folder: string, file: string): Promise<void> {
  const found = await lstat(join(folder, file)).catch(() => null);
  if (found?.isFile() || found?.isSymbolicLink()) await rm(join(folder, file));
}

/** Only one pull or apply at a time: two would create agents twice and overwrite each other's state. */
export async function withLockedFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(path, { recursive: true });
  const lock = join(path, lockFile);
  await takeLock(lock);
  try {
    for (const name of await namesIn(path)) if (leftOver.test(name)) await rm(join(path, name), { force: true });
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function takeLock(lock: string): Promise<void> {
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      const handle = await open(lock, 'wx', 0o666);
      await handle.writeFile(`${process.pid} ${hostname()}\n`);
      await handle.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const owner = await readFile(lock, 'utf8').catch(() => null);
      if (owner === null) continue;
      if (!isDead(owner)) break;
      // Renamed before it is removed, so that only one of two concurrent processes removes the stale lock.
      const aside = `${lock}.${randomBytes(4).toString('hex')}.partial`;
      await rename(lock, aside).catch(() => {});
      await rm(aside, { force: true });
    }
  }
  throw new CommandError(
    `another pull or apply is running in this directory. If not, remove ${lock}`,
    exitCodes.conflict,
  );
}

function isDead(owner: string): boolean {
  const [pid = '', host] = owner.trim().split(' ');
  if (host !== hostname() || !/^\d+$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
