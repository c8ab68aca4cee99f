import { z } from 'zod';
import type { SimulationReport, Turn } from '../../sdk/src/index.ts';
import { simulationReport } from '../contract/simulations.ts';
import { bytesOf, maxResultBytes } from './excerpt.ts';
import type { ToolOutput } from './tool.ts';

const transcript = z
  .array(z.string())
  .meta({ description: 'What was said, one line per turn: when it began, by whom, and the text.' });

const { runs, passed, latency, tookMs, failures } = simulationReport.shape;

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
  const transcript = linesWithin(report.transcript, maxResultBytes / 2);
  let left = maxResultBytes / 2;
  const failures = report.failures
    .map((failure) => ({ ...failure, transcript: linesWithin(failure.transcript, maxResultBytes / 4) }))
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

function linesWithin(turns: readonly Turn[], maxBytes: number): string[] {
  let left = maxBytes;
  const lines: string[] = [];
  for (const turn of turns) {
    const line = lineOf(turn);
    left -= bytesOf(line);
    if (left < 0) return [...lines, `… and ${turns.length - lines.length} more turns`];
    lines.push(line);
  }
  return lines;
}

function lineOf({ role, startMs, text, interrupted, unspokenText, toolCall }: Turn): string {
  const start = `${(startMs / 1000).toFixed(1)} s ${role}`;
  if (toolCall !== null) {
    const { name, arguments: given, result, isError } = toolCall;
    return `${start}: ${name} ${JSON.stringify(given)} → ${isError ? 'error ' : ''}${JSON.stringify(result)}`;
  }
  const unspoken = interrupted ? ` [interrupted${unspokenText === null ? '' : `; not said: ${unspokenText}`}]` : '';
  return `${start}: ${text}${unspoken}`;
}
