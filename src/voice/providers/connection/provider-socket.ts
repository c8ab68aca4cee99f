import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { parseForeignJson } from '../../../contract/foreign-json.ts';
import { openConnection, systemLookup } from '../../../net/connection.ts';
import { AllowedNetworks } from '../../../net/networks.ts';
import { limitPeer, socketLimits } from '../../../net/socket-closing.ts';
import type { Clock } from '../../clock.ts';
import type { ProviderAccount } from './account.ts';
import { type ProviderFailure, statusFailure } from './failure.ts';

export interface SocketOptions {
  /** For messages. */
  readonly provider: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly proxy: string | null;
  /** As in the account. */
  readonly connect?: ProviderAccount['connect'];
  readonly clock: Clock;
  /** From the lookup of the name to the end of the handshake. */
  readonly connectMs: number;
}

export interface SocketEvents {
  open(): void;
  /** Binary messages are none of the protocols', and are ignored. */
  message(message: Readonly<Record<string, unknown>>): void;
  /** Once, and nothing follows. Not after `close`. */
  failed(failure: ProviderFailure): void;
}

export interface ProviderSocket {
  /** What the network has not taken yet, in bytes. */
  readonly unsent: number;
  /** Text, or audio. What is sent before `open` waits for it. */
  send(data: string | Uint8Array): void;
  close(): void;
}

/** A second of audio in base64 is 130 KB; nothing that a provider sends is this large. */
const maxMessageBytes = 4 * 1024 * 1024;
/** A connection that takes nothing for so long is lost: 20 seconds of a caller's audio. */
const maxUnsentBytes = 640_000;

/**
 * A WebSocket to a provider. The guard of outbound connections does not apply to addresses of the operator; accounts of
 * workspaces bring it as `connect`.
 */
export function openProviderSocket(options: SocketOptions, events: SocketEvents): ProviderSocket {
  const { provider, clock, connectMs } = options;
  const waiting: (string | Uint8Array)[] = [];
  const abort = new AbortController();
  let socket: WebSocket | null = null;
  let isOpen = false;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    stopWaiting();
    abort.abort();
    socket?.terminate();
  };
  const fail = (detail: string, isFinal = false): void => {
    if (isOver) return;
    end();
    events.failed({ detail, isFinal });
  };
  const stopWaiting = clock.after(connectMs, () =>
    fail(`${provider} did not accept the connection within ${connectMs / 1000} s`),
  );
  const start = (connection: Socket | null): void => {
    if (isOver) return;
    const opening = newWebSocket(options, connection);
    socket = opening;
    socket.on('upgrade', (response: IncomingMessage) => {
      opening.once('open', () => limitPeer(opening, response.socket));
    });
    socket.on('open', () => {
      if (isOver) return;
      stopWaiting();
      isOpen = true;
      for (const data of waiting.splice(0)) socket?.send(data);
      events.open();
    });
    socket.on('unexpected-response', (_request, response: IncomingMessage) => {
      const retryAfter = response.headers['retry-after'];
      const failure = statusFailure(provider, response.statusCode ?? 0, retryAfter);
      fail(failure.detail, failure.isFinal);
    });
    socket.on('message', (data, isBinary) => {
      if (isOver || isBinary) return;
      const message = parsed(String(data));
      if (message === null) fail(`${provider} sent malformed data`);
      else events.message(message);
    });
    // What the error says may contain the address.
    socket.on('error', () => fail(isOpen ? `${provider} closed the connection` : `${provider} cannot be reached`));
    socket.on('close', (code) => fail(`${provider} closed the connection (${code})`, code === 1008));
  };
  if (options.connect !== undefined) {
    options.connect(options.url).then(
      (connection) => {
        if (isOver) connection.destroy();
        else start(connection);
      },
      // Never why: that may be about the network of the service.
      () => fail(`${provider} cannot be reached`),
    );
  } else if (options.proxy === null) start(null);
  else {
    const route = { allowedNetworks: new AllowedNetworks([]), proxy: options.proxy, lookup: systemLookup };
    openConnection(new URL(options.url), route, abort.signal).then(start, () =>
      fail(`${provider} cannot be reached through the proxy`),
    );
  }
  return {
    get unsent() {
      return socket?.bufferedAmount ?? 0;
    },
    send(data) {
      if (isOver) return;
      if (!isOpen) waiting.push(data);
      else if ((socket?.bufferedAmount ?? 0) > maxUnsentBytes) fail(`the connection to ${provider} is stalled`);
      else socket?.send(data);
    },
    close() {
      if (isOver) return;
      isOver = true;
      stopWaiting();
      abort.abort();
      if (isOpen) socket?.close(1000);
      else socket?.terminate();
    },
  };
}

function newWebSocket({ url, headers }: SocketOptions, connection: Socket | null): WebSocket {
  return new WebSocket(url, {
    headers,
    followRedirects: false,
    ...socketLimits,
    maxPayload: maxMessageBytes,
    // Audio does not get smaller, and every connection would have a buffer for it.
    perMessageDeflate: false,
    ...(connection !== null && { createConnection: () => connection }),
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const message = parseForeignJson(text);
    return typeof message === 'object' && message !== null && !Array.isArray(message)
      ? (message as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
