import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { joinedQuery, type RequestOptions, type Transport } from '../request.ts';
import { retryDelay, wait } from '../retries.ts';
import type { Event, EventTypeList, ListEventsQuery } from '../schema.ts';

/** The JSON that is sent to webhooks. Its `type` tells what its `data` is. */
export type WebhookEvent = NonNullable<Event['body']>;

/** An event whose `type` tells what its `body` is. Newer services may send other types: ignore them. */
export type TypedEvent = {
  [Type in WebhookEvent['type']]: Omit<Event, 'type' | 'body'> & {
    type: Type;
    body: Extract<WebhookEvent, { type: Type }> | null;
  };
}[WebhookEvent['type']];

/** Which events to list. Filters combine with AND. */
export interface EventQuery extends Pick<ListEventsQuery, 'limit' | 'cursor' | 'subjectId' | 'order' | 'waitSeconds'> {
  readonly type?: Event['type'] | readonly Event['type'][] | undefined;
  /** Only events of this time or later, as in ISO 8601. */
  readonly createdAfter?: string | undefined;
  /** Before this time, as in ISO 8601. */
  readonly createdBefore?: string | undefined;
}

export interface FollowEventsOptions
  extends Pick<EventQuery, 'type' | 'subjectId' | 'createdAfter' | 'cursor'>,
    Omit<RequestOptions, 'maxRetries'> {
  /** How long a request waits for the next event, 0 to 25. Default: 20. */
  readonly waitSeconds?: number | undefined;
}

const defaultWaitSeconds = 20;

/** What happened in the workspace: the same events that webhooks get. */
export class Events {
  readonly types: EventTypes;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.types = new EventTypes(transport);
  }

  /**
   * Lists events, newest first. Await one page, or iterate over all with `for await`. With `order: 'asc'` the list never
   * ends: use `follow` for that.
   */
  list(query: EventQuery = {}, options?: RequestOptions): PagePromise<TypedEvent> {
    const { order, waitSeconds, createdBefore } = query;
    // Oldest first there is always a next page: without waiting, iterating would send requests without a pause.
    const isEndless = order === 'asc' && createdBefore === undefined;
    const later = isEndless ? { ...query, waitSeconds: waitSeconds ?? defaultWaitSeconds } : query;
    const timeout = options?.timeout ?? this.#transport.timeoutMs + (later.waitSeconds ?? 0) * 1000;
    const place = path`/api/v1/events`;
    return this.#transport.list(place, joinedQuery(query), { ...options, timeout }, joinedQuery(later));
  }

  get(id: string, options?: RequestOptions): ApiPromise<TypedEvent> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/events/${id}`, options });
  }

  /** Follows events from the oldest one on, or from a saved cursor, for as long as you iterate over it. */
  follow(options: FollowEventsOptions = {}): EventFollower {
    return new EventFollower(this, options);
  }
}

/** The catalog of events. */
export class EventTypes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists every type of event, with the JSON Schema of its body and an example. */
  list(options?: RequestOptions): ApiPromise<EventTypeList> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/event-types`, options });
  }
}

/**
 * Events as they happen. After a lost connection it continues where it was, for as long as it takes; use `signal` to
 * stop. Save `cursor` to continue later, in this process or another.
 */
export class EventFollower implements AsyncIterable<TypedEvent> {
  readonly #events: Events;
  readonly #options: FollowEventsOptions;
  #cursor: string | undefined;

  constructor(events: Events, options: FollowEventsOptions) {
    this.#events = events;
    this.#options = options;
    this.#cursor = options.cursor;
  }

  /**
   * Where to continue. It moves once all events of a page have been taken, so that an event that you were still working
   * on comes again. Undefined before the first page.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TypedEvent, void, undefined> {
    const { waitSeconds = defaultWaitSeconds, type, subjectId, createdAfter, cursor: _, ...options } = this.#options;
    let failures = 0;
    for (;;) {
      try {
        const filters = this.#cursor === undefined ? { type, subjectId, createdAfter } : { cursor: this.#cursor };
        const query = { order: 'asc', waitSeconds, ...filters } as const;
        const page = await this.#events.list(query, { ...options, maxRetries: 0 });
        failures = 0;
        yield* page.items;
        this.#cursor = page.nextCursor ?? this.#cursor;
      } catch (error) {
        const delayMs = retryDelay(error, failures, Math.random());
        if (delayMs === null) throw error;
        failures += 1;
        await wait(delayMs, options.signal);
      }
    }
  }
}
