import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { RunSimulation } from '../../../sdk/src/schema.ts';
import { type Cassette, cassette } from '../../contract/simulations/cassette.ts';
import { check } from '../../core/issues.ts';
import { modelOn, prepareSimulation, socketOn } from '../../voice/simulation/prepare.ts';
import { runSimulations, type SimulationReport } from '../../voice/simulation/report.ts';
import { runSimulation } from '../../voice/simulation/simulation.ts';
import { fieldName } from '../as-code/agent-file.ts';
import { formatOf, type Path } from '../as-code/document.ts';
import { connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { checkedId, checkedVersion } from '../resources/ids.ts';
import { createProgress, watched } from '../terminal/progress.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import { isAgentId, type LocalAgent, loadAgent, requireNoModel, type SimulateOptions } from './agent-source.ts';
import { describeResult, describeSummary, hasFailed, type ScriptResult } from './report.ts';
import { isOtherResource, readScriptFile, ScriptError, type ScriptFile } from './script-file.ts';

/** For all runs of one script. */
const maxMs = 60_000;

/** Runs scripts and prints what happened. */
export async function runScripts(
  paths: readonly string[],
  options: SimulateOptions,
  context: CommandContext,
): Promise<void> {
  const { stdout, stderr, setExitCode } = context;
  const scripts = await readScripts(paths);
  const recorded = options.cassette === undefined ? null : await readCassette(options.cassette);
  const agents = new Map<string, LocalAgent>();
  const progress = createProgress('Simulating', stderr);
  const results: ScriptResult[] = [];
  for (const script of scripts) {
    const target = targetOf(script, options);
    const result = await watched(progress, async () => {
      if (isAgentId(target)) return runOnService(script, target, recorded, options, context);
      // Several scripts of an agent load it once.
      const local = agents.get(target) ?? (await loadAgent(target, options, context));
      agents.set(target, local);
      return runHere({ script, target, local, recorded }, options, (run) => progress.show(run, options.runs));
    });
    results.push(result);
    if (options.json) await print(stdout, jsonLine(reportLine(result, options)));
    // If there are several scripts, only those that failed are shown in full.
    else if (scripts.length === 1 || hasFailed(result)) {
      await print(stdout, `${describeResult(result, options, stdout)}${scripts.length === 1 ? '' : '\n'}`);
    }
  }
  if (scripts.length > 1 && !options.json) await print(stdout, describeSummary(results, stdout));
  if (results.some(hasFailed)) setExitCode(exitCodes.failed);
}

/** All scripts are read before the first one runs, so that their mistakes are reported together. */
async function readScripts(paths: readonly string[]): Promise<ScriptFile[]> {
  const files = (await Promise.all(paths.map(filesIn))).flat();
  const read = await Promise.allSettled(files.map(readScriptFile));
  const errors = read.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const other = errors.find((error) => !(error instanceof ScriptError));
  if (other !== undefined) throw other;
  const invalid = errors as ScriptError[];
  if (invalid.length > 0) throw new ScriptError(invalid.flatMap(({ lines }) => lines));
  return read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/** JSON of a program that lies next to scripts. */
const isOfProgram = /(?:^|[/\\])(?:node_modules[/\\].*|package(?:-lock)?\.json|tsconfig(?:\.\w+)?\.json)$/;

/** A folder stands for the scripts in it and below. Agents, workflows and programs may be there as well. */
async function filesIn(path: string): Promise<string[]> {
  if (!((await stat(path).catch(() => null))?.isDirectory() ?? false)) return [path];
  const names = (await readdir(path, { recursive: true })).toSorted();
  const files: string[] = [];
  for (const name of names) {
    const isOther = /(?:^|[/\\])\./.test(name) || isOfProgram.test(name) || formatOf(name) === null;
    const file = join(path, name);
    if (isOther || !(await stat(file)).isFile() || (await isOtherResource(file))) continue;
    files.push(file);
  }
  if (files.length > 0) return files;
  throw invalidUsage(`there are no scripts in ${visible(path)}`);
}

/** `--agent`, or the agent of the script, which is relative to it. */
export function targetOf({ file, script }: ScriptFile, { agent }: SimulateOptions): string {
  if (agent !== undefined) return agent;
  if (script.agent === undefined) {
    throw invalidUsage(`no agent: use --agent, or add a line such as "agent: agent.yaml" to ${visible(file)}`);
  }
  return isAgentId(script.agent) ? script.agent : relative('', resolve(dirname(file), script.agent));
}

async function runOnService(
  script: ScriptFile,
  target: string,
  recorded: Cassette | null,
  options: SimulateOptions,
  { environment }: CommandContext,
): Promise<ScriptResult> {
  const agentId = checkedId('agent', target);
  const version = checkedVersion(options.version ?? 'latest', '--version');
  const { client } = await connect(options, environment);
  const { runs, seed } = options;
  const report = await client.simulations.run({
    agentId,
    agentVersion: /^\d/.test(version) ? Number(version) : version,
    script: script.script as RunSimulation['script'],
    runs,
    seed,
    ...(recorded === null ? {} : { cassette: recorded as RunSimulation['cassette'] & object }),
  });
  // What is said is known, and not how the call ended.
  return { script, target, agentName: '', report: report as unknown as SimulationReport, end: null };
}

interface LocalRun {
  readonly script: ScriptFile;
  readonly target: string;
  readonly local: LocalAgent;
  /** The recorded replies of a model, if any. */
  readonly recorded: Cassette | null;
}

function runHere(
  { script, target, local, recorded }: LocalRun,
  { runs, seed }: SimulateOptions,
  onRun: (run: number) => void,
): ScriptResult {
  if (recorded === null) requireNoModel(local);
  const newLlm = recorded && modelOn(recorded);
  const newSocket = recorded && socketOn(recorded);
  const simulation = prepareSimulation(local.agent, script.script, script.steps, newLlm, newSocket);
  const start = performance.now();
  let run = 0;
  const isOver = () => {
    run += 1;
    onRun(run);
    return performance.now() - start > maxMs;
  };
  const report = runSimulations(simulation, { runs, seed, isOver });
  if (report === null) {
    const seconds = maxMs / 1000;
    throw invalidUsage(
      `${visible(script.file)}: only ${run} of ${runs} runs finished in ${seconds} seconds: use fewer --runs`,
    );
  }
  const { endReason, durationMs } = runSimulation(simulation, report.failures[0]?.seed ?? seed);
  const end = { reason: endReason ?? 'the script is over', atMs: durationMs };
  return { script, target, agentName: local.name, report, end };
}

/** Without anything that differs from one execution to the next: the same seed has the same bytes. */
export function reportLine({ script, target, report }: ScriptResult, { seed }: SimulateOptions) {
  // A service does not say how the calls ended.
  const { runs, passed, failures, latency, endReason, transcript } = report;
  return { file: script.file, agent: target, seed, runs, passed, failures, latency, endReason, transcript };
}

/** The recorded replies of a model, from a JSON file. */
async function readCassette(path: string): Promise<Cassette> {
  const invalid = (message: string) => invalidUsage(`${visible(path)}: ${message}`);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw invalid('file not found');
    if (error instanceof SyntaxError) throw invalid('is not a JSON file');
    throw error;
  }
  const result = check(cassette, value);
  if ('value' in result) return result.value;
  const lines = result.issues.map(({ path: at, message }) => `  ${visible(fieldName(at as Path))} ${message}`);
  throw invalid(`this is not a valid cassette\n${lines.join('\n')}`);
}
