import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A voice of each provider, in the format of its ids. */
export const providerVoices = [
  ['elevenlabs', '21m00Tcm4TlvDq8ikWAM'],
  ['cartesia', 'a0e99841-438c-4a64-b679-ae501e7d6091'],
  ['openai', 'alloy'],
] as const;

/** A server that rejects every request and every WebSocket, and repeats what it got, with the key, in its answer. */
export async function startRudeProvider(): Promise<{ readonly baseUrl: string; close(): Promise<void> }> {
  const answerTo = (headers: object, body = '') => {
    const message = `rejected: ${JSON.stringify(headers)} ${body}`;
    return JSON.stringify({ error: { message, type: 'invalid_request_error', code: message } });
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.writeHead(401, { 'content-type': 'application/json', 'x-rejected': request.headers.authorization ?? '' });
    response.end(answerTo(request.headers, body));
  });
  server.on('upgrade', (request, socket) => {
    const body = answerTo(request.headers);
    socket.end(
      `HTTP/1.1 401 Unauthorized\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
