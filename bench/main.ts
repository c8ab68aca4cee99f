/**
 * `npm run bench`: measures the service against bare Node.js, against its peers, and as it grows.
 *
 *   node bench/main.ts [--quick | --short] [--only compare,large,memory,growth,workers,jobs,voice,web-calls,phone,custom-llm,providers,calls,calls-search,webhooks,workflows,analysis,knowledge,analytics,instances] [--without-peers] [--rounds 3]
 */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { measureAnalysis } from './analysis.ts';
import { measureAnalytics } from './analytics.ts';
import { measureCalls } from './calls.ts';
import { measureCallsSearch } from './calls-search.ts';
import { compare } from './compare.ts';
import { measureCustomLlm } from './custom-llm.ts';
import type { Measured, Results } from './figures.ts';
import { Generator } from './generator.ts';
import { grow } from './growth.ts';
import { measureInstances } from './instances.ts';
import { measureJobs } from './jobs.ts';
import { measureKnowledge } from './knowledge.ts';
import { Measurements } from './measurements.ts';
import { checkOpenFiles, measureMemory } from './memory.ts';
import { type Mode, modes, sectionNames } from './modes.ts';
import { preparePeers } from './peers.ts';
import { measurePhone } from './phone.ts';
import { stopAll, stopAllAtExit } from './processes.ts';
import { measureProviders } from './providers.ts';
import { measuredTable, memoryTable, sizeTable, targetTable } from './report.ts';
import { describeRun, judged, writeResults } from './results.ts';
import type { BenchContext } from './rounds.ts';
import { type Seed, seed } from './seed.ts';
import { removeWorkingCopies } from './servers.ts';
import { largeThresholds, type Target, thresholds } from './targets.ts';
import { measureTracing } from './tracing.ts';
import { measureTranscriptSearch } from './transcript-search.ts';
import { measureVoice } from './voice.ts';
import { measureWebCalls } from './web-calls.ts';
import { measureWebhooks } from './webhooks.ts';
import { compareWorkers } from './workers.ts';
import { measureWorkflows } from './workflows.ts';

const doubt = `  ?: Something else was using the processor, and the limit did not get a core to itself. That pushes the ratios
  towards 1. Until the machine is quiet, the ratios by processor time say more.
`;

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
const sections = new Set<string>(values.only?.split(',') ?? mode.sections);
const unknown = [...sections].filter((name) => !(sectionNames as readonly string[]).includes(name));

if (unknown.length > 0) {
  process.stderr.write(`No such part: ${unknown.join(', ')}. There are ${sectionNames.join(', ')}.\n`);
  process.exit(1);
}

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

/** State shared by the sections. */
interface Run {
  readonly generator: Generator;
  readonly targets: Target[];
}

async function run(): Promise<void> {
  if (sections.has('memory')) checkOpenFiles();
  const description = describeRun(modeName, mode.timing.rounds);
  process.stdout.write(`${description.date}, Node ${description.node}, ${description.cores} cores\n`);
  const run: Run = { generator: new Generator(), targets: [] };
  const compared = sections.has('compare') ? await runCompare(run) : null;
  const large = sections.has('large') ? await runLarge(run) : null;
  const memory = sections.has('memory') ? await runMemory(run) : null;
  const growth = sections.has('growth') ? await runGrowth(run) : null;
  const workers = sections.has('workers') ? await runWorkers(run) : null;
  const jobs = sections.has('jobs') ? await runJobs(run) : null;
  if (sections.has('voice')) run.targets.push(...measureVoice());
  if (sections.has('custom-llm')) run.targets.push(...(await measureCustomLlm()));
  if (sections.has('providers')) run.targets.push(...(await measureProviders()));
  if (sections.has('web-calls')) {
    run.targets.push(...(await measureWebCalls(contestOf(run), await seed(mode.comparedAgents))));
  }
  if (sections.has('tracing')) run.targets.push(...(await measureTracing(await seed(mode.comparedAgents))));
  if (sections.has('phone')) run.targets.push(...(await measurePhone(await seed(mode.comparedAgents))));
  if (sections.has('calls')) run.targets.push(...(await measureCalls(await seed(mode.comparedAgents))));
  if (sections.has('analysis')) run.targets.push(...(await measureAnalysis(await seed(mode.comparedAgents))));
  if (sections.has('calls-search')) {
    run.targets.push(...(await measureCallsSearch(mode.searchedCalls)));
    run.targets.push(...(await measureTranscriptSearch(mode.searchedTranscripts)));
  }
  if (sections.has('knowledge')) run.targets.push(...(await measureKnowledge(await seed(mode.comparedAgents))));
  if (sections.has('analytics')) run.targets.push(...(await measureAnalytics(mode.analyzedCalls)));
  if (sections.has('workflows')) run.targets.push(...(await measureWorkflows(await seed(mode.comparedAgents))));
  if (sections.has('instances')) run.targets.push(...(await measureInstances()));
  if (sections.has('webhooks')) {
    run.targets.push(...(await measureWebhooks(contestOf(run), await seed(mode.comparedAgents))));
  }

  const measured = { compared, large, memory, growth, workers, jobs };
  const results: Results = { ...description, ...measured, targets: judged(run.targets) };
  process.stdout.write(`\n${targetTable(results.targets)}\n`);
  if (results.targets.some(({ isDoubtful }) => isDoubtful)) process.stdout.write(`${doubt}\n`);
  const isWhole = compared !== null && large !== null && memory !== null && growth !== null;
  if (isWhole) for (const file of writeResults(results)) process.stdout.write(`  ${relative(process.cwd(), file)}\n`);
}

function contestOf({ generator }: Run): BenchContext {
  return { generator, timing: mode.timing, measurements: new Measurements() };
}

async function runCompare(run: Run): Promise<Results['compared']> {
  const context = contestOf(run);
  const { comparedAgents: agents, comparedWorks: works, peerWorks } = mode;
  const peers = values['without-peers'] || peerWorks.length === 0 ? [] : preparePeers();
  run.targets.push(...(await compare(context, { seed: await seed(agents), works, thresholds, peers, peerWorks })));
  const measured = context.measurements.all();
  show(`Beside the limit${peers.length > 0 ? ' and the peers' : ''}, ${agents.toLocaleString('en')} agents`, measured);
  return { agents, measured };
}

async function runLarge(run: Run): Promise<Results['large']> {
  const context = contestOf(run);
  const { largeAgents: agents } = mode;
  const works = Object.keys(largeThresholds);
  const comparison = { works, thresholds: largeThresholds, peers: [], peerWorks: [] };
  run.targets.push(...(await compare(context, { seed: await seed(agents), ...comparison })));
  const measured = context.measurements.all();
  show(`Beside the limit, ${agents.toLocaleString('en')} agents in one workspace`, measured);
  return { agents, measured };
}

async function runMemory(run: Run): Promise<Results['memory']> {
  const { memory, targets } = await measureMemory(await seed(mode.comparedAgents));
  run.targets.push(...targets);
  process.stdout.write(`\n  Resident memory\n\n${memoryTable(memory)}`);
  return memory;
}

async function runGrowth(run: Run): Promise<Results['growth']> {
  const context = contestOf(run);
  const seeds: Seed[] = [];
  for (const { agents, workspaces } of mode.grownAgents) seeds.push(await seed(agents, workspaces));
  const { targets, sizes } = await grow(context, { ...context, timing: mode.searchTiming }, seeds);
  run.targets.push(...targets);
  const measured = context.measurements.all();
  show('Growth and search', measured);
  process.stdout.write(`\n${sizeTable(sizes)}`);
  return { sizes, measured };
}

async function runWorkers(run: Run): Promise<Results['workers']> {
  const context = contestOf(run);
  const targets = await compareWorkers(context, await seed(mode.comparedAgents));
  if (targets === null) {
    process.stdout.write('\n  This version has no setting WORKERS: skipped\n');
    return null;
  }
  run.targets.push(...targets);
  const measured = context.measurements.all();
  show('WORKERS=2', measured);
  return { measured };
}

async function runJobs(run: Run): Promise<Results['jobs']> {
  const { jobs, targets } = await measureJobs(contestOf(run), await seed(mode.comparedAgents));
  run.targets.push(...targets);
  return jobs;
}

function show(title: string, measured: readonly Measured[]): void {
  process.stdout.write(`\n  ${title}\n\n${measuredTable(measured)}`);
}
