import { WebSocket } from 'ws';
import { request as httpRequest } from '../../../net/node-http.ts';
import { limitPeer, socketLimits } from '../../../net/socket-closing.ts';
import { ConnectionFailed, type OpenMediaSocket, type SendWebhook } from './ports.ts';
import { maxDocumentBytes } from './twiml.ts';

const maxMessageBytes = 1024 * 1024;

/** The carrier is for tests on one machine: it calls loopback addresses, and hosts that are named. */
export function createNetwork(otherHosts: readonly string[]): {
  readonly sendWebhook: SendWebhook;
  readonly openSocket: OpenMediaSocket;
} {
  return {
    sendWebhook: (request, signal) =>
      mayCall(request.url, otherHosts)
        ? sendOverHttp(request, signal)
        : Promise.reject(new ConnectionFailed('Only loopback addresses are called.')),
    openSocket: (url, headers, events) => {
      if (mayCall(url, otherHosts)) return openWebSocket(url, headers, events);
      queueMicrotask(() => events.closed(true));
      return { send: () => {}, close: () => {}, cut: () => {} };
    },
  };
}

function mayCall(url: string, otherHosts: readonly string[]): boolean {
  const { hostname, protocol } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'ws:') return false;
  if (otherHosts.includes(hostname)) return true;
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

const sendOverHttp: SendWebhook = ({ url, method, headers, body }, signal) =>
  new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = httpRequest(url, { method, headers: { ...headers, ...length }, signal, agent: false });
    let isConnected = false;
    request.on('socket', (socket) => socket.once('connect', () => (isConnected = true)));
    request.on('error', (error) => reject(isConnected ? error : new ConnectionFailed(error.message)));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        // One byte more shows that it is too long.
        if (size <= maxDocumentBytes + chunk.length) chunks.push(chunk);
        else response.destroy();
      });
      response.on('error', reject);
      response.on('close', () => {
        if (!response.complete && size <= maxDocumentBytes) reject(new Error('The response was cut off.'));
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          body: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    request.end(body ?? undefined);
  });

const openWebSocket: OpenMediaSocket = (url, headers, events) => {
  const socket = new WebSocket(url, {
    headers: { ...headers },
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: maxMessageBytes,
    ...socketLimits,
  });
  // 1006: no close frame came.
  socket.on('close', (code) => events.closed(code === 1006));
  socket.on('error', () => {});
  socket.on('upgrade', ({ socket: connection }) => limitPeer(socket, connection));
  socket.on('open', () => events.opened());
  socket.on('message', (data, isBinary) => events.message(isBinary ? '' : data.toString()));
  return {
    send: (text) => socket.send(text),
    close: () => socket.close(1000),
    cut: () => socket.terminate(),
  };
};
