import type { CreateCall } from '../../../contract/calls/requests.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import { ConversationLog, type EarlierConversation } from '../../../voice/spoken/conversation-log.ts';
import type { Variables } from '../../../voice/variables.ts';
import type { LockedCall } from '../record/locked-call.ts';
import type { PhoneLine } from '../record/phone-line.ts';
import { isSealed } from '../record/storage-setting.ts';

/** What a call in the queue is waiting for. */
export interface QueueEntry {
  /** False: it starts at its time, or not at all. */
  readonly mayWait: boolean;
  readonly expiresAt: number;
}

/** The working state of a call that has not started. It may have to be sealed. */
export interface StateBeforeStart {
  readonly variables: CreateCall['variables'];
  readonly queue: QueueEntry | null;
  readonly phone: PhoneState | null;
}

/** What a phone call keeps until its end. Its full numbers are nowhere else if they may not be stored. */
export interface PhoneState {
  readonly line: PhoneLine;
  /** If the call is not answered, or has no media by then, it ends. */
  readonly answerBy: number;
}

export function phoneStateOf({ row }: Pick<LockedCall, 'row'>): PhoneState | null {
  return (row.state as Partial<StateBeforeStart> | null)?.phone ?? null;
}

/** What every conversation needs to continue, in any process. Channels add what only they need. */
export interface ConversationState {
  /** The variables of the call, as they were given. */
  readonly variables: Variables;
  /** What the engine returned; undefined before the first reply. */
  readonly engine?: unknown;
  readonly contexts: readonly string[];
  readonly isMuted: boolean;
  /** What was warned of already: once per call is enough. */
  readonly warnings: readonly string[];
  /** The transcript in full; only if what is stored of it is not. */
  readonly history: readonly Turn[];
  readonly phone: PhoneState | null;
}

/** The state of a conversation that may not have begun. */
export function conversationStateOf({ call, row }: Pick<LockedCall, 'call' | 'row'>): ConversationState {
  const stored = row.state as Partial<ConversationState & StateBeforeStart> | null;
  const variables = isSealed(call.dataStorageSetting) ? (stored?.variables ?? {}) : call.variables;
  const { engine, contexts = [], isMuted = false, warnings = [], history = [], phone = null } = stored ?? {};
  return { variables, engine, contexts, isMuted, warnings, history, phone };
}

/** Without what is stored anyway. */
export function setConversationState(locked: LockedCall, state: ConversationState): void {
  const { variables, history, ...rest } = state;
  locked.set({ state: isSealed(locked.call.dataStorageSetting) ? state : rest });
}

/** A call that no process owns ends now: it was silent since its process released it. */
export function setEarlierConversation(locked: LockedCall): void {
  const { call, row, now } = locked;
  const { conversation = null } = (row.state as { readonly conversation?: EarlierConversation | null } | null) ?? {};
  if (conversation === null || row.owner !== null || call.startedAt === null) return;
  const elapsedMs = now - Date.parse(call.startedAt);
  locked.setCall({ conversation: new ConversationLog(conversation).conversation(0, elapsedMs) });
}
