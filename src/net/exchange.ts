import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { validateHeaderName, validateHeaderValue } from './node-http.ts';
import { OutboundError } from './outbound-error.ts';

export interface OutboundRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** At most this much of the body is read. The headers have a limit of their own. */
  readonly maxResponseBytes: number;
  /** The response counts once its headers have arrived: if the rest does not, the part of the body that did is returned. */
  readonly isBodyOptional?: boolean;
}

export interface OutboundResponse {
  readonly status: number;
  /** Names are in lower case. A header that was sent repeatedly has several values. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** As it was sent: a compressed body stays compressed. */
  readonly body: Buffer;
  /** Whether the body was longer than `maxResponseBytes`. */
  readonly isTruncated: boolean;
}

const maxHeaderBytes = 16 * 1024;

/** Headers that belong to the connection, or would name another host than the one that was checked. */
const reservedHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Throws a TypeError for headers that cannot be sent, or would be more than headers. It repeats neither name nor value,
 * which may contain secrets.
 */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (reservedHeaders.has(name.toLowerCase())) throw new TypeError('a header is set by the connection itself');
    if (!isValidHeader(name, value)) throw new TypeError('a header contains characters that cannot be sent');
  }
}

function isValidHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** One request and its response on a connection that is open, and closed afterwards. Redirects are responses. */
export async function exchange(
  socket: Socket,
  url: URL,
  { method, headers = {}, body, maxResponseBytes, isBodyOptional = false }: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  let isTaken = false;
  const client = new Client(url.origin, {
    connect: (_options, callback) => {
      // undici would connect again to a host that has closed the connection.
      const isAgain = isTaken;
      isTaken = true;
      // undici expects that connecting takes time.
      process.nextTick(() => {
        if (isAgain) callback(new OutboundError('invalid_response'), null);
        else callback(null, socket);
      });
    },
    maxHeaderSize: maxHeaderBytes,
    // The signal limits the time.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    return await new Promise<OutboundResponse>((resolve, reject) => {
      const { handler, fail } = responseReader({ maxResponseBytes, isBodyOptional, resolve, reject });
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => fail(signal.reason), { once: true });
      client.dispatch(
        {
          method,
          path: url.pathname + url.search,
          headers: { 'accept-encoding': 'identity', ...lowerCased(headers) },
          body: body ?? null,
          reset: true,
        },
        handler,
      );
    });
  } finally {
    socket.destroy();
    client.destroy().catch(() => undefined);
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

interface ReaderParts extends Required<Pick<OutboundRequest, 'maxResponseBytes' | 'isBodyOptional'>> {
  readonly resolve: (response: OutboundResponse) => void;
  readonly reject: (error: OutboundError) => void;
}

function responseReader({ maxResponseBytes: maxBytes, isBodyOptional, resolve, reject }: ReaderParts): {
  readonly handler: Dispatcher.DispatchHandler;
  readonly fail: (error: OutboundError) => void;
} {
  const chunks: Buffer[] = [];
  let start: Pick<OutboundResponse, 'status' | 'headers'> = { status: 0, headers: {} };
  let size = 0;
  const finish = (): void => {
    const isTruncated = size > maxBytes;
    resolve({ ...start, body: Buffer.concat(chunks, Math.min(size, maxBytes)), isTruncated });
  };
  const fail = (error: OutboundError): void => {
    // Informational responses come before the headers of the response itself.
    const hasHeaders = start.status >= 200;
    if (isBodyOptional && hasHeaders && error.code !== 'aborted') finish();
    else reject(error);
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, status, headers) => {
      start = { status, headers: headers as OutboundResponse['headers'] };
    },
    onResponseData: (controller, chunk) => {
      if (size > maxBytes) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      finish();
      controller.abort(new OutboundError('aborted'));
    },
    onResponseEnd: finish,
    onResponseError: (_controller, error) => fail(asOutboundError(error)),
  };
  return { handler, fail };
}

function asOutboundError(error: Error & { readonly code?: unknown }): OutboundError {
  if (error instanceof OutboundError) return error;
  if (error.code === 'UND_ERR_HEADERS_OVERFLOW') return new OutboundError('response_too_large');
  // In TLS 1.3, a server rejects a client after the handshake.
  const isTls = typeof error.code === 'string' && error.code.startsWith('ERR_SSL_');
  return new OutboundError(isTls ? 'tls_failed' : 'invalid_response');
}
