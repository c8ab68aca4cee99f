/**
 * `npm run bench`: measures the service against bare Node.js, against its peers, and as it grows.
 *
 *   node bench/main.ts [--quick | --short] [--only compare,growth,workers] [--without-peers] [--rounds 3]
 */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './compare.ts';
import { Generator } from './generator.ts';
import { Measurements } from './measurements.ts';
import { type Mode, modes } from './modes.ts';
import { preparePeers } from './peers.ts';
import { stopAll, stopAllAtExit } from './processes.ts';
import { measuredTable, sizeTable, targetTable } from './report.ts';
import { describeRun, judged, type Measured, type Results, writeResults } from './results.ts';
import type { Contest, Timing } from './rounds.ts';
import { compareWorkers, grow } from './sections.ts';
import { type Seed, seed } from './seed.ts';
import { removeWorkingCopies } from './servers.ts';
import { type Target, thresholds } from './targets.ts';

/** With the whole of a core the limit is busier than this; with less, it is not the limit. */
const quietLoad = 0.9;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    'without-peers': { type: 'boolean', default: false },
    rounds: { type: 'string' },
  },
});
const modeName = values.quick ? 'quick' : values.short ? 'short' : 'full';
const chosen = modes[modeName];
const mode: Mode = { ...chosen, timing: { ...chosen.timing, rounds: Number(values.rounds ?? chosen.timing.rounds) } };
const sections = new Set(values.only?.split(',') ?? mode.sections);

if (process.platform !== 'linux') {
  process.stderr.write('The bench reads processor times from /proc: it runs on Linux only.\n');
  process.exit(1);
}
stopAllAtExit();
process.on('exit', removeWorkingCopies);
try {
  await run();
} catch (error) {
  process.stderr.write(`\nThe bench has failed: ${(error as Error).stack}\n`);
  process.exitCode = 1;
} finally {
  await stopAll();
}

async function run(): Promise<void> {
  const description = describeRun(modeName, mode.timing.rounds);
  process.stdout.write(`${description.date}, Node ${description.node}, ${description.cores} cores\n`);
  const generator = new Generator();
  const contestOf = (timing: Timing): Contest => ({ generator, timing, measurements: new Measurements() });
  const targets: Target[] = [];

  let compared: Results['compared'] = null;
  if (sections.has('compare')) {
    const contest = contestOf(mode.timing);
    const { comparedWorks: works, peerWorks } = mode;
    const peers = values['without-peers'] || peerWorks.length === 0 ? [] : preparePeers();
    const seeded = await seed(mode.comparedAgents);
    targets.push(...(await compare(contest, { seed: seeded, works, thresholds, peers, peerWorks })));
    compared = { agents: mode.comparedAgents, measured: contest.measurements.all() };
    show(
      `Beside the limit${peers.length > 0 ? ' and the peers' : ''}, ${mode.comparedAgents.toLocaleString('en')} agents`,
      compared.measured,
    );
  }

  let growth: Results['growth'] = null;
  if (sections.has('growth')) {
    const contest = contestOf(mode.timing);
    const seeds: Seed[] = [];
    for (const { agents, workspaces } of mode.grownAgents) seeds.push(await seed(agents, workspaces));
    const grown = await grow(contest, { ...contest, timing: mode.searchTiming }, seeds);
    targets.push(...grown.targets);
    growth = { sizes: grown.sizes, measured: contest.measurements.all() };
    show('Growth and search', growth.measured);
    process.stdout.write(`\n${sizeTable(growth.sizes)}`);
  }

  let workers: Results['workers'] = null;
  if (sections.has('workers')) {
    const contest = contestOf(mode.timing);
    const workerTargets = await compareWorkers(contest, await seed(mode.comparedAgents));
    if (workerTargets === null) process.stdout.write('\n  WORKERS is no setting of this version: skipped\n');
    else {
      targets.push(...workerTargets);
      workers = { measured: contest.measurements.all() };
      show('WORKERS=2', workers.measured);
    }
  }

  const results: Results = { ...description, compared, growth, workers, targets: judged(targets) };
  process.stdout.write(`\n${targetTable(results.targets)}\n`);
  const isWhole = compared !== null && growth !== null;
  if (isWhole) for (const file of writeResults(results)) process.stdout.write(`  ${relative(process.cwd(), file)}\n`);
}

function show(title: string, measured: readonly Measured[]): void {
  process.stdout.write(`\n  ${title}\n\n${measuredTable(measured)}`);
  // With one connection there is one request at a time, and nobody is busy.
  const limits = measured.filter(({ contestant, work }) => contestant === 'limit' && work !== 'create-1');
  if (limits.some(({ medians }) => medians.serverLoad < quietLoad)) {
    process.stdout.write(
      '\n  The limit did not get a core to itself: something else is running. Trust the processor times, not the rates.\n',
    );
  }
}
