import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresServer } from '../../test/support/postgres-server.ts';
import type { Run } from '../campaign.ts';
import { Instances } from '../repeat/instances.ts';
import { NetworkProxy } from '../storage/network-proxy.ts';
import type { Stop } from './asks.ts';
import { urlOfProcess } from './ownership.ts';

export type Amounts = {
  /** Processes on one database, at least and at most. */
  readonly minInstances: number;
  readonly maxInstances: number;
  readonly kills: number;
  /** SIGTERM. */
  readonly stops: number;
  /** SIGSTOP, and SIGCONT after up to `maxPauseMs`. */
  readonly pauses: number;
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
  /** One instance cannot reach the database for up to `maxPauseMs`, while the others can. */
  readonly partitions: number;
  /** Connections to the database are reset, those of one instance or of all. */
  readonly resets: number;
  readonly databaseRestarts: number;
  readonly maxGapMs: number;
};

const kinds = ['kill', 'stop', 'pause', 'partition', 'reset', 'databaseRestart'] as const;
type Kind = (typeof kinds)[number];

/** Longer than what an instance may take to stop by its documentation. */
const maxStopMs = 30_000;

export interface Cluster {
  readonly instances: Instances;
  /** The address of the database for those who look on. */
  readonly databaseUrl: string;
  readonly counts: Record<Kind, number>;
  readonly stops: Stop[];
  /** When something was done to a process or to the database. */
  readonly faultsMs: number[];
  /** Does everything that is planned, at most to all instances but one at the same time. */
  attack(): Promise<void>;
}

/** Instances with a database server of their own, each behind a proxy that can cut its connections. */
export async function openCluster(
  run: Run<Amounts>,
  { file, settings }: { readonly file: string; readonly settings: (databaseUrl: string) => Record<string, string> },
  prepare: (databaseUrl: string) => Promise<void>,
): Promise<Cluster> {
  const { amount, random } = run;
  const server = await createPostgresServer();
  run.atEnd(() => server.remove());
  await prepare(server.url);
  const count = random.int(amount.minInstances, amount.maxInstances);
  const proxies = await Promise.all(
    Array.from({ length: count }, async () => {
      const proxy = new NetworkProxy(new URL(server.url));
      await proxy.open();
      run.atEnd(() => proxy.cut());
      return proxy;
    }),
  );
  const starts = proxies.map(() => 0);
  const nameOf = (place: number) => `process-${place}-${starts[place]}`;
  const settingsOf = (place: number): Record<string, string> => {
    starts[place] = (starts[place] ?? 0) + 1;
    const name = nameOf(place);
    return { ...settings(urlOfProcess(proxies[place]?.url ?? '', name)), OPENAI_API_KEY: name };
  };
  const instances = new Instances(settingsOf, { file });
  run.atEnd(() => instances.end());
  await instances.start(count);

  const counts = { kill: 0, stop: 0, pause: 0, partition: 0, reset: 0, databaseRestart: 0 };
  const stops: Stop[] = [];
  const faultsMs: number[] = [];
  const disturbed = new Set<number>();

  const strike: Record<Kind, (place: number) => Promise<void>> = {
    kill: async (place) => {
      instances.kill(place);
      while (!instances.isUp(place)) await delay(20);
    },
    stop: async (place) => {
      const ended = await instances.stop(place);
      if (ended !== null && ended.code !== 0) run.found(`an instance that was told to stop ended with ${ended.code}`);
      if (ended !== null && ended.afterMs > maxStopMs) run.found('an instance took too long to stop');
      while (!instances.isUp(place)) await delay(20);
    },
    pause: async (place) => {
      const process = nameOf(place);
      const fromMs = Date.now();
      await instances.pause(place, random.int(amount.minPauseMs, amount.maxPauseMs));
      stops.push({ process, fromMs, toMs: Date.now() });
    },
    partition: async (place) => {
      const proxy = proxies[place] as NetworkProxy;
      if (random.chance(0.5)) {
        await proxy.cut();
        await delay(random.int(amount.minPauseMs, amount.maxPauseMs));
        await proxy.open();
      } else {
        proxy.stall();
        await delay(random.int(amount.minPauseMs, amount.maxPauseMs));
        // What was on its way arrives after others have taken over.
        proxy.unstall({ isForgetful: random.chance(0.5) });
      }
    },
    reset: async () => {
      const chosen = random.chance(0.3) ? proxies : [random.pick(proxies)];
      const share = random.pick([0.3, 1]);
      for (const proxy of chosen) proxy.reset(() => random.chance(share));
    },
    databaseRestart: async () => {
      await server.stop(random.pick(['SIGINT', 'SIGQUIT']));
      await delay(random.int(0, 500));
      await server.start();
    },
  };

  const noteWhile = async (work: Promise<void>): Promise<void> => {
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      faultsMs.push(Date.now());
      await Promise.race([over, delay(500)]);
    }
    faultsMs.push(Date.now());
    await over;
  };

  const attack = async (): Promise<void> => {
    const planned: Kind[] = random.shuffled([
      ...Array.from({ length: amount.kills }, () => 'kill' as const),
      ...Array.from({ length: amount.stops }, () => 'stop' as const),
      ...Array.from({ length: amount.pauses }, () => 'pause' as const),
      ...Array.from({ length: amount.partitions }, () => 'partition' as const),
      ...Array.from({ length: amount.resets }, () => 'reset' as const),
      ...Array.from({ length: amount.databaseRestarts }, () => 'databaseRestart' as const),
    ]);
    const striking: Promise<void>[] = [];
    for (const kind of planned) {
      await delay(random.int(0, amount.maxGapMs));
      if (run.isOver()) break;
      counts[kind] += 1;
      if (kind === 'reset' || kind === 'databaseRestart') {
        // A restart of the database is one at a time; what is done to instances goes on.
        await noteWhile(strike[kind](0));
        continue;
      }
      // One instance is always left alone, so that there is somebody to take over.
      while (disturbed.size >= count - 1) await delay(20);
      const free = proxies.map((_, place) => place).filter((place) => !disturbed.has(place) && instances.isUp(place));
      const place = random.pick(free);
      disturbed.add(place);
      const struck = noteWhile(strike[kind](place)).finally(() => disturbed.delete(place));
      // It is waited for at the end, where a failure ends the run.
      struck.catch(() => {});
      striking.push(struck);
    }
    await Promise.all(striking);
    await instances.allUp();
  };
  return { instances, databaseUrl: server.url, counts, stops, faultsMs, attack };
}
