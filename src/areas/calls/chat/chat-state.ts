import type { Call } from '../../../contract/calls/call.ts';
import type { Turn } from '../../../contract/turn.ts';
import type { Variables } from '../../../voice/engines/engine.ts';
import { distribution } from '../../../voice/latency.ts';
import type { StateBeforeStart } from '../create.ts';
import type { HeldCall } from '../held-call.ts';
import { isSealed } from '../storage-setting.ts';

/** A message whose reply is in progress, or has failed. */
export interface Unfinished {
  /** Null: an opening without a message. */
  readonly text: string | null;
  /** The place of the caller's turn; null until it is stored, which is after the opening. */
  readonly callerTurn: number | null;
}

/** What a chat needs to continue with the next message, in any process. */
export interface ChatState {
  readonly variables: Variables;
  /** What the engine returned; undefined before the first reply. */
  readonly engine?: unknown;
  /** Set by the API, and not yet known to the engine. */
  readonly controlVariables: Variables;
  readonly contexts: readonly string[];
  readonly isMuted: boolean;
  /** In a row. */
  readonly failedReplies: number;
  /** What the replies so far took: the figures of a call are made from all of them. */
  readonly replyTimes: ReplyTimes;
  /** By Idempotency-Key: a repeated request continues its own message. */
  readonly unfinished: Readonly<Record<string, Unfinished>>;
  /** What was warned of already: once per call is enough. */
  readonly warnings: readonly string[];
  /** The transcript in full; only if what is stored of it is not. */
  readonly history: readonly Turn[];
}

/** Kept short, because it is read and written with every message. */
export interface ReplyTimes {
  readonly agentTurns: number;
  /** `e2eMs`, `llmFirstTokenMs` and `ownMs` of each reply; the others are not measured in a chat. */
  readonly latencies: readonly (readonly [number | null, number | null, number | null])[];
}

const noReplies: ReplyTimes = { agentTurns: 0, latencies: [] };

/** With these turns. */
export function addReplyTimes(
  { agentTurns, latencies }: ReplyTimes,
  turns: readonly Pick<Turn, 'role' | 'latency'>[],
): ReplyTimes {
  const ofAgent = turns.filter(({ role }) => role === 'agent');
  return {
    agentTurns: agentTurns + ofAgent.length,
    latencies: [
      ...latencies,
      ...ofAgent.flatMap(({ latency }) =>
        latency === null ? [] : [[latency.e2eMs, latency.llmFirstTokenMs, latency.ownMs] as const],
      ),
    ],
  };
}

/** The latency of the call. */
export function latencyOf({ agentTurns, latencies }: ReplyTimes): Call['latency'] {
  if (latencies.length === 0) return null;
  const of = (place: 0 | 1 | 2) => distribution(latencies.flatMap((latency) => latency[place] ?? []));
  return {
    turns: agentTurns,
    e2eMs: of(0),
    endpointingMs: null,
    sttMs: null,
    knowledgeMs: null,
    llmFirstTokenMs: of(1),
    ttsFirstAudioMs: null,
    ownMs: of(2),
  };
}

/** The state of a chat that may have had none yet. */
export function chatStateOf({ call, row }: HeldCall): ChatState {
  const stored = row.state as Partial<ChatState & StateBeforeStart> | null;
  const variables = isSealed(call.dataStorageSetting) ? (stored?.variables ?? {}) : call.variables;
  const { controlVariables = {}, contexts = [], isMuted = false, failedReplies = 0 } = stored ?? {};
  const { unfinished = {}, warnings = [], history = [], replyTimes = noReplies, engine } = stored ?? {};
  const settings = { variables, controlVariables, contexts, isMuted };
  return { ...settings, engine, failedReplies, replyTimes, unfinished, warnings, history };
}

/** Without what is stored anyway. */
export function setChatState(held: HeldCall, state: ChatState): void {
  const { variables, history, ...rest } = state;
  held.set({ state: isSealed(held.call.dataStorageSetting) ? state : rest });
}
