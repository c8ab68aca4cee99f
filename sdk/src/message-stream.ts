import { type ApiError, ConnectionError, fieldOf, statusOfCode, textOf } from './errors.ts';
import { EventStreamParser, type ServerSentEvent } from './event-stream.ts';
import { errorOf, readResponse, readText } from './response.ts';
import type { CallReply } from './schema.ts';

/** What happens while the agent replies. `turn` is the index of the turn in the transcript. */
export type CallMessageEvent =
  | { readonly type: 'text'; readonly turn: number; readonly delta: string }
  | { readonly type: 'tool'; readonly name: string }
  | { readonly type: 'done'; readonly reply: CallReply };

type Deliver = (event: CallMessageEvent) => void;

/**
 * The reply to a message, while it is generated. The request is sent immediately. Iterate over the events with
 * `for await`, or await `finalReply()`, or both.
 */
export class MessageStream implements AsyncIterable<CallMessageEvent> {
  readonly #events: CallMessageEvent[] = [];
  readonly #reply: Promise<CallReply>;
  readonly #abort: (reason?: unknown) => void;
  #isOver = false;
  /** The iterators that wait for the next event. */
  #waiting: (() => void)[] = [];

  constructor(start: (deliver: Deliver) => Promise<CallReply>, abort: (reason?: unknown) => void) {
    this.#abort = abort;
    this.#reply = start((event) => {
      this.#events.push(event);
      this.#wake();
    }).finally(() => {
      this.#isOver = true;
      this.#wake();
    });
    // The iterators and finalReply report it. Without them nobody is interested.
    this.#reply.catch(() => {});
  }

  /** The complete reply. */
  finalReply(): Promise<CallReply> {
    return this.#reply;
  }

  /** Stops waiting for the reply: iterators and `finalReply` reject with the reason. The message remains sent. */
  abort(reason?: unknown): void {
    this.#abort(reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<CallMessageEvent, void, undefined> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length && !this.#isOver) await this.#change();
      const event = this.#events[next];
      if (event === undefined) break;
      yield event;
    }
    await this.#reply;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

/**
 * Reads the stream of a reply. If the connection breaks after the first event, the request is repeated with the same
 * key, and of the second stream only the end is delivered, so that no text appears twice.
 */
export class ReplyReader {
  readonly #deliver: Deliver;
  #hasDelivered = false;
  #hasFailedLate = false;

  constructor(deliver: Deliver) {
    this.#deliver = deliver;
  }

  /** A reply that failed after its first words is not repeated: other words might contradict them. */
  mayRetry(): boolean {
    return !this.#hasFailedLate;
  }

  async read(response: Response, origin: string, isAfterLostAnswer: boolean): Promise<CallReply> {
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    if (response.ok && isStream) return this.#readEvents(response, origin, isAfterLostAnswer);
    // An error, or a proxy that does not stream: the whole reply at once.
    const { data } = readResponse<CallReply>(await readText(response, origin), isAfterLostAnswer);
    this.#deliver({ type: 'done', reply: data });
    return data;
  }

  async #readEvents(response: Response, origin: string, isAfterLostAnswer: boolean): Promise<CallReply> {
    const isRepeated = this.#hasDelivered;
    for await (const given of eventsOf(response)) {
      if (given.event === 'error') {
        this.#hasFailedLate = this.#hasDelivered;
        throw streamError(given, response.headers, isAfterLostAnswer);
      }
      const event = eventOf(given);
      if (event === null || (isRepeated && event.type !== 'done')) continue;
      this.#hasDelivered = true;
      this.#deliver(event);
      if (event.type === 'done') return event.reply;
    }
    throw new ConnectionError(`No complete response from ${origin}: the stream ended early.`);
  }
}

async function* eventsOf(response: Response): AsyncGenerator<ServerSentEvent, void, undefined> {
  const parser = new EventStreamParser();
  // Not "for await" over the body, which not every browser supports.
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader?.cancel().catch(() => {});
  }
}

/** Null for events that a newer service may send. */
function eventOf({ event, data }: ServerSentEvent): CallMessageEvent | null {
  const body = parsed(data);
  switch (event) {
    case 'text':
      return { type: 'text', turn: Number(fieldOf(body, 'turn')), delta: textOf(fieldOf(body, 'delta')) ?? '' };
    case 'tool':
      return { type: 'tool', name: textOf(fieldOf(body, 'name')) ?? '' };
    case 'done':
      return { type: 'done', reply: body as CallReply };
    default:
      return null;
  }
}

function streamError({ data }: ServerSentEvent, headers: Headers, isAfterLostAnswer: boolean): ApiError {
  const body = parsed(data);
  const status = statusOfCode(textOf(fieldOf(fieldOf(body, 'error'), 'code')) ?? '');
  return errorOf({ body, status, headers, isAfterLostAnswer, otherwise: 'The reply failed.' });
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new ConnectionError('No complete response: an event of the stream was truncated.');
  }
}
