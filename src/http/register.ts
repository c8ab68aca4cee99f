import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type OperationId, type OperationWithId, operations } from '../contract/index.ts';
import type { Body, Operation, Params, Query } from '../contract/operation.ts';
import type { CursorCodec, Position } from '../cursor.ts';
import { scopeInsufficient, serviceUnavailable } from '../errors.ts';
import { andThen, type Eventually } from '../eventually.ts';
import type { Queries } from '../storage/database.ts';
import type { Page } from '../storage/page.ts';
import type { Caller } from './caller.ts';
import { toAppError } from './errors.ts';
import { Exchange, type ExchangeParts } from './exchange.ts';
import { createPageReplies, type PageReply } from './paging.ts';
import type { RateLimiter } from './rate-limit.ts';
import { createRequestReader, type ReadRequest } from './read-request.ts';
import { Router } from './router.ts';
import type { AnswerBody } from './transport.ts';
import type { Arrival } from './turnstile.ts';

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
  readonly nextPage: (page: Page) => PageReply;
}

export interface OperationReply {
  readonly body: AnswerBody;
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

type ReadHandler<O extends Operation> = (request: OperationRequest<O>) => Eventually<OperationReply>;
/** Runs inside a transaction, perhaps more than once: all that it does, it does through `queries`. */
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
  /** Where the caller sent an Idempotency-Key: what the answer is kept under, and what it is sealed with, if it is. */
  readonly repeat: { readonly key: string; readonly fingerprint: string; readonly sealWith: string | null } | null;
}

/** Carries out a change with all that belongs to it, in one transaction. */
export type PerformWrite = (
  context: WriteContext,
  effect: (queries: Queries) => Eventually<WriteReply>,
) => Promise<OperationReply>;

export interface Guards {
  readonly authenticate: (headers: IncomingHttpHeaders) => Eventually<Caller>;
  /** The secret that the caller has shown, for what must be sealed with it. */
  readonly secretIn: (headers: IncomingHttpHeaders) => string;
  readonly rateLimiter: RateLimiter;
  readonly cursors: CursorCodec;
  readonly performWrite: PerformWrite;
}

export interface OperationService {
  /** What is to be done for a request, where an operation matches it. */
  readonly find: (method: string, url: string) => Arrival | undefined;
  /** Which methods a path has among the operations. */
  readonly methodsFor: (path: string) => string[];
}

/** Made once: with its stack it costs more than the rest of the answer. */
const tooBusy = serviceUnavailable('The service has more to do than it can.');

/**
 * Serves every operation of the table, each behind the same checks in the same order. On Node's own server: between the
 * socket and these checks nothing else is needed, and what would be there costs as much as a small request.
 */
export function createOperationService(handlers: Handlers, guards: Guards, parts: ExchangeParts): OperationService {
  const router = new Router<(exchange: Exchange, params: Params<Operation>) => Eventually<void>>();
  for (const operation of operations as readonly Operation[]) {
    const handler = handlers[operation.id as OperationId] as WriteHandler<Operation>;
    router.add(operation, operation.id, service(operation, handler, guards));
  }
  return {
    find: (method, url) => {
      const queryStart = url.indexOf('?');
      const path = queryStart === -1 ? url : url.slice(0, queryStart);
      // HEAD is GET without the body, which Node leaves out by itself.
      const match = router.find(method === 'HEAD' ? 'GET' : method, path);
      if (match === undefined) return undefined;
      const { id, route, params } = match;
      return {
        isWrite: method !== 'GET' && method !== 'HEAD',
        carryOut: (transport, receivedAt) => {
          const exchange = new Exchange(transport, id, receivedAt, parts);
          const refuse = (error: unknown) => exchange.refuse(toAppError(error));
          try {
            const served = route(exchange, params);
            if (served instanceof Promise) served.catch(refuse);
          } catch (error) {
            refuse(error);
          }
        },
        turnAway: (transport, receivedAt) => new Exchange(transport, id, receivedAt, parts).turnAway(tooBusy),
      };
    },
    methodsFor: (path) => router.methodsFor(path).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
  };
}

/** Before anything is read: who is it, may they, and not too often. */
function admit(
  exchange: Exchange,
  { id, scope }: Operation,
  { authenticate, rateLimiter }: Guards,
): Eventually<Caller> {
  return andThen(authenticate(exchange.transport.headers), (caller) => {
    exchange.caller = caller;
    if (scope !== null && !caller.scopes.has(scope)) {
      exchange.add(rateLimiter.tell(caller.keyId).headers);
      throw scopeInsufficient(scope, id);
    }
    return andThen(rateLimiter.admit(caller.keyId), ({ headers, refusal }) => {
      exchange.add(headers);
      if (refusal !== null) throw refusal;
      return caller;
    });
  });
}

/** Admits the caller, reads the request, hands it to the handler and sends what that answers. */
function service(operation: Operation, handler: WriteHandler<Operation>, guards: Guards) {
  const { cursors, performWrite, secretIn } = guards;
  const readRequest = createRequestReader(operation, cursors);
  const replyWithPage = createPageReplies(cursors, operation);

  const write = (exchange: Exchange, request: OperationRequest<Operation>, repeatKey: string | null) => {
    const { caller, params, body } = request;
    const sealWith = operation.success.isSecret ? secretIn(exchange.transport.headers) : null;
    const fingerprint = () => fingerprintOf(operation, params, body, sealWith === null ? null : caller);
    const repeat = repeatKey === null ? null : { key: repeatKey, sealWith, fingerprint: fingerprint() };
    return performWrite({ operation, caller, requestId: exchange.requestId, repeat }, (queries) =>
      handler({ ...request, queries }),
    );
  };

  const handle = (exchange: Exchange, caller: Caller, params: Params<Operation>, read: ReadRequest) => {
    const { query, position, repeatKey } = read;
    const { headers, url } = exchange.transport;
    const request: OperationRequest<Operation> = {
      caller,
      params,
      query,
      body: read.body as Body<Operation>,
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
      position,
      nextPage: (page) => replyWithPage({ caller, params, query, position, url }, page),
    };
    return operation.method === 'GET'
      ? (handler as unknown as ReadHandler<Operation>)(request)
      : write(exchange, request, repeatKey);
  };

  return (exchange: Exchange, params: Params<Operation>): Eventually<void> =>
    andThen(admit(exchange, operation, guards), (caller) =>
      andThen(readRequest(exchange, caller, params), (read) =>
        andThen(handle(exchange, caller, params, read), (reply) => {
          exchange.addAll(reply.headers);
          if (reply.isNotModified) exchange.send(304, null);
          else exchange.send(operation.success.status, reply.body);
        }),
      ),
    );
}

/** The same for the same request. A sealed answer can be opened by its own caller only, so that one is a part of it. */
function fingerprintOf(operation: Operation, params: unknown, body: unknown, caller: Caller | null): string {
  const request = JSON.stringify([operation.id, params, body, caller?.keyId]);
  return createHash('sha256').update(request).digest('base64url');
}
