import type { Analysis, AnalyzeCall, CallAnalysis } from '../../../sdk/src/schema.ts';
import { paint } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { readJsonFile } from '../json-file.ts';
import { describeFields, withoutEmpty } from '../terminal/fields.ts';

interface AnalyzeOptions {
  readonly model?: string;
  /** A file with items of `postCallAnalysisData`. */
  readonly fields?: string;
  readonly agentVersion?: string;
}

export async function analysisBody({ model, fields, agentVersion: version }: AnalyzeOptions): Promise<AnalyzeCall> {
  return {
    ...(model !== undefined && { model }),
    ...(fields !== undefined && { postCallAnalysisData: await readFields(fields) }),
    ...(version !== undefined && { agentVersion: /^\d+$/.test(version) ? Number(version) : version }),
  };
}

async function readFields(file: string): Promise<NonNullable<AnalyzeCall['postCallAnalysisData']>> {
  const value = await readJsonFile(file, 'fields');
  if (!Array.isArray(value)) {
    throw invalidUsage(`${file} must contain an array of fields, as in postCallAnalysisData`);
  }
  return value as NonNullable<AnalyzeCall['postCallAnalysisData']>;
}

export function describeAnalysis(analysis: Analysis, stream: NodeJS.WriteStream): string {
  const { id, trigger, createdAt, agentVersion, revision, status, reason, model } = analysis;
  const shownStatus = reason === null ? status : `${status}: ${reason}`;
  const head = { status: shownStatus, trigger, createdAt, agentVersion, revision: revision || null, model };
  const rows = [...Object.entries(withoutEmpty(head)), ...(status === 'completed' ? rowsOf(analysis) : [])];
  return `${paint('bold', id, stream)}\n${describeFields(rows)}`;
}

export function describeResult(analysis: CallAnalysis): string {
  return describeFields(rowsOf(analysis));
}

function rowsOf({ summary, successful, sentiment, data, issues }: CallAnalysis): [string, unknown][] {
  return [
    ['summary', summary],
    ['successful', successful],
    ['sentiment', sentiment],
    ...Object.entries(data).map(([name, value]): [string, unknown] => [`data.${name}`, value]),
    ...issues.map(({ field, code }): [string, unknown] => [`issue ${field}`, code]),
  ];
}
