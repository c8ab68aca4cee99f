import type { IncomingHttpHeaders } from 'node:http';
import type { Body, Operation, Params, Query, SuccessBody } from '../../contract/operation.ts';
import type { Position } from '../../core/cursor.ts';
import type { Eventually } from '../../core/eventually.ts';
import type { StoredJson } from '../../core/stored-json.ts';
import type { Queries } from '../../storage/database.ts';
import type { Page } from '../../storage/page.ts';
import type { Caller } from '../admission/caller.ts';

/** A request that has passed every check: the caller may do this, and every value has the declared shape. */
export interface OperationRequest<O extends Operation> {
  readonly caller: Caller;
  readonly params: Params<O>;
  /** With the filters of the cursor, if there is one. */
  readonly query: Query<O>;
  readonly body: Body<O>;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Where a list continues; null at its beginning. */
  readonly position: Position | null;
  /** The response of a list: this page, and the cursor of the next if there is one. */
  readonly nextPage: <Item>(page: Page<Item>) => StoredReply<PageBody<Item>>;
}

export interface PageBody<Item> {
  items: Item[];
  pagination: { nextCursor: string | null };
}

/** The body of a response: a value that is serialized, or stored JSON that is sent as it is. */
export interface OperationReply<Value = unknown> {
  readonly body: Value | StoredJson<Value>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller has this already: 304 instead of the body. */
  readonly isNotModified?: true;
}

export interface StoredReply<Value> extends OperationReply<Value> {
  readonly body: StoredJson<Value>;
}

/** A stream or a file instead of JSON. Only for operations that declare its media type. */
export interface MediaReply {
  readonly media: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;
  /** If it is known. */
  readonly mediaBytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response of a change, and the resource that it changed, for the audit log. */
export interface ChangeReply<Value = unknown> extends OperationReply<Value> {
  readonly resourceId: string;
  /** The resource that it was made from, if that is another one: the original of a copy, the predecessor of a key. */
  readonly sourceId?: string;
}

type Reply<O extends Operation> =
  | OperationReply<SuccessBody<O>>
  | (O['success'] extends { media: object } ? MediaReply : never);

type ReadHandler<O extends Operation> = (request: OperationRequest<O>) => Eventually<Reply<O>>;

/** Runs inside a transaction, perhaps more than once: it must do nothing but use `queries`. */
type ChangeHandler<O extends Operation> = (
  request: OperationRequest<O> & { readonly queries: Queries },
) => Eventually<ChangeReply<SuccessBody<O>>>;

export interface ActionTools<Value = unknown> {
  /** Aborted when the connection breaks. A client that only closes its own side still gets its response. */
  readonly signal: AbortSignal;
  /** Records what was done: a change with its audit entry, and the response for repeats. */
  readonly record: (effect: (queries: Queries) => Eventually<ChangeReply<Value>>) => Promise<OperationReply<Value>>;
}

type ActionHandler<O extends Operation> = (
  request: OperationRequest<O> & ActionTools<SuccessBody<O>>,
) => Promise<Reply<O>>;

export type Handler<O extends Operation> = {
  read: ReadHandler<O>;
  change: ChangeHandler<O>;
  action: ActionHandler<O>;
}[O['kind']];

/** One handler for each operation: a missing one does not compile. */
export type Handlers<O extends Operation> = { readonly [Id in O['id']]: Handler<Extract<O, { id: Id }>> };

/** Any handler, as it is called. */
export type AnyHandler = (
  request: OperationRequest<Operation> & Partial<ActionTools> & { readonly queries?: Queries },
) => Eventually<OperationReply | MediaReply>;

export interface ChangeContext {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly requestId: string;
  /** With an Idempotency-Key: what the response is saved under, and the secret that it is encrypted with, if it is. */
  readonly repeat: { readonly key: string; readonly fingerprint: string; readonly sealWith: string | null } | null;
}

export type RecordChange = (effect: (queries: Queries) => Eventually<ChangeReply>) => Promise<OperationReply>;

export interface Changes {
  /** Makes a change with everything that belongs to it, in one transaction. */
  readonly performChange: (
    context: ChangeContext,
    effect: (queries: Queries) => Eventually<ChangeReply>,
  ) => Promise<OperationReply>;
  /** Runs an action outside any transaction; `record` is the change that it ends with. */
  readonly performAction: <Result>(
    context: ChangeContext,
    act: (record: RecordChange) => Promise<Result>,
  ) => Promise<Result | OperationReply>;
}

export type Authenticate = (headers: IncomingHttpHeaders) => Eventually<Caller>;
