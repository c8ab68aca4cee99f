import { z } from 'zod';
import type { SimulationReport, Turn } from '../../sdk/src/index.ts';
import { callLatency } from '../contract/calls/latency.ts';
import { simulationReport } from '../contract/simulations/index.ts';
import { bytesOf, maxResultBytes } from './excerpt.ts';
import type { ToolOutput } from './tool.ts';
import { linesWithin } from './transcript.ts';

const transcript = z
  .array(z.string())
  .meta({ description: 'What was said, one line per turn: when it began, by whom, and the text.' });

const { runs, passed, tookMs, failures } = simulationReport.shape;
/** The result has all its fields. The others need no description: it would be sent with every prompt. */
const latency = callLatency.pick({ turns: true, e2eMs: true }).nullable();

/** A report in which transcripts are lines of text: a model reads them as well as objects, at a tenth of the size. */
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
  const transcript = transcriptWithin(report.transcript, maxResultBytes / 2);
  let left = maxResultBytes / 2;
  const failures = report.failures
    .map((failure) => ({ ...failure, transcript: transcriptWithin(failure.transcript, maxResultBytes / 4) }))
    .filter((failure) => {
      left -= bytesOf(failure);
      return left >= 0;
    });
  const leftOut = report.failures.length - failures.length;
  return {
    runs,
    passed,
    failures,
    ...(leftOut === 0 ? {} : { failuresLeftOut: leftOut }),
    latency,
    transcript,
    tookMs,
  };
}

function transcriptWithin(turns: readonly Turn[], maxBytes: number): string[] {
  const lines = linesWithin(turns, maxBytes);
  const left = turns.length - lines.length;
  return left === 0 ? lines : [...lines, `… and ${left} more turns`];
}
