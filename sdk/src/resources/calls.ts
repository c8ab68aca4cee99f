import { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import {
  type ConditionalOptions,
  joinedQuery,
  type RepeatableOptions,
  type RequestOptions,
  type Transport,
} from '../request.ts';
import type {
  Call,
  CallAccess,
  CallConcurrency,
  CallSkill,
  ControlCall,
  ControlledCall,
  CreateCall,
  CreateCallToken,
  DeletedCall,
  ListCallsQuery,
  RecordingLink,
  RedactCall,
  SearchCalls,
  Transcript,
  UpdateCall,
} from '../schema.ts';
import { CallAnalyses } from './call-analyses.ts';
import { CallEvents, type FollowOptions } from './call-events.ts';
import { CallMessages } from './call-messages.ts';

/** One value, or up to 10 of which a call has one. */
type OneOrMore<Value> = Value | readonly Value[];

/** Which calls to list. Filters combine with AND. */
export interface CallQuery extends Pick<ListCallsQuery, 'limit' | 'cursor'> {
  readonly agentId?: OneOrMore<string> | undefined;
  readonly agentVersion?: OneOrMore<number> | undefined;
  readonly type?: OneOrMore<Call['type']> | undefined;
  readonly direction?: OneOrMore<Call['direction']> | undefined;
  readonly status?: OneOrMore<Call['status']> | undefined;
  readonly endReason?: OneOrMore<NonNullable<Call['endReason']>> | undefined;
  readonly sentiment?: OneOrMore<NonNullable<Call['analysis']['sentiment']>> | undefined;
  readonly externalId?: string | undefined;
  readonly phoneNumberId?: OneOrMore<string> | undefined;
  readonly batchId?: OneOrMore<string> | undefined;
  /** As it is stored. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly successful?: boolean | undefined;
  /** Created at this time or later, as in ISO 8601. */
  readonly createdAfter?: string | undefined;
  /** Created before this time, as in ISO 8601. */
  readonly createdBefore?: string | undefined;
}

type Scalar = string | number | boolean;

/** A condition on a field of a call, such as `status`, `durationMs` or `metadata.page`, or several of them. */
export type CallFilter =
  | { readonly field: string; readonly op: 'eq' | 'ne'; readonly value: Scalar }
  | { readonly field: string; readonly op: 'in'; readonly value: readonly Scalar[] }
  | { readonly field: string; readonly op: 'lt' | 'lte' | 'gt' | 'gte'; readonly value: string | number }
  | { readonly field: string; readonly op: 'contains' | 'startsWith'; readonly value: string }
  | { readonly field: string; readonly op: 'exists'; readonly value: boolean }
  | { readonly all: readonly CallFilter[] }
  | { readonly any: readonly CallFilter[] }
  | { readonly not: CallFilter };

export interface CallSearch extends Omit<SearchCalls, 'filter'> {
  readonly filter: CallFilter;
}

/** Conversations with agents. */
export class Calls {
  readonly messages: CallMessages;
  readonly events: CallEvents;
  readonly transcript: CallTranscript;
  readonly skill: CallSkills;
  readonly recording: CallRecordings;
  readonly analysis: CallAnalyses;
  readonly tokens: CallTokens;
  readonly concurrency: Concurrency;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.messages = new CallMessages(transport);
    this.events = new CallEvents(transport);
    this.transcript = new CallTranscript(transport);
    this.skill = new CallSkills(transport);
    this.recording = new CallRecordings(transport);
    this.analysis = new CallAnalyses(transport);
    this.tokens = new CallTokens(transport);
    this.concurrency = new Concurrency(transport);
  }

  /**
   * Creates a chat or a web call, with an access token for the page of the caller in the response. With `type: 'phone'`,
   * dials a number.
   */
  create(body: CreateCall, options?: RequestOptions & RepeatableOptions): ApiPromise<Call> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/calls`, body, options });
  }

  /** Lists calls, newest first. Await one page, or iterate over all with `for await`. */
  list(query: CallQuery = {}, options?: RequestOptions): PagePromise<Call> {
    return this.#transport.list(path`/api/v1/calls`, joinedQuery(query), options);
  }

  /** Searches calls with a filter, newest first. Await one page, or iterate over all with `for await`. */
  search(body: CallSearch, options?: RequestOptions): PagePromise<Call> {
    return this.#transport.search(path`/api/v1/calls/search`, body, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<Call> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/calls/${id}`, options });
  }

  /** Changes your own data in a call: `metadata`, which is merged, and `externalId`. */
  update(id: string, body: UpdateCall, options?: RequestOptions & ConditionalOptions): ApiPromise<Call> {
    return this.#transport.request({ method: 'PATCH', path: path`/api/v1/calls/${id}`, body, options });
  }

  /** Deletes a call that is over, with everything that was stored of it. */
  delete(id: string, options?: RequestOptions & ConditionalOptions): ApiPromise<DeletedCall> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/calls/${id}`, options });
  }

  /** Removes personal data, or all content, from a call that is over. */
  redact(
    id: string,
    body: RedactCall,
    options?: RequestOptions & RepeatableOptions & ConditionalOptions,
  ): ApiPromise<Call> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/calls/${id}/redact`, body, options });
  }

  /** Ends a call, or cancels one that nobody has joined. A call that is over stays as it is. */
  end(id: string, options?: RequestOptions & RepeatableOptions & ConditionalOptions): ApiPromise<Call> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/calls/${id}/end`, options });
  }

  /** Waits until a call is over, also through broken connections. Use `signal` to stop waiting. */
  async waitUntilEnded(id: string, options: Omit<FollowOptions, 'cursor'> = {}): Promise<Call> {
    for await (const _event of this.events.follow(id, options)) {
      // The last event is that of the end.
    }
    const { waitSeconds: _, ...rest } = options;
    return this.get(id, rest);
  }

  /** Acts in an ongoing call: lets the agent say something, gives it context, mutes it, transfers the caller. */
  control(id: string, body: ControlCall, options?: RequestOptions & RepeatableOptions): ApiPromise<ControlledCall> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/calls/${id}/control`, body, options });
  }
}

/** What was said in a call. */
export class CallTranscript {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Gets what was said; while the call is open, what has been said so far. */
  get(id: string, options?: RequestOptions): ApiPromise<Transcript> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/calls/${id}/transcript`, options });
  }
}

/** Where the conversation flow of a call is. */
export class CallSkills {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Gets the skill that the flow is at; null without a flow, and after the call. */
  get(id: string, options?: RequestOptions): ApiPromise<CallSkill> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/calls/${id}/skill`, options });
  }
}

/** The recording of a call. */
export class CallRecordings {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Gets a link to the recording, which is valid for 5 minutes and can be opened as it is: the API returns a path if the
   * service has no `PUBLIC_URL`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<RecordingLink> {
    const call = { method: 'GET', path: path`/api/v1/calls/${id}/recording`, options } as const;
    const exchange = this.#transport.request<RecordingLink>(call).withResponse();
    const withUrl = (link: RecordingLink) => ({ ...link, url: this.#transport.absoluteUrl(link.url) });
    return new ApiPromise(exchange.then(({ data, response }) => ({ data: withUrl(data), response })));
  }
}

/** Access tokens, with which a page takes part in a call without an API key. */
export class CallTokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a token. It replaces all earlier ones that nobody has joined with. */
  create(id: string, body?: CreateCallToken, options?: RequestOptions & RepeatableOptions): ApiPromise<CallAccess> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/calls/${id}/tokens`, body, options });
  }
}

/** How many calls are open. */
export class Concurrency {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(options?: RequestOptions): ApiPromise<CallConcurrency> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/call-concurrency`, options });
  }
}
