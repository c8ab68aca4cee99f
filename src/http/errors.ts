import type { Socket } from 'node:net';
import { type ErrorBody, errorCodes } from '../contract/errors.ts';
import { AppError, internalError, malformed, requestTimeout } from '../core/errors.ts';
import { STATUS_CODES } from '../net/node-http.ts';

/** The error body of the contract. */
export function errorBodyOf(error: AppError, requestId: string): ErrorBody {
  const { code, message, details } = error;
  return { error: details === undefined ? { code, message, requestId } : { code, message, details, requestId } };
}

export function statusOf(error: AppError): number {
  return errorCodes[error.code].status;
}

/** Converts anything thrown into an error that may be sent to the client. */
export function toAppError(error: unknown): AppError {
  return error instanceof AppError ? error : internalError(error);
}

/** Messages for errors of Node's HTTP parser, which occur before a request object exists. */
const parseErrors: readonly (readonly [RegExp, string])[] = [
  [/^HPE_HEADER_OVERFLOW$/, 'the headers or the URL are longer than 16 KiB'],
  [/^HPE_CHUNK_EXTENSIONS_OVERFLOW$/, 'the chunk extensions are too long'],
  [/CONTENT_LENGTH|TRANSFER_ENCODING/, 'the length of the body is not specified correctly'],
  [/^HPE_(INVALID_METHOD|PAUSED_H2_UPGRADE)$/, 'the method is unknown'],
  [/^HPE_(INVALID_VERSION|INVALID_CONSTANT)$/, 'the request line is not valid HTTP'],
];

/** Whether Node has waited too long for a request. It also waits for one on a connection that has not sent anything. */
export function isTimeout({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

/** Whether the client is gone and cannot read an error. */
export function isDisconnected(error: NodeJS.ErrnoException, socket: Socket): boolean {
  return error.code === 'ECONNRESET' || !socket.writable;
}

/** `isHead`: whether the malformed request is a HEAD request, judged by the last chunk. */
export function parseErrorOf(error: NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }): {
  readonly refusal: AppError;
  readonly isHead: boolean;
} {
  const { code = '', rawPacket, bytesParsed = 0 } = error;
  // There is no chunk to look at, and a body after a response to HEAD does no harm on a connection that ends.
  if (isTimeout(error)) return { refusal: requestTimeout(), isHead: false };
  const message = parseErrors.find(([pattern]) => pattern.test(code))?.[1] ?? 'this is not a valid HTTP request';
  // Starts after the previous request. If the headers are too long, the last bytes may be the end of these headers.
  const previousEnd = rawPacket?.lastIndexOf('\r\n\r\n', Math.max(0, bytesParsed - 5)) ?? -1;
  const start = previousEnd === -1 ? 0 : previousEnd + 4;
  return { refusal: malformed(message), isHead: rawPacket?.toString('latin1', start, start + 5) === 'HEAD ' };
}

/**
 * Writes an error to the bare socket when no request object exists, and ends the connection, since nothing after it can
 * be parsed.
 */
export function writeRawError(
  socket: Socket,
  { error, requestId, isHead }: { error: AppError; requestId: string; isHead: boolean },
): void {
  const body = JSON.stringify(errorBodyOf(error, requestId));
  const status = statusOf(error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
}
