import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface LlmRequest {
  readonly interaction_type: string;
  readonly response_id?: number;
  readonly transcript?: readonly { readonly role: string; readonly content: string }[];
  readonly timestamp?: number;
  readonly call?: Readonly<Record<string, unknown>>;
  readonly code?: string;
}

export interface LlmClient {
  readonly socket: WebSocket;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  send(frame: object): void;
  respond(responseId: number | undefined, content: string, more?: object): void;
}

export interface LlmBehavior {
  connected?(client: LlmClient, connection: number): void;
  received?(frame: LlmRequest, client: LlmClient): void;
  readonly isStrict?: boolean;
}

/** A custom LLM server on this machine, which does not keep the process alive. */
export async function startLlmServer(behavior: LlmBehavior, port = 0) {
  const http = createServer();
  http.on('connection', (socket) => socket.unref());
  const server = new WebSocketServer({
    server: http,
    ...(behavior.isStrict !== undefined && {
      handleProtocols: () => (behavior.isStrict === true ? 'voice-agents.llm.v1' : false),
    }),
  });
  const clients: LlmClient[] = [];
  const received: LlmRequest[] = [];
  const closedWith: number[] = [];
  server.on('connection', (socket, request) => {
    const send = (frame: object): void => socket.send(JSON.stringify(frame));
    const client: LlmClient = {
      socket,
      path: request.url ?? '',
      headers: request.headers,
      send,
      respond: (response_id, content, more = {}) =>
        send({ response_type: 'response', response_id, content, content_complete: true, ...more }),
    };
    clients.push(client);
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as LlmRequest;
      received.push(frame);
      behavior.received?.(frame, client);
    });
    socket.on('close', (code) => closedWith.push(code));
    socket.on('error', () => {});
    behavior.connected?.(client, clients.length);
  });
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  http.unref();
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const { socket } of clients) socket.terminate();
      http.close(() => resolve());
    });
  const { port: used } = http.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${used}/llm`, port: used, clients, received, closedWith, close };
}

/** What a server of the smallest kind does. */
export function echo(frame: LlmRequest, client: LlmClient): void {
  if (frame.interaction_type === 'ping_pong') client.send({ response_type: 'ping_pong', timestamp: frame.timestamp });
  if (frame.interaction_type !== 'response_required') return;
  const last = frame.transcript?.findLast(({ role }) => role === 'user');
  client.respond(frame.response_id, `You said: ${last?.content}`);
}
