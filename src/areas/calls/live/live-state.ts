import type { Turn } from '../../../contract/calls/turn.ts';
import type { Variables } from '../../../voice/engines/engine.ts';
import { ConversationLog, type EarlierConversation } from '../../../voice/spoken/conversation-log.ts';
import type { SpokenMemory } from '../../../voice/spoken/spoken-memory.ts';
import type { Unfinished } from '../../../voice/turn/events.ts';
import type { StateBeforeStart } from '../create.ts';
import type { HeldCall } from '../held-call.ts';
import { isSealed } from '../storage-setting.ts';

/** What a web call needs to continue in another process. */
export interface LiveState {
  /** Those of the call, as they were given. */
  readonly variables: Variables;
  /** What the engine returned; undefined before the first reply. */
  readonly engine?: unknown;
  readonly contexts: readonly string[];
  readonly isMuted: boolean;
  /** What was warned of already. */
  readonly warnings: readonly string[];
  /** The transcript in full; only if what is stored of it is not. */
  readonly history: readonly Turn[];
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

/** The state of a web call that may have had none yet. */
export function liveStateOf({ call, row }: Pick<HeldCall, 'call' | 'row'>): LiveState {
  const stored = row.state as Partial<LiveState & StateBeforeStart> | null;
  const variables = isSealed(call.dataStorageSetting) ? (stored?.variables ?? {}) : call.variables;
  const { contexts = [], isMuted = false, warnings = [], history = [], unfinished = null, engine } = stored ?? {};
  const { conversation = null, memory = null, resumedEpoch = null } = stored ?? {};
  const conversed = { unfinished, memory, conversation };
  return { variables, engine, contexts, isMuted, warnings, history, ...conversed, resumedEpoch };
}

/** The state with what a connection changes of it. */
export function resumedState(state: object | null, resumedEpoch: number | null): object | null {
  const { resumedEpoch: before = null } = (state as Partial<LiveState> | null) ?? {};
  return resumedEpoch === before ? state : { ...state, resumedEpoch };
}

/** A call that no process has ends now: it was silent since it was given away. */
export function setEarlierConversation(held: HeldCall): void {
  const { call, row, now } = held;
  const { conversation = null } = (row.state as Partial<LiveState> | null) ?? {};
  if (conversation === null || row.owner !== null || call.startedAt === null) return;
  const elapsedMs = now - Date.parse(call.startedAt);
  held.setCall({ conversation: new ConversationLog(conversation).conversation(0, elapsedMs) });
}

/** Without what is stored anyway. */
export function setLiveState(held: HeldCall, state: LiveState): void {
  const { variables, history, ...rest } = state;
  held.set({ state: isSealed(held.call.dataStorageSetting) ? state : rest });
}
