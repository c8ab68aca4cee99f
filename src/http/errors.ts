import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorBody, errorCodes } from '../contract/errors.ts';
import { AppError, internalError, malformed } from '../errors.ts';
import { STATUS_CODES } from './node-http.ts';

/** The body of the contract for a fault. */
export function errorBodyOf(error: AppError, requestId: string): ErrorBody {
  const { code, message, details } = error;
  return { error: details === undefined ? { code, message, requestId } : { code, message, details, requestId } };
}

export function statusOf(error: AppError): number {
  return errorCodes[error.code].status;
}

export function sendError(request: FastifyRequest, reply: FastifyReply, error: AppError): void {
  reply
    .code(statusOf(error))
    .headers(error.headers)
    .header('x-request-id', request.id)
    .type('application/json')
    .send(Buffer.from(JSON.stringify(errorBodyOf(error, request.id))));
}

/** What the framework throws for requests that it cannot read, in words for the client. */
const frameworkFaults: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body is larger than 1 MiB',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the header Content-Type is not valid: send "Content-Type: application/json"',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body is not as long as Content-Length says',
  FST_ERR_BAD_URL: 'the path is not valid percent-encoded UTF-8',
  FST_ERR_MAX_PARAM_LENGTH: 'the path is too long',
};

/** Anything thrown, as something that may be told. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = String((error as { code?: unknown } | null)?.code);
  const fault = frameworkFaults[code];
  if (fault !== undefined) return malformed(fault);
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') return malformed('the body ended early');
  return internalError(error);
}

/** What Node's own parser refuses before there is a request, in words for the client. */
const parserFaults: readonly (readonly [RegExp, string])[] = [
  [/^HPE_HEADER_OVERFLOW$/, 'the headers or the address are longer than 16 KiB'],
  [/^HPE_CHUNK_EXTENSIONS_OVERFLOW$/, 'the chunk extensions are too long'],
  [/^ERR_HTTP_REQUEST_TIMEOUT$/, 'the request did not arrive in time'],
  [/CONTENT_LENGTH|TRANSFER_ENCODING/, 'the length of the body is not told in a valid way'],
  [/^HPE_INVALID_METHOD$/, 'the method is not known'],
  [/^HPE_(INVALID_VERSION|INVALID_CONSTANT)$/, 'the request line is not valid HTTP'],
];

/** Whether nobody is there to be told of a fault. */
export function isGone(error: NodeJS.ErrnoException, socket: Socket): boolean {
  return error.code === 'ECONNRESET' || !socket.writable;
}

/**
 * Answers on a bare socket, where there is no request to answer to. The connection is closed after it, because what
 * follows on it cannot be understood. Returns what was told, for the log.
 */
export function answerParserFault(error: NodeJS.ErrnoException, socket: Socket, requestId: string): AppError {
  const fault = parserFaults.find(([code]) => code.test(error.code ?? ''))?.[1] ?? 'this is not a valid HTTP request';
  const refusal = malformed(fault);
  writeRaw(socket, refusal, requestId);
  return refusal;
}

/** A whole response, written by hand and followed by the end of the connection. */
export function writeRaw(socket: Socket, refusal: AppError, requestId: string): void {
  const body = JSON.stringify(errorBodyOf(refusal, requestId));
  const status = statusOf(refusal);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    ...Object.entries(refusal.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
