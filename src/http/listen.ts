import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { DirectServer } from './direct-server.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** How many connections may wait to be taken; the system may allow fewer. */
const backlog = 4096;
/**
 * Node takes one new connection a turn from each listening socket. With a single one, a busy process whose turns are long
 * would keep newcomers waiting for seconds: a hundred of them, at ten milliseconds a turn, for one.
 */
const listeners = 128;

/** Listens, with as many sockets as newcomers need, where the system lets several share a port. Resolves to the port. */
export async function listen(server: FastifyInstance, address: Address, isAlone: boolean): Promise<number> {
  const isShared = isAlone && process.platform === 'linux';
  // Sockets that share a port would share it with another service as well: so whether it is free is found out without.
  const { host, port } = isShared ? await findFree(address) : address;
  const options = { host, port, backlog, ...(isShared ? { reusePort: true } : {}) };
  await server.listen(options);
  const direct = server.server as DirectServer;
  const opened = direct.address() as AddressInfo;
  for (let count = 1; isShared && count < listeners; count += 1) {
    await direct.listenAlso({ ...options, host: opened.address, port: opened.port });
  }
  return opened.port;
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
