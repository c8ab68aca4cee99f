import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notAccepting, serviceUnavailable } from '../../core/errors.ts';
import { type Excess, graceMs, type JobRunner, maxStartMs, NotStarted, RunningJob } from '../job-runner.ts';
import { FrameReader, frame, frameKinds } from './frames.ts';

/** What a child runs. Its file calls `serveJobs`. */
export interface ChildProgram {
  readonly file: URL;
  /** In the plural, such as `simulations`. */
  readonly name: string;
  /** The limit for JavaScript objects and strings. V8 ends the process at the allocation that exceeds it. */
  readonly maxHeapMb: number;
  /** The limit for the whole process, including buffers outside of the heap. The child's watchdog ends the process. */
  readonly maxResidentMb: number;
  readonly maxResultBytes: number;
}

/** The same flags as those of `npm start`: simulations are twice as fast with them. */
const speedFlags = ['--max-semi-space-size=8', '--no-allocation-site-pretenuring', '--no-parallel-scavenge'];
/** On Linux, a limit in the kernel for memory that the watchdog is too late for. Half of it is address space of V8. */
const maxDataKb = 2 * 1024 * 1024;
const shell = '/bin/sh';
/** The maximum length of what a child prints before it has started, which says why it does not. */
const maxErrorLength = 2000;

/** One child process, which performs one job at a time. Whatever a job does, only its own process dies of it. */
export class Child<Job> implements JobRunner<Job, Uint8Array> {
  readonly #program: ChildProgram;
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #reader: FrameReader;
  isAlive = true;
  /** Whether it has started any job. */
  #hasStarted = false;
  #job: RunningJob<Uint8Array> | null = null;
  #isJobStarted = false;
  #maxMs = 0;
  #errorText = '';

  constructor(program: ChildProgram, onExit: (child: Child<Job>) => void) {
    this.#program = program;
    this.#reader = new FrameReader(program.maxResultBytes);
    const [command = '', ...args] = commandFor(program);
    this.#process = spawn(command, args, {
      cwd: '/',
      env: environment(),
      // Nothing of the service's own: the channel is 3, and 4 closes when the service ends.
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    // The child could not be created. Without a listener, this error would end the service.
    this.#process.on('error', (error) => {
      this.#errorText ||= error.message;
      this.#exit(null, resolve, onExit);
    });
    // After everything that it has sent was read.
    this.#process.on('close', (_code, signal) => this.#exit(signal, resolve, onExit));
    this.#listen();
  }

  perform(job: Job, maxMs: number): Promise<Uint8Array | Excess> {
    this.#maxMs = maxMs;
    this.#isJobStarted = false;
    this.#job = new RunningJob();
    if (this.#hasStarted)
      this.#endAfter(maxMs + graceMs, new NotStarted('the process does not take jobs any more', true));
    else
      this.#endAfter(maxStartMs, serviceUnavailable(`The process for ${this.#program.name} takes too long to start.`));
    this.#channel?.write(frame(frameKinds.job, Buffer.from(JSON.stringify(job))));
    return this.#job.result;
  }

  async end(): Promise<void> {
    this.#end(notAccepting('The service is shutting down.'));
    this.#process.ref();
    await this.#exited;
  }

  /** Undefined if the process could not be created. */
  get #channel(): Socket | undefined {
    return this.#process.stdio?.[3] as Socket | undefined;
  }

  #listen(): void {
    const [, , errors, channel, lifeline] = (this.#process.stdio ?? []) as readonly (Socket | null)[];
    // An idle child must not keep the process alive.
    this.#process.unref();
    for (const stream of [errors, channel, lifeline]) {
      // The end of the process is reported by its own event.
      stream?.on('error', () => {}).unref();
    }
    errors?.setEncoding('utf8').on('data', (text: string) => {
      if (!this.#hasStarted) this.#errorText = (this.#errorText + text).slice(0, maxErrorLength);
    });
    channel?.on('data', (chunk: Buffer) => {
      try {
        for (const { kind, body } of this.#reader.read(chunk)) if (this.isAlive) this.#receive(kind, body);
      } catch (error) {
        this.#end(error as Error);
      }
    });
  }

  #receive(kind: number, body: Buffer): void {
    const { started, result, lastResult, time, memory, failed } = frameKinds;
    if (this.#job === null || this.#isJobStarted !== (kind !== started)) {
      this.#end(new Error(`the process for ${this.#program.name} has sent a frame out of turn`));
    } else if (kind === started) {
      this.#isJobStarted = true;
      this.#hasStarted = true;
      this.#endAfter(this.#maxMs + graceMs, 'time');
    } else if (kind === result) this.#settle(body);
    else if (kind === time) this.#settle('time');
    else if (kind === lastResult) {
      this.#settle(body);
      this.#kill();
    } else if (kind === memory) this.#end('memory');
    else this.#end(kind === failed ? thrownError(body) : new Error(`frames of the kind ${kind} are not known`));
  }

  #exit(signal: NodeJS.Signals | null, onExited: () => void, onExit: (child: Child<Job>) => void): void {
    this.isAlive = false;
    this.#settle(this.#deathOf(signal));
    onExited();
    onExit(this);
  }

  #deathOf(signal: NodeJS.Signals | null): Excess | Error {
    const { name } = this.#program;
    if (!this.#isJobStarted) {
      return new NotStarted(this.#errorText || `the process for ${name} has ended`, this.#hasStarted);
    }
    // The child ignores the signals that end a service, so only a lack of memory is left: V8 and the watchdog abort the
    // process, or the system kills it.
    if (signal !== null) return 'memory';
    return new Error(`the process for ${name} has ended itself`);
  }

  #endAfter(ms: number, result: Excess | Error): void {
    this.#job?.limitTo(ms, () => this.#end(result));
  }

  #settle(result: Uint8Array | Excess | Error): void {
    this.#job?.settle(result);
    this.#job = null;
  }

  #end(result: Excess | Error): void {
    this.#kill();
    this.#settle(result);
  }

  /** SIGKILL also ends a process that is stopped or in an endless loop. */
  #kill(): void {
    this.isAlive = false;
    this.#process.kill('SIGKILL');
    this.#channel?.destroy();
  }
}

function commandFor({ file, maxHeapMb, maxResidentMb }: ChildProgram): string[] {
  const flags = [`--max-old-space-size=${maxHeapMb}`, ...speedFlags, '--disable-warning=ExperimentalWarning'];
  const command = [process.execPath, ...flags, fileURLToPath(file), String(maxResidentMb)];
  if (!existsSync(shell)) return command;
  // A core dump would contain the content of a workspace, and a workspace could fill the disk with them.
  const limits = ['ulimit -c 0', ...(process.platform === 'linux' ? [`ulimit -d ${maxDataKb}`] : [])];
  return [shell, '-c', `${limits.join('; ')}; exec "$@"`, 'sh', ...command];
}

/** Nothing of the service's environment, which contains credentials. */
function environment(): NodeJS.ProcessEnv {
  const compileCache = getCompileCacheDir();
  // Node adds its version to the folder.
  return compileCache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compileCache) };
}

function thrownError(body: Buffer): Error {
  const stack = body.toString();
  const [message = ''] = stack.split('\n');
  return Object.assign(new Error(message), { stack });
}
