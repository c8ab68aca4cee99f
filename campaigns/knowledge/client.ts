import { setTimeout as delay } from 'node:timers/promises';
import { AbortedRun } from '../campaign.ts';
import { Connection, CutError, type Reply } from '../connection.ts';
import type { Random } from '../random.ts';
import type { Instances } from '../repeat/instances.ts';
import { maxRequestMs } from './settings.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the operation.
  readonly json: any;
}

export interface ClientParts {
  readonly instances: Instances;
  readonly random: Random;
  readonly key: string;
  readonly found: (what: string) => void;
}

/** Repeats every request on any instance until it has an answer. */
export class Client {
  readonly #parts: ClientParts;
  readonly #connections = new Map<number, Connection>();
  #requests = 0;
  cuts = 0;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  async send(method: string, path: string, body?: object): Promise<Answer> {
    const { random, key } = this.#parts;
    this.#requests += 1;
    const headers = method === 'POST' ? { 'idempotency-key': `k-${random.int(0, 2 ** 40)}-${this.#requests}` } : {};
    const options = { key, headers, ...(body === undefined ? {} : { body }) };
    return this.#repeat((connection) => connection.request(method, `/api/v1/knowledge-bases${path}`, options));
  }

  /** Sends the bytes of a file to where they are expected. */
  upload(path: string, rawBody: Buffer): Promise<Answer> {
    return this.#repeat((connection) => connection.request('PUT', path, { rawBody }));
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
  }

  async #repeat(send: (connection: Connection) => Promise<Reply>): Promise<Answer> {
    const { instances, random } = this.#parts;
    const deadline = performance.now() + maxRequestMs;
    for (;;) {
      const connection = this.#connectionTo(instances.port(await instances.pick(random)));
      const reply = await send(connection).catch((error: unknown) => {
        if (!(error instanceof CutError)) throw error;
        this.cuts += 1;
        return null;
      });
      if (reply !== null && reply.status !== 503) {
        const json = JSON.parse(reply.body.toString());
        if (json.code !== 'IDEMPOTENCY_IN_PROGRESS') return { status: reply.status, json };
      }
      if (performance.now() > deadline) throw new AbortedRun(`a request got no answer in ${maxRequestMs} ms`);
      await delay(20);
    }
  }

  #connectionTo(port: number): Connection {
    const connection = this.#connections.get(port) ?? new Connection(port);
    this.#connections.set(port, connection);
    return connection;
  }
}
