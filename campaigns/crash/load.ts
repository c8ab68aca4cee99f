import { isDeepStrictEqual } from 'node:util';
import { buildAgent } from '../../src/areas/agents/agent.ts';
import { createAgentBody } from '../../src/contract/agents/requests.ts';
import { Connection, CutError, type Reply } from '../connection.ts';
import type { Random } from '../random.ts';
import { issueWith, type KnownAgent, type Ledger, type Operation, type Outcome } from './ledger.ts';

export interface LoadParts {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly key: string;
  readonly workspaceId: string;
  readonly newNumber: () => number;
  readonly found: (what: string) => void;
}

/** The result of the load until it was stopped. */
export interface Load {
  /** Operations with a response. */
  readonly acknowledged: Operation[];
  /** Operations that were sent and have no response. */
  readonly inFlight: Operation[];
}

/** The words that names are made of, so that every name shares grams with many others. */
const words = ['受付', 'Empfang', 'reception', 'ラーメン', 'night', 'Ünïcode', 'desk'];
export const commonWord = 'crew';

/** A client that changes its own agents, one request at a time, until the service is killed. */
export class Writer {
  readonly #parts: LoadParts;
  readonly #owner: number;
  readonly #random: Random;

  constructor(owner: number, parts: LoadParts) {
    this.#owner = owner;
    this.#parts = parts;
    this.#random = parts.random.fork();
  }

  async run(
    port: number,
    load: Load,
    { isOver, onResponse }: { isOver(): boolean; onResponse(): void },
  ): Promise<void> {
    const connection = new Connection(port);
    try {
      while (!isOver()) {
        if (this.#random.chance(0.05)) await this.#sendStaleChange(connection);
        else if (this.#random.chance(0.08)) await this.#readOwn(connection);
        else await this.#change(connection, load, onResponse);
      }
    } catch (error) {
      if (!(error instanceof CutError)) throw error;
      if (!isOver()) this.#parts.found(`a connection was cut while nobody was killed: ${error.message}`);
    } finally {
      connection.close();
    }
  }

  async #change(connection: Connection, load: Load, onResponse: () => void): Promise<void> {
    const operation = this.#nextOperation();
    let reply: Reply;
    try {
      reply = await connection.request(operation.method, operation.path, operation.options);
    } catch (error) {
      load.inFlight.push(operation);
      throw error;
    }
    onResponse();
    if (noteReply(operation, reply, this.#parts)) load.acknowledged.push(operation);
  }

  /** Uses an ETag that was never issued: the request must be refused and have no effect. */
  async #sendStaleChange(connection: Connection): Promise<void> {
    const { ledger, key, found } = this.#parts;
    const target = this.#anyOwn(ledger.ownedBy(this.#owner));
    if (target === null) return;
    const headers = { 'if-match': '"a-tag-of-nobody"', 'x-request-id': this.#requestId() };
    const body = { beginMessage: 'written without leave' };
    const reply = await connection.request('PATCH', `/api/v1/agents/${target.id}`, { key, headers, body });
    if (reply.status !== 409) found(`a change with a stale If-Match was answered with ${reply.status}`);
  }

  async #readOwn(connection: Connection): Promise<void> {
    const { ledger, key, found } = this.#parts;
    const target = this.#anyOwn(ledger.ownedBy(this.#owner));
    if (target === null) return;
    const reply = await connection.request('GET', `/api/v1/agents/${target.id}`, { key });
    if (reply.body.toString() !== target.document || reply.headers.get('etag') !== target.etag)
      found('a read does not show what was acknowledged before it');
  }

  #anyOwn(own: readonly KnownAgent[]): KnownAgent | null {
    return own.length === 0 ? null : this.#random.pick(own);
  }

  #requestId(): string {
    return `r-${this.#parts.newNumber()}`;
  }

  #nextOperation(): Operation {
    const random = this.#random;
    const own = this.#parts.ledger.ownedBy(this.#owner);
    const target = this.#anyOwn(own);
    const isFull = own.length > 9;
    if (target === null || own.length < 3 || (!isFull && random.chance(0.25))) return this.#create();
    const roll = random.next();
    if (!isFull && roll < 0.12) return this.#duplicate(target);
    if (roll < 0.5) return this.#patch(target);
    if (roll < 0.75) return this.#publish(target);
    if (roll < 0.9) return this.#restore(target);
    return this.#operation({ routeId: 'agents.delete', method: 'DELETE', path: '', target, outcome: { kind: 'gone' } });
  }

  #create(): Operation {
    const { workspaceId } = this.#parts;
    const body = { name: this.#newName(), voiceId: 'ja-JP-Nanami', prompt: this.#text() };
    const nobody = { id: '', workspaceId, createdAt: '' };
    const fields = asJson(buildAgent(createAgentBody.parse(body), nobody));
    const outcome = { kind: 'made', fields } as const;
    return this.#operation({ routeId: 'agents.create', method: 'POST', path: '', target: null, body, outcome });
  }

  #duplicate(target: KnownAgent): Operation {
    const body = { name: this.#newName() };
    const fields = { ...parse(target.document), ...body, version: 1, isPublished: false, versionDescription: null };
    const outcome = { kind: 'made', fields } as const;
    return this.#operation({ routeId: 'agents.duplicate', method: 'POST', path: '/duplicate', target, body, outcome });
  }

  #patch(target: KnownAgent): Operation {
    const random = this.#random;
    const head = parse(target.document);
    const body: Record<string, unknown> = random.chance(0.05)
      ? { name: head.name }
      : {
          beginMessage: this.#text(),
          volume: random.int(0, 20) / 10,
          ...(random.chance(0.4) ? { name: this.#newName() } : {}),
        };
    const merged = { ...head, ...body };
    const outcome: Outcome = isDeepStrictEqual(merged, head)
      ? { kind: 'unchanged' }
      : { kind: 'changed', fields: asNextDraft(head, { ...merged, ...descriptionOfDraft(head) }) };
    return this.#operation({ routeId: 'agents.update', method: 'PATCH', path: '', target, body, outcome });
  }

  #publish(target: KnownAgent): Operation {
    const head = parse(target.document);
    const body = { versionDescription: this.#text().slice(0, 100) };
    const outcome: Outcome = head.isPublished
      ? { kind: 'unchanged' }
      : { kind: 'changed', fields: { ...head, ...body, isPublished: true } };
    return this.#operation({ routeId: 'agents.publish', method: 'POST', path: '/publish', target, body, outcome });
  }

  #restore(target: KnownAgent): Operation {
    const head = parse(target.document);
    const number = this.#random.pick([...target.older.keys(), head.version as number]);
    const source = { ...parse(target.older.get(number) ?? target.document), ...descriptionOfDraft(head) };
    const { version, isPublished, updatedAt } = head;
    const isSame = !isPublished && isDeepStrictEqual({ ...source, version, isPublished, updatedAt }, head);
    const outcome: Outcome = isSame ? { kind: 'unchanged' } : { kind: 'changed', fields: asNextDraft(head, source) };
    const path = `/versions/${number}/restore`;
    return this.#operation({ routeId: 'agents.versions.restore', method: 'POST', path, target, outcome });
  }

  #operation(
    parts: Pick<Operation, 'routeId' | 'method' | 'path' | 'target' | 'outcome'> & { body?: unknown },
  ): Operation {
    const { routeId, method, path, target, outcome, body } = parts;
    const random = this.#random;
    const requestId = this.#requestId();
    const repeatKey = method === 'POST' && random.chance(0.5) ? `k-${requestId}` : null;
    const isGuarded = target !== null && routeId !== 'agents.duplicate' && random.chance(0.4);
    const headers = {
      'x-request-id': requestId,
      ...(repeatKey === null ? {} : { 'idempotency-key': repeatKey }),
      ...(isGuarded ? { 'if-match': target.etag } : {}),
    };
    return {
      requestId,
      routeId,
      owner: this.#owner,
      method,
      path: `/api/v1/agents${target === null ? '' : `/${target.id}`}${path}`,
      options: { key: this.#parts.key, headers, ...(body === undefined ? {} : { body }) },
      repeatKey,
      target,
      outcome,
      sentAt: Date.now(),
    };
  }

  /** A unique name that is not a prefix or suffix of another. */
  #newName(): string {
    return `${commonWord} ${this.#random.pick(words)} ${this.#random.pick(words)} <${this.#parts.newNumber()}>`;
  }

  /** Mostly short, sometimes longer than a database page. */
  #text(): string {
    const length = this.#random.chance(0.03) ? this.#random.int(4000, 9000) : this.#random.int(1, 400);
    return `${this.#parts.newNumber()} ${'いろは text '.repeat(length / 10)}`;
  }
}

/** Records a response; false if its status is not the expected one. */
export function noteReply(
  operation: Operation,
  reply: Reply,
  { ledger, found }: Pick<LoadParts, 'ledger' | 'found'>,
  requestId = operation.requestId,
): boolean {
  const text = reply.body.toString();
  const expected = operation.outcome.kind === 'made' ? 201 : 200;
  if (reply.status !== expected) {
    found(`${operation.routeId} was answered with ${reply.status}: ${text.replaceAll(/\w+-\d+/g, '…').slice(0, 200)}`);
    return false;
  }
  const issue = issueWith(operation, text);
  if (issue !== null) found(`the answer of ${operation.routeId} ${issue}`);
  const etag = reply.headers.get('etag') ?? null;
  ledger.note(operation, (JSON.parse(text) as { id: string }).id, { body: text, etag }, requestId);
  return true;
}

/** A description belongs to one version: a new draft has none. */
function descriptionOfDraft({ isPublished, versionDescription }: Record<string, unknown>) {
  return { versionDescription: isPublished ? null : versionDescription };
}

function asNextDraft(head: Record<string, unknown>, content: Record<string, unknown>): Record<string, unknown> {
  const version = head.isPublished ? (head.version as number) + 1 : head.version;
  return { ...content, version, isPublished: false };
}

function parse(document: string): Record<string, unknown> {
  return JSON.parse(document);
}

function asJson(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value));
}
