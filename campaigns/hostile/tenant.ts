import { setTimeout as delay } from 'node:timers/promises';
import { Connection, type Reply } from '../connection.ts';

export interface HostileOptions {
  readonly port: number;
  readonly key: string;
  /** Before each request, as between those of a regular tenant: what it sends is hostile, and not how much. */
  readonly pauseMs: number;
  readonly found: (what: string) => void;
}

/** An attacker's workspace: sends requests, and checks what every tenant must always be able to do. */
export class HostileTenant {
  readonly key: string;
  readonly port: number;
  readonly #pauseMs: number;
  readonly #found: (what: string) => void;
  /** Calls that were created and not yet seen to be over. */
  readonly #open = new Set<string>();

  constructor({ port, key, pauseMs, found }: HostileOptions) {
    this.port = port;
    this.key = key;
    this.#pauseMs = pauseMs;
    this.#found = found;
  }

  /** On a connection of its own: attackers do not wait for each other. */
  async send(method: string, path: string, body?: unknown, key = this.key): Promise<Reply> {
    await delay(this.#pauseMs);
    const connection = new Connection(this.port, { timeoutMs: 60_000 });
    try {
      const reply = await connection.request(method, path, { key, body });
      // 503 is a service that protects itself; every other 5xx but a partner's failure is a defect.
      if (![502, 503].includes(reply.status) && reply.status >= 500) {
        this.#found(`${method} ${path.replace(/\w+_\w{30}/g, '…')} is answered ${reply.status}`);
      }
      return reply;
    } finally {
      connection.close();
    }
  }

  async json(method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }> {
    const { status, body: bytes } = await this.send(method, path, body);
    return { status, json: JSON.parse(bytes.toString()) };
  }

  async newAgent(fields: object): Promise<string | null> {
    const agent = { name: 'Hostile', voiceId: 'slt', language: 'en-US', ...fields };
    const { status, json } = await this.json('POST', '/api/v1/agents', agent);
    return status === 201 ? (json.id as string) : null;
  }

  /** Null if it was refused, such as by the limit of concurrent calls. */
  async newCall(agentId: string | null, fields: object = {}): Promise<Json | null> {
    if (agentId === null) return null;
    const call = { type: 'chat', agentId, agentVersion: 'latest', ...fields };
    const { status, json } = await this.json('POST', '/api/v1/calls', call);
    if (status !== 201) return null;
    this.#open.add(json.id as string);
    return json;
  }

  say(call: Json, text: string): Promise<Reply> {
    return this.send('POST', `/api/v1/calls/${call.id}/messages`, text === '' ? {} : { text });
  }

  /** Every call can be ended, redacted and deleted, whatever it contains. */
  async finish(call: Json, { isRemoved }: { readonly isRemoved: boolean }): Promise<void> {
    await this.#end(call.id as string);
    if (!isRemoved) return;
    const path = `/api/v1/calls/${call.id}`;
    const redacted = await this.send('POST', `${path}/redact`, { to: 'basic_attributes_only' });
    if (![200, 422].includes(redacted.status)) this.#found(`a call cannot be redacted: ${redacted.status}`);
    const deleted = await this.send('DELETE', path);
    if (deleted.status !== 200) this.#found(`a call cannot be deleted: ${deleted.status}`);
  }

  /** Ends what is left, and sees that no slot is lost. */
  async finishAll(): Promise<void> {
    for (const id of this.#open) await this.#end(id);
    const { json } = await this.json('GET', '/api/v1/call-concurrency');
    if (json.active !== 0 || json.chatActive !== 0) {
      this.#found(`slots are lost: ${json.active} of voice, ${json.chatActive} of chat`);
    }
  }

  async #end(id: string): Promise<void> {
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const { status, body } = await this.send('POST', `/api/v1/calls/${id}/end`, {});
      const isOver =
        status === 200 || (status === 409 && /"status":"(ended|error|not_connected)"/.test(body.toString()));
      if (isOver) {
        this.#open.delete(id);
        return;
      }
      // A reply that is being written, or an owner that is busy: the response says when to try again.
      await delay(500);
    }
    this.#found('a call cannot be ended within 20 s');
  }
}

export type Json = Readonly<Record<string, unknown>>;
