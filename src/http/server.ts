import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type AppError, methodNotAllowed, pathNotFound } from '../errors.ts';
import type { IdPrefix } from '../ids.ts';
import { largestBodyBytes } from './body.ts';
import { answerParserFault, sendError, statusOf, toAppError, writeRaw } from './errors.ts';
import type { RequestMetrics } from './metrics.ts';
import type { Guards } from './register.ts';

/** How long a client may take to send the headers, and the whole of a request. */
export interface Patience {
  readonly headersMs: number;
  readonly requestMs: number;
}

const usualPatience: Patience = { headersMs: 10_000, requestMs: 30_000 };

export interface ServerParts {
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  readonly authenticate: Guards['authenticate'];
  readonly rateLimiter: Guards['rateLimiter'];
  readonly newId: (prefix: IdPrefix) => string;
  readonly patience?: Patience | undefined;
}

/** The HTTP server without any route: limits, request ids, the log line, and an error body for everything refused. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { logger, metrics, authenticate, rateLimiter, newId, patience = usualPatience } = parts;
  const requestIdOf = (request: IncomingMessage): string => {
    const given = request.headers['x-request-id'];
    return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : newId('req');
  };
  const logRequest = (request: FastifyRequest, status: number, durationMs: number): void => {
    const route = request.routeOptions?.config?.operationId ?? 'none';
    metrics.observe(route, request.method, status, durationMs / 1000);
    // No address and no header: either may hold what a caller would not want in a log.
    logger.info(
      {
        requestId: request.id,
        method: request.method,
        route,
        status,
        durationMs: Math.round(durationMs * 1000) / 1000,
        ...(request.caller ? { workspaceId: request.caller.workspaceId, keyId: request.caller.keyId } : {}),
      },
      'request',
    );
  };
  const logRefusedConnection = (refusal: AppError, requestId: string): void => {
    metrics.observe('none', 'none', statusOf(refusal), 0);
    logger.info({ requestId, route: 'none', status: statusOf(refusal), reason: refusal.message }, 'request');
  };

  const server = Fastify({
    logger: false,
    bodyLimit: largestBodyBytes,
    // Longer than any address that passes the limit on headers: how long an id may be is not the router's business.
    routerOptions: { maxParamLength: 65_536, querystringParser: () => ({}) },
    genReqId: requestIdOf as (request: unknown) => string,
    requestTimeout: patience.requestMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: {
      headersTimeout: patience.headersMs,
      connectionsCheckingInterval: Math.min(1000, patience.headersMs),
      // HTTP/1.0 clients and bare probes send none, and nothing here depends on it.
      requireHostHeader: false,
    },
    frameworkErrors: async (error, request, reply) => {
      reply.raw.once('finish', () => logRequest(request as FastifyRequest, reply.statusCode, reply.elapsedTime));
      await refuseUnmatched(request as FastifyRequest, reply as FastifyReply, toAppError(error));
    },
    clientErrorHandler: (error, socket) => {
      const requestId = newId('req');
      const refusal = answerParserFault(error, socket, requestId);
      if (refusal !== null) logRefusedConnection(refusal, requestId);
    },
  });

  // An expectation that we do not know is no reason to refuse with 417, which the contract does not have.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  // There is nothing to tunnel to. Without a listener Node would just drop the connection.
  server.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    const requestId = newId('req');
    const refusal = methodNotAllowed(['GET', 'POST']);
    writeRaw(socket, refusal, requestId);
    logRefusedConnection(refusal, requestId);
  });

  const routes = collectRoutes(server);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply.statusCode, reply.elapsedTime);
    done();
  });
  server.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown);
    if (statusOf(error) >= 500) logFault(logger, request, error);
    sendError(request, reply, error);
  });
  server.setNotFoundHandler(async (request, reply) => {
    const allowed = routes.methodsFor(request.url);
    await refuseUnmatched(request, reply, allowed.length > 0 ? methodNotAllowed(allowed) : pathNotFound());
    return reply;
  });

  /** Also where nothing matches, a stranger under /api/ is told no more than that a key is needed. */
  async function refuseUnmatched(request: FastifyRequest, reply: FastifyReply, refusal: AppError): Promise<void> {
    let answer = refusal;
    if (request.url.startsWith('/api/')) {
      try {
        request.caller = await authenticate(request.headers);
        await rateLimiter.tell(request.caller.keyId, reply);
      } catch (error) {
        answer = toAppError(error);
        if (statusOf(answer) >= 500) logFault(logger, request, answer);
      }
    }
    sendError(request, reply, answer);
  }

  return server;
}

/** Faults of ours, with the stack. Only these fields: a driver's error may carry the values of the statement. */
function logFault(logger: Logger, request: FastifyRequest, error: AppError): void {
  const cause = error.cause instanceof Error ? error.cause : error;
  const { name, message, stack } = cause;
  logger.error({ requestId: request.id, code: error.code, fault: { name, message, stack } }, 'fault');
}

/** Remembers what is registered, to tell "no such path" from "no such method". */
function collectRoutes(server: FastifyInstance) {
  const routes: { pattern: RegExp; methods: string[] }[] = [];
  server.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`);
    routes.push({ pattern, methods: [method].flat() });
  });
  return {
    methodsFor: (url: string): string[] => {
      const path = url.split('?', 1)[0] as string;
      const methods = routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
      return [...new Set(methods)].sort();
    },
  };
}
