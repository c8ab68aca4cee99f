import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** The servers of hostile partners: tools, a language model, a custom LLM and receivers of webhooks. */
export interface HostileServers {
  readonly url: string;
  readonly llmUrl: string;
  close(): Promise<void>;
}

export const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

const bodies: Readonly<Record<string, () => string>> = {
  nested: () => nested(2000),
  'nested-objects': () => `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  'nested-variables': () => `{"variables":{"a":${nested(2000)}}}`,
  'many-variables': () => JSON.stringify({ variables: Object.fromEntries(range(5000).map((n) => [`v${n}`, 'x'])) }),
  'large-variable': () => JSON.stringify({ variables: { v: 'x'.repeat(60_000) } }),
  large: () => JSON.stringify({ text: 'x'.repeat(900_000) }),
  'many-keys': () => JSON.stringify(Object.fromEntries(range(20_000).map((n) => [`key ${n}`, n]))),
  broken: () => '{"a":',
  '\u0000': () => JSON.stringify({ a: '\u0000\ud800' }),
};

export const toolPaths = [...Object.keys(bodies).map(encodeURIComponent), 'hang', 'cut', 'slow'];

/** The service sends the call, the conversation, and values that are bounded. */
const maxRequestBytes = 256 * 1024;

export async function startHostileServers(found: (what: string) => void): Promise<HostileServers> {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
    });
    request.on('end', () => {
      if (bytes > maxRequestBytes) found(`the service sends ${request.url} a request of ${bytes} bytes`);
      answer(request, response);
    });
    request.on('error', () => {});
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => {});
      playLlm(request.url ?? '', webSocket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    llmUrl: `ws://127.0.0.1:${port}`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const [, kind = '', name = ''] = (request.url ?? '').split('/');
  if (kind === 'v1') answerAsModel(response);
  else if (kind === 'receiver' || name === 'hang') setTimeout(() => response.writeHead(204).end(), 14_000).unref();
  else if (name === 'cut') response.socket?.destroy();
  else if (name === 'slow') writeSlowly(response);
  else
    response.writeHead(200, { 'content-type': 'application/json' }).end(bodies[decodeURIComponent(name)]?.() ?? '{}');
}

function writeSlowly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":"');
  const timer = setInterval(() => response.write('x'), 50).unref();
  response.on('close', () => clearInterval(timer));
}

/** A model whose replies are wrong in another way each time. */
let modelRequests = 0;
function answerAsModel(response: ServerResponse): void {
  const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
  modelRequests += 1;
  const kinds: readonly (() => void)[] = [
    () => stream(response, [chunk({ content: '<think>' }), chunk({ content: 'x'.repeat(300_000) })]),
    () =>
      stream(
        response,
        range(3000).map(() => chunk({ content: 'a ' })),
      ),
    () => stream(response, [`data: {"choices":[{"delta":{"content":${nested(3000)}}}]}\n\n`]),
    () =>
      stream(response, [
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'x', arguments: nested(3000) } }] }),
      ]),
    () => stream(response, [`data: ${'x'.repeat(2_000_000)}`]),
    () => response.writeHead(200, { 'content-type': 'application/json' }).end(bodies.nested?.()),
    () => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'.repeat(10_000)),
    () => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk({ content: 'Hello' })),
    () => response.socket?.destroy(),
  ];
  kinds[modelRequests % kinds.length]?.();
}

function stream(response: ServerResponse, parts: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const part of parts) response.write(part);
  response.end('data: [DONE]\n\n');
}

interface Socket {
  send(text: string | Buffer): void;
  on(event: 'message' | 'close', handler: (data: Buffer) => void): void;
  terminate(): void;
}

/** A custom LLM server that does what its path says. */
function playLlm(path: string, socket: Socket): void {
  const [, , kind = ''] = path.split('/');
  const reply = (id: number, content: unknown, isComplete = true) =>
    JSON.stringify({ response_type: 'response', response_id: id, content, content_complete: isComplete });
  socket.on('message', (data) => {
    const { response_id: id = 0 } = JSON.parse(data.toString()) as { response_id?: number };
    if (kind === 'nested') socket.send(`{"response_type":"metadata","metadata":${nested(3000)}}`);
    if (kind === 'flood') for (let count = 0; count < 2000; count += 1) socket.send(reply(id, 'a', false));
    if (kind === 'large') socket.send(reply(id, 'x'.repeat(400_000)));
    if (kind === 'binary') socket.send(Buffer.alloc(1000));
    if (kind === 'tools') {
      const call = { response_type: 'tool_call_invocation', tool_call_id: 'a', name: 'x', arguments: nested(3000) };
      socket.send(JSON.stringify(call));
      socket.send(JSON.stringify({ response_type: 'tool_call_result', tool_call_id: 'a', content: nested(3000) }));
    }
    if (kind === 'cut') socket.terminate();
    if (id > 0) socket.send(reply(id, 'Hello.'));
  });
}

export const llmPaths = ['nested', 'flood', 'large', 'binary', 'tools', 'cut'];

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
