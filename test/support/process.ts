import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithTests } from './children.ts';
import { exchange } from './exchange.ts';
import { freePort } from './free-port.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const command = join(root, 'bin', 'voice-agents.js');

/** The service as users run it: a separate process, known only by its port and output. */
export interface ServiceProcess {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** From the start of the process to its first response. */
  readonly readyAfterMs: number;
  /** Everything it has printed so far. */
  output(): string;
  /** Sends a signal and resolves to the exit code (null if the signal itself ended it) and the time it took. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; afterMs: number }>;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function environmentWith(settings: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, LOG_LEVEL: 'info', ...settings };
}

export interface StartOptions {
  /** What to run instead of `npm start`: a composition of the service with other arguments. */
  readonly file?: string;
  /** For Node itself, such as `--import=…`. */
  readonly nodeArguments?: readonly string[];
  /** A channel for `child.send`, used by such an import. */
  readonly hasChannel?: boolean;
  /** A descriptor to print to instead of `output()`. */
  readonly stdout?: number;
  /** The unprivileged user to run as. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Called as soon as the process exists, before it responds. */
  readonly onSpawn?: (child: ChildProcess) => void;
}

/** Starts the service and resolves when it responds. */
export async function startProcess(
  settings: Record<string, string>,
  {
    file = join(root, 'scripts', 'start.js'),
    nodeArguments = [],
    hasChannel = false,
    stdout,
    user,
    onSpawn,
  }: StartOptions = {},
): Promise<ServiceProcess> {
  const start = performance.now();
  const port = settings.PORT === undefined ? await freePort() : Number(settings.PORT);
  const child = spawn(process.execPath, [...nodeArguments, file], {
    cwd: root,
    env: environmentWith({ ...settings, PORT: String(port) }),
    stdio: ['ignore', stdout ?? 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])],
    ...(user ?? {}),
  });
  endWithTests(child);
  onSpawn?.(child);
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const url = `http://127.0.0.1:${port}`;
  for (let waited = 0; ; waited += 1) {
    if (child.exitCode !== null || child.signalCode !== null || waited > 1500) {
      child.kill('SIGKILL');
      throw new Error(`the service did not start:\n${chunks.join('')}`);
    }
    const answer = await exchange(`${url}/readyz`, { method: 'GET' }).catch(() => null);
    if (answer?.status === 200) break;
    await delay(20);
  }
  return {
    url,
    port,
    child,
    readyAfterMs: performance.now() - start,
    output: () => chunks.join(''),
    end: async (signal) => {
      const start = performance.now();
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill(signal);
        await exited;
      }
      return { code: child.exitCode, afterMs: performance.now() - start };
    },
  };
}

/** Runs `voice-agents …` until it exits. */
export async function runCommand(
  args: readonly string[],
  settings: Record<string, string>,
  input?: string,
): Promise<Finished> {
  return runToEnd(process.execPath, [command, ...args], settings, input);
}

export async function runToEnd(
  program: string,
  args: readonly string[],
  settings: Record<string, string>,
  input?: string,
): Promise<Finished> {
  const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const;
  const child = spawn(program, args, { cwd: root, env: environmentWith(settings), stdio: [...stdio] });
  endWithTests(child);
  child.stdin?.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
