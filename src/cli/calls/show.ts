import { NotFoundError } from '../../../sdk/src/errors.ts';
import type { Call } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, paint, print } from '../context.ts';
import { CommandError, exitCodes } from '../failures.ts';
import { checkedId } from '../resources/ids.ts';
import { describeFields } from '../terminal/fields.ts';
import { jsonLine } from '../terminal/text.ts';
import { describeDuration } from '../terminal/time.ts';
import { describeTranscript } from '../terminal/transcript.ts';

export async function showTranscript(
  id: string,
  { json = false, ...options }: CommandOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const callId = checkedId('call', id);
  const { client } = await connect(options, environment);
  const transcript = await client.calls.transcript.get(callId).catch(explainMissing);
  if (json) return print(stdout, jsonLine(transcript));
  const { endReason, durationMs } = await client.calls.get(callId);
  const end = endReason === null ? null : { reason: endReason, atMs: durationMs ?? 0 };
  const lines = describeTranscript(transcript.turns, end, stdout);
  await print(stdout, lines === '' ? 'Nobody has spoken yet.\n' : lines);
}

export async function showRecording(
  id: string,
  { json = false, ...options }: CommandOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const callId = checkedId('call', id);
  const { client } = await connect(options, environment);
  const link = await client.calls.recording.get(callId).catch((error) => explainMissing(error, missingRecording));
  await print(stdout, json ? jsonLine(link) : `${link.url}\n`);
}

const missingRecording: Readonly<Record<string, string>> = {
  none: 'this call was not recorded: see recordingEnabled',
  not_stored: 'the recording of this call is not stored: see dataStorageSetting of its agent',
  deleted: 'the recording of this call has been deleted',
  failed: 'the recording of this call could not be written',
};

const missing: Readonly<Record<string, string>> = {
  not_stored: 'the transcript of this call is not stored: see dataStorageSetting of its agent',
  deleted: 'the transcript of this call has been deleted',
};

export function explainMissing(error: unknown, texts = missing): never {
  const reason = error instanceof NotFoundError ? (error.details as { reason?: string } | null)?.reason : undefined;
  const text = texts[reason ?? ''];
  throw text === undefined ? error : new CommandError(text, exitCodes.notFound);
}

type Row = readonly [string, unknown];

export function describeCall(call: Call, stream: NodeJS.WriteStream): string {
  const { usage, latency, analysis } = call;
  const sections: readonly (readonly [title: string, rows: readonly Row[]])[] = [
    [
      'End',
      [
        ['endReason', call.endReason],
        ['endedBy', call.endedBy],
        ['endDetail', call.endDetail],
      ],
    ],
    [
      'Data',
      [
        ['externalId', call.externalId],
        ['variables', call.variables],
        ['collectedVariables', call.collectedVariables],
        ['metadata', call.metadata],
        ['dataStorageSetting', call.dataStorageSetting],
        ['transcriptStatus', call.transcriptStatus],
        ['recording.status', call.recording.status],
      ],
    ],
    [
      'Latency and usage',
      [
        ['replies', latency === null ? null : latency.turns],
        ['latency p50', latency?.e2eMs == null ? null : `${latency.e2eMs.p50} ms`],
        ['latency p95', latency?.e2eMs == null ? null : `${latency.e2eMs.p95} ms`],
        ['llm.model', usage.llm.model],
        ['llm.totalTokens', usage.llm.totalTokens || null],
      ],
    ],
    [
      'Analysis',
      [
        ['status', analysis.status],
        ['reason', analysis.reason],
        ['summary', analysis.summary],
        ['successful', analysis.successful],
        ['sentiment', analysis.sentiment],
        ['data', analysis.data],
      ],
    ],
    ['Not applied', call.notApplied.map(({ field, reason }): Row => [field, reason])],
  ];
  const shown = sections
    .map(([title, rows]) => [title, rows.filter(([, value]) => !isEmpty(value))] as const)
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => `\n${paint('bold', title, stream)}\n${describeFields(rows)}`);
  return `${paint('bold', call.id, stream)}\n${describeFields(factsOf(call))}${shown.join('')}`;
}

function factsOf(call: Call): Row[] {
  const rows: Row[] = [
    ['type', call.type],
    ['status', call.status],
    ['agentId', call.agentId],
    ['agentVersion', `${call.agentVersion}${call.isDraft ? ' (draft)' : ''}`],
    ['engine', call.engine],
    ['createdAt', call.createdAt],
    ['scheduledAt', call.scheduledAt],
    ['startedAt', call.startedAt],
    ['endedAt', call.endedAt],
    ['duration', call.durationMs === null ? null : describeDuration(call.durationMs)],
  ];
  return rows.filter(([, value]) => !isEmpty(value));
}

/** Most fields of a call are about something that did not happen in it. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
