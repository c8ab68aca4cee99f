import { setTimeout as delay } from 'node:timers/promises';
import { Connection, CutError, type Reply } from '../connection.ts';
import type { Random } from '../random.ts';
import { cutPoints, sendAndCut } from './cut.ts';
import type { Instances } from './instances.ts';
import { Job, type JobParts } from './job.ts';

export interface ClientParts {
  readonly instances: Pick<Instances, 'count' | 'port' | 'pick'>;
  readonly random: Random;
  readonly key: string;
  readonly seed: number;
  readonly counts: Counts;
  /** The jobs of all clients, by number. */
  readonly jobs: Job[];
  /** The expected final version of agents, by id. */
  readonly versions: Map<string, number>;
  readonly isOver: () => boolean;
  /** Called with every response. */
  readonly onResponse: () => void;
  readonly found: (what: string) => void;
}

export interface Counts {
  sends: number;
  cut: number;
  twins: number;
  refusedWhileInProgress: number;
  unavailable: number;
  otherBodies: number;
  maxMs: number;
}

/** A client that sends every POST operation, loses its connection, and repeats the request until it gets a response. */
export class Client {
  readonly #parts: ClientParts;
  readonly #random: Random;
  /** Two per instance. */
  readonly #connections: readonly (readonly [Connection, Connection])[];

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#random = parts.random.fork();
    this.#connections = Array.from({ length: parts.instances.count }, (_, place) => {
      const port = parts.instances.port(place);
      return [new Connection(port), new Connection(port)];
    });
  }

  async run(): Promise<void> {
    try {
      while (!this.#parts.isOver())
        await (this.#random.chance(0.7) ? this.#runAgentLifecycles() : this.#runKeyLifecycles());
    } finally {
      this.close();
    }
  }

  close(): void {
    for (const connection of this.#connections.flat()) connection.close();
  }

  /** Repeats a settled job. */
  async repeat(job: Job): Promise<void> {
    const place = await this.#parts.instances.pick(this.#random);
    await this.#sendUntilFinal(job, place);
  }

  /** Creates, publishes, edits and publishes again, and duplicates an agent. */
  async #runAgentLifecycles(): Promise<void> {
    const created = await this.#perform(
      { routeId: 'agents.create', path: '/api/v1/agents', status: 201 },
      (number) => ({
        name: `agent ${number}`,
        voiceId: 'v',
        prompt: 'x'.repeat(this.#random.int(0, 500)),
      }),
    );
    if (created === null) return;
    const { id } = created;
    const path = `/api/v1/agents/${id}`;
    const steps: [Omit<JobParts, 'number' | 'key'>, ((number: number) => unknown)?][] = [
      [{ routeId: 'agents.publish', path: `${path}/publish`, status: 200 }, (number) => describedBy(number)],
      [{ routeId: 'agents.versions.restore', path: `${path}/versions/1/restore`, status: 200 }],
      [{ routeId: 'agents.publish', path: `${path}/publish`, status: 200 }, (number) => describedBy(number)],
    ];
    for (const [step, body] of steps) await this.#perform(step, body);
    this.#parts.versions.set(id, 2);
    await this.#perform(
      { routeId: 'agents.duplicate', path: `${path}/duplicate`, status: 201, sourceId: id },
      (number) => ({ name: `agent ${number}` }),
    );
  }

  async #runKeyLifecycles(): Promise<void> {
    const created = await this.#perform(
      { routeId: 'apiKeys.create', path: '/api/v1/api-keys', status: 201 },
      (number) => ({ name: `key ${number}`, scopes: ['agents:read'] }),
    );
    if (created === null) return;
    const path = `/api/v1/api-keys/${created.id}`;
    await this.#perform(
      { routeId: 'apiKeys.rotate', path: `${path}/rotate`, status: 201, sourceId: created.id },
      (number) => ({ graceSeconds: 1000 + number }),
    );
    await this.#perform({ routeId: 'apiKeys.revoke', path: `${path}/revoke`, status: 200 });
  }

  async #perform(
    step: Omit<JobParts, 'number' | 'key'>,
    bodyOf?: (number: number) => unknown,
  ): Promise<{ id: string } | null> {
    const { jobs, seed, key, found, instances } = this.#parts;
    const random = this.#random;
    const number = jobs.length;
    const body = bodyOf?.(number);
    const job = new Job({ ...step, number, key, ...(body === undefined ? {} : { body }) }, seed, found);
    jobs.push(job);
    const roll = random.next();
    if (roll < 0.3) await this.#lose(job);
    else if (roll < 0.55) await this.#sendTwice(job);
    await this.#sendUntilFinal(job, await instances.pick(random));
    if (random.chance(0.3)) await this.#sendUntilFinal(job, await instances.pick(random));
    if (random.chance(0.1)) await this.#sendOther(job);
    return job.answer;
  }

  async #lose(job: Job): Promise<void> {
    const { instances, counts } = this.#parts;
    for (let times = this.#random.int(1, 2); times > 0; times -= 1) {
      counts.cut += 1;
      counts.sends += 1;
      const port = instances.port(await instances.pick(this.#random));
      await sendAndCut(port, job.nextBytes(), this.#random.pick(cutPoints), this.#random);
    }
  }

  /** Sends the request twice at the same time, over two connections, to one instance or to two. */
  async #sendTwice(job: Job): Promise<void> {
    const { instances, counts } = this.#parts;
    const first = await instances.pick(this.#random);
    const second = await instances.pick(this.#random);
    counts.twins += 1;
    await Promise.all([this.#send(job, this.#connectionTo(first, 0)), this.#send(job, this.#connectionTo(second, 1))]);
  }

  /**
   * Retries until there is a final response. A lost connection, or a response that the request is still in progress, is
   * not final.
   */
  async #sendUntilFinal(job: Job, firstPlace: number): Promise<void> {
    for (let place = firstPlace; !(await this.#send(job, this.#connectionTo(place, 0))); ) {
      await delay(this.#random.int(1, 20));
      place = await this.#parts.instances.pick(this.#random);
    }
  }

  /** True if the response is final. */
  async #send(job: Job, connection: Connection): Promise<boolean> {
    const { counts, onResponse } = this.#parts;
    const isRepeat = job.isSettled;
    counts.sends += 1;
    const start = performance.now();
    const reply = await replyOrNull(connection, job.nextBytes());
    counts.maxMs = Math.max(counts.maxMs, performance.now() - start);
    if (reply === null) return false;
    onResponse();
    const state = job.take(reply, isRepeat);
    if (state === 'in progress') counts.refusedWhileInProgress += 1;
    if (state === 'unavailable') counts.unavailable += 1;
    return state === 'settled';
  }

  /** An interrupted request may still be in progress, which is then the first response. */
  async #sendOther(job: Job): Promise<void> {
    const { instances, counts, found } = this.#parts;
    for (;;) {
      const place = await instances.pick(this.#random);
      const reply = await replyOrNull(this.#connectionTo(place, 0), job.otherBytes());
      const code = /"code":"(\w+)"/.exec(reply?.body.toString() ?? '')?.[1];
      if (reply !== null && code !== 'IDEMPOTENCY_IN_PROGRESS' && code !== 'SERVICE_UNAVAILABLE') {
        counts.otherBodies += 1;
        if (code === 'IDEMPOTENCY_KEY_REUSED' && reply.status === 422) return;
        return found(
          `another request under the key of ${job.parts.routeId} was answered with ${reply.status} ${code ?? ''}`,
        );
      }
      await delay(this.#random.int(1, 20));
    }
  }

  #connectionTo(place: number, number: 0 | 1): Connection {
    return (this.#connections[place] as readonly [Connection, Connection])[number];
  }
}

function describedBy(number: number): { versionDescription: string } {
  return { versionDescription: `published by ${number}` };
}

/** Null if the connection was cut. A missing response on an open connection is an error. */
async function replyOrNull(connection: Connection, bytes: Buffer): Promise<Reply | null> {
  try {
    return await connection.sendBytes(bytes);
  } catch (error) {
    if (error instanceof CutError && !error.message.startsWith('no answer')) return null;
    throw error;
  }
}
