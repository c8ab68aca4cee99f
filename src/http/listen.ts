import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { HttpServer } from './server.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The backlog of connections to accept; the operating system may allow less. */
const backlog = 4096;
/**
 * Node accepts one connection per listening socket and event loop iteration. With a single socket, a busy process with
 * iterations of ten milliseconds would take a second to accept a hundred clients.
 */
const listeners = 128;

/** Listens on several sockets if the operating system can share a port between them. Resolves to the port. */
export async function listen(server: HttpServer, address: Address, isSingle: boolean): Promise<number> {
  const isShared = isSingle && process.platform === 'linux';
  // Shared sockets would also share the port with another service, so an exclusive socket first checks that it is free.
  const { host, port } = isShared ? await findFree(address) : address;
  const options = { host, port, backlog, ...(isShared ? { reusePort: true } : {}) };
  await server.listen(options);
  const { address: openedAddress, port: openedPort } = server.address;
  for (let count = 1; isShared && count < listeners; count += 1) {
    await server.listenAlso({ ...options, host: openedAddress, port: openedPort });
  }
  return openedPort;
}

async function findFree({ host, port }: Address): Promise<Address> {
  const probe = createServer();
  probe.listen({ host, port });
  await once(probe, 'listening');
  const found = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return { host, port: found.port };
}
