import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type AppError, methodNotAllowed, pathNotFound } from '../errors.ts';
import type { IdPrefix } from '../ids.ts';
import type { Doors, Lifecycle } from '../lifecycle.ts';
import { largestBodyBytes } from './body.ts';
import type { Caller } from './caller.ts';
import { DirectServer } from './direct-server.ts';
import { answerParserFault, isGone, sendError, statusOf, toAppError, writeRaw } from './errors.ts';
import type { Journal } from './journal.ts';
import type { PlainRequest } from './plain-request.ts';
import type { Guards, OperationService } from './register.ts';
import { BodyRoom, NodeTransport, type Transport } from './transport.ts';
import { Turns } from './turns.ts';
import type { Turnstile } from './turnstile.ts';

/** How long a client may take to send the headers, and the whole of a request. */
export interface Patience {
  readonly headersMs: number;
  readonly requestMs: number;
}

const mostConnections = 10_000;
const mostBytesOfBodies = 256 * 1024 * 1024;
const usualPatience: Patience = { headersMs: 10_000, requestMs: 30_000 };

export interface ServerParts {
  readonly journal: Journal;
  readonly operations: OperationService;
  readonly turnstile: Turnstile;
  readonly authenticate: Guards['authenticate'];
  readonly rateLimiter: Guards['rateLimiter'];
  readonly requestIdOf: (headers: IncomingHttpHeaders) => string;
  readonly newId: (prefix: IdPrefix) => string;
  readonly patience?: Patience | undefined;
  readonly lifecycle: Lifecycle;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyInstance {
    /** Those of all addresses that it listens at. */
    doors: Doors;
  }
  interface FastifyContextConfig {
    /** The route id, for the log and the metrics. */
    operationId?: string;
  }
}

/** A sane id of the client's own is kept. */
export function createRequestIds(newId: (prefix: IdPrefix) => string): (headers: IncomingHttpHeaders) => string {
  return (headers) => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : newId('req');
  };
}

/**
 * The HTTP server. Operations are served straight from Node's own; everything else, the pages of the process itself and
 * whatever matches nothing, goes to Fastify. Here are the limits, and an error body for everything refused.
 */
export function createServer(parts: ServerParts): FastifyInstance {
  const { journal, operations, turnstile, authenticate, rateLimiter, requestIdOf, newId, lifecycle } = parts;
  const { patience = usualPatience } = parts;
  const turns = new Turns();
  // A name such as localhost may stand for two addresses, and each has a server of its own.
  const listening: DirectServer[] = [];
  const logRequest = (request: FastifyRequest, reply: FastifyReply): void => {
    journal.request({
      requestId: request.id,
      method: request.method,
      route: request.routeOptions?.config?.operationId ?? 'none',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      caller: request.caller ?? null,
    });
  };

  const bodyRoom = new BodyRoom(mostBytesOfBodies);
  const server = Fastify({
    logger: false,
    bodyLimit: largestBodyBytes,
    // Longer than any address that passes the limit on headers: how long an id may be is not the router's business.
    routerOptions: { maxParamLength: 65_536, querystringParser: () => ({}) },
    genReqId: ({ headers }) => requestIdOf(headers),
    schemaController: { compilersFactory: noCompilers },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    serverFactory: (handleOtherwise) => {
      const options = {
        requestTimeout: patience.requestMs,
        headersTimeout: patience.headersMs,
        connectionsCheckingInterval: Math.min(1000, patience.headersMs),
        keepAliveTimeout: 72_000,
        mostConnections,
        // HTTP/1.0 clients and bare probes send none, and nothing here depends on it.
        requireHostHeader: false,
      };
      const serveDirectly = (request: PlainRequest, transportOf: (request: PlainRequest) => Transport): boolean => {
        const arrival = operations.find(request.method, request.url);
        if (arrival === undefined) return false;
        turnstile.pass(arrival, transportOf(request));
        return true;
      };
      const server = new DirectServer(options, serveDirectly, (request, response) => {
        request.url = originForm(request.url ?? '');
        const arrival = operations.find(request.method ?? '', request.url);
        const isNewest = () => server.isNewest(request);
        turns.take(request, response, () => {
          if (arrival === undefined) handleOtherwise(request, response);
          // After what has arrived was read to its end: what is no valid HTTP is refused as that, whoever sent it.
          else
            queueMicrotask(() => turnstile.pass(arrival, new NodeTransport(request, response, { bodyRoom, isNewest })));
        });
      });
      listening.push(server);
      return server;
    },
    frameworkErrors: async (error, request, reply) => {
      reply.raw.once('finish', () => logRequest(request as FastifyRequest, reply as FastifyReply));
      await refuseUnmatched(request as FastifyRequest, reply as FastifyReply, toAppError(error));
    },
    clientErrorHandler: (error, socket) => {
      if (isGone(error, socket)) {
        socket.destroy();
        return;
      }
      turns.refuse(socket, () => {
        const requestId = newId('req');
        const refusal = answerParserFault(error, socket, requestId);
        journal.refusal(requestId, statusOf(refusal), refusal.message);
      });
    },
  });
  server.decorateRequest('caller', null);
  // Nothing is served by it: it is refused as any other method, and not for what Fastify wants of its body.
  server.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
  server.decorate('doors', allDoors(listening));
  // No page takes a body: whatever is sent to one is read and left alone.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  // An expectation that we do not know is no reason to refuse with 417, which the contract does not have.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  // There is nothing to tunnel to. Without a listener Node would just drop the connection.
  server.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    turns.refuse(socket, () => {
      const requestId = newId('req');
      const refusal = methodNotAllowed(['GET', 'POST']);
      writeRaw(socket, refusal, requestId);
      journal.refusal(requestId, statusOf(refusal), refusal.message);
    });
  });

  const pages = collectRoutes(server);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    if (lifecycle.stage === 'closing') reply.header('connection', 'close');
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply);
    done();
  });
  server.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown);
    if (statusOf(error) >= 500) journal.fault(request.id, error);
    sendError(request, reply, error);
  });
  server.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] as string;
    const allowed = [...new Set([...operations.methodsFor(path), ...pages.methodsFor(path)])].sort();
    await refuseUnmatched(request, reply, allowed.length > 0 ? methodNotAllowed(allowed) : pathNotFound());
    return reply;
  });

  /** Also where nothing matches, a stranger under /api/ is told no more than that a key is needed. */
  async function refuseUnmatched(request: FastifyRequest, reply: FastifyReply, refusal: AppError): Promise<void> {
    let answer = refusal;
    if (request.url.startsWith('/api/')) {
      try {
        request.caller = await authenticate(request.headers);
        const { headers } = rateLimiter.tell(request.caller.keyId);
        for (let place = 0; place < headers.length; place += 2)
          reply.header(headers[place] as string, headers[place + 1]);
      } catch (error) {
        answer = toAppError(error);
        if (statusOf(answer) >= 500) journal.fault(request.id, answer);
      }
    }
    sendError(request, reply, answer);
  }

  return server;
}

/** No page has a schema of Fastify's. Without these it would load Ajv at every start, and never use it. */
const noCompilers = {
  buildValidator: () => refuseToCompile,
  buildSerializer: () => refuseToCompile,
};

function refuseToCompile(): never {
  throw new Error('schemas are checked by src/http/validation.ts, not by Fastify');
}

/** The path of an address that came whole, as proxies are sent it. `*` is no path, and must not be taken for one. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function allDoors(servers: readonly DirectServer[]): Doors {
  return {
    count: () => servers.reduce((sum, server) => sum + server.count(), 0),
    stopListening: () => {
      for (const server of servers) server.stopListening();
    },
    closeIdleFor: (ms) => {
      for (const server of servers) server.closeIdleFor(ms);
    },
    closeAll: () => {
      for (const server of servers) server.closeAllConnections();
    },
  };
}

/** Remembers what is registered, to tell "no such path" from "no such method". */
function collectRoutes(server: FastifyInstance) {
  const routes: { path: string; methods: string[] }[] = [];
  server.addHook('onRoute', ({ url, method }) => {
    routes.push({ path: url, methods: [method].flat() });
  });
  return {
    methodsFor: (path: string): string[] =>
      routes.filter((route) => route.path === path).flatMap(({ methods }) => methods),
  };
}
