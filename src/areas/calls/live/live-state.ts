import type { Turn } from '../../../contract/turn.ts';
import type { Variables } from '../../../voice/engines/engine.ts';
import type { Unfinished } from '../../../voice/turn/unfinished.ts';
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
  /** Null: the conversation has not begun. */
  readonly unfinished: Unfinished | null;
}

/** The state of a web call that may have had none yet. */
export function liveStateOf({ call, row }: Pick<HeldCall, 'call' | 'row'>): LiveState {
  const stored = row.state as Partial<LiveState & StateBeforeStart> | null;
  const variables = isSealed(call.dataStorageSetting) ? (stored?.variables ?? {}) : call.variables;
  const { contexts = [], isMuted = false, warnings = [], history = [], unfinished = null, engine } = stored ?? {};
  return { variables, engine, contexts, isMuted, warnings, history, unfinished };
}

/** Without what is stored anyway. */
export function setLiveState(held: HeldCall, state: LiveState): void {
  const { variables, history, ...rest } = state;
  held.set({ state: isSealed(held.call.dataStorageSetting) ? state : rest });
}
