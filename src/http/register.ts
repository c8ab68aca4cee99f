import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type OperationId, type OperationWithId, operations } from '../contract/index.ts';
import type { Body, Operation, Params, Query } from '../contract/operation.ts';
import type { CursorCodec, Position } from '../cursor.ts';
import { scopeInsufficient } from '../errors.ts';
import type { Caller } from './caller.ts';
import { pageReply, readPosition } from './paging.ts';
import { parseQuery, textsOf } from './query.ts';
import type { RateLimiter } from './rate-limit.ts';
import { Faults, readBody, readParameters, wholeNumberNames } from './validation.ts';

/** A request that has passed every check: the caller may do this, and every value is of the declared shape. */
export interface OperationRequest<O extends Operation> {
  readonly caller: Caller;
  readonly params: Params<O>;
  readonly query: Query<O>;
  readonly body: Body<O>;
  /** Where a list goes on; null at its beginning. */
  readonly position: Position | null;
  /** The answer of a list: these items, and a way to those after `lastId` when it is not null. */
  readonly nextPage: (items: Buffer, lastId: string | null, search: string | null) => OperationReply;
}

export interface OperationReply {
  /** JSON, ready for the socket. */
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handler<O extends Operation> = (request: OperationRequest<O>) => Promise<OperationReply>;

/** One handler for each operation of the table: a missing one does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<OperationWithId<Id>> };

export interface Guards {
  readonly authenticate: (headers: IncomingHttpHeaders) => Promise<Caller>;
  readonly rateLimiter: RateLimiter;
  readonly cursors: CursorCodec;
  readonly isDraining: () => boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** The route id, for the log and the metrics. */
    operationId?: string;
  }
}

/** Serves every operation of the table, each behind the same checks in the same order. */
export function registerOperations(server: FastifyInstance, handlers: Handlers, guards: Guards): void {
  server.decorateRequest('caller', null);
  // Bodies are taken as they come, whatever they call themselves; they are judged after the caller has been.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  for (const operation of operations) register(server, operation, handlers[operation.id] as Handler<Operation>, guards);
}

function register(server: FastifyInstance, operation: Operation, handler: Handler<Operation>, guards: Guards): void {
  const { cursors } = guards;
  const isList = 'cursor' in operation.query.shape;
  const wholeNumbers = wholeNumberNames(z.toJSONSchema(operation.query, { io: 'input' }));

  /** Before the body is read: who is it, may they, and not too often. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const caller = await guards.authenticate(request.headers);
    request.caller = caller;
    if (!caller.scopes.has(operation.scope)) throw scopeInsufficient(operation.scope, operation.id);
    await guards.rateLimiter.admit(caller.keyId, reply);
  };

  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isStrict = prefersStrict(request.headers.prefer);
    if (isStrict) reply.header('preference-applied', 'handling=strict');
    const faults = new Faults();
    const given = parseQuery(request.raw.url ?? '');
    const query = readParameters(operation.query, wholeNumbers, given, isStrict, faults);
    const body = operation.body === null ? undefined : readBody(operation.body, request, isStrict, faults);
    const caller = request.caller as Caller;
    const params = request.params as Params<Operation>;
    const listing = { operationId: operation.id, workspaceId: caller.workspaceId, params };
    const position = isList ? readPosition(cursors, listing, textsOf(given), (fault) => faults.add(fault)) : null;
    faults.throwIfAny();

    const result = await handler({
      caller,
      params,
      query,
      body: body as Body<Operation>,
      position,
      nextPage: (items, lastId, search) =>
        pageReply(cursors, listing, {
          items,
          next: lastId === null ? null : { afterId: lastId, search },
          path: (request.raw.url ?? '').split('?', 1)[0] as string,
          limit: query.limit as number,
        }),
    });
    if (result.headers !== undefined) reply.headers(result.headers);
    // So that a client does not send its next request into a connection that is about to be closed.
    if (guards.isDraining()) reply.header('connection', 'close');
    return reply.code(operation.success.status).type('application/json').send(result.body);
  };

  server.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operationId: operation.id },
    onRequest: admit,
    handler: serve,
  });
}

/** RFC 7240: `Prefer: handling=strict`, among other preferences and in any case. */
function prefersStrict(prefer: string | string[] | undefined): boolean {
  if (prefer === undefined) return false;
  return String(prefer)
    .split(',')
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference));
}
