import type { EarlierConversation } from '../../../../voice/spoken/conversation-log.ts';
import type { SpokenMemory } from '../../../../voice/spoken/spoken-memory.ts';
import type { Unfinished } from '../../../../voice/turn/events.ts';
import { type ConversationState, conversationStateOf } from '../../conversation/state.ts';
import type { LockedCall } from '../../record/locked-call.ts';

/** What a spoken call needs to continue in another process. */
export interface SpokenState extends ConversationState {
  /** What else its session has learned; null: there was none. */
  readonly memory: SpokenMemory | null;
  /** Null: the conversation has not begun. */
  readonly unfinished: Unfinished | null;
  /**
   * The connection whose key was used last, if nothing shows that the client has got the next one: the response may be
   * lost with a network that is about to fail.
   */
  readonly resumedEpoch: number | null;
  /** How the conversation went so far; only if its process has given the call away. */
  readonly conversation: EarlierConversation | null;
}

/** The state of a spoken call that may have had none yet. */
export function spokenStateOf(locked: Pick<LockedCall, 'call' | 'row'>): SpokenState {
  const stored = locked.row.state as Partial<SpokenState> | null;
  const { unfinished = null, memory = null, conversation = null, resumedEpoch = null } = stored ?? {};
  return { ...conversationStateOf(locked), unfinished, memory, conversation, resumedEpoch };
}

/** The state with what a connection changes of it. */
export function resumedState(state: object | null, resumedEpoch: number | null): object | null {
  const { resumedEpoch: before = null } = (state as Partial<SpokenState> | null) ?? {};
  return resumedEpoch === before ? state : { ...state, resumedEpoch };
}
