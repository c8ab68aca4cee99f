import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { serviceUnavailable } from '../core/errors.ts';
import { countInMemory, type Taken, type TakePoints } from '../http/admission/rate-counts.ts';
import type { RateLimits } from '../http/admission/rate-limits.ts';
import type { ShareMetrics } from '../http/metrics.ts';
import { IpcRequests, type Send } from './ipc.ts';

/** A worker that exits sooner than this after its start would fail again. */
export const minLifetimeMs = 2000;
const workerTimeoutMs = 1000;
/** Longer than the primary's timeout for its workers. */
const metricsTimeoutMs = 3000;
const pointsTimeoutMs = 5000;
/** The carrier may have to start. */
const carrierTimeoutMs = 15_000;

export interface LocalAccount {
  readonly accountSid: string;
  readonly authToken: string;
}

interface ClusterRequests {
  /** From a worker to the primary, which counts for all workers. */
  readonly takePoints: {
    readonly input: { readonly limit: string; readonly id: string; readonly points: number };
    readonly output: Taken;
  };
  /** From a worker to the primary: the metrics of all workers, in the Prometheus text format. */
  readonly metricsOfAll: { readonly input: null; readonly output: string };
  /** From a worker to the primary, which runs the local carrier: its address, at which it then knows the account. */
  readonly openLocalCarrier: { readonly input: LocalAccount; readonly output: string };
  /** From the primary to a worker. */
  readonly metricsOfWorker: { readonly input: null; readonly output: object[] };
}

/**
 * Runs several worker processes that share one port, and replaces workers that exit unexpectedly. This primary process
 * distributes the connections and serves no requests itself. Calls `onReady` when all workers listen.
 */
export async function runWorkers(
  {
    count,
    rateLimits,
    openLocalCarrier,
  }: {
    readonly count: number;
    readonly rateLimits: RateLimits;
    readonly openLocalCarrier: (account: LocalAccount) => Promise<string>;
  },
  logger: Logger,
  onReady: (port: number) => void,
): Promise<void> {
  cluster.setupPrimary({ exec: process.argv[1] as string, args: process.argv.slice(2) });
  serveWorkers(rateLimits, openLocalCarrier);
  let isStopping = false;
  let ready = 0;

  const start = (): void => {
    const startedAt = performance.now();
    const worker = cluster.fork();
    worker.once('listening', ({ port }) => {
      ready += 1;
      if (ready === count) onReady(port);
    });
    worker.once('exit', (code, signal) => {
      if (isStopping) {
        if (runningWorkers().length === 0) process.exit(0);
        return;
      }
      logger.error({ pid: worker.process.pid, code, signal }, 'worker exited');
      if (ready < count || performance.now() - startedAt < minLifetimeMs) {
        isStopping = true;
        for (const other of runningWorkers()) other.process.kill('SIGTERM');
        process.exit(code || 1);
      } else start();
    });
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      isStopping = true;
      for (const worker of runningWorkers()) worker.process.kill('SIGTERM');
    });
  }
  for (let number = 0; number < count; number += 1) start();
}

function runningWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

/** Runs in the primary: keeps the rate limit counts of all workers, merges their metrics, and runs the local carrier. */
function serveWorkers(rateLimits: RateLimits, openLocalCarrier: (account: LocalAccount) => Promise<string>): void {
  const requests = new IpcRequests<ClusterRequests>();
  requests.handle('openLocalCarrier', openLocalCarrier);
  const sendTo =
    (worker: Worker): Send =>
    (message, done) =>
      worker.send(message, done);

  const counts = new Map(
    Object.entries(rateLimits).flatMap(([name, limit]) => (limit === null ? [] : [[name, countInMemory(limit)]])),
  );
  requests.handle('takePoints', ({ limit, id, points }) => {
    const take = counts.get(limit);
    if (take === undefined) throw new Error(`there is no rate limit with the name ${limit}`);
    return take(id, points);
  });
  requests.handle('metricsOfAll', async () => {
    const options = { name: 'metricsOfWorker', input: null, timeoutMs: workerTimeoutMs } as const;
    const results = await Promise.allSettled(
      runningWorkers().map((worker) => requests.request(sendTo(worker), options)),
    );
    // Workers that are starting, exiting or too busy to respond are left out.
    const metrics = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const { AggregatorRegistry } = await import('@prometheus-io/client');
    return AggregatorRegistry.aggregate(metrics).metrics();
  });
  cluster.on('message', (worker, message) => requests.receive(message, sendTo(worker)));
}

/** What the primary provides to a worker: the shared rate limit count, and the metrics of all workers. */
export interface Primary {
  /** The count of the limit with this name. */
  readonly countsOf: (limit: string) => TakePoints;
  readonly shareMetrics: ShareMetrics;
  /** The address of the local carrier, which then knows this account. */
  readonly openLocalCarrier: (account: LocalAccount) => Promise<string>;
}

/** Runs in a worker. */
export function connectToPrimary(): Primary {
  const requests = new IpcRequests<ClusterRequests>();
  const send: Send = (message, done) => process.send?.(message, undefined, undefined, done);
  process.on('message', (message: Parameters<typeof requests.receive>[0]) => requests.receive(message, send));

  return {
    countsOf: (limit) => (id, points) =>
      requests
        .request(send, { name: 'takePoints', input: { limit, id, points }, timeoutMs: pointsTimeoutMs })
        .catch((error: Error) => {
          throw serviceUnavailable('The rate limit cannot be checked right now.', error);
        }),
    openLocalCarrier: (account) =>
      requests
        .request(send, { name: 'openLocalCarrier', input: account, timeoutMs: carrierTimeoutMs })
        .catch((error: Error) => {
          throw serviceUnavailable('The test carrier cannot be reached right now.', error);
        }),
    shareMetrics: (ownMetrics) => {
      requests.handle('metricsOfWorker', ownMetrics);
      return () =>
        requests
          .request(send, { name: 'metricsOfAll', input: null, timeoutMs: metricsTimeoutMs })
          .catch((error: Error) => {
            throw serviceUnavailable('The metrics of the workers cannot be read right now.', error);
          });
    },
  };
}
