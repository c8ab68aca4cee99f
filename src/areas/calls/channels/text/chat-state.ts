import type { Call } from '../../../../contract/calls/call.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import type { Variables } from '../../../../voice/engines/engine.ts';
import { distribution, type Histogram } from '../../../../voice/latency.ts';
import { type ConversationState, conversationStateOf } from '../../conversation/state.ts';
import type { LockedCall } from '../../record/locked-call.ts';

/** A message whose reply is in progress, or has failed. */
export interface Unfinished {
  /** Null: an opening without a message. */
  readonly text: string | null;
  /** The place of the caller's turn; null until it is stored, which is after the opening. */
  readonly callerTurn: number | null;
  /** What there is of the message so far: the opening, the caller's turn, the tools that were called. */
  readonly turns: readonly Turn[];
  /** Whose lease on the call was for it. */
  readonly owner?: string | null;
}

/** What a chat needs to continue with the next message, in any process. */
export interface ChatState extends ConversationState {
  /** Set by the API, and not yet known to the engine. */
  readonly controlVariables: Variables;
  /** In a row. */
  readonly failedReplies: number;
  /** What the replies so far took: the figures of a call are made from all of them. */
  readonly replyTimes: ReplyTimes;
  /** By Idempotency-Key: a repeated request continues its own message. */
  readonly unfinished: Readonly<Record<string, Unfinished>>;
}

export interface ReplyTimes {
  readonly agentTurns: number;
  readonly e2eMs: Histogram;
  readonly llmFirstTokenMs: Histogram;
  readonly ownMs: Histogram;
}

const noReplies: ReplyTimes = { agentTurns: 0, e2eMs: [], llmFirstTokenMs: [], ownMs: [] };

/** With these turns. */
export function addReplyTimes(times: ReplyTimes, turns: readonly Pick<Turn, 'role' | 'latency'>[]): ReplyTimes {
  return turns.reduce(
    ({ agentTurns, e2eMs, llmFirstTokenMs, ownMs }, { role, latency }) => ({
      agentTurns: agentTurns + Number(role === 'agent'),
      e2eMs: counted(e2eMs, latency?.e2eMs),
      llmFirstTokenMs: counted(llmFirstTokenMs, latency?.llmFirstTokenMs),
      ownMs: counted(ownMs, latency?.ownMs),
    }),
    times,
  );
}

function counted(histogram: Histogram, ms: number | null | undefined): Histogram {
  if (ms == null) return histogram;
  const place = histogram.findIndex(([known]) => known >= ms);
  if (place === -1) return [...histogram, [ms, 1]];
  const [known, count] = histogram[place] as Histogram[number];
  return known === ms ? histogram.with(place, [ms, count + 1]) : histogram.toSpliced(place, 0, [ms, 1]);
}

/** The latency of the call. */
export function latencyOf({ agentTurns, e2eMs, llmFirstTokenMs, ownMs }: ReplyTimes): Call['latency'] {
  const measured = distribution(e2eMs);
  if (measured === null) return null;
  return {
    turns: agentTurns,
    e2eMs: measured,
    endpointingMs: null,
    sttMs: null,
    knowledgeMs: null,
    llmFirstTokenMs: distribution(llmFirstTokenMs),
    ttsFirstAudioMs: null,
    ownMs: distribution(ownMs),
  };
}

/** The state of a chat that may have had none yet. */
export function chatStateOf(locked: LockedCall): ChatState {
  const stored = locked.row.state as Partial<ChatState> | null;
  const { controlVariables = {}, failedReplies = 0, replyTimes = noReplies, unfinished = {} } = stored ?? {};
  return { ...conversationStateOf(locked), controlVariables, failedReplies, replyTimes, unfinished };
}
