import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const benchFolder = join(root, 'bench');
/** Data that can be recreated: seeded databases, and the copies that a run works on. */
export const dataFolder = join(benchFolder, '.data');

/** The Node version of the project, which `npm start` uses; everything that is compared runs on it. */
const projectNode = join(root, 'node_modules', '.bin', 'node');
export const node = existsSync(projectNode) ? projectNode : process.execPath;

const ticksPerSecond = 100;
const stopTimeoutMs = 15_000;
const running = new Set<ChildProcess>();

export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Its standard error output so far. */
  errorOutput(): string;
  stop(): Promise<void>;
}

/** Starts a program that ends with the bench, however the bench ends. */
export function start(
  program: string,
  args: readonly string[],
  options: { cwd?: string; environment?: Record<string, string>; hasChannel?: boolean } = {},
): Started {
  const { PATH, HOME } = process.env;
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe', ...(options.hasChannel ? (['ipc'] as const) : [])];
  const child = spawn(program, [...args], {
    cwd: options.cwd ?? root,
    env: { PATH, HOME, ...options.environment },
    stdio,
    serialization: 'advanced',
  });
  if (child.pid === undefined) throw new Error(`${program} could not be started`);
  running.add(child);
  child.once('exit', () => running.delete(child));
  let errorOutput = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk).slice(-10_000);
  });
  return { child, pid: child.pid, errorOutput: () => errorOutput, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await exited;
  clearTimeout(killTimer);
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop));
}

/** Also if the bench is interrupted or fails: no process is left behind. */
export function stopAllAtExit(): void {
  process.on('exit', () => {
    for (const child of running) child.kill('SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** Resolves to the milliseconds until the URL responded with 2xx. */
export async function waitForResponse(
  started: Started,
  url: string,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<number> {
  const begin = performance.now();
  for (;;) {
    const elapsedMs = performance.now() - begin;
    if (started.child.exitCode !== null || elapsedMs > timeoutMs) {
      await started.stop();
      throw new Error(`no answer from ${url} after ${Math.round(elapsedMs)} ms:\n${started.errorOutput()}`);
    }
    const response = await fetch(url, { headers }).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok) return performance.now() - begin;
    await delay(5);
  }
}

/** A process and all of its descendants, such as the workers of a cluster. */
export function processTreeOf(pid: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = Number(statOf(Number(entry))?.[1]);
    if (parent > 0) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(entry)]);
  }
  const family = [pid];
  for (const member of family) family.push(...(childrenOf.get(member) ?? []));
  return family;
}

/** Total processor time of the processes in milliseconds, user and system. */
export function cpuMsOf(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const fields = statOf(pid);
    if (fields === undefined) throw new Error(`process ${pid} is gone`);
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return (ticks * 1000) / ticksPerSecond;
}

const restWindowMs = 500;
const restLoad = 0.05;

/** Processor time from now on, until the processes have been almost idle for a while. */
export async function cpuMsUntilIdle(pids: readonly number[], maxMs: number): Promise<number> {
  const atStart = cpuMsOf(pids);
  let before = atStart;
  for (let waitedMs = 0; waitedMs < maxMs; waitedMs += restWindowMs) {
    await delay(restWindowMs);
    const now = cpuMsOf(pids);
    if (now - before < restWindowMs * restLoad) return before - atStart;
    before = now;
  }
  throw new Error(`the server did not come to rest within ${maxMs / 1000} seconds`);
}

export function residentBytesOf(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) * 1024;
}

/** The maximum number of open files and sockets for this process and its children. */
export function maxOpenFiles(): number {
  // Node raises the soft limit to the hard limit on start.
  const match = /^Max open files\s+\d+\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return match?.[1] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(match?.[1]);
}

/** The fields of /proc/<pid>/stat from the third on: the second is a name, which may contain spaces. */
function statOf(pid: number): string[] | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return line.slice(line.lastIndexOf(')') + 2).split(' ');
  } catch {
    // The process has exited meanwhile.
    return undefined;
  }
}
