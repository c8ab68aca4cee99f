import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type OperationId, type OperationWithId, operations } from '../contract/index.ts';
import type { Body, Operation, Params, Query } from '../contract/operation.ts';
import type { CursorCodec, Position } from '../cursor.ts';
import { scopeInsufficient } from '../errors.ts';
import type { Queries } from '../storage/database.ts';
import type { Page } from '../storage/page.ts';
import type { Caller } from './caller.ts';
import { toAppError } from './errors.ts';
import { Exchange } from './exchange.ts';
import type { Journal } from './journal.ts';
import { pageReply } from './paging.ts';
import type { RateLimiter } from './rate-limit.ts';
import { createRequestReader } from './read-request.ts';
import { Router } from './router.ts';

/** A request that has passed every check: the caller may do this, and every value is of the declared shape. */
export interface OperationRequest<O extends Operation> {
  readonly caller: Caller;
  readonly params: Params<O>;
  readonly query: Query<O>;
  readonly body: Body<O>;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Where a list goes on; null at its beginning. */
  readonly position: Position | null;
  /** The answer of a list: this page, and the way to the next where there is one. */
  readonly nextPage: (page: Page) => OperationReply;
}

export interface OperationReply {
  /** JSON, ready for the socket: a document as text, a page in pieces. */
  readonly body: string | readonly Buffer[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller has this already: 304 instead of the body. */
  readonly isNotModified?: true;
}

/** What a change answers, and what it was done to, for the audit trail. */
export interface WriteReply extends OperationReply {
  readonly body: string;
  readonly resourceId: string;
  /** What it was made from, where that is another resource: a copy, a successor. */
  readonly sourceId?: string;
}

type ReadHandler<O extends Operation> = (request: OperationRequest<O>) => Promise<OperationReply>;
/** Runs inside a transaction, perhaps more than once: all that it does, it does through `queries`. */
type WriteHandler<O extends Operation> = (
  request: OperationRequest<O> & { readonly queries: Queries },
) => Promise<WriteReply>;

export type Handler<O extends Operation> = O['method'] extends 'GET' ? ReadHandler<O> : WriteHandler<O>;

/** One handler for each operation of the table: a missing one does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<OperationWithId<Id>> };

export interface WriteContext {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly requestId: string;
  /** Where the caller sent an Idempotency-Key: what the answer is kept under, and what it is sealed with, if it is. */
  readonly repeat: { readonly key: string; readonly fingerprint: string; readonly sealWith: string | null } | null;
}

/** Carries out a change with all that belongs to it, in one transaction. */
export type PerformWrite = (
  context: WriteContext,
  effect: (queries: Queries) => Promise<WriteReply>,
) => Promise<OperationReply>;

export interface Guards {
  readonly authenticate: (headers: IncomingHttpHeaders) => Caller | Promise<Caller>;
  /** The secret that the caller has shown, for what must be sealed with it. */
  readonly secretIn: (headers: IncomingHttpHeaders) => string;
  readonly rateLimiter: RateLimiter;
  readonly cursors: CursorCodec;
  readonly performWrite: PerformWrite;
  readonly isDraining: () => boolean;
}

/** Serves a request where an operation matches it; false where none does. */
export type ServeOperation = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface OperationService {
  readonly serve: ServeOperation;
  /** Which methods a path has among the operations. */
  readonly methodsFor: (path: string) => string[];
}

/**
 * Serves every operation of the table, each behind the same checks in the same order. On Node's own server: between the
 * socket and these checks nothing else is needed, and what would be there costs as much as a small request.
 */
export function createOperationService(
  handlers: Handlers,
  guards: Guards,
  journal: Journal,
  requestIdOf: (request: IncomingMessage) => string,
): OperationService {
  const router = new Router<{
    id: string;
    carryOut: (exchange: Exchange, params: Params<Operation>) => Promise<void>;
  }>();
  for (const operation of operations as readonly Operation[]) {
    const handler = handlers[operation.id as OperationId] as WriteHandler<Operation>;
    router.add(operation, { id: operation.id, carryOut: service(operation, handler, guards) });
  }
  return {
    serve: (request, response) => {
      const url = request.url ?? '';
      const queryStart = url.indexOf('?');
      const path = queryStart === -1 ? url : url.slice(0, queryStart);
      // HEAD is GET without the body, which Node leaves out by itself.
      const match = router.find(request.method === 'HEAD' ? 'GET' : (request.method ?? ''), path);
      if (match === undefined) return false;
      const { id, carryOut } = match.route;
      const exchange = new Exchange(request, response, requestIdOf(request), id, journal);
      carryOut(exchange, match.params).catch((error) => exchange.refuse(toAppError(error)));
      return true;
    },
    methodsFor: (path) => router.methodsFor(path).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
  };
}

/** Before anything is read: who is it, may they, and not too often. */
async function admit(
  exchange: Exchange,
  { id, scope }: Operation,
  { authenticate, rateLimiter }: Guards,
): Promise<Caller> {
  const found = authenticate(exchange.request.headers);
  const caller = found instanceof Promise ? await found : found;
  exchange.caller = caller;
  if (scope !== null && !caller.scopes.has(scope)) {
    exchange.add(rateLimiter.tell(caller.keyId).headers);
    throw scopeInsufficient(scope, id);
  }
  const counted = rateLimiter.admit(caller.keyId);
  const { headers, refusal } = counted instanceof Promise ? await counted : counted;
  exchange.add(headers);
  if (refusal !== null) throw refusal;
  return caller;
}

/** Admits the caller, reads the request, hands it to the handler and sends what that answers. */
function service(operation: Operation, handler: WriteHandler<Operation>, guards: Guards) {
  const { cursors, performWrite, secretIn, isDraining } = guards;
  const readRequest = createRequestReader(operation, cursors);

  const write = (exchange: Exchange, request: OperationRequest<Operation>, repeatKey: string | null) => {
    const { caller, params, body } = request;
    const sealWith = operation.success.isSecret ? secretIn(exchange.request.headers) : null;
    const fingerprint = () => fingerprintOf(operation, params, body, sealWith === null ? null : caller);
    const repeat = repeatKey === null ? null : { key: repeatKey, sealWith, fingerprint: fingerprint() };
    return performWrite({ operation, caller, requestId: exchange.requestId, repeat }, (queries) =>
      handler({ ...request, queries }),
    );
  };

  return async (exchange: Exchange, params: Params<Operation>): Promise<void> => {
    const caller = await admit(exchange, operation, guards);
    const { query, body, position, repeatKey } = await readRequest(exchange, caller, params);
    const { headers, url = '' } = exchange.request;
    const request: OperationRequest<Operation> = {
      caller,
      params,
      query,
      body: body as Body<Operation>,
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
      position,
      nextPage: (page) => pageReply(cursors, operation, { caller, params, query, position, url }, page),
    };
    const result =
      operation.method === 'GET'
        ? await (handler as unknown as ReadHandler<Operation>)(request)
        : await write(exchange, request, repeatKey);

    exchange.addAll(result.headers);
    // So that a client does not send its next request into a connection that is about to be closed.
    if (isDraining()) exchange.add(['connection', 'close']);
    if (result.isNotModified) exchange.send(304, null);
    else exchange.send(operation.success.status, result.body);
  };
}

/** The same for the same request. A sealed answer can be opened by its own caller only, so that one is a part of it. */
function fingerprintOf(operation: Operation, params: unknown, body: unknown, caller: Caller | null): string {
  const request = JSON.stringify([operation.id, params, body, caller?.keyId]);
  return createHash('sha256').update(request).digest('base64url');
}
