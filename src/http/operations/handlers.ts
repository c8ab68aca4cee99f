import type { IncomingHttpHeaders } from 'node:http';
import type { Body, Operation, Params, Query, SuccessBody } from '../../contract/operation.ts';
import type { Position } from '../../core/cursor.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { StoredJson } from '../../core/stored-json.ts';
import type { Queries } from '../../storage/database.ts';
import type { Page } from '../../storage/page.ts';
import type { Caller } from '../admission/caller.ts';

/** A request that passed all checks: the caller is authorized, and every value matches its schema. */
export type OperationRequest<O extends Operation> = CheckedRequest<O> &
  (O extends { readonly isLongPoll: true } ? LongPollTools : unknown) &
  (O['success'] extends { readonly media: object } ? MediaTools : unknown);

/** For an operation that may wait for something new. */
export interface LongPollTools {
  /**
   * To be called before a wait. The signal is aborted when the client disconnects or the service starts to shut down:
   * respond immediately with what there is. The duration of the request is then left out of the latency statistics.
   */
  readonly startWaiting: () => AbortSignal;
}

/** For an operation that can respond with JSON or with a stream. */
export interface MediaTools {
  /** Whether the client asks for this media type rather than for JSON. */
  readonly accepts: (mediaType: string) => boolean;
}

export interface CheckedRequest<O extends Operation> {
  readonly caller: Caller;
  readonly params: Params<O>;
  /** Includes the filters of the cursor, if one was sent. */
  readonly query: Query<O>;
  readonly body: Body<O>;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Where the list continues; null for the first page. */
  readonly position: Position | null;
  /** Builds the response of a list: this page, and the cursor of the next one if there is one. */
  readonly nextPage: <Item>(page: Page<Item>) => StoredReply<PageBody<Item>>;
}

export interface PageBody<Item> {
  items: Item[];
  pagination: { nextCursor: string | null };
}

/** The response body: a value to serialize, or stored JSON that is sent unchanged. */
export interface OperationReply<Value = unknown> {
  readonly body: Value | StoredJson<Value>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Responds with 304 instead of the body. */
  readonly isNotModified?: true;
}

export interface StoredReply<Value> extends OperationReply<Value> {
  readonly body: StoredJson<Value>;
}

/** A stream or a file instead of JSON, for operations that declare a media type. */
export interface MediaReply {
  readonly media: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;
  /** If known. */
  readonly mediaBytes?: number;
  /** Settles when the work behind a stream is over, which may outlive the client. */
  readonly completion?: Promise<unknown>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response of a change, and the changed resource for the audit log. */
export interface ChangeReply<Value = unknown> extends OperationReply<Value> {
  readonly resourceId: string;
  /** Its name at the time, if it has one: the audit log shows it even when the resource is renamed or gone. */
  readonly resourceName?: string | null;
  /** The resource it was made from, if different: the original of a copy, or the predecessor of a key. */
  readonly sourceId?: string;
  readonly sourceName?: string | null;
  /** Set if the response contains what was said in a call: a saved copy of it must disappear with the call. */
  readonly callContent?: { readonly callId: string; readonly isSealed: boolean };
}

/** An action has begun, or it was completed by an earlier request with the same Idempotency-Key. */
export type Begun<Result, Value = unknown> =
  | { readonly saved: null; readonly result: Result }
  | { readonly saved: OperationReply<Value> };

type Reply<O extends Operation> =
  | OperationReply<SuccessBody<O>>
  | (O['success'] extends { media: object } ? MediaReply : never);

type ReadHandler<O extends Operation> = (request: OperationRequest<O>) => MaybePromise<Reply<O>>;

/** Runs inside a transaction and may run more than once, so it must do nothing but use `queries`. */
type ChangeHandler<O extends Operation> = (
  request: OperationRequest<O> & { readonly queries: Queries },
) => MaybePromise<ChangeReply<SuccessBody<O>>>;

export interface ActionTools<Value = unknown> {
  readonly requestId: string;
  /** The Idempotency-Key of the request. */
  readonly repeatKey: string | null;
  /**
   * Aborted when the connection breaks, or after five minutes. A client that half-closes the connection still gets its
   * response.
   */
  readonly signal: AbortSignal;
  /**
   * The first transaction of an action that waits for another system: it claims the Idempotency-Key, and writes what must
   * neither be lost nor happen twice, and the audit entry unless `resourceId` is null. If the action fails afterwards, a
   * request with the same key resumes it: `isResumed`.
   */
  readonly begin: <Result>(
    effect: (
      queries: Queries,
      isResumed: boolean,
    ) => Promise<{
      readonly resourceId: string | null;
      readonly resourceName?: string | null;
      readonly result: Result;
    }>,
  ) => Promise<Begun<Result, Value>>;
  /** The last transaction: the result and the saved response. Without `begin`, the claim and the audit entry as well. */
  readonly record: (effect: (queries: Queries) => MaybePromise<ChangeReply<Value>>) => Promise<OperationReply<Value>>;
}

type ActionHandler<O extends Operation> = (
  request: OperationRequest<O> & ActionTools<SuccessBody<O>>,
) => Promise<Reply<O>>;

export type Handler<O extends Operation> = {
  read: ReadHandler<O>;
  change: ChangeHandler<O>;
  action: ActionHandler<O>;
}[O['kind']];

/** One handler per operation: a missing one does not compile. */
export type Handlers<O extends Operation> = { readonly [Id in O['id']]: Handler<Extract<O, { id: Id }>> };

/** The untyped form in which handlers are called. */
export type AnyHandler = (
  request: OperationRequest<Operation> & Partial<ActionTools> & { readonly queries?: Queries },
) => MaybePromise<OperationReply | MediaReply>;

export interface ChangeContext {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly requestId: string;
  /**
   * Set if an Idempotency-Key was sent: the key to save the response under, and the secret to encrypt it with, if any.
   */
  readonly repeat: {
    readonly key: string;
    readonly fingerprint: string;
    readonly sealWith: string | null;
    /** Within which the key is unique: the workspace, or the call of an access token. */
    readonly scope?: string;
  } | null;
}

export type RecordChange = (effect: (queries: Queries) => MaybePromise<ChangeReply>) => Promise<OperationReply>;

export interface Changes {
  /** Runs a change, with its audit entry and saved response, in one transaction. */
  readonly performChange: (
    context: ChangeContext,
    effect: (queries: Queries) => MaybePromise<ChangeReply>,
  ) => Promise<OperationReply>;
  /** Runs an action outside of any transaction. It fails when its time is over. */
  readonly performAction: <Result>(
    context: ChangeContext,
    act: (tools: Pick<ActionTools, 'begin' | 'record'>, deadline: AbortSignal) => Promise<Result>,
  ) => Promise<Result | OperationReply>;
}

export type Authenticate = (headers: IncomingHttpHeaders) => MaybePromise<Caller>;
