import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/**
 * The public address of several instances: passes each connection on to one that accepts it, in turn. Requests and media
 * sockets of the carrier each have a connection of their own. As with `deploy/nginx.conf`, a request without an answer
 * is repeated at the next instance: the carrier's requests follow a kill so closely that some reach the process while the
 * kernel closes its sockets, one after the other.
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
    const first = turn % door.ports.length;
    const received: Buffer[] = [];
    let isAnswered = false;
    let outgoing: Socket | null = null;
    const ask = ([port, ...others]: readonly number[]): void => {
      if (port === undefined) return void incoming.destroy();
      const asked = connect(port, '127.0.0.1');
      outgoing = asked;
      keep(asked);
      for (const chunk of received) asked.write(chunk);
      asked.once('data', () => {
        isAnswered = true;
        received.length = 0;
      });
      asked.pipe(incoming, { end: false });
      asked.once('close', () => {
        if (isAnswered) incoming.destroy();
        else if (!incoming.destroyed) ask(others);
      });
    };
    incoming.on('data', (chunk: Buffer) => {
      if (!isAnswered) received.push(chunk);
      outgoing?.write(chunk);
    });
    incoming.once('close', () => outgoing?.destroy());
    ask([...door.ports.slice(first), ...door.ports.slice(0, first)]);
  });
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
