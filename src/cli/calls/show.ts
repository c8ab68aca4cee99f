import type { Call } from '../../../sdk/src/schema.ts';
import { paint } from '../context.ts';
import { describeGroups, withoutEmpty } from '../terminal/fields.ts';
import { describeDuration } from '../terminal/time.ts';

/** Most fields of a call are about something that did not happen in it: they are left out. */
export function describeCall(call: Call, stream: NodeJS.WriteStream): string {
  const { type, status, agentId, engine, createdAt, scheduledAt, startedAt, endedAt, durationMs, usage } = call;
  const { direction, from, to, phoneNumberId, batchId, providerCallId } = call;
  const { endReason, endedBy, endDetail, externalId, variables, collectedVariables, metadata, latency } = call;
  const { summary, successful, sentiment, data } = call.analysis;
  const fields = {
    type,
    status,
    agentId,
    agentVersion: call.agentVersion === null ? null : `${call.agentVersion}${call.isDraft ? ' (draft)' : ''}`,
    engine,
    createdAt,
    scheduledAt,
    startedAt,
    endedAt,
    duration: durationMs === null ? null : describeDuration(durationMs),
  };
  const isPhone = type === 'phone';
  const groups = {
    Phone: isPhone ? { direction, from, to, phoneNumberId, batchId, providerCallId, carrier: usage.carrier } : {},
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
