import type { Logger } from 'pino';
import type { TracingConfig } from '../config-tracing.ts';
import type { Call } from '../contract/calls/call.ts';
import { packageVersion } from '../core/package-version.ts';
import { type Clock, realClock } from '../voice/clock.ts';
import { genAi, own, spanNames } from './attributes.ts';
import { connectCollector } from './collector.ts';
import { isReplied, SampledConversation, UnsampledConversation } from './conversation-trace.ts';
import { isSampled, newSpanId, traceIdsOf } from './ids.ts';
import { type Attributes, type Span, SpanEncoder } from './span.ts';
import { SpanQueue } from './span-queue.ts';
import type { TracedCall, TracedTurn, Tracing } from './tracing.ts';

/** Sends traces of calls to a collector. `clock`: for what is sent later; replaced in tests. */
export async function createTracing(
  config: TracingConfig,
  logger: Pick<Logger, 'info' | 'warn'>,
  clock: Clock = daemonClock,
): Promise<Tracing> {
  const { resource, sampleRatio, hasContent } = config;
  const version = packageVersion();
  const encoder = new SpanEncoder({ ...sdkAttributes(version), ...resource }, version);
  const queue = new SpanQueue({
    collector: await connectCollector(config),
    clock,
    batch: (spans) => encoder.batch(spans),
    log: (level, details, message) => logger[level](details, message),
  });
  const send = (span: Span, content?: Attributes): void => queue.add(encoder.span(span, content));
  /** The conversations of this process, by their call. */
  const conversations = new Map<string, SampledConversation>();

  const begin = ({ call: { id, dataStorageSetting }, startedAt, time }: TracedCall) => {
    const ids = traceIdsOf(id);
    if (!isSampled(ids.traceId, sampleRatio)) return new UnsampledConversation(ids);
    const conversation: SampledConversation = new SampledConversation({
      ids,
      startedAt,
      time,
      content:
        hasContent && dataStorageSetting !== 'basic_attributes_only'
          ? { isRedacted: dataStorageSetting !== 'everything' }
          : null,
      send,
      onClose: () => {
        // Another one may have taken its place.
        if (conversations.get(id) === conversation) conversations.delete(id);
      },
    });
    conversations.set(id, conversation);
    return conversation;
  };

  return {
    begin,
    turns: (call, turns) => {
      const { traceId, rootId } = traceIdsOf(call.id);
      if (!isSampled(traceId, sampleRatio)) return;
      const conversation = conversations.get(call.id);
      for (const turn of turns) {
        if (turn.role === 'caller' && conversation !== undefined) conversation.callerEndMs = turn.endMs;
        if (turn.role !== 'agent') continue;
        const span = turnSpan(call, turn, conversation);
        if (isReplied(turn)) conversation?.turn(span.spanId, span.endMs);
        send({ ...span, traceId, parentId: rootId });
      }
    },
    ended: (call, agentName) => {
      const { traceId, rootId } = traceIdsOf(call.id);
      if (isSampled(traceId, sampleRatio)) send({ ...callSpan(call, agentName), traceId, spanId: rootId });
    },
    metrics: queue.metrics,
    close: () => queue.close(),
  };
}

/** Nothing that waits keeps the process from ending. */
const daemonClock: Clock = {
  now: realClock.now,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

function sdkAttributes(version: string): Attributes {
  return {
    'service.version': version,
    'telemetry.sdk.name': 'voice-agents',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
  };
}

/** A reply begins where its latency does: with the end of what the caller has said. */
function turnSpan(
  call: Call,
  turn: TracedTurn,
  conversation: Pick<SampledConversation, 'startedAt' | 'callerEndMs'> | undefined,
): Omit<Span, 'traceId' | 'parentId'> {
  const { startedAt = Date.parse(call.startedAt ?? call.createdAt), callerEndMs = null } = conversation ?? {};
  const { index, startMs: heardMs, endMs, interrupted, latency } = turn;
  const e2eMs = latency?.e2eMs ?? null;
  // What was sent is heard a little later. Nothing is played in a chat, whose messages are written after they arrive.
  const isHeard = call.type !== 'chat' && callerEndMs !== null && callerEndMs <= heardMs;
  const startMs = e2eMs === null ? heardMs : isHeard ? callerEndMs : heardMs - e2eMs;
  const latencies = Object.entries(latency ?? {}).map(([name, ms]) => [own.latency(name), ms] as const);
  return {
    spanId: newSpanId(),
    name: spanNames.turn(index),
    kind: 'internal',
    startMs: startedAt + startMs,
    endMs: startedAt + endMs,
    attributes: { [own.interrupted]: interrupted, ...Object.fromEntries(latencies) },
    events: [],
    isError: false,
  };
}

function callSpan(call: Call, agentName: string | null): Omit<Span, 'traceId' | 'spanId'> {
  const { id, workspaceId, agentId, agentVersion, type, status, createdAt, startedAt, endedAt, endReason } = call;
  return {
    parentId: null,
    name: spanNames.call(agentName ?? ''),
    kind: 'internal',
    startMs: Date.parse(startedAt ?? createdAt),
    endMs: Date.parse(endedAt ?? createdAt),
    attributes: {
      [genAi.operation]: 'invoke_agent',
      [genAi.agentId]: agentId,
      [genAi.agentName]: agentName,
      [genAi.agentVersion]: agentVersion === null ? null : String(agentVersion),
      [genAi.conversationId]: id,
      [own.callType]: type,
      [own.endReason]: endReason,
      [own.workspaceId]: workspaceId,
    },
    events: [],
    isError: status === 'error',
  };
}
