import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { Load, type Send } from '../load.ts';
import type { Random } from '../random.ts';
import { Upstreams } from './upstreams.ts';

type Amount = { readonly restarts: number; readonly lanes: number };

const checkEveryMs = 75;
const failTimeoutMs = 300;
const clientsOfProxy = 5;
const clientsOfInstance = 3;
/** Containers are killed after ten seconds. */
const maxStopMs = 10_000;
/** Less than the second after which an unused connection may be closed. */
const maxRestMs = 700;

interface Tally {
  restarts: number;
  withWorkers: number;
  acknowledged: number;
  reads: number;
  direct: number;
  passedOn: number;
  maxStopMs: number;
}

/**
 * Pairs of instances on one database behind one proxy, which are restarted alternately. In half of the pairs the proxy
 * checks readiness. In the others it relies on refused connections, like deploy/nginx.conf, and direct clients use the
 * instance that is stopped.
 */
export const drain = defineCampaign<Amount>({
  name: 'drain',
  about:
    'Instances behind a proxy are restarted alternately under load: every request gets exactly one complete response.',
  runsOn: ['sqlite', 'postgres'],
  amounts: { full: { restarts: 150, lanes: 6 }, small: { restarts: 2, lanes: 2 } },
  run: async (run) => {
    const { amount } = run;
    const tally: Tally = {
      restarts: 0,
      withWorkers: 0,
      acknowledged: 0,
      reads: 0,
      direct: 0,
      passedOn: 0,
      maxStopMs: 0,
    };
    let begun = 0;
    const beginRestart = (): boolean => {
      if (run.isOver() || begun >= amount.restarts) return false;
      begun += 1;
      return true;
    };
    const lanes = Array.from({ length: amount.lanes }, (_, lane) =>
      runLane(run, { lane, random: run.random.fork(), beginRestart, tally }),
    );
    await Promise.all(lanes);
    return {
      restarts: tally.restarts,
      'with workers': tally.withWorkers,
      reads: tally.reads,
      acknowledged: tally.acknowledged,
      'asked directly': tally.direct,
      'passed on by the proxy': tally.passedOn,
      'longest stop ms': Math.round(tally.maxStopMs),
    };
  },
});

interface Lane {
  readonly lane: number;
  readonly random: Random;
  readonly beginRestart: () => boolean;
  readonly tally: Tally;
}

async function runLane(run: Run<Amount>, { lane, random, beginRestart, tally }: Lane): Promise<void> {
  const databaseUrl = await run.newDatabaseUrl();
  const [key] = await makeKeys(databaseUrl, [{ workspace: 'drain' }]);
  const secret = key?.secret as string;
  const checksReadiness = lane % 2 === 0;
  const start = (port: number, workers = '1'): Promise<ServiceProcess> =>
    startProcess({
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      WORKERS: workers,
      LOG_LEVEL: 'warn',
      RATE_LIMIT: 'off',
    });
  const ports = [await freePort(), await freePort()];
  const instances = await Promise.all(ports.map((port) => start(port)));
  run.atEnd(() => Promise.all(instances.map((instance) => instance.end('SIGKILL'))));
  const proxy = new Upstreams(ports, { checkEveryMs: checksReadiness ? checkEveryMs : null, failTimeoutMs });
  run.atEnd(() => proxy.close());

  const load = new Load({ key: secret, name: 'proxied', random: random.fork(), found: run.found });
  const direct = new Load({ key: secret, name: 'direct', random: random.fork(), found: run.found });
  let isOver = false;
  run.atEnd(() => {
    isOver = true;
  });
  let resting = Promise.resolve();
  const clients = Array.from({ length: clientsOfProxy }, () =>
    load.run(
      async (method, path, options) => {
        await resting;
        return proxy.request(method, path, options);
      },
      () => isOver,
    ),
  );
  // Sometimes all clients pause and resume at once, on connections that have been idle for a while.
  const rests = (async () => {
    for (const rest = random.fork(); !isOver; ) {
      await delay(rest.int(100, 800));
      resting = delay(rest.int(20, 300)).then(() => {});
    }
  })();

  for (let place = 0; beginRestart(); place = 1 - place) {
    const port = ports[place] as number;
    const old = instances[place] as ServiceProcess;
    const stopped = { isStopped: false };
    const directClients = checksReadiness
      ? []
      : await startDirectClients(port, direct, random, () => stopped.isStopped);
    await delay(random.int(20, 150));
    const { code, afterMs } = await old.end('SIGTERM');
    stopped.isStopped = true;
    await Promise.all(directClients);
    if (code !== 0) run.found(`an instance ended with ${code} after SIGTERM`);
    if (afterMs > maxStopMs) run.found('an instance took more than ten seconds to stop');
    const [errorLine] = /^.*"level":"(?:error|fatal)".*$/m.exec(old.output()) ?? [];
    if (errorLine !== undefined) run.found(`an instance logged ${errorLine}`);
    tally.maxStopMs = Math.max(tally.maxStopMs, afterMs);
    const workers = random.chance(0.2) ? '2' : '1';
    instances[place] = await start(port, workers);
    while (!proxy.isUp(port)) await delay(10);
    tally.restarts += 1;
    if (workers === '2') tally.withWorkers += 1;
    run.showProgress(`${tally.restarts} restarts`);
  }
  isOver = true;
  await Promise.all([...clients, rests]);
  const viaProxy: Send = (method, path, options) => proxy.request(method, path, options);
  await load.settle(viaProxy);
  await direct.settle(viaProxy);
  tally.acknowledged += load.acknowledged + direct.acknowledged;
  tally.reads += load.reads + direct.reads;
  tally.direct += direct.acknowledged + direct.reads;
  tally.passedOn += proxy.passedOn;
  proxy.close();
  await Promise.all(instances.map((instance) => instance.end('SIGTERM')));
}

/**
 * Direct clients of one instance, each on one connection, until a response closes it. Every request before that must
 * get a response. One client pauses first, while the others receive `Connection: close`.
 */
async function startDirectClients(port: number, load: Load, random: Random, isStopped: () => boolean) {
  const connections = Array.from({ length: clientsOfInstance }, () => new Connection(port));
  await Promise.all(connections.map((connection) => connection.request('GET', '/api/v1/agents/none')));
  const start = performance.now();
  return connections.map(async (connection, number) => {
    let isClosed = false;
    let hasSent = false;
    const send: Send = async (method, path, options) => {
      hasSent = true;
      const reply = await connection.request(method, path, options);
      isClosed = reply.headers.get('connection')?.toLowerCase() === 'close';
      return reply;
    };
    if (number === 0) {
      await delay(random.int(100, maxRestMs));
      // If this process itself stalled for longer, the connection may have been closed as idle.
      if (performance.now() - start > 1.2 * maxRestMs) hasSent = true;
    }
    await load.run(send, () => isClosed || (isStopped() && hasSent));
    connection.close();
  });
}
