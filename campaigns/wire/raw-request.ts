import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { errorBody, errorCodes } from '../../src/contract/errors.ts';
import { parseReply, type Reply } from '../connection.ts';

/** What a client does after sending everything: wait, half-close, or destroy the connection. */
export type AfterSend = 'wait' | 'end' | 'cut';

export interface RawResult {
  readonly answers: readonly Reply[];
  /** Bytes that are not a complete response. */
  readonly isIncomplete: boolean;
  /** The service did not close in time. */
  readonly isStillOpen: boolean;
}

export interface RawRequestOptions {
  readonly afterSend: AfterSend;
  readonly pauseMs?: number;
  /** How long it stays after its last byte. */
  readonly lingerMs?: number;
  readonly maxMs?: number;
}

/** Sends pieces one after another over a new connection and records the responses until it is closed. */
export function sendRaw(port: number, pieces: readonly Buffer[], options: RawRequestOptions): Promise<RawResult> {
  const { afterSend, pauseMs = 1, lingerMs = 0, maxMs = 15_000 } = options;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let isStillOpen = false;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const timer = setTimeout(() => {
      isStillOpen = true;
      socket.destroy();
    }, maxMs);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => socket.end());
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ ...parseAll(Buffer.concat(chunks)), isStillOpen });
    });
    socket.on('connect', () => void sendAll());
    const sendAll = async (): Promise<void> => {
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) await delay(pauseMs);
        if (!socket.writable) return;
        socket.write(piece);
      }
      if (lingerMs > 0) await delay(lingerMs);
      if (afterSend === 'end') socket.end();
      if (afterSend === 'cut') socket.destroy();
    };
  });
}

function parseAll(bytes: Buffer): { answers: Reply[]; isIncomplete: boolean } {
  const answers: Reply[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const parsed = parseReply(rest);
    if (parsed === null) break;
    answers.push(parsed.reply);
    rest = rest.subarray(parsed.length);
  }
  return { answers, isIncomplete: rest.length > 0 };
}

/** The problem with a response, whatever the request was. */
export function issueWith({ status, headers, body }: Reply): string | undefined {
  const requestId = headers.get('x-request-id');
  if (!requestId) return `${status} without X-Request-Id`;
  if (status >= 500) return `${status}`;
  if (status < 400) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return `${status} without JSON`;
  }
  const result = errorBody.safeParse(value);
  if (!result.success) return `${status} without the error body`;
  const { code, requestId: idInBody } = result.data.error;
  if (errorCodes[code as keyof typeof errorCodes]?.status !== status) return `${status} with the code ${code}`;
  return idInBody === requestId ? undefined : `${status} with two request ids`;
}

/** Cuts bytes at random positions into pieces. */
export function cutInto(bytes: Buffer, count: number, place: (most: number) => number): Buffer[] {
  const places = Array.from({ length: count - 1 }, () => place(bytes.length)).sort((one, other) => one - other);
  return [...places, bytes.length]
    .map((end, index) => bytes.subarray(places[index - 1] ?? 0, end))
    .filter((piece) => piece.length > 0);
}
