import { NotFoundError } from '../../../sdk/src/errors.ts';
import type { Call } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, paint, print, printResult } from '../context.ts';
import { CommandError, exitCodes } from '../failures.ts';
import { checkedId } from '../resources/ids.ts';
import { describeGroups, withoutEmpty } from '../terminal/fields.ts';
import { jsonLine } from '../terminal/text.ts';
import { describeDuration } from '../terminal/time.ts';
import { describeTranscript } from '../terminal/transcript.ts';

export async function showTranscript(id: string, options: CommandOptions, context: CommandContext): Promise<void> {
  const callId = checkedId('call', id);
  const { stdout } = context;
  const { client } = await connect(options, context.environment);
  const transcript = await client.calls.transcript.get(callId).catch(explainMissing);
  if (options.json) return print(stdout, jsonLine(transcript));
  const { endReason, durationMs } = await client.calls.get(callId);
  const end = endReason === null ? null : { reason: endReason, atMs: durationMs ?? 0 };
  const lines = describeTranscript(transcript.turns, end, stdout);
  await print(stdout, lines === '' ? 'Nobody has spoken yet.\n' : lines);
}

export async function showRecording(id: string, options: CommandOptions, context: CommandContext): Promise<void> {
  const callId = checkedId('call', id);
  const { client } = await connect(options, context.environment);
  const link = await client.calls.recording.get(callId).catch((error) => explainMissing(error, missingRecording));
  await printResult(link, `${link.url}\n`, options, context);
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

/** Most fields of a call are about something that did not happen in it: they are left out. */
export function describeCall(call: Call, stream: NodeJS.WriteStream): string {
  const { type, status, agentId, engine, createdAt, scheduledAt, startedAt, endedAt, durationMs, usage } = call;
  const { endReason, endedBy, endDetail, externalId, variables, collectedVariables, metadata, latency } = call;
  const { summary, successful, sentiment, data } = call.analysis;
  const fields = {
    type,
    status,
    agentId,
    agentVersion: `${call.agentVersion}${call.isDraft ? ' (draft)' : ''}`,
    engine,
    createdAt,
    scheduledAt,
    startedAt,
    endedAt,
    duration: durationMs === null ? null : describeDuration(durationMs),
  };
  const groups = {
    End: { endReason, endedBy, endDetail },
    Data: {
      externalId,
      variables,
      collectedVariables,
      metadata,
      dataStorageSetting: call.dataStorageSetting,
      transcriptStatus: call.transcriptStatus,
      'recording.status': call.recording.status,
    },
    'Latency and usage': {
      replies: latency?.turns,
      'latency p50': latency?.e2eMs == null ? null : `${latency.e2eMs.p50} ms`,
      'latency p95': latency?.e2eMs == null ? null : `${latency.e2eMs.p95} ms`,
      'llm.model': usage.llm.model,
      'llm.totalTokens': usage.llm.totalTokens || null,
    },
    Analysis: { status: call.analysis.status, reason: call.analysis.reason, summary, successful, sentiment, data },
    'Not applied': Object.fromEntries(call.notApplied.map(({ field, reason }) => [field, reason])),
  };
  const shown = Object.entries(groups).map(([title, inner]) => [title, withoutEmpty(inner)]);
  return describeGroups(paint('bold', call.id, stream), withoutEmpty(fields), Object.fromEntries(shown), stream);
}
