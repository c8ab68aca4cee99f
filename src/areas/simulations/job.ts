import type { Agent } from '../../contract/agents/agent.ts';
import type { Cassette } from '../../contract/simulations/cassette.ts';
import type { SimulationScript } from '../../contract/simulations/script.ts';
import { parseSteps } from '../../contract/simulations/steps.ts';
import { shortened } from '../../core/issues.ts';
import type { Turn } from '../../voice/ports.ts';
import { modelOn, prepareSimulation, socketOn } from '../../voice/simulation/prepare.ts';
import { runSimulations, type SimulationReport } from '../../voice/simulation/report.ts';

/** What a child process is given to do. */
export interface SimulationJob {
  readonly agent: Agent;
  readonly script: SimulationScript;
  /** What models reply. */
  readonly cassette: Cassette | null;
  readonly runs: number;
  readonly seed: number;
  readonly maxMs: number;
}

/** As much as a page of a list, so that a long conversation in twenty failed runs is no larger. */
const maxReportBytes = 8 * 1024 * 1024;
const maxDescriptionLength = 2000;

/** The report as JSON in UTF-8, so that the service need not create it. */
export function performJob({ agent, script, cassette, runs, seed, maxMs }: SimulationJob): Uint8Array | 'time' {
  const start = performance.now();
  const isOver = () => performance.now() - start > maxMs;
  const { steps } = parseSteps(script.steps);
  const simulation = prepareSimulation(
    agent,
    script,
    steps,
    cassette && modelOn(cassette),
    cassette && socketOn(cassette),
  );
  const report = runSimulations(simulation, { runs, seed, isOver });
  if (report === null) return 'time';
  const tookMs = Math.round(performance.now() - start);
  return new TextEncoder().encode(JSON.stringify(boundedReport(report, tookMs, maxReportBytes)));
}

/** Half of the bytes are for the first transcript, the other half for as many failures as fit. */
export function boundedReport(report: SimulationReport, tookMs: number, maxBytes: number) {
  const { runs, passed, latency, path, routes } = report;
  const { turns: transcript } = turnsWithin(report.transcript, maxBytes / 2);
  const failures: Omit<SimulationReport['failures'][number], 'endReason'>[] = [];
  let left = maxBytes / 2;
  for (const { seed, step, expected, saw, transcript: all } of report.failures) {
    if (left <= 0) break;
    const { turns, bytes } = turnsWithin(all, left);
    left -= bytes + 2 * maxDescriptionLength;
    failures.push({ seed, step, expected: described(expected), saw: described(saw), transcript: turns });
  }
  return { runs, passed, failures, latency, transcript, path, routes, tookMs };
}

function described(text: string): string {
  return shortened(text, maxDescriptionLength);
}

/** The turns from the first one that fit. */
function turnsWithin(turns: readonly Turn[], maxBytes: number): { readonly turns: Turn[]; readonly bytes: number } {
  let bytes = 0;
  const kept: Turn[] = [];
  for (const turn of turns) {
    bytes += Buffer.byteLength(JSON.stringify(turn));
    if (bytes > maxBytes) break;
    kept.push(turn);
  }
  return { turns: kept, bytes };
}
