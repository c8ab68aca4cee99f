import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { type ServiceProcess, type StartOptions, startProcess } from '../../test/support/process.ts';
import type { Random } from '../random.ts';

/** Several processes on one database, each with a fixed port, and restarted after a kill. */
export class Instances {
  readonly #settings: (place: number) => Record<string, string>;
  readonly #options: StartOptions;
  readonly #ports: number[] = [];
  readonly #services: (ServiceProcess | null)[] = [];
  readonly #children: ChildProcess[] = [];
  readonly #failures: Error[] = [];
  readonly #restarts: Promise<void>[] = [];
  #output = '';
  #isEnded = false;
  /** While it is pending, nothing is started. */
  #down: Promise<void> = Promise.resolve();
  kills = 0;

  /** `settings`: of all processes, or of each that is started, by its place. They are read at every start. */
  constructor(
    settings: Record<string, string> | ((place: number) => Record<string, string>),
    options: StartOptions = {},
  ) {
    this.#settings = typeof settings === 'function' ? settings : () => settings;
    this.#options = options;
  }

  async start(count: number): Promise<void> {
    for (let place = 0; place < count; place += 1) this.#ports.push(await freePort());
    await Promise.all(this.#ports.map((_, place) => this.#start(place)));
  }

  get count(): number {
    return this.#ports.length;
  }

  port(place: number): number {
    return this.#ports[place] as number;
  }

  isUp(place: number): boolean {
    return this.#services[place] != null;
  }

  areAllUp(): boolean {
    return this.#ports.every((_, place) => this.isUp(place));
  }

  /** The port of a running instance; waits for one if necessary. */
  async pick(random: Random): Promise<number> {
    for (;;) {
      this.#throwIfFailed();
      const up = this.#ports.map((_, place) => place).filter((place) => this.isUp(place));
      if (up.length > 0) return random.pick(up);
      await delay(10);
    }
  }

  /** Kills the instance immediately and restarts it. */
  kill(place: number): void {
    const service = this.#services[place];
    if (service == null || this.#isEnded) return;
    this.#services[place] = null;
    service.child.kill('SIGKILL');
    this.kills += 1;
    this.#restarts.push(this.#startAgain(place, service).catch((error: Error) => void this.#failures.push(error)));
  }

  /** Tells the instance to stop, and starts it again. Resolves to its exit code, and to how long it took. */
  async stop(place: number): Promise<{ code: number | null; afterMs: number } | null> {
    const service = this.#services[place];
    if (service == null || this.#isEnded) return null;
    this.#services[place] = null;
    const ended = service.end('SIGTERM');
    const restart = this.#startAgain(place, service, ended);
    this.#restarts.push(restart.catch((error: Error) => void this.#failures.push(error)));
    const result = await ended;
    return this.#isEnded ? null : result;
  }

  /** Stops the instance for a time, in which it cannot notice that others take over. */
  async pause(place: number, forMs: number): Promise<void> {
    const service = this.#services[place];
    if (service == null || this.#isEnded) return;
    this.#services[place] = null;
    service.child.kill('SIGSTOP');
    await delay(forMs);
    service.child.kill('SIGCONT');
    this.#services[place] = service;
  }

  async allUp(): Promise<void> {
    while (!this.areAllUp()) {
      this.#throwIfFailed();
      await delay(10);
    }
  }

  /** Kills all instances, and starts them again after the work. */
  async whileDown(work: () => Promise<void>): Promise<void> {
    await this.allUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#down = promise;
    try {
      for (const place of this.#ports.keys()) this.kill(place);
      while (this.#children.some(({ exitCode, signalCode }) => exitCode === null && signalCode === null))
        await delay(10);
      await work();
    } finally {
      resolve();
    }
    await this.allUp();
  }

  /** The log output of all instances so far, from the warning level up. */
  output(): string {
    return this.#output + this.#services.map((service) => service?.output() ?? '').join('');
  }

  /** Stops for good; pending calls of `pick` are rejected. */
  async end(): Promise<void> {
    this.#isEnded = true;
    for (const child of this.#children) if (child.exitCode === null) child.kill('SIGKILL');
    await Promise.all(this.#restarts);
  }

  #throwIfFailed(): void {
    const [failure] = this.#failures;
    if (failure !== undefined) throw failure;
    if (this.#isEnded) throw new Error('the instances were ended');
  }

  async #startAgain(
    place: number,
    killed: ServiceProcess,
    ended: Promise<unknown> = killed.end('SIGKILL'),
  ): Promise<void> {
    await ended;
    this.#output += killed.output();
    await this.#down;
    if (!this.#isEnded) await this.#start(place);
  }

  async #start(place: number): Promise<void> {
    const settings = { ...this.#settings(place), PORT: String(this.port(place)) };
    const onSpawn = (child: ChildProcess) => void this.#children.push(child);
    this.#services[place] = await startProcess(settings, { ...this.#options, onSpawn });
  }
}
