import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/**
 * The public address of several instances: passes each connection on to one that accepts it, in turn. Requests and media
 * sockets of the carrier each have a connection of their own.
 */
export interface FrontDoor {
  readonly url: string;
  /** The instances, once they have their ports. */
  ports: readonly number[];
  close(): Promise<void>;
}

export async function openFrontDoor(): Promise<FrontDoor> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  };
  const server = createServer((incoming) => {
    keep(incoming);
    turn += 1;
    pass(incoming, [...door.ports.slice(turn % door.ports.length), ...door.ports.slice(0, turn % door.ports.length)]);
  });
  const pass = (incoming: Socket, [port, ...others]: readonly number[]): void => {
    if (port === undefined) return void incoming.destroy();
    const outgoing = connect(port, '127.0.0.1');
    let isConnected = false;
    keep(outgoing);
    outgoing.once('connect', () => {
      isConnected = true;
      incoming.pipe(outgoing);
      outgoing.pipe(incoming);
    });
    // Nothing was sent yet: the next one is asked.
    outgoing.once('close', () => (isConnected ? incoming.destroy() : pass(incoming, others)));
    incoming.once('close', () => outgoing.destroy());
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const door: FrontDoor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ports: [],
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return door;
}
