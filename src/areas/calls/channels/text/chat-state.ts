import type { Turn } from '../../../../contract/calls/turn.ts';
import type { Variables } from '../../../../voice/variables.ts';
import { addReplyTimes, noReplies, type ReplyTimes } from '../../conversation/reply-times.ts';
import { type ConversationState, conversationStateOf } from '../../conversation/state.ts';
import type { LockedCall, NewTurn } from '../../record/locked-call.ts';
import { isSealed } from '../../record/storage-setting.ts';

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

/** The state of a chat that may have had none yet. */
export function chatStateOf(locked: LockedCall): ChatState {
  const stored = locked.row.state as Partial<ChatState> | null;
  const { controlVariables = {}, failedReplies = 0, replyTimes = noReplies, unfinished = {} } = stored ?? {};
  return { ...conversationStateOf(locked), controlVariables, failedReplies, replyTimes, unfinished };
}

/** A turn that takes no time: it is written, not spoken. */
export function writtenTurn({ call, now }: LockedCall, turn: Pick<NewTurn, 'role' | 'source' | 'text'>): NewTurn {
  const offset = call.startedAt === null ? 0 : Math.max(0, now - Date.parse(call.startedAt));
  return {
    ...turn,
    unspokenText: null,
    startMs: offset,
    endMs: offset,
    words: [],
    interrupted: false,
    latency: null,
    sources: [],
    toolCall: null,
  };
}

/** The agent says something without a reply. */
export function addAgentTurn(
  locked: LockedCall,
  state: ChatState,
  text: string,
  source: 'control' | 'engine' = 'control',
): ChatState {
  const turn = writtenTurn(locked, { role: 'agent', source, text });
  const index = locked.addTurn(turn);
  const replyTimes = addReplyTimes(state.replyTimes, [turn]);
  const history = isSealed(locked.call.dataStorageSetting) ? [...state.history, { ...turn, index }] : state.history;
  return { ...state, replyTimes, history };
}
