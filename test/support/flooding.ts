import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** Masked frames, as clients send them; the mask is zero. */
export function clientFrame(opcode: number, payload = Buffer.alloc(0)): Buffer {
  const size = payload.length;
  const length = size < 126 ? Buffer.from([0x80 | size]) : Buffer.from([0x80 | 126, size >> 8, size & 0xff]);
  return Buffer.concat([Buffer.from([0x80 | opcode]), length, Buffer.alloc(4), payload]);
}

/** Unmasked frames, as servers send them. */
export function serverFrame(opcode: number, payload = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, payload.length]), payload]);
}

/** The same bytes again and again until about 64 KiB are full. */
export function repeated(frame: Buffer): Buffer {
  return Buffer.concat(Array(Math.ceil(65_536 / frame.length)).fill(frame));
}

/** Writes as fast as the other side reads, until the connection is closed. Resolves then. */
export async function flood(socket: Socket, chunk: Buffer): Promise<void> {
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const write = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
  await closed;
}

/** A WebSocket client below the level of frames. Resolves after the handshake. */
export async function rawWebSocket(port: number, path: string, protocols: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: ${protocols}\r\n\r\n`,
  );
  const [answer] = await once(socket, 'data');
  if (!String(answer).startsWith('HTTP/1.1 101')) throw new Error(String(answer));
  return socket;
}

/** The connections that this process accepts, or opens, from now on. */
export function connectionsOf(test: TestContext, channel: 'net.server.socket' | 'net.client.socket'): Socket[] {
  const sockets: Socket[] = [];
  const note = (message: unknown): void => void sockets.push((message as { readonly socket: Socket }).socket);
  subscribe(channel, note);
  test.after(() => unsubscribe(channel, note));
  return sockets;
}
