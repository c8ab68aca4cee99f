import { createHash } from 'node:crypto';
import type { Agent } from '../../../../contract/agents/agent.ts';
import type { Call } from '../../../../contract/calls/call.ts';
import type { createMessage } from '../../../../contract/calls/conversation-operations.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import type { SuccessBody } from '../../../../contract/operation.ts';
import { notFound, stateConflict, unprocessable, upstreamError } from '../../../../core/errors.ts';
import type { Caller } from '../../../../http/admission/caller.ts';
import type { ActionTools, OperationReply } from '../../../../http/operations/handlers.ts';
import type { Database, Queries } from '../../../../storage/database.ts';
import { channelOf } from '../../conversation/channel.ts';
import { setConversationState } from '../../conversation/state.ts';
import { dueAt } from '../../lifecycle/due.ts';
import { joinWithToken } from '../../lifecycle/tokens.ts';
import { isTerminal } from '../../record/call.ts';
import { visibleTurns } from '../../record/event-page.ts';
import type { Journal } from '../../record/journal.ts';
import { inOrder, type LockedCall } from '../../record/locked-call.ts';
import type { PinnedAgents } from '../../record/pinned-agents.ts';
import { isSealed } from '../../record/storage-setting.ts';
import { type ChatState, chatStateOf, type Unfinished, writtenTurn } from './chat-state.ts';
import type { Chats } from './chats.ts';
import { endedMeanwhile, type ReplyListener, type ReplyTask } from './running-reply.ts';

export type MessageReply = SuccessBody<typeof createMessage>;

export interface MessageParts {
  readonly database: Database;
  readonly journal: Journal;
  readonly agents: PinnedAgents;
  readonly chats: Chats;
}

export interface Message extends Pick<ActionTools<MessageReply>, 'begin' | 'record' | 'repeatKey'> {
  readonly caller: Caller;
  readonly callId: string;
  readonly text: string | null;
}

/** A message that needs a reply, or the saved reply of an earlier request with the same key. */
export type BegunMessage =
  | { readonly saved: OperationReply<MessageReply> }
  | { readonly saved: null; reply(listener: ReplyListener): Promise<OperationReply<MessageReply>> };

/** Sends a message in a chat: what the caller wrote is stored before the reply is requested. */
export function createMessages(parts: MessageParts) {
  return async (message: Message): Promise<BegunMessage> => {
    const receivedAt = performance.now();
    const begun = await message.begin(async (queries, isResumed) => ({
      resourceId: null,
      result: await beginMessage(parts, queries, message, isResumed, receivedAt),
    }));
    if (begun.saved !== null) return { saved: begun.saved };
    const task = begun.result;
    return { saved: null, reply: (listener) => replyTo(parts, message, task, listener) };
  };
}

/** Stores the message and leases the call, in one transaction. */
async function beginMessage(
  { journal, agents, chats }: MessageParts,
  queries: Queries,
  { caller, callId, text, repeatKey }: Message,
  isResumed: boolean,
  receivedAt: number,
): Promise<ReplyTask> {
  const locked = await journal.lock(queries, caller.workspaceId, callId);
  if (locked === undefined) throw notFound('call');
  joinWithToken(caller.access, locked);
  requireChat(locked);
  const state = chatStateOf(locked);
  const unfinishedKey = repeatKey === null ? '' : keyOf(repeatKey);
  const earlier = isResumed ? state.unfinished[unfinishedKey] : undefined;
  chats.lease(locked, earlier?.owner);
  const isUnopened = locked.call.status === 'registered' || isOpeningMissing(locked, state);
  if (text === null && earlier === undefined && !isUnopened) {
    throw unprocessable({ text: ['is required: the conversation has started'] });
  }
  const agent = await agents.read(queries, caller.workspaceId, locked.row.agentDigest);
  if (agent === undefined) throw new Error('the agent of an open call is missing');
  if (locked.call.status === 'registered') locked.connect();
  const opening = isUnopened ? openingOf(agent, locked, text) : 'wait';
  const task = taskOf(locked, state, { text, opening, earlier, unfinishedKey });
  locked.set({ dueAt: dueAt(agent, locked.row, locked.now) });
  // Without a key, nothing can be resumed, and what is stored of the state has not changed.
  if (unfinishedKey !== '' || isSealed(locked.call.dataStorageSetting)) setConversationState(locked, task.state);
  await journal.write(queries, locked);
  return { ...task, stored: locked.row, receivedAt };
}

async function replyTo(
  { database, chats }: MessageParts,
  { caller, callId, record }: Message,
  task: ReplyTask,
  listener: ReplyListener,
): Promise<OperationReply<MessageReply>> {
  const reply = await chats.open(task, listener);
  try {
    const outcome = await reply.run();
    const { failure, end } = outcome;
    if (failure !== null || end?.reason === 'internal_error') {
      // What happened is recorded, but the response is not: a repeated request asks for the reply again.
      const { locked } = await database.transaction((queries) => reply.settle(queries, outcome));
      throw failure === null ? endedMeanwhile(locked.call.status) : replyFailed(locked.call, failure);
    }
    return await record(async (queries) => {
      const { locked, turns } = await reply.settle(queries, outcome);
      const { status, dataStorageSetting } = locked.call;
      const isSealedCall = isSealed(dataStorageSetting);
      return {
        body: { turns: visibleTurns(turns, caller.access), status },
        resourceId: callId,
        // With the end of the call, nothing that was sealed is kept.
        callContent: { callId, isSealed: isSealedCall, isRemoved: isSealedCall && isTerminal(locked.call) },
      };
    });
  } finally {
    await chats.close(reply);
  }
}

/** The reply failed: 502. A retry helps neither in a call that is over nor with what the provider rejects. */
function replyFailed({ engine, ...call }: Pick<Call, 'engine' | 'status'>, detail: string) {
  const code = /^HTTP (\d{3})/.exec(detail)?.[1] ?? null;
  const isRejected = code?.startsWith('4') === true && !['408', '409', '429'].includes(code);
  const provider = engine === 'test' || engine === 'custom_llm' ? engine : 'llm';
  return upstreamError(provider, code, !isRejected && !isTerminal(call));
}

function requireChat({ call }: LockedCall): void {
  const { status } = call;
  if (channelOf(call).isSpoken) throw stateConflict('call', { status, allowed: [], reason: 'not_a_chat' });
  if (status !== 'registered' && status !== 'ongoing') {
    throw stateConflict('call', { status, allowed: ['registered', 'ongoing'] });
  }
}

/** An earlier request has started the conversation, and failed or was lost before its opening was stored. */
function isOpeningMissing({ nextTurn }: LockedCall, { failedReplies, engine }: ChatState): boolean {
  return nextTurn === 0 && (failedReplies > 0 || engine === undefined);
}

/** A flow always opens, because it costs nothing. A model writes an opening only if there is no message. */
function openingOf({ beginMessage }: Agent, { call }: LockedCall, text: string | null): ReplyTask['opening'] {
  if (beginMessage === '') return 'wait';
  return beginMessage !== null || call.engine === 'flow' || text === null ? 'open' : 'wait';
}

interface MessageFacts extends Pick<ReplyTask, 'text' | 'opening' | 'unfinishedKey'> {
  readonly earlier: Unfinished | undefined;
}

function addCallerTurn(locked: LockedCall, text: string): Turn {
  const turn = writtenTurn(locked, { role: 'caller', source: null, text });
  return inOrder({ ...turn, index: locked.addTurn(turn) });
}

/** Adds the caller's turn, unless it is there already or the opening comes first. */
function taskOf(
  locked: LockedCall,
  state: ChatState,
  { text, opening, earlier, unfinishedKey }: MessageFacts,
): Omit<ReplyTask, 'stored' | 'receivedAt'> {
  const known = earlier ?? { callerTurn: null, turns: [] };
  const isNew = text !== null && known.callerTurn === null && opening === 'wait';
  const added = isNew ? addCallerTurn(locked, text) : null;
  const turns = added === null ? known.turns : [...known.turns, added];
  const begun = { text, callerTurn: added?.index ?? known.callerTurn, turns };
  const message = { ...begun, owner: locked.row.owner };
  const unfinished = { ...state.unfinished, ...(unfinishedKey !== '' && { [unfinishedKey]: message }) };
  const isSealedCall = isSealed(locked.call.dataStorageSetting);
  return {
    state: { ...state, unfinished, history: isSealedCall ? [...state.history, ...(added ? [added] : [])] : [] },
    ...begun,
    opening,
    isResponse: false,
    unfinishedKey,
  };
}

/** The state does not need the key itself. */
function keyOf(repeatKey: string): string {
  return createHash('sha256').update(repeatKey).digest('base64url').slice(0, 22);
}
