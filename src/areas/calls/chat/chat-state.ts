import type { Turn } from '../../../contract/turn.ts';
import type { Variables } from '../../../voice/engines/engine.ts';
import type { StateBeforeStart } from '../create.ts';
import { isSealed } from '../storage-setting.ts';
import type { StoredCall } from '../store.ts';

/** A message whose reply is in progress, or has failed. */
export interface Unfinished {
  /** Null: an opening without a message. */
  readonly text: string | null;
  /** The place of the caller's turn; null until it is stored, which is after the opening. */
  readonly callerTurn: number | null;
  /** What there is of the message so far: the opening, the caller's turn, the tools that were called. */
  readonly turns: readonly Turn[];
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
  /** By Idempotency-Key: a repeated request continues its own message. */
  readonly unfinished: Readonly<Record<string, Unfinished>>;
  /** What was warned of already: once per call is enough. */
  readonly warnings: readonly string[];
  /** The transcript in full; only if what is stored of it is not. */
  readonly history: readonly Turn[];
}

/** The state of a chat that may have had none yet. */
export function chatStateOf(
  { call }: StoredCall,
  stored: Partial<ChatState & StateBeforeStart> | undefined,
): ChatState {
  const variables = isSealed(call.dataStorageSetting) ? (stored?.variables ?? {}) : call.variables;
  const { controlVariables = {}, contexts = [], isMuted = false, failedReplies = 0 } = stored ?? {};
  const { unfinished = {}, warnings = [], history = [], engine } = stored ?? {};
  return { variables, engine, controlVariables, contexts, isMuted, failedReplies, unfinished, warnings, history };
}

/** What is written of it: not what is stored anyway. */
export function writtenState(state: ChatState, isSealedCall: boolean): object {
  const { variables, history, ...rest } = state;
  return isSealedCall ? state : rest;
}
