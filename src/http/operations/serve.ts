import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Body, Operation, Params } from '../../contract/operation.ts';
import type { CursorCodec } from '../../core/cursor.ts';
import { notAccepting, notFound, scopeInsufficient } from '../../core/errors.ts';
import { storedJson } from '../../core/stored-json.ts';
import { maxPageBytes } from '../../storage/page.ts';
import type { CallAccessControl } from '../admission/call-access.ts';
import type { Caller } from '../admission/caller.ts';
import { type OverloadGuard, overloaded } from '../admission/overload.ts';
import { bothLimits, type RateLimiter, type RateLimitState } from '../admission/rate-limit.ts';
import type { RateLimiters } from '../admission/rate-limits.ts';
import type { UnsentResponses } from '../admission/unsent-responses.ts';
import { corsHeaders } from '../cors.ts';
import type { Route } from '../server.ts';
import type { Lifecycle } from '../shutdown.ts';
import { prefers } from './accept.ts';
import type { Exchange } from './exchange.ts';
import type {
  AnyHandler,
  Authenticate,
  ChangeReply,
  Changes,
  LongPollTools,
  MediaReply,
  MediaTools,
  OperationReply,
  OperationRequest,
} from './handlers.ts';
import { createPageReplies } from './paging.ts';
import { createRequestReader, type ReadRequest } from './read-request.ts';

export interface ServeParts {
  readonly overload: OverloadGuard;
  readonly authenticate: Authenticate;
  /** Extracts the caller's secret, which encrypts saved responses. */
  readonly secretIn: (headers: IncomingHttpHeaders) => string;
  readonly callAccess: CallAccessControl;
  readonly rateLimiters: RateLimiters;
  readonly cursors: CursorCodec;
  readonly changes: Changes;
  readonly lifecycle: Lifecycle;
  readonly unsentResponses: UnsentResponses;
}

type AnyRequest = OperationRequest<Operation>;

/** Registers every operation as a route with the same steps in the same order. */
export function createOperationRoutes(
  operations: readonly Operation[],
  handlers: Readonly<Record<string, AnyHandler>>,
  parts: ServeParts,
): Route[] {
  return operations.map((operation) => ({
    id: operation.id,
    methods: operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method],
    path: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    serve: createOperation(operation, handlers[operation.id] as AnyHandler, parts),
  }));
}

/** The request pipeline, from top to bottom. Anything a step throws becomes the error response. */
function createOperation(operation: Operation, handler: AnyHandler, parts: ServeParts): Route['serve'] {
  const { overload, authenticate, callAccess, cursors, lifecycle, unsentResponses } = parts;
  const { general, ofOperation } = parts.rateLimiters;
  const rateLimiter =
    operation.rateLimit === undefined ? general : bothLimits(general, ofOperation(operation.rateLimit.name));
  const isRead = operation.kind === 'read';
  const isList = 'cursor' in operation.query.shape || operation.list === 'body';
  const maxReplyBytes = isList ? maxPageBytes : maxDocumentBytes;
  const needsTools = operation.isLongPoll === true || operation.success.media !== undefined;
  const readRequest = createRequestReader(operation, cursors);
  const replyWithPage = createPageReplies(cursors, operation);

  return async (exchange, params) => {
    lifecycle.lastRequestAt = exchange.receivedAt;
    const presented = operation.acceptsAccessToken === true ? callAccess.presentedIn(exchange.headers) : null;
    // First, so that a page can read every error.
    if (presented !== null) exchange.addHeaders(corsHeaders(exchange.headers.origin, presented.isFromAllowedOrigin));
    // Each await takes a twentieth of the time of a small read, so results that are already available are not awaited.
    const admission = overload.admit(exchange, !isRead);
    const isAdmitted = admission instanceof Promise ? await admission : admission;
    if (!isAdmitted) {
      exchange.refuse(overloaded);
      return;
    }
    const known = presented === null ? authenticate(exchange.headers) : callAccess.authenticate(presented);
    const caller = known instanceof Promise ? await known : known;
    exchange.caller = caller;
    const { access } = caller;
    if (access === null) checkScope(exchange, caller, operation, rateLimiter);
    const counted = access === null ? rateLimiter.admit(caller.keyId) : callAccess.admit(access.tokenId);
    applyRateLimit(exchange, counted instanceof Promise ? await counted : counted);
    const received = readRequest(exchange, caller, params);
    const input = received instanceof Promise ? await received : received;
    if (access !== null && access.callId !== params.id) throw notFound('call');
    // Checked before the work is done: there is no point in producing a response that cannot be buffered.
    if (!unsentResponses.hasRoomFor(caller.workspaceId, maxReplyBytes)) throw slowClients;
    const { headers, url } = exchange;
    const { query, position, filters } = input;
    const request: AnyRequest = {
      caller,
      params,
      query,
      body: input.body as Body<Operation>,
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
      position,
      nextPage: (page) => replyWithPage({ caller, params, query, filters, url }, page),
    };
    if (needsTools) Object.assign(request, toolsOf(operation, exchange));
    const replying = isRead ? handler(request) : perform(operation, handler, exchange, request, input, parts);
    const reply = replying instanceof Promise ? await replying : replying;
    exchange.setHeaders(reply.headers);
    if ('media' in reply) {
      await exchange.sendMedia(operation.success.status, operation.success.media?.type as string, reply);
      return;
    }
    if (reply.isNotModified) {
      exchange.sendJson(304, null);
      return;
    }
    const body = storedJson(reply.body);
    // Other requests may have filled the budget during the database wait. A change has been committed, so its response
    // is sent in any case.
    if (isRead && !unsentResponses.hasRoomFor(caller.workspaceId, body.byteLength)) throw slowClients;
    exchange.sendJson(operation.success.status, body);
  };
}

/** Only for the operations that need them, because each closure takes time that a small read would notice. */
function toolsOf({ isLongPoll, success }: Operation, exchange: Exchange): Partial<LongPollTools & MediaTools> {
  return {
    ...(isLongPoll === true ? { startWaiting: () => exchange.startWaiting() } : {}),
    ...(success.media === undefined ? {} : { accepts: (type: string) => prefers(exchange.headers.accept, type) }),
  };
}

/** The maximum length of a single document. */
const maxDocumentBytes = 1024 * 1024;
const slowClients = notAccepting('Too many responses are waiting for slow clients.');

function checkScope(exchange: Exchange, caller: Caller, { id, scope }: Operation, rateLimiter: RateLimiter): void {
  if (scope === null || caller.scopes.has(scope)) return;
  exchange.addHeaders(rateLimiter.peek(caller.keyId).headers);
  throw scopeInsufficient(scope, id);
}

function applyRateLimit(exchange: Exchange, { headers, refusal }: RateLimitState): void {
  exchange.addHeaders(headers);
  if (refusal !== null) throw refusal;
}

/** Runs changes and actions, with an audit entry, and with a saved response if an Idempotency-Key was sent. */
function perform(
  operation: Operation,
  handler: AnyHandler,
  exchange: Exchange,
  request: AnyRequest,
  { repeatKey }: ReadRequest,
  { changes, secretIn }: ServeParts,
): Promise<OperationReply | MediaReply> {
  const { caller, params, body } = request;
  const sealWith = operation.success.isSecret ? secretIn(exchange.headers) : null;
  const fingerprint = () => fingerprintOf(operation, params, body, sealWith === null ? null : caller);
  // Two browsers must not get in each other's way: the keys of an access token are those of its call.
  const scope = caller.access?.callId ?? caller.workspaceId;
  const repeat = repeatKey === null ? null : { key: repeatKey, sealWith, fingerprint: fingerprint(), scope };
  const context = { operation, caller, requestId: exchange.requestId, repeat };
  if (operation.kind === 'change') {
    return changes.performChange(context, (queries) => handler({ ...request, queries }) as Promise<ChangeReply>);
  }
  return changes.performAction(context, async (tools, deadline) =>
    handler({
      ...request,
      ...tools,
      repeatKey,
      requestId: exchange.requestId,
      // Made when it is used: it takes as long as a small query.
      get signal() {
        return AbortSignal.any([exchange.signal, deadline]);
      },
    }),
  );
}

/**
 * Identifies a request for idempotency. Sealed responses can only be opened by the same caller, so the caller is
 * included.
 */
function fingerprintOf(operation: Operation, params: Params<Operation>, body: unknown, caller: Caller | null): string {
  const request = JSON.stringify([operation.id, params, body, caller?.keyId]);
  return createHash('sha256').update(request).digest('base64url');
}
