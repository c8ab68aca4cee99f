import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to the service that can be cut off. */
export async function startNetwork(targetPort: number) {
  const sockets = new Set<Socket>();
  let isDown = false;
  const server = createServer((client) => {
    if (isDown) return client.destroy();
    const service = connect(targetPort, '127.0.0.1');
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        service.destroy();
      });
    }
    client.pipe(service).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    /** All connections are lost. */
    cut,
    /** And no other is made. */
    set isDown(value: boolean) {
      isDown = value;
      if (isDown) cut();
    },
    close: async (): Promise<void> => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
