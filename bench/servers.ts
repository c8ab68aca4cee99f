import { once } from 'node:events';
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LimitResponse } from './limit.ts';
import {
  benchFolder,
  dataFolder,
  freePort,
  node,
  processTreeOf,
  root,
  type Started,
  start,
  waitForResponse,
} from './processes.ts';

/** A server under load, identified by its port and its processes. */
export interface Server {
  readonly port: number;
  /** All of its current processes. */
  pids(): number[];
  stop(): Promise<void>;
}

export interface ProductServer extends Server {
  /** From the start of the process to the first response to an authenticated request. */
  readonly firstAnswerMs: number;
  readonly databaseFile: string;
}

const startTimeoutMs = 120_000;
const runFolder = join(dataFolder, `run-${process.pid}`);
let copies = 0;

/** A working copy: the seeded database stays unchanged for the next run. */
export function workingCopy(file: string): string {
  mkdirSync(runFolder, { recursive: true });
  copies += 1;
  const copy = join(runFolder, `${copies}.db`);
  copyFileSync(file, copy, constants.COPYFILE_FICLONE);
  return copy;
}

/** The copies of this run, and of earlier runs that were killed. */
export function removeWorkingCopies(): void {
  if (!existsSync(dataFolder)) return;
  const folders = readdirSync(dataFolder).filter((name) => name.startsWith('run-'));
  for (const name of folders) {
    const pid = Number(name.slice('run-'.length));
    if (pid === process.pid || !isRunning(pid)) rmSync(join(dataFolder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts the service without the name index. */
export const withoutNameIndex = join(benchFolder, 'without-name-index.ts');

/** The service as started by `npm start`, with all defaults; its log goes to /dev/null. */
export async function startProduct(
  { keys }: { readonly keys: readonly string[] },
  databaseFile: string,
  environment: Record<string, string> = {},
  program: string | null = null,
): Promise<ProductServer> {
  const port = await freePort();
  const process = start(node, startArguments(program), {
    environment: { PORT: String(port), DATABASE_URL: `sqlite:${databaseFile}`, ...environment },
  });
  const url = `http://127.0.0.1:${port}/api/v1/agents?limit=1`;
  const firstAnswerMs = await waitForResponse(process, url, { authorization: `Bearer ${keys[0]}` }, startTimeoutMs);
  return { ...serverOf(process, port), firstAnswerMs, databaseFile };
}

/** The arguments after `exec node` in the script, if necessary with another program at the end. */
function startArguments(program: string | null): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const words = scripts.start.split(' ').slice(2);
  return program === null ? words : [...words.slice(0, -1), program];
}

export interface LimitServer extends Server {
  set(response: LimitResponse): Promise<void>;
}

export async function startLimit(): Promise<LimitServer> {
  const port = await freePort();
  const process = start(node, [join(benchFolder, 'limit.ts'), '--port', String(port)], { hasChannel: true });
  await waitForResponse(process, `http://127.0.0.1:${port}/`, {}, startTimeoutMs);
  return {
    ...serverOf(process, port),
    set: async (response) => {
      const done = once(process.child, 'message');
      process.child.send(response);
      await done;
    },
  };
}

export function serverOf(process: Started, port: number): Server {
  return { port, pids: () => processTreeOf(process.pid), stop: process.stop };
}
