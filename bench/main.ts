/**
 * `npm run bench`: how far the service is from what Node itself can do, and how far ahead of what one would use instead.
 *
 *   node bench/main.ts [--short] [--only compare,growth,workers] [--without-peers] [--rounds 3]
 */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Generator } from './generator.ts';
import { Measurements } from './measurements.ts';
import { preparePeers } from './peers.ts';
import { stopAll, stopAllAtExit } from './processes.ts';
import { measuredTable, sizeTable, targetTable } from './report.ts';
import { describeRun, judged, type Measured, type Results, writeResults } from './results.ts';
import type { Contest, Timing } from './rounds.ts';
import { compare, compareWorkers, grow } from './sections.ts';
import { type Seed, seed } from './seed.ts';
import { removeWorkingCopies } from './servers.ts';
import type { Target } from './targets.ts';

/** With the whole of a core the limit is busier than this; with less, it is not the limit. */
const quietLoad = 0.9;

interface Mode {
  readonly comparedAgents: number;
  readonly grownAgents: readonly { agents: number; workspaces: number }[];
  /** What the peers are asked to do. */
  readonly peerWorks: readonly string[];
  readonly timing: Timing;
  readonly searchTiming: Timing;
}

const short: Mode = {
  comparedAgents: 10_000,
  grownAgents: [
    { agents: 1000, workspaces: 1 },
    { agents: 100_000, workspaces: 1 },
  ],
  peerWorks: ['get', 'list-50', 'create-64'],
  timing: { rounds: 3, firstMs: 1000, warmupMs: 100, durationMs: 300 },
  searchTiming: { rounds: 1, firstMs: 200, warmupMs: 50, durationMs: 200 },
};

const full: Mode = {
  comparedAgents: 10_000,
  grownAgents: [
    { agents: 1000, workspaces: 1 },
    { agents: 100_000, workspaces: 1 },
    { agents: 1_000_000, workspaces: 1 },
    { agents: 1_000_000, workspaces: 1000 },
  ],
  peerWorks: ['get', 'list-50', 'list-200', 'first-page', 'create-64', 'create-1'],
  timing: { rounds: 5, firstMs: 6000, warmupMs: 200, durationMs: 1000 },
  searchTiming: { rounds: 3, firstMs: 500, warmupMs: 100, durationMs: 500 },
};

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: 'compare,growth,workers' },
    'without-peers': { type: 'boolean', default: false },
    rounds: { type: 'string' },
  },
});
const chosen = values.short ? short : full;
const mode = { ...chosen, timing: { ...chosen.timing, rounds: Number(values.rounds ?? chosen.timing.rounds) } };
const sections = new Set(values.only.split(','));

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
  const description = describeRun(values.short ? 'short' : 'full', mode.timing.rounds);
  process.stdout.write(`${description.date}, Node ${description.node}, ${description.cores} cores\n`);
  const generator = new Generator();
  const contestOf = (timing: Timing): Contest => ({ generator, timing, measurements: new Measurements() });
  const targets: Target[] = [];

  let compared: Results['compared'] = null;
  if (sections.has('compare')) {
    const contest = contestOf(mode.timing);
    const peers = values['without-peers'] ? [] : preparePeers();
    targets.push(...(await compare(contest, await seed(mode.comparedAgents), peers, mode.peerWorks)));
    compared = { agents: mode.comparedAgents, measured: contest.measurements.all() };
    show(`Beside the limit and the peers, ${mode.comparedAgents.toLocaleString('en')} agents`, compared.measured);
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
