import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type OperationId, operations } from '../../contract/index.ts';
import type { Body, Operation, Params } from '../../contract/operation.ts';
import type { CursorCodec } from '../../core/cursor.ts';
import { notAccepting, scopeInsufficient } from '../../core/errors.ts';
import type { Lifecycle } from '../../process/shutdown.ts';
import { maxPageBytes } from '../../storage/page.ts';
import type { Caller } from '../admission/caller.ts';
import type { OverloadGuard } from '../admission/overload.ts';
import type { RateAnswer, RateLimiter } from '../admission/rate-limit.ts';
import type { UnsentResponses } from '../admission/unsent-responses.ts';
import type { Route } from '../server.ts';
import { byteLength, type Exchange } from './exchange.ts';
import type { Authenticate, Handlers, OperationReply, OperationRequest, PerformWrite, WriteReply } from './handlers.ts';
import { createPageReplies } from './paging.ts';
import { createRequestReader, type ReadRequest } from './read-request.ts';

export interface ServeParts {
  readonly overload: OverloadGuard;
  readonly authenticate: Authenticate;
  /** The secret that the caller has sent, to encrypt saved responses with. */
  readonly secretIn: (headers: IncomingHttpHeaders) => string;
  readonly rateLimiter: RateLimiter;
  readonly cursors: CursorCodec;
  readonly performWrite: PerformWrite;
  readonly lifecycle: Lifecycle;
  readonly unsentResponses: UnsentResponses;
}

type AnyRequest = OperationRequest<Operation>;
type AnyHandler = (request: AnyRequest & { queries?: unknown }) => OperationReply | Promise<OperationReply>;

/** Every operation of the table as a route, each behind the same steps in the same order. */
export function createOperationRoutes(handlers: Handlers, parts: ServeParts): Route[] {
  return (operations as readonly Operation[]).map((operation) => ({
    id: operation.id,
    methods: operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method],
    path: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    serve: createOperation(operation, handlers[operation.id as OperationId] as unknown as AnyHandler, parts),
  }));
}

/** The path of a request, from top to bottom. Whatever a step throws becomes the response. */
function createOperation(operation: Operation, handler: AnyHandler, parts: ServeParts): Route['serve'] {
  const { overload, authenticate, rateLimiter, cursors, lifecycle, unsentResponses } = parts;
  const isWrite = operation.method !== 'GET';
  const maxReplyBytes = 'cursor' in operation.query.shape ? maxPageBytes : maxDocumentBytes;
  const readRequest = createRequestReader(operation, cursors);
  const replyWithPage = createPageReplies(cursors, operation);

  return async (exchange, params) => {
    lifecycle.lastRequestAt = exchange.receivedAt;
    // Each await takes a twentieth of the time of a small read, so steps that are done already are not awaited.
    const admission = overload.admit(exchange, isWrite);
    if (admission !== undefined) await admission;
    const known = authenticate(exchange.headers);
    const caller = known instanceof Promise ? await known : known;
    exchange.caller = caller;
    checkScope(exchange, caller, operation, rateLimiter);
    const counted = rateLimiter.admit(caller.keyId);
    applyRateLimit(exchange, counted instanceof Promise ? await counted : counted);
    const received = readRequest(exchange, caller, params);
    const input = received instanceof Promise ? await received : received;
    // Before the work is done: a response that cannot be kept until it is read is not worth making.
    if (!unsentResponses.hasRoomFor(caller.workspaceId, maxReplyBytes)) throw slowClients;
    const { headers, url } = exchange;
    const { query, position } = input;
    const request: AnyRequest = {
      caller,
      params,
      query,
      body: input.body as Body<Operation>,
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
      position,
      nextPage: (page) => replyWithPage({ caller, params, query, position, url }, page),
    };
    const replying = isWrite ? write(operation, handler, exchange, request, input, parts) : handler(request);
    const reply = replying instanceof Promise ? await replying : replying;
    // Others may have filled the budget while this one waited for the database. A change is made, and has its response.
    if (!isWrite && !unsentResponses.hasRoomFor(caller.workspaceId, byteLength(reply.body))) throw slowClients;
    exchange.setHeaders(reply.headers);
    if (reply.isNotModified) exchange.sendJson(304, null);
    else exchange.sendJson(operation.success.status, reply.body, reply.ownBytes);
  };
}

/** No single document is longer. */
const maxDocumentBytes = 1024 * 1024;
const slowClients = notAccepting('Too many responses are waiting for slow clients.');

function checkScope(exchange: Exchange, caller: Caller, { id, scope }: Operation, rateLimiter: RateLimiter): void {
  if (scope === null || caller.scopes.has(scope)) return;
  exchange.addHeaders(rateLimiter.tell(caller.keyId).headers);
  throw scopeInsufficient(scope, id);
}

function applyRateLimit(exchange: Exchange, { headers, refusal }: RateAnswer): void {
  exchange.addHeaders(headers);
  if (refusal !== null) throw refusal;
}

function write(
  operation: Operation,
  handler: AnyHandler,
  exchange: Exchange,
  request: AnyRequest,
  { repeatKey }: ReadRequest,
  { performWrite, secretIn }: ServeParts,
): Promise<OperationReply> {
  const { caller, params, body } = request;
  const sealWith = operation.success.isSecret ? secretIn(exchange.headers) : null;
  const fingerprint = () => fingerprintOf(operation, params, body, sealWith === null ? null : caller);
  const repeat = repeatKey === null ? null : { key: repeatKey, sealWith, fingerprint: fingerprint() };
  return performWrite(
    { operation, caller, requestId: exchange.requestId, repeat },
    (queries) => handler({ ...request, queries }) as WriteReply | Promise<WriteReply>,
  );
}

/** The same for the same request. A sealed response can be opened by its own caller only, so the caller is part of it. */
function fingerprintOf(operation: Operation, params: Params<Operation>, body: unknown, caller: Caller | null): string {
  const request = JSON.stringify([operation.id, params, body, caller?.keyId]);
  return createHash('sha256').update(request).digest('base64url');
}
