import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionsOrder } from './connections.ts';
import type { Memory } from './figures.ts';
import { benchFolder, maxOpenFiles, node, residentBytesOf, start } from './processes.ts';
import type { Seed } from './seed.ts';
import { type Server, startProduct, workingCopy } from './servers.ts';
import { atMost, type Target } from './targets.ts';
import { getPlan } from './works.ts';

/** The service accepts 10,000 by default; the rest is for the connection that waited for its start. */
const connections = 9990;
/** The database, the log, and the files that Node itself has open. */
const otherFiles = 100;
/** So that garbage from the start, or from opening the connections, is not counted. */
const settleMs = 5000;
const maxIdleMb = 120;
const maxConnectedMb = 240;

export interface MemoryResult {
  readonly memory: Memory;
  readonly targets: readonly Target[];
}

/** Fails early if the system does not allow this many connections. */
export function checkOpenFiles(): void {
  const needed = connections + otherFiles;
  if (maxOpenFiles() >= needed) return;
  throw new Error(`"memory" needs ${needed} open files, and ${maxOpenFiles()} are allowed: see "ulimit -Hn"`);
}

/** Resident memory of a service that has just started, and with open but idle connections. */
export async function measureMemory(seed: Seed): Promise<MemoryResult> {
  const server = await startProduct(seed, workingCopy(seed.databaseFile));
  await delay(settleMs);
  const idleBytes = residentBytes(server);
  const connectedBytes = await residentBytesWhileConnected(server, seed);
  await server.stop();
  const count = connections.toLocaleString('en');
  return {
    memory: { agents: seed.agents, idleBytes, connections, connectedBytes },
    targets: [
      atMost('resident memory, idle', idleBytes / 1e6, maxIdleMb, 'MB'),
      atMost(`resident memory with ${count} open connections`, connectedBytes / 1e6, maxConnectedMb, 'MB'),
    ],
  };
}

async function residentBytesWhileConnected(server: Server, seed: Seed): Promise<number> {
  const holder = start(node, [join(benchFolder, 'connections.ts')], { hasChannel: true });
  const ended = once(holder.child, 'exit').then(() => {
    throw new Error(`the connections could not be kept open: ${holder.errorOutput()}`);
  });
  const order: ConnectionsOrder = { port: server.port, connections, plan: getPlan(seed) };
  const opened = once(holder.child, 'message');
  holder.child.send(order);
  await Promise.race([opened.then(() => delay(settleMs)), ended]);
  const bytes = residentBytes(server);
  await holder.stop();
  return bytes;
}

/** The memory of all processes of the service. */
function residentBytes(server: Server): number {
  return server
    .pids()
    .map(residentBytesOf)
    .reduce((sum, bytes) => sum + bytes, 0);
}
