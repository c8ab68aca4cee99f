import type { IncomingHttpHeaders } from 'node:http';
import type { OperationId, OperationWithId } from '../../contract/index.ts';
import type { Body, Operation, Params, Query } from '../../contract/operation.ts';
import type { Position } from '../../core/cursor.ts';
import type { Eventually } from '../../core/eventually.ts';
import type { Queries } from '../../storage/database.ts';
import type { Page } from '../../storage/page.ts';
import type { Caller } from '../admission/caller.ts';
import type { ResponseBody } from './exchange.ts';

/** A request that has passed every check: the caller may do this, and every value has the declared shape. */
export interface OperationRequest<O extends Operation> {
  readonly caller: Caller;
  readonly params: Params<O>;
  readonly query: Query<O>;
  readonly body: Body<O>;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Where a list continues; null at its beginning. */
  readonly position: Position | null;
  /** The response of a list: this page, and the cursor of the next if there is one. */
  readonly nextPage: (page: Page) => PageReply;
}

export interface OperationReply {
  readonly body: ResponseBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller has this already: 304 instead of the body. */
  readonly isNotModified?: true;
  /** Bytes of the body that are freed once it is sent. */
  readonly ownBytes?: Buffer | null;
}

export interface PageReply extends OperationReply {
  readonly body: readonly Buffer[];
  /** The bytes of its items, which nobody else uses unless the page is cached. */
  readonly ownBytes: Buffer;
}

/** The response of a change, and the resource that it changed, for the audit log. */
export interface WriteReply extends OperationReply {
  readonly body: string;
  readonly resourceId: string;
  /** The resource that it was made from, if that is another one: the original of a copy, the predecessor of a key. */
  readonly sourceId?: string;
}

type ReadHandler<O extends Operation> = (request: OperationRequest<O>) => Eventually<OperationReply>;
/** Runs inside a transaction, perhaps more than once: it must do nothing but use `queries`. */
type WriteHandler<O extends Operation> = (
  request: OperationRequest<O> & { readonly queries: Queries },
) => Eventually<WriteReply>;

export type Handler<O extends Operation> = O['method'] extends 'GET' ? ReadHandler<O> : WriteHandler<O>;

/** One handler for each operation of the table: a missing one does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<OperationWithId<Id>> };

export interface WriteContext {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly requestId: string;
  /** With an Idempotency-Key: what the response is saved under, and the secret that it is encrypted with, if it is. */
  readonly repeat: { readonly key: string; readonly fingerprint: string; readonly sealWith: string | null } | null;
}

/** Makes a change with everything that belongs to it, in one transaction. */
export type PerformWrite = (
  context: WriteContext,
  effect: (queries: Queries) => Eventually<WriteReply>,
) => Promise<OperationReply>;

export type Authenticate = (headers: IncomingHttpHeaders) => Eventually<Caller>;
