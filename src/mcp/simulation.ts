import { z } from 'zod';
import type { SimulationReport, Turn } from '../../sdk/src/index.ts';
import { callLatency } from '../contract/calls/latency.ts';
import { simulationReport } from '../contract/simulations/index.ts';
import { firstThatFit, maxResultBytes } from './excerpt.ts';
import type { ToolOutput } from './tool.ts';
import { linesWithin, transcript } from './transcript.ts';

const { runs, passed, tookMs, failures } = simulationReport.shape;
/** The result has all its fields. The others need no description: it would be sent with every prompt. */
const latency = callLatency.pick({ turns: true, e2eMs: true }).nullable();

/** A report in which transcripts are lines of text. */
export const simulationOutput = z.object({
  runs,
  passed,
  failures: z.array(failures.element.omit({ transcript: true }).extend({ transcript })).meta(failures.meta() ?? {}),
  failuresLeftOut: z
    .number()
    .optional()
    .meta({ description: 'The number of failures left out because the result would be too long.' }),
  latency,
  transcript: transcript.meta({ description: 'What was said in the first run.' }),
  tookMs,
});

export function simulationResult(report: SimulationReport): ToolOutput {
  const { runs, passed, latency, tookMs } = report;
  const half = maxResultBytes / 2;
  const all = report.failures.map((failure) => ({
    ...failure,
    transcript: transcriptWithin(failure.transcript, half / 2),
  }));
  const failures = firstThatFit(all, half);
  const left = all.length - failures.length;
  const failuresLeftOut = left === 0 ? {} : { failuresLeftOut: left };
  return {
    runs,
    passed,
    failures,
    ...failuresLeftOut,
    latency,
    transcript: transcriptWithin(report.transcript, half),
    tookMs,
  };
}

function transcriptWithin(turns: readonly Turn[], maxBytes: number): string[] {
  const lines = linesWithin(turns, maxBytes);
  const left = turns.length - lines.length;
  return left === 0 ? lines : [...lines, `… and ${left} more turns`];
}
