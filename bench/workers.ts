import { cpus } from 'node:os';
import { entriesOf } from './compare.ts';
import { type BenchContext, runRounds, warmUp } from './rounds.ts';
import type { Seed } from './seed.ts';
import { startProduct, workingCopy } from './servers.ts';
import { atLeast, type Target } from './targets.ts';
import { plansFor, readWorks } from './works.ts';

const twoWorkers = '2 workers';

/** Reads with two processes against one. Null if the service does not have the setting. */
export async function compareWorkers(context: BenchContext, seed: Seed): Promise<Target[] | null> {
  const two = await startProduct(seed, workingCopy(seed.databaseFile), { WORKERS: '2' });
  if (two.pids().length === 1) {
    await two.stop();
    return null;
  }
  const one = await startProduct(seed, workingCopy(seed.databaseFile));
  const works = readWorks.filter(({ id }) => id !== 'list-200');
  const entries = [
    ...entriesOf('1 process', one, await plansFor(one, seed), works),
    ...entriesOf(twoWorkers, two, await plansFor(two, seed), works),
  ];
  await warmUp(context, entries);
  await runRounds('WORKERS=2', context, entries);
  for (const server of [one, two]) await server.stop();
  return works.map(({ id, title }) => {
    const rate = context.measurements.ratio(twoWorkers, '1 process', id, 'requestsPerSecond');
    const maxRatio = maxWithAllCores(context, '1 process', id);
    const note = `at most ${maxRatio.toFixed(2)}: the cores serve the load generator, too`;
    return atLeast(`WORKERS=2 against one process, ${title}`, rate, 1.6, note);
  });
}

/** The possible speedup if every core only ran a server and its load generator. */
function maxWithAllCores({ measurements }: BenchContext, subject: string, work: string): number {
  const { length: cores } = cpus();
  const servers = measurements.median(subject, work, 'serverLoad');
  return cores / (servers + measurements.median(subject, work, 'generatorLoad'));
}
