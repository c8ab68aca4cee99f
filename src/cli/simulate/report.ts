import type { CallLatency } from '../../voice/latency.ts';
import type { SimulationReport } from '../../voice/simulation/report.ts';
import { paint } from '../context.ts';
import { counted, visible } from '../terminal/text.ts';
import { type CallEnd, describeTranscript } from '../terminal/transcript.ts';
import type { SimulateOptions } from './agent-source.ts';
import type { ScriptFile } from './script-file.ts';

/** The result of one script. */
export interface ScriptResult {
  readonly script: ScriptFile;
  /** The file or the id of the agent. */
  readonly target: string;
  /** Empty if it is not known. */
  readonly agentName: string;
  readonly report: SimulationReport;
  /** The end of the run that is shown; null if it is not known. */
  readonly end: CallEnd | null;
}

type Failure = SimulationReport['failures'][number];

const maxSeeds = 10;

export function hasFailed({ report }: ScriptResult): boolean {
  return report.passed < report.runs;
}

/** Everything about one script: the conversation, what was expected of it, and how long the agent took. */
export function describeResult(result: ScriptResult, options: SimulateOptions, stream: NodeJS.WriteStream): string {
  const { script, target, agentName, report, end } = result;
  const [failure] = report.failures;
  const seed = failure?.seed ?? options.seed;
  const title = `${paint('bold', visible(script.file), stream)}  ${visible(agentName || target)}  ${paint('gray', `seed ${seed}`, stream)}`;
  return [
    `${title}\n\n`,
    describeTranscript(failure?.transcript ?? report.transcript, end, stream),
    '\n',
    describeExpectations(result, stream),
    describeTotals(report, stream),
    failure === undefined ? '' : `\nReproduce it with:\n  ${commandFor(result, failure.seed, options)}\n`,
  ].join('');
}

/** One line per script, for several of them. */
export function describeSummary(results: readonly ScriptResult[], stream: NodeJS.WriteStream): string {
  const failed = results.filter(hasFailed);
  const lines = results.map((result) => {
    const { runs, passed } = result.report;
    const isFailed = hasFailed(result);
    const mark = isFailed ? paint('red', '✖', stream) : paint('green', '✔', stream);
    const count = runs === 1 ? '' : paint('gray', `  ${passed} of ${runs} runs`, stream);
    return `${mark} ${visible(result.script.file)}${count}\n`;
  });
  const verdict =
    failed.length === 0
      ? paint('green', `All ${results.length} scripts passed.`, stream)
      : paint('red', `${failed.length} of ${results.length} scripts failed.`, stream);
  return `${lines.join('')}\n${verdict}\n`;
}

function describeExpectations(result: ScriptResult, stream: NodeJS.WriteStream): string {
  const { script, report } = result;
  const isExpectation = (line: string) => line.trim().startsWith('expect ');
  const total = script.script.steps.filter(isExpectation).length;
  const [failure] = report.failures;
  if (failure === undefined) {
    return total === 0
      ? paint('yellow', '! the script expects nothing of the agent\n', stream)
      : paint('green', `✔ ${counted(total, 'expectation')} passed\n`, stream);
  }
  const before = script.script.steps.slice(0, failure.step).filter(isExpectation).length;
  const passed = before === 0 ? '' : paint('green', `✔ ${counted(before, 'expectation')} passed\n`, stream);
  return `${passed}${byStep(report.failures)
    .map((failures) => describeFailure(failures, script, stream))
    .join('')}`;
}

/** The same step can fail in many runs, and is shown once. */
function byStep(failures: readonly Failure[]): Failure[][] {
  return [...Map.groupBy(failures, ({ step, expected }) => `${step} ${expected}`).values()];
}

function describeFailure(failures: readonly Failure[], script: ScriptFile, stream: NodeJS.WriteStream): string {
  const [{ step, expected, saw }] = failures as [Failure];
  const line = script.script.steps[step]?.trim() ?? '';
  const seeds = failures.slice(0, maxSeeds).map(({ seed }) => seed);
  const more = failures.length > maxSeeds ? ', …' : '';
  return [
    `${paint('red', '✖', stream)} ${script.placeOf(step)}  ${paint('bold', visible(line), stream)}\n`,
    `    expected  ${visible(expected)}\n`,
    `    saw       ${paint('red', visible(saw), stream)}\n`,
    paint('gray', `    ${(seeds.length === 1 ? 'seed' : 'seeds').padEnd(8)}  ${seeds.join(', ')}${more}\n`, stream),
  ].join('');
}

function describeTotals({ runs, passed, latency }: SimulationReport, stream: NodeJS.WriteStream): string {
  const verdict =
    passed === runs
      ? paint('green', `${counted(runs, 'run')} passed`, stream)
      : paint('red', `${runs - passed} of ${counted(runs, 'run')} failed`, stream);
  return `${verdict}${paint('gray', describeLatency(latency), stream)}\n`;
}

function describeLatency(latency: CallLatency | null): string {
  const e2e = latency?.e2eMs ?? null;
  return e2e === null ? '' : `  ·  latency p50 ${e2e.p50} ms, p95 ${e2e.p95} ms`;
}

/** What the user can paste to see the failed run again, and only that. */
export function commandFor(
  { script, target }: Pick<ScriptResult, 'script' | 'target'>,
  seed: number,
  { version, agent }: SimulateOptions,
): string {
  const words = [
    'voice-agents',
    'simulate',
    quoted(script.file),
    ...(agent === undefined ? [] : ['--agent', quoted(target)]),
    ...(version === undefined ? [] : ['--version', version]),
    '--seed',
    String(seed),
  ];
  return words.join(' ');
}

function quoted(word: string): string {
  const shown = visible(word);
  return /^[\w./@:%+=,\p{L}-]+$/u.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}
