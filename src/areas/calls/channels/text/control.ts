import type { ControlCall } from '../../../../contract/calls/requests.ts';
import { sizeIssues, variableLimits } from '../../../../contract/calls/values.ts';
import { unprocessable } from '../../../../core/errors.ts';
import type { Queries } from '../../../../storage/database.ts';
import { setConversationState } from '../../conversation/state.ts';
import { dueAt } from '../../lifecycle/due.ts';
import type { Journal } from '../../record/journal.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import type { PinnedAgents } from '../../record/pinned-agents.ts';
import { storedValues } from '../../record/storage-setting.ts';
import { type ChatState, chatStateOf } from './chat-state.ts';
import type { Chats } from './chats.ts';
import type { ReplyTask } from './running-reply.ts';
import { addAgentTurn } from './written-turns.ts';

export interface ControlParts {
  readonly journal: Journal;
  readonly agents: PinnedAgents;
  readonly chats: Chats;
}

export interface Controlled {
  readonly sequence: number;
  /** The agent takes a turn, after the transaction. */
  readonly task: ReplyTask | null;
}

/** Acts in an ongoing chat, in the caller's transaction. */
export async function controlChat(
  { journal, agents, chats }: ControlParts,
  queries: Queries,
  locked: LockedCall,
  body: ControlCall,
): Promise<Controlled> {
  const { call } = locked;
  const state = applied(locked, chatStateOf(locked), body);
  const isResponse = body.action === 'respond';
  if (isResponse) chats.lease(locked);
  const sequence = locked.addEvent('control_applied', { action: body.action });
  const agent = await agents.read(queries, call.workspaceId, locked.row.agentDigest);
  // Silence is measured from the last turn.
  const isTurn = isResponse || body.action === 'say';
  if (agent !== undefined && isTurn) locked.set({ dueAt: dueAt(agent, locked.row, locked.now) });
  setConversationState(locked, state);
  if (locked.endingByLimit !== null) {
    queries.atEnd(() => chats.stop(call.id));
    await journal.end(queries, locked, locked.endingByLimit);
    return { sequence, task: null };
  }
  await journal.write(queries, locked);
  return { sequence, task: isResponse ? responseTask(locked, state) : null };
}

function applied(locked: LockedCall, state: ChatState, body: ControlCall): ChatState {
  switch (body.action) {
    case 'say':
      return addAgentTurn(locked, state, body.text as string);
    case 'add_context':
      // It is read and written with every message, so that it counts like what was said.
      locked.set({ transcriptBytes: locked.row.transcriptBytes + Buffer.byteLength(body.text as string) });
      return { ...state, contexts: [...state.contexts, body.text as string] };
    case 'set_variables':
      return withVariables(locked, state, body.variables ?? {});
    case 'mute_agent':
      return { ...state, isMuted: true };
    case 'unmute_agent':
      return { ...state, isMuted: false };
    case 'pause_recording':
    case 'resume_recording':
      throw unprocessable({ action: ['is not possible: the call is not being recorded'] });
    case 'send_dtmf':
      throw unprocessable({ action: ['is for phone calls only'] });
    case 'respond':
      return state;
    default:
      return body.action satisfies never;
  }
}

function withVariables(locked: LockedCall, state: ChatState, given: NonNullable<ControlCall['variables']>): ChatState {
  const controlVariables = { ...state.controlVariables, ...given };
  const collected = { ...locked.call.collectedVariables, ...given };
  const issues = sizeIssues(collected, variableLimits);
  if (issues.length > 0) throw unprocessable({ variables: issues });
  locked.setCall({ collectedVariables: storedValues(collected, locked.call.dataStorageSetting) });
  return { ...state, controlVariables };
}

function responseTask(locked: LockedCall, state: ChatState): ReplyTask {
  return {
    stored: locked.row,
    state,
    turns: [],
    text: null,
    callerTurn: null,
    opening: 'wait',
    isResponse: true,
    unfinishedKey: '',
    receivedAt: performance.now(),
  };
}
