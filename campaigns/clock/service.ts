import { once } from 'node:events';
import { join } from 'node:path';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import type { Random } from '../random.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const units = [second, minute, hour, day, 365 * day];
/** The range in which years have four digits. */
const farthestMs = 3000 * 365 * day;
const nearestMs = -40 * 365 * day;

/** A service process whose clock can be set. */
export class ClockedService {
  readonly process: ServiceProcess;
  steps = 0;
  #offsetMs: number;
  #frozenAt: number | null = null;

  private constructor(service: ServiceProcess, offsetMs: number) {
    this.process = service;
    this.#offsetMs = offsetMs;
  }

  static async start(settings: Record<string, string>, offsetMs = 0): Promise<ClockedService> {
    const preload = join(import.meta.dirname, 'preload.ts');
    const started = await startProcess(
      { ...settings, CAMPAIGN_CLOCK_OFFSET_MS: String(offsetMs) },
      { nodeArguments: [`--import=${preload}`], hasChannel: true },
    );
    return new ClockedService(started, offsetMs);
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** The time of day as the service sees it. */
  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offsetMs;
  }

  async set(offsetMs: number, isFrozen = false): Promise<void> {
    const answered = once(this.process.child, 'message') as Promise<[{ now: number }]>;
    this.process.child.send({ offsetMs, isFrozen });
    const [{ now }] = await answered;
    this.#offsetMs = offsetMs;
    this.#frozenAt = isFrozen ? now : null;
    this.steps += 1;
  }

  /** Moves the clock relative to its current time, even if it is frozen. */
  step(byMs: number): Promise<void> {
    return this.set(this.now() + byMs - Date.now(), this.#frozenAt !== null);
  }

  /** Steps by seconds or years in either direction, sometimes frozen, sometimes back to the real time. */
  async stepAtRandom(random: Random): Promise<void> {
    if (random.chance(0.1)) return this.set(0);
    const byMs = random.pick(units) * random.int(-30, 30);
    const offsetMs = Math.min(farthestMs, Math.max(nearestMs, this.#offsetMs + byMs));
    return this.set(offsetMs, random.chance(0.3));
  }
}
