import { setTimeout as delay } from 'node:timers/promises';
import { errorBody, errorCodes } from '../src/contract/errors.ts';
import type { Reply, RequestOptions } from './connection.ts';
import type { Random } from './random.ts';

export type Send = (method: string, path: string, options: RequestOptions) => Promise<Reply>;

/** The expected state of one agent, based on acknowledged writes. */
interface Expected {
  readonly name: string;
  /** Null until the create is acknowledged. */
  id: string | null;
  /** The possible prompts: one, or several after changes with an unknown outcome. */
  readonly prompts: Set<string>;
  /** The Idempotency-Key with which the create is repeated until it is acknowledged; null if it is not repeated. */
  readonly repeatKey: string | null;
}

export interface LoadOptions {
  readonly key: string;
  /** Distinguishes this load from others on the same database. */
  readonly name: string;
  readonly random: Random;
  readonly found: (what: string) => void;
  /** Long prompts fill a disk faster. */
  readonly promptLength?: number;
}

interface StoredAgent {
  readonly id: string;
  readonly name: string;
  readonly responseEngine: { readonly prompt: string };
}

/** The result of a request. If `isDone` is false, it may or may not have taken effect. */
type Outcome = { readonly reply: Reply | null; readonly isDone: boolean };

/**
 * Endless reads and writes, with separate agents per client, which records what was acknowledged. A create with an
 * Idempotency-Key and an unknown outcome is repeated until the outcome is known.
 */
export class Load {
  readonly #options: LoadOptions;
  readonly #agents: Expected[] = [];
  #names = 0;
  acknowledged = 0;
  refused = 0;
  reads = 0;
  refusedReads = 0;
  maxMs = 0;
  /** When the latest acknowledged write was sent. */
  lastWriteSentAt = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Sends one request after another until `isOver`, with pauses of up to `pauseMs`. */
  async run(send: Send, isOver: () => boolean, { pauseMs = 5, largestShareOfWrites = 0.5 } = {}): Promise<void> {
    const random = this.#options.random.fork();
    const own: Expected[] = [];
    while (!isOver()) {
      if (random.chance(largestShareOfWrites)) await this.#write(send, random, own);
      else await this.#read(send, random, own);
      await delay(random.int(0, pauseMs));
    }
  }

  /** Repeats unfinished requests, then compares everything with the stored state. */
  async settle(send: Send): Promise<void> {
    const { found, name } = this.#options;
    for (const agent of this.#agents) {
      if (agent.id === null && agent.repeatKey !== null) await this.#create(send, agent);
    }
    const stored = await this.#walk(send, `/api/v1/agents?limit=200`);
    const byName = new Map<string, StoredAgent[]>();
    for (const agent of stored as StoredAgent[]) {
      if (agent.name.startsWith(`${name} `)) byName.set(agent.name, [...(byName.get(agent.name) ?? []), agent]);
    }
    for (const agent of this.#agents) {
      const there = byName.get(agent.name) ?? [];
      byName.delete(agent.name);
      if (agent.id === null && there.length === 0) continue;
      if (there.length === 0) found('an acknowledged agent is gone');
      else if (there.length > 1) found('one create made more than one agent');
      else if (agent.id !== null && there[0]?.id !== agent.id) found('an acknowledged agent is there under another id');
      else if (!agent.prompts.has(there[0]?.responseEngine.prompt ?? '')) found('an acknowledged change is gone');
    }
    if (byName.size > 0) found('an agent is there that nobody created');
    await this.#compareAudit(send, new Set((stored as { id: string }[]).map(({ id }) => id)));
  }

  /** Every effect has its audit entry: the creates in the audit log must match the agents. */
  async #compareAudit(send: Send, ids: ReadonlySet<string>): Promise<void> {
    const entries = await this.#walk(send, '/api/v1/audit-log?limit=200');
    const created = (entries as { routeId: string; resourceId: string }[])
      .filter(({ routeId }) => routeId === 'agents.create')
      .map(({ resourceId }) => resourceId);
    if (new Set(created).size !== created.length) this.#options.found('a create is in the audit log twice');
    for (const id of created) if (!ids.has(id)) this.#options.found('the audit log has an agent that does not exist');
    const known = new Set(created);
    for (const id of ids) if (!known.has(id)) this.#options.found('an agent has no entry in the audit log');
  }

  async #walk(send: Send, path: string): Promise<unknown[]> {
    const items: unknown[] = [];
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      const address: string = cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
      const reply = await send('GET', address, { key: this.#options.key });
      if (reply.status !== 200) throw new Error(`${path} answers ${reply.status} when everything is over`);
      const page = JSON.parse(reply.body.toString());
      items.push(...page.items);
      cursor = page.pagination.nextCursor;
    }
    return items;
  }

  async #write(send: Send, random: Random, own: Expected[]): Promise<void> {
    const open = own.filter(({ id, repeatKey }) => id === null && repeatKey !== null);
    if (open.length > 0 && random.chance(0.5)) {
      await this.#create(send, random.pick(open));
      return;
    }
    const known = own.filter(({ id }) => id !== null);
    if (known.length > 0 && random.chance(0.5)) {
      await this.#change(send, random, random.pick(known));
      return;
    }
    this.#names += 1;
    const name = `${this.#options.name} ${this.#names}`;
    const agent = {
      name,
      id: null,
      prompts: new Set([this.#prompt(name)]),
      repeatKey: random.chance(0.5) ? name : null,
    };
    own.push(agent);
    this.#agents.push(agent);
    await this.#create(send, agent);
  }

  async #create(send: Send, agent: Expected): Promise<void> {
    const headers = agent.repeatKey === null ? {} : { 'Idempotency-Key': agent.repeatKey };
    const [prompt] = agent.prompts;
    const body = { name: agent.name, voiceId: 'voice', prompt };
    const { reply, isDone } = await this.#request(send, 'POST', '/api/v1/agents', { headers, body }, 201);
    if (isDone && reply !== null) agent.id = JSON.parse(reply.body.toString()).id;
  }

  async #change(send: Send, random: Random, agent: Expected): Promise<void> {
    const prompt = this.#prompt(`${agent.name} ${random.int(0, 2 ** 31)}`);
    const { isDone } = await this.#request(
      send,
      'PATCH',
      `/api/v1/agents/${agent.id}`,
      { body: { responseEngine: { prompt } } },
      200,
    );
    if (isDone) agent.prompts.clear();
    agent.prompts.add(prompt);
  }

  async #read(send: Send, random: Random, own: Expected[]): Promise<void> {
    const known = own.filter(({ id }) => id !== null);
    const agent = known.length === 0 ? null : random.pick(known);
    if (agent === null || random.chance(0.3)) {
      const search = random.chance(0.5) ? `&search=${encodeURIComponent(this.#options.name)}` : '';
      await this.#request(send, 'GET', `/api/v1/agents?limit=${random.int(1, 10)}${search}`, {}, 200);
      return;
    }
    const { reply, isDone } = await this.#request(send, 'GET', `/api/v1/agents/${agent.id}`, {}, 200);
    if (!isDone || reply === null) return;
    if (!agent.prompts.has(JSON.parse(reply.body.toString()).responseEngine.prompt)) {
      this.#options.found('a read does not show what was acknowledged before it');
    }
  }

  async #request(
    send: Send,
    method: string,
    path: string,
    options: RequestOptions,
    expected: number,
  ): Promise<Outcome> {
    const isRead = method === 'GET';
    const start = performance.now();
    let reply: Reply;
    try {
      reply = await send(method, path, { ...options, key: this.#options.key });
    } catch (error) {
      this.#options.found(`no answer to ${method}: ${(error as Error).message}`);
      return { reply: null, isDone: false };
    } finally {
      this.maxMs = Math.max(this.maxMs, performance.now() - start);
    }
    const isDone = reply.status === expected;
    if (isDone) {
      if (isRead) this.reads += 1;
      else {
        this.acknowledged += 1;
        this.lastWriteSentAt = Math.max(this.lastWriteSentAt, start);
      }
    } else if (isRead) this.refusedReads += 1;
    else this.refused += 1;
    const issue = isDone ? null : refusalIssue(reply);
    if (issue !== null) this.#options.found(`${method} is answered ${issue}`);
    return { reply, isDone };
  }

  #prompt(text: string): string {
    return text.padEnd(this.#options.promptLength ?? 0, ' .');
  }
}

/** Null for a 503 that conforms to the contract, otherwise the problem with the response. */
export function refusalIssue({ status, headers, body }: Reply): string | null {
  const parsedBody = errorBody.safeParse(parsed(body));
  const code = parsedBody.success ? parsedBody.data.error.code : 'without the error body of the contract';
  if (!parsedBody.success || status !== errorCodes.SERVICE_UNAVAILABLE.status) return `${status} ${code}`;
  if (code !== 'SERVICE_UNAVAILABLE') return `${status} ${code}`;
  if (parsedBody.data.error.requestId !== headers.get('x-request-id')) return '503 without its request id';
  return Number(headers.get('retry-after')) >= 1 ? null : '503 without Retry-After';
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
