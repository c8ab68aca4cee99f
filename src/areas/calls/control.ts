import type { ControlCall } from '../../contract/calls/requests.ts';
import { sizeIssues, variableLimits } from '../../contract/calls/values.ts';
import { unprocessable } from '../../core/errors.ts';
import type { Queries } from '../../storage/database.ts';
import { type ChatState, chatStateOf, setChatState } from './chat/chat-state.ts';
import type { Chats } from './chat/chats.ts';
import type { ReplyTask } from './chat/running-reply.ts';
import { dueAt } from './due.ts';
import type { HeldCall } from './held-call.ts';
import type { Journal } from './journal.ts';
import type { PinnedAgents } from './pinned-agents.ts';
import { said } from './said.ts';
import { storedValues } from './storage-setting.ts';

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
  held: HeldCall,
  body: ControlCall,
): Promise<Controlled> {
  const { call } = held;
  const state = applied(held, chatStateOf(held), body);
  const isResponse = body.action === 'respond';
  if (isResponse) chats.lease(held);
  const sequence = held.addEvent('control_applied', { action: body.action });
  const agent = await agents.read(queries, call.workspaceId, held.row.agentDigest);
  // Silence is measured from the last turn.
  const isTurn = isResponse || body.action === 'say';
  if (agent !== undefined && isTurn) held.set({ dueAt: dueAt(agent, held.row, held.now) });
  setChatState(held, state);
  if (held.endingByLimit !== null) {
    queries.atEnd(() => chats.stop(call.id));
    await journal.end(queries, held, held.endingByLimit);
    return { sequence, task: null };
  }
  await journal.write(queries, held);
  return { sequence, task: isResponse ? responseTask(held, state) : null };
}

function applied(held: HeldCall, state: ChatState, body: ControlCall): ChatState {
  switch (body.action) {
    case 'say':
      return said(held, state, body.text as string);
    case 'add_context':
      // It is read and written with every message, so that it counts like what was said.
      held.set({ transcriptBytes: held.row.transcriptBytes + Buffer.byteLength(body.text as string) });
      return { ...state, contexts: [...state.contexts, body.text as string] };
    case 'set_variables':
      return withVariables(held, state, body.variables ?? {});
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

function withVariables(held: HeldCall, state: ChatState, given: NonNullable<ControlCall['variables']>): ChatState {
  const controlVariables = { ...state.controlVariables, ...given };
  const collected = { ...held.call.collectedVariables, ...given };
  const issues = sizeIssues(collected, variableLimits);
  if (issues.length > 0) throw unprocessable({ variables: issues });
  held.setCall({ collectedVariables: storedValues(collected, held.call.dataStorageSetting) });
  return { ...state, controlVariables };
}

function responseTask(held: HeldCall, state: ChatState): ReplyTask {
  return {
    stored: held.row,
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
