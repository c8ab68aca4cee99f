import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** What goes wrong with the next connections, in order; the last one from then on. */
export type Fault =
  | 'none'
  /** Rejects the handshake. */
  | { readonly status: number; readonly headers?: Record<string, string> }
  /** Accepts the connection, and nothing more. */
  | 'no handshake'
  /** Accepts everything that is sent, and says nothing. */
  | 'silent'
  /** Closes in the middle of the first answer. */
  | 'closes midway'
  /** Sends half of a message, and goes away. */
  | 'half a frame'
  | 'not JSON';

export interface Rejection {
  readonly status: number;
  readonly body: object;
}

export interface SocketDoubleOptions {
  /** What the vendor rejects in a request for a connection. */
  rejectionOf(request: IncomingMessage, url: URL): Rejection | undefined;
  connected(socket: DoubleSocket, url: URL): void;
  /** Requests that are no connections. */
  respond?(request: IncomingMessage, response: ServerResponse, url: URL): void;
}

/** One connection of a client. */
export interface DoubleSocket {
  onText(listener: (message: Record<string, unknown>) => void): void;
  onAudio(listener: (bytes: Buffer) => void): void;
  onClose(listener: () => void): void;
  send(message: object): void;
  close(code: number, reason: string): void;
}

export interface SocketDouble {
  readonly baseUrl: string;
  /** The addresses of all connections that were accepted. */
  readonly urls: URL[];
  /** All JSON messages of clients, in order. */
  readonly received: Record<string, unknown>[];
  readonly open: () => number;
  fail(...faults: Fault[]): void;
  /** How long everything takes from now on. */
  delay(ms: number): void;
  /** Closes what is open. */
  drop(): void;
  close(): Promise<void>;
}

/** A server on this machine that behaves like a vendor's, as far as its documentation says. */
export async function startSocketDouble(options: SocketDoubleOptions): Promise<SocketDouble> {
  const sockets = new WebSocketServer({ noServer: true });
  const urls: URL[] = [];
  const received: Record<string, unknown>[] = [];
  const ignored: { destroy(): void }[] = [];
  let faults: readonly Fault[] = ['none'];
  const pace = { delayMs: 0 };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://double');
    if (options.respond === undefined) sendJson(response, 404, { error: 'not found' });
    else options.respond(request, response, url);
  });
  server.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url ?? '/', 'http://double');
    const [fault = 'none', ...rest] = faults;
    if (rest.length > 0) faults = rest;
    if (fault === 'no handshake') {
      ignored.push(socket);
      return;
    }
    const rejection = typeof fault === 'object' ? { ...fault, body: {} } : options.rejectionOf(request, url);
    if (rejection !== undefined) {
      const body = JSON.stringify(rejection.body);
      const headers = Object.entries({
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        connection: 'close',
        ...(typeof fault === 'object' ? fault.headers : {}),
      });
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.end(`HTTP/1.1 ${rejection.status} Rejected\r\n${lines}\r\n${body}`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (connection) => {
      urls.push(url);
      const double = doubleSocket(connection, fault, received, pace);
      if (fault !== 'silent') options.connected(double, url);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const drop = () => {
    for (const client of sockets.clients) client.terminate();
  };
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    urls,
    received,
    open: () => sockets.clients.size,
    fail: (...given) => {
      faults = given;
    },
    delay: (ms) => {
      pace.delayMs = ms;
    },
    drop,
    close: () =>
      new Promise((resolve) => {
        drop();
        for (const socket of ignored) socket.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function doubleSocket(
  connection: WebSocket,
  fault: Fault,
  received: Record<string, unknown>[],
  pace: { readonly delayMs: number },
): DoubleSocket {
  const texts: ((message: Record<string, unknown>) => void)[] = [];
  const audio: ((bytes: Buffer) => void)[] = [];
  connection.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      for (const listener of audio) listener(data);
      return;
    }
    const message = JSON.parse(String(data)) as Record<string, unknown>;
    received.push(message);
    for (const listener of texts) listener(message);
  });
  return {
    onText: (listener) => texts.push(listener),
    onAudio: (listener) => audio.push(listener),
    onClose: (listener) => connection.on('close', listener),
    send: (message) => {
      const text = JSON.stringify(message);
      if (fault === 'none' && pace.delayMs > 0) {
        setTimeout(() => connection.send(text), pace.delayMs);
        return;
      }
      if (fault === 'closes midway') {
        connection.send(text);
        connection.close(1011, 'internal error');
      } else if (fault === 'not JSON') connection.send(text.slice(0, text.length >> 1));
      else if (fault === 'half a frame') {
        // The header of a frame of 1000 bytes, and three of them.
        const raw = connection as unknown as { _socket: { write(bytes: Buffer): void; destroy(): void } };
        raw._socket.write(Buffer.from([0x81, 126, 0x03, 0xe8, 0x7b, 0x22, 0x74]));
        raw._socket.destroy();
      } else connection.send(text);
    },
    close: (code, reason) => connection.close(code, reason),
  };
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
