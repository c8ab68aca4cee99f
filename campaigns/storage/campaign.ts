import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { AbortedRun, defineCampaign, type Figures, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { Load, refusalIssue } from '../load.ts';
import { residentMiB } from '../process-figures.ts';
import type { Amount, Fault, Faults } from './faults.ts';
import { createPostgresFaults } from './postgres-faults.ts';
import { createSqliteFaults } from './sqlite-faults.ts';

const clients = 8;
const maxRecoveryMs = 10_000;
const maxGrowthMiB = 250;

export const storage = defineCampaign<Amount>({
  name: 'storage',
  about:
    'The database is full, locked, disconnected, silent or down, repeatedly: at worst 503, nothing acknowledged is lost, and the service recovers without a restart.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { episodes: 120, long: 6, ownServer: 1 },
    small: { episodes: 6, long: 0, ownServer: 0 },
  },
  run: async (run) => {
    const faults = await (run.engine === 'sqlite' ? createSqliteFaults(run) : createPostgresFaults(run));
    const [key] = await makeKeys(faults.databaseUrl, [{ workspace: 'storage' }]);
    const service = await startProcess({ DATABASE_URL: faults.databaseUrl, LOG_LEVEL: 'fatal' });
    run.atEnd(() => service.end('SIGKILL'));
    return attack(run, faults, service, key?.secret as string);
  },
});

async function attack(run: Run<Amount>, faults: Faults, service: ServiceProcess, key: string): Promise<Figures> {
  const { amount, random, found } = run;
  const load = new Load({ key, name: 'agent', random: random.fork(), found, promptLength: 2000 });
  const state = { isOver: false, maxMiB: 0 };
  run.atEnd(() => {
    state.isOver = true;
  });
  const connections = Array.from({ length: clients }, () => new Connection(service.port, { timeoutMs: 60_000 }));
  const running = connections.map((connection) =>
    load.run(
      (method, path, options) => connection.request(method, path, options),
      () => state.isOver,
      { pauseMs: 20 },
    ),
  );
  const pid = service.child.pid as number;
  const firstMiB = residentMiB(pid);
  const watching = watch(run, faults, service, state);

  let maxRecoveryMs = 0;
  const struck = new Map<string, number>();
  const chosen = choose(run, faults.faults);
  for (let episode = 0; episode < amount.episodes && !run.isOver(); episode += 1) {
    await untilWritten(load, service);
    const fault = chosen[episode] as Chosen;
    await fault.strike();
    maxRecoveryMs = Math.max(maxRecoveryMs, await untilWritten(load, service, fault.name));
    struck.set(fault.name, (struck.get(fault.name) ?? 0) + 1);
    run.showProgress(`${episode + 1} faults, ${load.acknowledged} acknowledged, ${load.refused} refused`);
  }
  state.isOver = true;
  await Promise.all([...running, watching]);
  const ready = await connections[0]?.request('GET', '/readyz');
  if (ready?.status !== 200) found('not ready when everything is over');
  await load.settle((method, path, options) => (connections[0] as Connection).request(method, path, options));
  if (faults.doReadsGoOn && load.refusedReads > 0) found('reads were refused, which could have gone on');
  if (load.maxMs > faults.maxAnswerMs) found(`an answer took more than ${faults.maxAnswerMs} ms`);
  if (state.maxMiB - firstMiB > maxGrowthMiB) found(`the process grew by more than ${maxGrowthMiB} MiB`);
  const { code } = await service.end('SIGTERM');
  if (code !== 0) found(`the service ended with ${code}`);
  return {
    ...Object.fromEntries([...struck].map(([name, times]) => [`times ${name}`, times])),
    reads: load.reads,
    'reads refused': load.refusedReads,
    acknowledged: load.acknowledged,
    'writes refused': load.refused,
    'longest answer ms': Math.round(load.maxMs),
    'longest recovery ms': Math.round(maxRecoveryMs),
    'most memory MiB': Math.round(state.maxMiB),
    ...faults.figures(),
  };
}

interface Chosen {
  readonly name: string;
  strike(): Promise<void>;
}

/** Cycles through the kinds, so that even a few episodes cover several; the long ones are spread over all of them. */
function choose({ amount: { episodes, long }, seed }: Run<Amount>, faults: readonly Fault[]): Chosen[] {
  const lasting = faults.filter(({ canBeLong }) => canBeLong);
  const every = Math.ceil(episodes / Math.max(1, long));
  return Array.from({ length: episodes }, (_, episode) => {
    const isLong = long > 0 && episode % every === 1;
    const among = isLong ? lasting : faults;
    const turn = isLong ? Math.floor(episode / every) : episode;
    const fault = among[(turn + seed) % among.length] as Fault;
    return { name: isLong ? `${fault.name} for long` : fault.name, strike: () => fault.strike(isLong) };
  });
}

/** Waits until a write sent after now is acknowledged. Returns how long it took. */
async function untilWritten(load: Load, service: ServiceProcess, after?: string): Promise<number> {
  const start = performance.now();
  while (load.lastWriteSentAt < start) {
    if (service.child.exitCode !== null || service.child.signalCode !== null) {
      throw new AbortedRun(`the process ended, after: ${after ?? 'the start'}\n${service.output().slice(-2000)}`);
    }
    if (performance.now() - start > maxRecoveryMs) {
      const said = service.output().slice(-2000);
      throw new AbortedRun(`no write goes through ten seconds after: ${after ?? 'the start'}\n${said}`);
    }
    await delay(5);
  }
  return performance.now() - start;
}

/** Health is always 200; readiness is 200 or a valid 503, and stays 200 if reads continue. */
async function watch(
  run: Run<Amount>,
  faults: Faults,
  service: ServiceProcess,
  state: { isOver: boolean; maxMiB: number },
): Promise<void> {
  const health = new Connection(service.port);
  const readiness = new Connection(service.port, { timeoutMs: 60_000 });
  let checking: Promise<void> | null = null;
  const check = async (): Promise<void> => {
    try {
      const reply = await readiness.request('GET', '/readyz');
      if (reply.status === 200) return;
      if (faults.doReadsGoOn) run.found('not ready, though reads go on');
      const fault = refusalIssue(reply);
      if (fault !== null) run.found(`readyz answers ${fault}`);
    } catch (error) {
      run.found(`no answer from readyz: ${(error as Error).message}`);
    }
  };
  while (!state.isOver) {
    checking ??= check().then(() => {
      checking = null;
    });
    try {
      const { status } = await health.request('GET', '/healthz');
      if (status !== 200) run.found(`healthz answers ${status}`);
      state.maxMiB = Math.max(state.maxMiB, residentMiB(service.child.pid as number));
    } catch (error) {
      run.found(`no answer from healthz: ${(error as Error).message}`);
      await delay(500);
    }
    await delay(100);
  }
  await checking;
  health.close();
  readiness.close();
}
