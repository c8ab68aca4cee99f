import { readFile } from 'node:fs/promises';
import type { Analysis, AnalyzeCall, CallAnalysis } from '../../../sdk/src/schema.ts';
import { connect } from '../connection/connection.ts';
import { type CommandContext, paint, print } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { checkedId } from '../resources/ids.ts';
import { describeFields } from '../terminal/fields.ts';
import { jsonLine } from '../terminal/text.ts';
import type { AnalyzeOptions } from './options.ts';

/** Analyzes a call again, or only shows what would come out. */
export async function analyzeCall(
  id: string,
  { json = false, preview = false, model, fields, agentVersion, ...options }: AnalyzeOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const callId = checkedId('call', id);
  const body: AnalyzeCall = {
    ...(model !== undefined && { model }),
    ...(fields !== undefined && { postCallAnalysisData: await readFields(fields) }),
    ...(agentVersion !== undefined && {
      agentVersion: /^\d+$/.test(agentVersion) ? Number(agentVersion) : agentVersion,
    }),
  };
  const { client } = await connect(options, environment);
  if (preview) {
    const analysis = await client.calls.analysis.preview(callId, body);
    return print(stdout, json ? jsonLine(analysis) : describeFields(rowsOf(analysis)));
  }
  const analysis = await client.calls.analysis.run(callId, body);
  await print(
    stdout,
    json ? jsonLine(analysis) : `${analysis.id} is pending: see voice-agents calls analyses ${callId}\n`,
  );
}

async function readFields(file: string): Promise<NonNullable<AnalyzeCall['postCallAnalysisData']>> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw invalidUsage(`cannot read fields from ${file}: ${(error as Error).message}`);
  }
  if (!Array.isArray(value)) {
    throw invalidUsage(`${file} must contain an array of fields, as in postCallAnalysisData`);
  }
  return value;
}

export function describeAnalysis(analysis: Analysis, stream: NodeJS.WriteStream): string {
  const { id, trigger, createdAt, agentVersion, revision, status, reason, model } = analysis;
  const head: [string, unknown][] = [
    ['status', reason === null ? status : `${status}: ${reason}`],
    ['trigger', trigger],
    ['createdAt', createdAt],
    ['agentVersion', agentVersion],
    ...(revision > 0 ? ([['revision', revision]] as [string, unknown][]) : []),
    ...(model === null ? [] : ([['model', model]] as [string, unknown][])),
  ];
  const rows = status === 'completed' ? [...head, ...rowsOf(analysis)] : head;
  return `${paint('bold', id, stream)}\n${describeFields(rows)}`;
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
