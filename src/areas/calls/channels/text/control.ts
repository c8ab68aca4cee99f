import type { ControlCall } from '../../../../contract/calls/requests.ts';
import type { Database, Queries } from '../../../../storage/database.ts';
import { checkControl, controlled } from '../../conversation/control.ts';
import { setConversationState } from '../../conversation/state.ts';
import { dueAt } from '../../lifecycle/due.ts';
import type { Journal } from '../../record/journal.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import type { PinnedAgents } from '../../record/pinned-agents.ts';
import { storedValues } from '../../record/storage-setting.ts';
import { addAgentTurn, type ChatState, chatStateOf } from './chat-state.ts';
import type { Chats } from './chats.ts';
import type { ReplyTask } from './running-reply.ts';

export interface ControlParts {
  readonly database: Database;
  readonly journal: Journal;
  readonly agents: PinnedAgents;
  readonly chats: Chats;
}

/** Acts in an ongoing chat, in the caller's transaction. `task`: the agent takes a turn, after the transaction. */
export async function controlChat(
  { journal, agents, chats }: ControlParts,
  queries: Queries,
  locked: LockedCall,
  body: ControlCall,
): Promise<{ readonly sequence: number; readonly task: ReplyTask | null }> {
  const { call } = locked;
  const { status, collectedVariables: collected } = call;
  checkControl(body, { status, collected, isRecording: false, isReplying: false, isPhone: false });
  const state = stateAfter(locked, body);
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

/** The agent takes the turn that an action asked for. It arrives as call events. */
export async function takeTurn({ database, chats }: ControlParts, task: ReplyTask): Promise<void> {
  const reply = await chats.open(task, { text: () => {}, tool: () => {} });
  try {
    const outcome = await reply.run();
    await database.transaction((queries) => reply.settle(queries, outcome));
  } finally {
    await chats.close(reply);
  }
}

function stateAfter(locked: LockedCall, body: ControlCall): ChatState {
  const state = controlled(chatStateOf(locked), body);
  const { action, text = '', variables = {} } = body;
  switch (action) {
    case 'say':
      return addAgentTurn(locked, state, text);
    case 'add_context':
      // Context is read and written with every message, so it counts like what was said.
      locked.set({ transcriptBytes: locked.row.transcriptBytes + Buffer.byteLength(text) });
      return state;
    case 'set_variables': {
      const { collectedVariables, dataStorageSetting } = locked.call;
      locked.setCall({ collectedVariables: storedValues({ ...collectedVariables, ...variables }, dataStorageSetting) });
      return { ...state, controlVariables: { ...state.controlVariables, ...variables } };
    }
    case 'respond':
    case 'mute_agent':
    case 'unmute_agent':
      return state;
    // `checkControl` has rejected these in a chat.
    case 'pause_recording':
    case 'resume_recording':
    case 'send_dtmf':
    case 'transfer':
      return state;
    default:
      return action satisfies never;
  }
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
