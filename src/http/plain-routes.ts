import type { IncomingHttpHeaders } from 'node:http';
import { AppError, malformed } from '../core/errors.ts';
import { type OverloadGuard, overloaded } from './admission/overload.ts';
import { BodyError } from './operations/body.ts';
import type { Exchange } from './operations/exchange.ts';
import type { Route } from './server.ts';
import type { Lifecycle } from './shutdown.ts';

/** A path that other systems call in a format of their own, such as the reports of a carrier. It is not an operation. */
export interface PlainRoute {
  /** Used in the log and in metrics. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Such as `/reports/v1/{id}`. Not under `/api/`, whose requests have an API key. */
  readonly path: string;
  /** Whether it writes to the database, for the admission under load. */
  readonly isWrite: boolean;
  readonly maxBodyBytes: number;
  /** The reply while the service is overloaded or has no database, for systems that do not try again after a 503. */
  readonly whenUnavailable?: (url: string) => PlainReply;
  /** Checks the signature of the request first, and throws an `AppError` if it is wrong. */
  readonly serve: (request: PlainRequest) => Promise<PlainReply>;
}

export interface PlainRequest {
  readonly requestId: string;
  /** The path and the query as they were sent, which signatures include. */
  readonly url: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The address of the client; null if it is unknown. */
  readonly address: string | null;
  readonly body: Buffer;
  /** The fields of a form. Throws if the body is not one. */
  readonly form: () => URLSearchParams;
  /** Aborted when the connection breaks before the client has its response. */
  readonly signal: AbortSignal;
}

export interface PlainReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
}

export interface PlainRouteParts {
  readonly overload: OverloadGuard;
  readonly lifecycle: Lifecycle;
}

/** With the same admission, log and drain as operations. */
export function createPlainRoutes(routes: readonly PlainRoute[], { overload, lifecycle }: PlainRouteParts): Route[] {
  return routes.map(({ id, method, path, isWrite, maxBodyBytes, whenUnavailable, serve }) => ({
    id,
    methods: [method],
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    serve: async (exchange, params) => {
      lifecycle.lastRequestAt = exchange.receivedAt;
      if (!(await overload.admit(exchange, isWrite))) {
        if (whenUnavailable === undefined) throw overloaded;
        return send(exchange, whenUnavailable(exchange.url));
      }
      const body = await bodyOf(exchange, maxBodyBytes);
      const { requestId, url, headers, address } = exchange;
      const query = new URLSearchParams(url.split('?', 2)[1] ?? '');
      const form = () => formIn(headers, body);
      const { signal } = exchange;
      const request = { requestId, url, params, query, headers, address, body, form, signal };
      const reply = await serve(request).catch((error: unknown) => {
        if (whenUnavailable === undefined || !isUnavailable(error)) throw error;
        exchange.logFailure(error);
        return whenUnavailable(url);
      });
      send(exchange, reply);
    },
  }));
}

/** A process that shuts down does not count: another one, or the other system's fallback, is better than waiting. */
function isUnavailable(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE' && !error.isExpected;
}

function send(exchange: Exchange, { status, headers, body }: PlainReply): void {
  exchange.setHeaders({ 'cache-control': 'no-store', ...headers });
  exchange.send(status, body);
}

async function bodyOf(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  try {
    return await exchange.receiveBody(maxBytes);
  } catch (error) {
    throw error instanceof BodyError ? malformed(error.message) : error;
  }
}

function formIn(headers: IncomingHttpHeaders, body: Buffer): URLSearchParams {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw malformed('the body must be a form, with the header "Content-Type: application/x-www-form-urlencoded"');
  }
  return new URLSearchParams(body.toString());
}
