import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after } from 'node:test';
import { certificate, privateKey } from './certificate.ts';

export interface Receiver {
  readonly port: number;
  /** How many connections have been accepted. */
  connections(): number;
  /** Resolves when no connection is open any more. */
  isIdle(): Promise<void>;
}

/** A server that a partner would run, on 127.0.0.1, until the tests of the file are over. */
export function httpReceiver(listener: RequestListener): Promise<Receiver> {
  return listen(createHttpServer(listener));
}

/** The same with TLS and a self-signed certificate. */
export function httpsReceiver(listener: RequestListener): Promise<Receiver> {
  return listen(createHttpsServer({ cert: certificate, key: privateKey }, listener));
}

/** A server that need not speak HTTP. */
export function rawReceiver(onConnection: (socket: Socket) => void): Promise<Receiver> {
  return listen(createServer(onConnection));
}

const stops = new Set<() => void>();
after(() => {
  for (const stop of stops) stop();
});

async function listen(server: Server): Promise<Receiver> {
  const open = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    open.add(socket);
    // The other side may close or reset the connection at any time.
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.add(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => count,
    isIdle: async () => {
      await Promise.all([...open].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    },
  };
}
