import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { Guard } from '../../../net/guard.ts';
import { OutboundError } from '../../../net/outbound-error.ts';
import { limitPeer, socketLimits } from '../../../net/socket-closing.ts';
import { plainProtocol, strictProtocol } from './frames.ts';
import type { LlmSocketEvents, OpenLlmSocket } from './socket.ts';

export interface OutboundSocketOptions {
  readonly guard: Pick<Guard, 'connect'>;
  /** With the id of the call. */
  readonly url: string;
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
}

/** Larger messages are not even read. Up to there, a frame that is too large is rejected, and the call goes on. */
const maxReadBytes = 1024 * 1024;
/** A message counts as one frame, however many fragments it has. */
const maxFragments = 1024;
const tooLarge = `the custom LLM server sent a frame of more than ${maxReadBytes / 1024} KiB`;
/** What a server has not read yet. Every update has the whole conversation. */
const maxUnreadBytes = 8 * 1024 * 1024;
const notReading = 'the custom LLM server does not read what it is sent';
export const connectTimeoutMs = 7000;

/** Connections to the server of a partner, through the guard. */
export function outboundSocket(options: OutboundSocketOptions): OpenLlmSocket {
  return (events) => {
    const stop = new AbortController();
    let isOver = false;
    let socket: WebSocket | undefined;
    const unlessOver =
      <Values extends unknown[]>(report: (...values: Values) => void, isEnd = false) =>
      (...values: Values): void => {
        if (isOver) return;
        isOver = isEnd;
        report(...values);
      };
    const guarded: LlmSocketEvents = {
      opened: unlessOver(events.opened),
      message: unlessOver(events.message),
      control: unlessOver(events.control),
      failed: unlessOver(events.failed, true),
      closed: unlessOver(events.closed, true),
    };
    connect(options, stop.signal).then(
      (connected) => {
        socket = connected.socket;
        if (isOver) socket.terminate();
        else {
          listen(connected, guarded, () => {
            isOver = true;
          });
        }
      },
      (error: unknown) => guarded.failed(...failureOf(error)),
    );
    return () => {
      isOver = true;
      stop.abort();
      socket?.terminate();
    };
  };
}

interface Connected {
  readonly socket: WebSocket;
  readonly connection: Duplex;
}

async function connect({ guard, url, headers }: OutboundSocketOptions, signal: AbortSignal): Promise<Connected> {
  const sent = await headers();
  const connection = await guard.connect(url, { connectTimeoutMs, signal });
  const socket = new WebSocket(url, [plainProtocol, strictProtocol], {
    createConnection: () => connection,
    headers: { ...sent },
    handshakeTimeout: connectTimeoutMs,
    ...socketLimits,
    maxFragments,
    maxPayload: maxReadBytes,
    // A small compressed frame can be a large one.
    perMessageDeflate: false,
  });
  // Servers need not know about protocols. The library refuses those that select none.
  socket.on('upgrade', ({ headers: received }: IncomingMessage) => {
    received['sec-websocket-protocol'] ??= plainProtocol;
  });
  return { socket, connection };
}

function listen({ socket, connection }: Connected, events: LlmSocketEvents, onClose: () => void): void {
  let isOpen = false;
  socket.on('open', () => {
    isOpen = true;
    const reject = limitPeer(socket, connection);
    events.opened({
      isStrict: socket.protocol === strictProtocol,
      send: (text) => {
        if (socket.bufferedAmount <= maxUnreadBytes) return socket.send(text);
        socket.terminate();
        events.closed(1006, notReading);
      },
      close: (code) => {
        onClose();
        if (code === undefined) socket.terminate();
        else if (code === 1000) socket.close(code);
        else reject(code);
      },
    });
  });
  socket.on('ping', events.control);
  socket.on('pong', events.control);
  socket.on('unexpected-response', (request, response) => {
    request.destroy();
    events.failed(`HTTP ${response.statusCode} of the custom LLM server`, false);
  });
  socket.on('message', (data, isBinary) => {
    const bytes = data as Buffer;
    events.message(isBinary ? null : bytes.toString(), bytes.length);
  });
  socket.on('error', ({ code }: Error & { readonly code?: string }) => {
    if (!isOpen) return events.failed('the custom LLM server did not accept the connection', false);
    // The library would wait until the server has closed, too.
    socket.terminate();
    const isTooLarge = code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
    events.closed(1006, isTooLarge ? tooLarge : undefined);
  });
  socket.on('close', (code) => events.closed(code));
}

function failureOf(error: unknown): [detail: string, isFinal: boolean] {
  if (!(error instanceof OutboundError)) return ['the connection could not be prepared', false];
  return [error.message, error.code === 'address_not_allowed'];
}

/** Where a call is served: the path of the address continues with the id, and its query stays. */
export function addressOf(llmWebsocketUrl: string, callId: string): string {
  const url = new URL(llmWebsocketUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${callId}`;
  return url.href;
}
