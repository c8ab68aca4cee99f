import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Json } from './tenant.ts';

interface Access {
  readonly liveUrl: string;
  readonly token: string;
}

/** Connects to the socket of a call and starts it. Null if it was refused. */
export async function joinPage(port: number, call: Json, start: object): Promise<WebSocket | null> {
  const { liveUrl, token } = call.access as Access;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${liveUrl}`, ['voice-agents.v1', `token.${token}`]);
  socket.on('error', () => {});
  await Promise.race([once(socket, 'open'), once(socket, 'close'), once(socket, 'unexpected-response')]).catch(
    () => {},
  );
  if (socket.readyState !== WebSocket.OPEN) return null;
  socket.send(JSON.stringify(start));
  return socket;
}

export const audioStart = { type: 'start', input: { rate: 16_000 }, output: { rate: 16_000 } };

/** Writes frames without reading and without obeying a close, until the connection is gone or the time is up. */
export async function flood(page: WebSocket, frame: Buffer, maxMs: number): Promise<{ closedAfterMs: number | null }> {
  const socket = (page as unknown as { _socket: Socket })._socket;
  const start = performance.now();
  let closeFrameAt: number | null = null;
  page.on('close', () => {});
  page.on('message', (data, isBinary) => {
    if (!isBinary && data.toString().includes('"too_much"')) closeFrameAt ??= performance.now();
  });
  while (!socket.destroyed && performance.now() - start < maxMs) {
    if (!socket.write(frame))
      await Promise.race([once(socket, 'drain'), once(socket, 'close'), pause(100)]).catch(() => {});
    else await pause(0);
  }
  const end = performance.now();
  if (!socket.destroyed) {
    socket.destroy();
    return { closedAfterMs: null };
  }
  return { closedAfterMs: end - (closeFrameAt ?? start) };
}

/** A masked frame, as clients send them: of the mask zero, so that the content is as it is. */
export function clientFrame(opcode: number, content: Buffer): Buffer {
  const length =
    content.length < 126
      ? Buffer.from([0x80 | content.length])
      : Buffer.from([0x80 | 126, content.length >> 8, content.length & 255]);
  return Buffer.concat([Buffer.from([0x80 | opcode]), length, Buffer.alloc(4), content]);
}

/** A connection that sends these bytes and then nothing. Resolves to what it receives until it is closed. */
export async function silentConnection(port: number, bytes: string, maxMs: number): Promise<string | null> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  let received = '';
  socket.on('data', (data: Buffer) => {
    received += data.toString('latin1');
  });
  if (bytes !== '') socket.write(bytes);
  const isClosed = await Promise.race([once(socket, 'close').then(() => true), pause(maxMs).then(() => false)]);
  socket.destroy();
  return isClosed ? received : null;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
