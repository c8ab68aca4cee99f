import { readFile } from 'node:fs/promises';
import type { Analysis, AnalyzeCall, CallAnalysis } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, paint, printResult } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { checkedId } from '../resources/ids.ts';
import { describeFields, withoutEmpty } from '../terminal/fields.ts';

interface AnalyzeOptions extends CommandOptions {
  readonly preview?: boolean;
  readonly model?: string;
  /** A file with items of `postCallAnalysisData`. */
  readonly fields?: string;
  readonly agentVersion?: string;
}

/** Analyzes a call again, or only shows what the result would be. */
export async function analyzeCall(id: string, options: AnalyzeOptions, context: CommandContext): Promise<void> {
  const callId = checkedId('call', id);
  const { model, fields, agentVersion: version } = options;
  const body: AnalyzeCall = {
    ...(model !== undefined && { model }),
    ...(fields !== undefined && { postCallAnalysisData: await readFields(fields) }),
    ...(version !== undefined && { agentVersion: /^\d+$/.test(version) ? Number(version) : version }),
  };
  const { client } = await connect(options, context.environment);
  if (options.preview) {
    const analysis = await client.calls.analysis.preview(callId, body);
    return printResult(analysis, describeFields(rowsOf(analysis)), options, context);
  }
  const analysis = await client.calls.analysis.run(callId, body);
  const text = `${analysis.id} is pending: run "voice-agents calls analyses ${callId}" to see the result\n`;
  await printResult(analysis, text, options, context);
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
  const shownStatus = reason === null ? status : `${status}: ${reason}`;
  const head = { status: shownStatus, trigger, createdAt, agentVersion, revision: revision || null, model };
  const rows = [...Object.entries(withoutEmpty(head)), ...(status === 'completed' ? rowsOf(analysis) : [])];
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
