import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { HttpServer } from './server.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Connections that may wait to be accepted; the system may allow fewer. */
const backlog = 4096;
/**
 * Node accepts one connection per listening socket in each iteration of the event loop. With a single one, a busy process
 * with long iterations would let new clients wait for seconds: a hundred of them, at ten milliseconds each, for one.
 */
const listeners = 128;

/** Listens, on several sockets if the system lets them share a port. Resolves to the port. */
export async function listen(server: HttpServer, address: Address, isAlone: boolean): Promise<number> {
  const isShared = isAlone && process.platform === 'linux';
  // Sockets that share a port would share it with another service as well, so an exclusive one finds out if it is free.
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
