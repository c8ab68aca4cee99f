import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, send } from '../support/client.ts';
import type { ServiceProcess } from '../support/process.ts';

const maxMs = 60_000;
const pauseMs = 100;

export interface Answered extends Answer {
  readonly by: ServiceProcess;
  readonly tookMs: number;
}

/**
 * What a proxy and a careful client do together: each request goes to the next instance, and is repeated with the same
 * key until one has answered it.
 */
export class RoundRobin {
  /** Those that the proxy knows, and thinks are ready. */
  instances: readonly ServiceProcess[] = [];
  /** How often a request met what only instances of a newer release can change. */
  refused = 0;
  #next = 0;
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  async ask(status: number, method: string, path: string, body?: object): Promise<Answered> {
    const headers = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
    const start = performance.now();
    let last = 'no instance';
    for (let elapsedMs = 0; elapsedMs < maxMs; elapsedMs = performance.now() - start) {
      this.#next += 1;
      const by = this.instances[this.#next % this.instances.length];
      if (by !== undefined) {
        const sentAt = performance.now();
        const answer = await send(by, method, path, {
          key: this.#key,
          headers,
          ...(body !== undefined && { body }),
        }).catch((error: unknown) => {
          // An instance that stops accepts no more connections.
          if (!(error instanceof TypeError)) throw error;
          last = error.message;
          return null;
        });
        if (answer !== null) {
          last = answer.text;
          if (!this.#isTemporary(answer)) {
            assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
            return { ...answer, by, tookMs: performance.now() - sentAt };
          }
        }
      }
      await delay(pauseMs);
    }
    assert.fail(`${method} ${path} was not answered within a minute: ${last}`);
  }

  #isTemporary({ status, json }: Answer): boolean {
    if (status === 503) return true;
    const isRefused = status === 409 && json.error.details?.reason === 'upgrade_in_progress';
    if (isRefused) this.refused += 1;
    return isRefused || (status === 409 && json.error.code === 'IDEMPOTENCY_IN_PROGRESS');
  }
}
