import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../connection.ts';
import type { MadeKey } from '../keys.ts';
import type { Random } from '../random.ts';

/** A write that was acknowledged, or sent without a response so far. */
export interface Write {
  readonly requestId: string;
  readonly sentMs: number;
  ackedMs: number;
  /** The route id in the audit log. */
  readonly routeId: string;
  resourceId: string;
  readonly hasIdempotencyKey: boolean;
  /** The agent in the response; null if it was deleted. */
  text: string | null;
}

interface KnownAgent {
  readonly id: string;
  isPublished: boolean;
}

/** The maximum pause between writes. */
const pauseMs = 2;
const maxAgents = 60;

/** Changes the agents of its own workspace, one write at a time, and records each with its times. */
export class Writer {
  readonly key: MadeKey;
  readonly writes: Write[] = [];
  readonly #name: string;
  readonly #random: Random;
  readonly #connection: Connection;
  readonly #found: (what: string) => void;
  readonly #agents: KnownAgent[] = [];
  #isRunning = false;
  #working: Promise<void> = Promise.resolve();

  constructor(name: string, port: number, key: MadeKey, random: Random, found: (what: string) => void) {
    this.key = key;
    this.#name = name;
    this.#random = random;
    this.#connection = new Connection(port);
    this.#found = found;
  }

  start(): void {
    this.#isRunning = true;
    this.#working = this.#work();
  }

  /** Resolves when the last write has its response. */
  async pause(): Promise<void> {
    this.#isRunning = false;
    await this.#working;
  }

  close(): void {
    this.#isRunning = false;
    this.#connection.close();
  }

  async #work(): Promise<void> {
    while (this.#isRunning) {
      await this.#change();
      await delay(this.#random.int(0, pauseMs));
    }
  }

  async #change(): Promise<void> {
    const agent = this.#agents.length === 0 ? undefined : this.#random.pick(this.#agents);
    const isFull = this.#agents.length >= maxAgents;
    const chance = this.#random.next();
    if (agent === undefined || (chance < 0.4 && !isFull)) return this.#create();
    if (chance < 0.75) {
      const body = { name: this.#newName(), beginMessage: `変更 ${this.writes.length}` };
      return this.#send('agents.update', 'PATCH', agent, '', body);
    }
    if (chance < 0.9 || agent.isPublished) return this.#send('agents.publish', 'POST', agent, '/publish');
    return this.#send('agents.delete', 'DELETE', agent, '');
  }

  #newName(): string {
    return `${this.#random.pick(['受付', 'Reception', '夜間 🌙', 'Café'])} ${this.#name}-${this.writes.length}`;
  }

  async #create(): Promise<void> {
    const body = {
      name: this.#newName(),
      voiceId: 'ja-JP-Nanami',
      prompt: '丁寧に。'.repeat(this.#random.int(1, 100)),
    };
    const text = await this.#perform('agents.create', 'POST', '/api/v1/agents', '', body, 201);
    if (text === null) return;
    this.#agents.push({ id: JSON.parse(text).id, isPublished: false });
  }

  async #send(routeId: string, method: string, agent: KnownAgent, more: string, body?: unknown): Promise<void> {
    const text = await this.#perform(routeId, method, `/api/v1/agents/${agent.id}${more}`, agent.id, body, 200);
    if (text === null) return;
    if (routeId === 'agents.delete') this.#agents.splice(this.#agents.indexOf(agent), 1);
    else agent.isPublished = JSON.parse(text).isPublished;
  }

  async #perform(
    routeId: string,
    method: string,
    path: string,
    resourceId: string,
    body: unknown,
    status: number,
  ): Promise<string | null> {
    const requestId = `${this.#name}-${String(this.writes.length).padStart(6, '0')}`;
    const hasIdempotencyKey = method === 'POST' && this.#random.chance(0.3);
    const headers = {
      'x-request-id': requestId,
      ...(hasIdempotencyKey ? { 'idempotency-key': `repeat-${requestId}` } : {}),
    };
    const sentMs = performance.now();
    const write: Write = { requestId, sentMs, ackedMs: Infinity, routeId, resourceId, hasIdempotencyKey, text: null };
    this.writes.push(write);
    const reply = await this.#connection.request(method, path, { key: this.key.secret, headers, body });
    write.ackedMs = performance.now();
    const text = reply.body.toString();
    if (reply.status !== status) {
      this.#found(`a ${routeId} of the load was answered with ${reply.status}`);
      return null;
    }
    if (routeId !== 'agents.delete') write.text = text;
    if (routeId === 'agents.create') write.resourceId = JSON.parse(text).id;
    return text;
  }
}
