import { setTimeout as delay } from 'node:timers/promises';
import { Connection, CutError, type Reply } from '../connection.ts';
import type { PhoneScene } from '../phone/scene.ts';
import type { Random } from '../random.ts';

/** A call that somebody asked for, and what is known of it. */
export interface AskedCall {
  readonly id: string;
  readonly to: string;
  /** The last two digits of the number. */
  readonly phone: string;
  /** Whether it was ended by the API. */
  isEnded: boolean;
}

export interface DialCounts {
  requests: number;
  cut: number;
  noSlot: number;
  unavailable: number;
  ended: number;
}

export interface DialCallerParts {
  readonly scene: PhoneScene;
  readonly agentIds: readonly string[];
  readonly random: Random;
  readonly calls: AskedCall[];
  readonly counts: DialCounts;
  /** Takes the next number to call; null if there are enough. */
  readonly nextNumber: () => string | null;
  readonly isOver: () => boolean;
  readonly found: (what: string) => void;
}

const maxEndAfterMs = 3000;
const ringTimeoutMs = 5000;

/** Somebody who has numbers called, and repeats every request with its Idempotency-Key until it is answered. */
export class DialCaller {
  readonly #parts: DialCallerParts;
  readonly #random: Random;
  readonly #endings: Promise<void>[] = [];

  constructor(parts: DialCallerParts) {
    this.#parts = parts;
    this.#random = parts.random.fork();
  }

  async run(): Promise<void> {
    const { scene, agentIds, nextNumber, calls, isOver } = this.#parts;
    for (let to = nextNumber(); to !== null; to = nextNumber()) {
      const agentId = this.#random.pick(agentIds);
      const body = { type: 'phone', agentId, fromPhoneNumberId: scene.phoneNumberId, to, ringTimeoutMs };
      const reply = await this.#untilAnswered('/api/v1/calls', body, isOver);
      if (reply === null) break;
      const { id } = JSON.parse(reply.body.toString());
      const call: AskedCall = { id, to, phone: to.slice(-2), isEnded: false };
      calls.push(call);
      // A silent phone never hangs up.
      if (call.phone === '11' || this.#random.chance(0.3)) this.#endings.push(this.#end(call));
    }
    await Promise.all(this.#endings);
  }

  /** At any time: while it is dialed, rings or talks. */
  async #end(call: AskedCall): Promise<void> {
    call.isEnded = true;
    await delay(this.#random.int(0, maxEndAfterMs));
    // Also once the time is up: nobody else ends a call to a silent phone.
    const reply = await this.#untilAnswered(`/api/v1/calls/${call.id}/end`, {}, () => false);
    if (reply !== null) this.#parts.counts.ended += 1;
  }

  /** Null if `isOver`. */
  async #untilAnswered(path: string, body: object, isOver: () => boolean): Promise<Reply | null> {
    const { scene, counts, found } = this.#parts;
    const repeatKey = `dial-${this.#random.int(0, 2 ** 31)}-${this.#random.int(0, 2 ** 31)}`;
    while (!isOver()) {
      const port = scene.instances.port(await scene.instances.pick(this.#random));
      const connection = new Connection(port, { timeoutMs: 20_000 });
      counts.requests += 1;
      try {
        const headers = { 'Idempotency-Key': repeatKey };
        const reply = await connection.request('POST', path, { key: scene.key, body, headers });
        if (reply.status < 300) return reply;
        // It has ended by itself, or its request with the same key is still running.
        if (reply.status === 409 && path.endsWith('/end') && !`${reply.body}`.includes('IN_PROGRESS')) return reply;
        if (reply.status === 429) counts.noSlot += 1;
        else if (reply.status === 503) counts.unavailable += 1;
        else if (reply.status !== 409) {
          found(`${path.endsWith('/end') ? 'an end' : 'a call'} was answered ${reply.status}: ${reply.body}`);
          return null;
        }
      } catch (error) {
        if (!(error instanceof CutError)) throw error;
        counts.cut += 1;
      } finally {
        connection.close();
      }
      await delay(this.#random.int(20, 200));
    }
    return null;
  }
}
