import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../../src/contract/calls/call.ts';
import type { Turn } from '../../src/contract/calls/turn.ts';
import { Connection, CutError, type Reply } from '../connection.ts';
import type { Random } from '../random.ts';
import type { Instances } from '../repeat/instances.ts';
import { type ChatKind, chatKinds, messagesOf, type PlannedMessage } from './agents.ts';
import { Chat } from './chat.ts';
import { leaseMs, maxMessageMs } from './settings.ts';

export interface CallerParts {
  readonly instances: Instances;
  readonly random: Random;
  readonly key: string;
  readonly agentIds: ReadonlyMap<ChatKind, string>;
  readonly chats: Chat[];
  readonly counts: Counts;
  /** Enough was found: what is under way is given up. */
  readonly isEnough: () => boolean;
  /** Takes the number of the next chat; null if there are enough. */
  readonly nextNumber: () => number | null;
  /** Whether no instance was killed or paused since. */
  readonly isCalmSince: (ms: number) => boolean;
  readonly found: (what: string) => void;
}

export interface Counts {
  messages: number;
  sends: number;
  cut: number;
  failed: number;
  inProgress: number;
  unavailable: number;
  noSlot: number;
  queued: number;
  rivals: number;
  longestMs: number;
}

/** What the final answer to a request was. Null: the call has ended, or there was none in time. */
type Final = { readonly body: string; readonly etag: string | undefined } | null;

interface Request {
  readonly method: 'POST' | 'GET';
  readonly path: string;
  readonly repeatKey?: string;
  readonly body?: object;
  readonly isStreamed?: boolean;
  /** The chat that it keeps open. */
  readonly chat?: Chat;
}

/** A page that chats: it repeats every request with its Idempotency-Key until there is a final answer. */
export class Caller {
  readonly #parts: CallerParts;
  readonly #random: Random;
  #keys = 0;

  constructor(parts: CallerParts) {
    this.#parts = parts;
    this.#random = parts.random.fork();
  }

  async run(): Promise<void> {
    for (let number = this.#parts.nextNumber(); number !== null; number = this.#parts.nextNumber()) {
      await this.#chat(number);
    }
  }

  async #chat(number: number): Promise<void> {
    const random = this.#random;
    const kind = chatKinds[number % chatKinds.length] as ChatKind;
    const chat = await this.#create(kind, number);
    if (chat === null) return;
    for (const [index, message] of messagesOf(kind, `chat-${number}`, random).entries()) {
      if (!(await this.#message(chat, message, `chat ${number} message ${index}`))) return;
      if (random.chance(0.1) && kind !== 'script') await this.#say(chat, `a word of chat ${number} after ${index}`);
      await this.#read(chat);
    }
    // The others end by their silence.
    if (random.chance(0.8)) await this.#end(chat);
  }

  async #create(kind: ChatKind, number: number): Promise<Chat | null> {
    const body = {
      type: 'chat',
      agentId: this.#parts.agentIds.get(kind),
      agentVersion: 'latest',
      queue: number % 4 === 0,
      // Then the working state is sealed, and the only record of what was said.
      dataStorageSetting: number % 3 === 0 ? 'basic_attributes_only' : 'everything',
    };
    const final = await this.#untilFinal({ method: 'POST', path: '/api/v1/calls', repeatKey: this.#newKey(), body });
    if (final === null) return null;
    const call = JSON.parse(final.body) as Call;
    const chat = new Chat(kind, call);
    this.#parts.chats.push(chat);
    if (call.status === 'queued' && !(await this.#untilRegistered(chat))) return null;
    return chat;
  }

  async #untilRegistered(chat: Chat): Promise<boolean> {
    this.#parts.counts.queued += 1;
    const deadline = performance.now() + maxMessageMs;
    while (performance.now() < deadline) {
      const call = await this.#read(chat);
      if (call !== null && call.status !== 'queued') return call.status === 'registered';
      await delay(this.#random.int(50, 200));
    }
    if (!this.#parts.isEnough()) this.#parts.found('a queued call does not start');
    return false;
  }

  /** False if the chat is over. */
  async #message(chat: Chat, { text, reply }: PlannedMessage, about: string): Promise<boolean> {
    const { counts, found } = this.#parts;
    counts.messages += 1;
    const request = this.#messageRequest(chat, text, about);
    const sending = this.#untilFinal(request);
    if (chat.kind === 'slow') await this.#interfere(chat, request, sending, about);
    const final = await sending;
    if (final === null) {
      chat.unanswered += 1;
      return false;
    }
    const { turns, status } = this.#acknowledge(chat, final);
    const last = turns.at(-1);
    const isExpected = reply === null || (reply === '' ? last?.role === 'caller' : last?.text === reply);
    if (!isExpected) found(`${chat.kind}: a message has another reply than expected: ${last?.text}`);
    if (turns.filter(({ role }) => role === 'caller').length !== 1)
      found('an answer does not have one turn of the caller');
    return status === 'ongoing';
  }

  #messageRequest(chat: Chat, text: string, about: string): Request {
    const path = `/api/v1/calls/${chat.id}/messages`;
    return { method: 'POST', path, repeatKey: about, body: { text }, isStreamed: this.#random.chance(0.2), chat };
  }

  #acknowledge(chat: Chat, { body }: { readonly body: string }): { turns: readonly Turn[]; status: Call['status'] } {
    const answer = JSON.parse(body) as { turns: Turn[]; status: Call['status'] };
    chat.acknowledged.push(answer);
    return answer;
  }

  /** While a reply is in progress, also for longer than a lease, nobody else gets the call or its Idempotency-Key. */
  async #interfere(chat: Chat, request: Request, sending: Promise<Final>, about: string): Promise<void> {
    const { counts, found, isCalmSince } = this.#parts;
    const start = performance.now();
    let isOver = false;
    const over = sending.finally(() => {
      isOver = true;
    });
    await Promise.race([over, delay(leaseMs + 400)]);
    if (isOver || !isCalmSince(start)) return;
    const again = await this.#send(request);
    const rival = this.#messageRequest(chat, `${about}, by a rival`, `${about}, by a rival`);
    const reply = await this.#send(rival);
    // Otherwise it may not have begun when the others arrived, or they came when it was over.
    const isCertain = !isOver && isCalmSince(start);
    counts.rivals += 1;
    if (isCertain && again !== null && again.code !== 'IDEMPOTENCY_IN_PROGRESS') {
      found(`a repeated request that is in progress was answered ${again.status} ${again.code}`);
    }
    if (isCertain && reply !== null && reply.reason !== 'reply_in_progress') {
      found(`a second message during a reply was answered ${reply.status} ${reply.code}`);
    }
    if (reply?.status === 409) return;
    // It may have begun.
    const final = reply?.status === 200 ? reply : await this.#untilFinal(rival);
    if (final === null) chat.unanswered += 1;
    else this.#acknowledge(chat, final);
  }

  async #say(chat: Chat, text: string): Promise<void> {
    const path = `/api/v1/calls/${chat.id}/control`;
    const body = { action: 'say', text };
    const final = await this.#untilFinal({ method: 'POST', path, repeatKey: this.#newKey(), body, chat });
    if (final !== null) chat.said.push(text);
  }

  /** Twice: the second time nothing is left to do. */
  async #end(chat: Chat): Promise<void> {
    const request = { method: 'POST', path: `/api/v1/calls/${chat.id}/end` } as const;
    const first = await this.#untilFinal({ ...request, repeatKey: this.#newKey() });
    const second = await this.#untilFinal({ ...request, repeatKey: this.#newKey() });
    if (this.#parts.isEnough()) return;
    if (first === null || second === null) return this.#parts.found('a call could not be ended');
    if (endingOf(first.body) !== endingOf(second.body)) this.#parts.found('a call was ended twice');
  }

  async #read(chat: Chat): Promise<Call | null> {
    const final = await this.#untilFinal({ method: 'GET', path: `/api/v1/calls/${chat.id}` });
    if (final === null) return null;
    if (!chat.isConsistent(final.etag ?? '', final.body))
      this.#parts.found('the tag of a call does not follow its body');
    return JSON.parse(final.body);
  }

  async #untilFinal(request: Request): Promise<Final> {
    const { counts, found } = this.#parts;
    const start = performance.now();
    while (performance.now() < start + maxMessageMs) {
      if (this.#parts.isEnough()) return null;
      const reply = await this.#send(request);
      if (reply !== null && (reply.status === 200 || reply.status === 201)) {
        counts.longestMs = Math.max(counts.longestMs, performance.now() - start);
        return reply;
      }
      if (reply?.code === 'STATE_CONFLICT' && reply.reason !== 'reply_in_progress') return null;
      if (reply !== null && !isTemporary(reply.code)) {
        found(`${request.path.replace(/call_\w+/, '{id}')} was answered ${reply.status} ${reply.code}`);
        return null;
      }
      await delay(this.#random.int(20, 250));
    }
    found(`${request.path.replace(/call_\w+/, '{id}')} has no final answer after ${maxMessageMs / 1000} s`);
    return null;
  }

  /** One attempt. Null if there was no answer: the instance was killed, or the page was impatient. */
  async #send(request: Request): Promise<Answer | null> {
    const { instances, counts, key } = this.#parts;
    const connection = new Connection(instances.port(await instances.pick(this.#random)), {
      timeoutMs: this.#random.chance(0.5) ? this.#random.int(700, 2000) : this.#random.int(2000, 12_000),
    });
    counts.sends += 1;
    const { method, path, body, repeatKey, isStreamed = false } = request;
    const headers = {
      ...(repeatKey !== undefined && { 'Idempotency-Key': repeatKey }),
      ...(isStreamed && { Accept: 'text/event-stream' }),
    };
    try {
      const reply = await connection.request(method, path, { key, headers, ...(body !== undefined && { body }) });
      return this.#count(answerOf(reply));
    } catch (error) {
      if (!(error instanceof CutError)) throw error;
      counts.cut += 1;
      return null;
    } finally {
      if (request.chat !== undefined) request.chat.lastUsedAt = Date.now();
      connection.close();
    }
  }

  #count(answer: Answer): Answer {
    const { counts } = this.#parts;
    if (answer.code === 'UPSTREAM_ERROR') counts.failed += 1;
    if (answer.code === 'IDEMPOTENCY_IN_PROGRESS') counts.inProgress += 1;
    if (answer.code === 'SERVICE_UNAVAILABLE') counts.unavailable += 1;
    if (answer.code === 'CONCURRENCY_LIMIT_REACHED') counts.noSlot += 1;
    return answer;
  }

  #newKey(): string {
    this.#keys += 1;
    return `key ${this.#keys} of ${this.#random.int(0, 2 ** 31)}`;
  }
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly reason: string | undefined;
  readonly body: string;
  readonly etag: string | undefined;
}

const temporary = [
  'IDEMPOTENCY_IN_PROGRESS',
  'SERVICE_UNAVAILABLE',
  'UPSTREAM_ERROR',
  'CONCURRENCY_LIMIT_REACHED',
  'STATE_CONFLICT',
];

function isTemporary(code: string | undefined): boolean {
  return code !== undefined && temporary.includes(code);
}

/** The end of a stream counts like a response. */
function answerOf({ status, headers, body }: Reply): Answer {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? lastEventOf(body.toString()) : body.toString();
  const { error } = JSON.parse(text) as { error?: { code: string; details?: { reason?: string | null } } };
  return {
    status: error === undefined || !isStream ? status : 409,
    code: error?.code,
    reason: error?.details?.reason ?? undefined,
    body: text,
    etag: headers.get('etag'),
  };
}

function lastEventOf(stream: string): string {
  return stream.trimEnd().split('\ndata: ').at(-1) ?? '';
}

/** What stays the same, although the analysis of a call changes it after its end. */
function endingOf(body: string): string {
  const { status, endReason, endedAt, endedBy } = JSON.parse(body);
  return JSON.stringify({ status, endReason, endedAt, endedBy });
}
