import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import type { Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { type MemoryUse, watchMemory } from '../process-figures.ts';
import { type Health, HealthProbe } from './health-probe.ts';

export interface Measured {
  readonly health: Health;
  readonly memory: MemoryUse;
}

/** Public pages, without a key. */
export const publicPages = ['/docs/', '/', '/openapi.json', '/docs/js/scalar.js'];

const probeTimeoutMs = 20_000;
const maxEndMs = 12_000;

/** A separate process for attacks on memory and time, with a well-behaved client next to them. */
export class Subject {
  readonly #run: Pick<Run, 'atEnd' | 'found'>;
  readonly #databaseUrl: string;
  #service: ServiceProcess;
  #probe: HealthProbe;

  private constructor(run: Pick<Run, 'atEnd' | 'found'>, databaseUrl: string, service: ServiceProcess) {
    this.#run = run;
    this.#databaseUrl = databaseUrl;
    this.#service = service;
    this.#probe = HealthProbe.start(service.port, { timeoutMs: probeTimeoutMs });
    run.atEnd(() => this.#stop());
  }

  static async start(run: Pick<Run, 'atEnd' | 'found'>, databaseUrl: string): Promise<Subject> {
    return new Subject(run, databaseUrl, await startService(databaseUrl));
  }

  get port(): number {
    return this.#service.port;
  }

  async measure(attack: () => Promise<unknown>): Promise<Measured> {
    await this.#probe.take();
    const watch = watchMemory(this.#service.child.pid as number);
    await attack();
    const health = await this.#probe.take();
    return { health, memory: watch.end() };
  }

  /** For the attacks after one from which the service has not recovered. */
  async restart(): Promise<void> {
    await this.#stop();
    this.#service = await startService(this.#databaseUrl);
    this.#probe = HealthProbe.start(this.#service.port, { timeoutMs: probeTimeoutMs });
  }

  /** SIGTERM must end it cleanly, whatever clients are doing. */
  async terminate(during: string): Promise<void> {
    await this.#probe.stop();
    const timeout = new Promise<null>((resolve) => {
      setTimeout(() => resolve(null), maxEndMs).unref();
    });
    const ended = await Promise.race([this.#service.end('SIGTERM'), timeout]);
    if (ended === null) this.#run.found(`${during}: SIGTERM has not ended the process after ${maxEndMs / 1000} s`);
    else if (ended.code !== 0) this.#run.found(`${during}: SIGTERM ended the process with ${ended.code}`);
    await this.#service.end('SIGKILL');
  }

  async #stop(): Promise<void> {
    await this.#probe.stop();
    await this.#service.end('SIGKILL');
  }
}

async function startService(databaseUrl: string): Promise<ServiceProcess> {
  const service = await startProcess({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'error', RATE_LIMIT: 'off' });
  const connection = new Connection(service.port);
  // What is loaded on the first request belongs to the process, not to the attack.
  for (const path of publicPages) await connection.request('GET', path);
  connection.close();
  return service;
}
