import { createHash } from 'node:crypto';
import type { Agent } from '../../../contract/agents/agent.ts';
import type { createMessage } from '../../../contract/calls/conversation-operations.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import type { SuccessBody } from '../../../contract/operation.ts';
import { notFound, stateConflict, unprocessable } from '../../../core/errors.ts';
import type { Caller } from '../../../http/admission/caller.ts';
import type { ActionTools, OperationReply } from '../../../http/operations/handlers.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import { isTerminal } from '../call.ts';
import { dueAt } from '../due.ts';
import { type HeldCall, inOrder } from '../held-call.ts';
import type { Journal } from '../journal.ts';
import type { PinnedAgents } from '../pinned-agents.ts';
import { writtenTurn } from '../said.ts';
import { isSealed } from '../storage-setting.ts';
import { joinWithToken, visibleTurns } from '../tokens.ts';
import { type ChatState, chatStateOf, setChatState, type Unfinished } from './chat-state.ts';
import { type Chats, replyFailed } from './chats.ts';
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

/** A message whose reply is to be generated, or the saved reply of an earlier request with the same key. */
export type BegunMessage =
  | { readonly saved: OperationReply<MessageReply> }
  | { readonly saved: null; reply(listener: ReplyListener): Promise<OperationReply<MessageReply>> };

/** Sends a message in a chat: what the caller wrote is stored before the reply is requested. */
export function createMessages({ database, journal, agents, chats }: MessageParts) {
  const begin = async (queries: Queries, message: Message, isResumed: boolean, receivedAt: number) => {
    const { caller, callId, text, repeatKey } = message;
    const held = await journal.hold(queries, caller.workspaceId, callId);
    if (held === undefined) throw notFound('call');
    joinWithToken(caller.access, held);
    requireChat(held);
    const state = chatStateOf(held);
    const unfinishedKey = repeatKey === null ? '' : keyOf(repeatKey);
    const earlier = isResumed ? state.unfinished[unfinishedKey] : undefined;
    chats.lease(held, earlier?.owner);
    const isUnopened = held.call.status === 'registered' || isOpeningMissing(held, state);
    if (text === null && earlier === undefined && !isUnopened) {
      throw unprocessable({ text: ['is required: the conversation has started'] });
    }
    const agent = await agents.read(queries, caller.workspaceId, held.row.agentDigest);
    if (agent === undefined) throw new Error('the agent of an open call is missing');
    if (held.call.status === 'registered') held.connect();
    const opening = isUnopened ? openingOf(agent, held, text) : 'wait';
    const task = beginReply(held, state, { text, opening, earlier, unfinishedKey });
    held.set({ dueAt: dueAt(agent, held.row, held.now) });
    // Without a key, nothing can be resumed, and what is stored of the state has not changed.
    if (unfinishedKey !== '' || isSealed(held.call.dataStorageSetting)) setChatState(held, task.state);
    await journal.write(queries, held);
    return { ...task, stored: held.row, receivedAt };
  };

  return async (message: Message): Promise<BegunMessage> => {
    const { caller, record } = message;
    const receivedAt = performance.now();
    const begun = await message.begin(async (queries, isResumed) => ({
      resourceId: null,
      result: await begin(queries, message, isResumed, receivedAt),
    }));
    if (begun.saved !== null) return { saved: begun.saved };
    const task = begun.result;
    const { id: callId } = task.stored.call;
    const reply = (listener: ReplyListener) =>
      chats.reply(task, listener, async (settle, { failure, end }) => {
        if (failure !== null) {
          // What happened is recorded, but the response is not: a repeated request asks for the reply again.
          const { held } = await database.transaction(settle);
          throw replyFailed(held.call, failure);
        }
        if (end?.reason === 'internal_error') {
          const { held } = await database.transaction(settle);
          throw endedMeanwhile(held.call.status);
        }
        return record(async (queries) => {
          const { held, turns } = await settle(queries);
          const { status, dataStorageSetting } = held.call;
          const isSealedCall = isSealed(dataStorageSetting);
          return {
            body: { turns: visibleTurns(turns, caller.access), status },
            resourceId: callId,
            // With the end of the call, nothing that was sealed is kept.
            callContent: { callId, isSealed: isSealedCall, isRemoved: isSealedCall && isTerminal(held.call) },
          };
        });
      });
    return { saved: null, reply };
  };
}

function requireChat({ call }: HeldCall): void {
  const { status, type } = call;
  if (type !== 'chat') {
    throw stateConflict('call', { status, allowed: [], reason: 'not_a_chat' });
  }
  if (status !== 'registered' && status !== 'ongoing') {
    throw stateConflict('call', { status, allowed: ['registered', 'ongoing'] });
  }
}

/** An earlier request has started the conversation, and failed or was lost before its opening was stored. */
function isOpeningMissing({ nextTurn }: HeldCall, { failedReplies, engine }: ChatState): boolean {
  return nextTurn === 0 && (failedReplies > 0 || engine === undefined);
}

/** A flow opens in any case, because it costs nothing. A model writes an opening only if there is no message. */
function openingOf({ beginMessage }: Agent, { call }: HeldCall, text: string | null): ReplyTask['opening'] {
  if (beginMessage === '') return 'wait';
  return beginMessage !== null || call.engine === 'flow' || text === null ? 'open' : 'wait';
}

interface MessageFacts extends Pick<ReplyTask, 'text' | 'opening' | 'unfinishedKey'> {
  readonly earlier: Unfinished | undefined;
}

function addCallerTurn(held: HeldCall, text: string): Turn {
  const turn = writtenTurn(held, { role: 'caller', source: null, text });
  return inOrder({ ...turn, index: held.addTurn(turn) });
}

/** Adds the caller's turn, unless it is there already or the opening comes first. */
function beginReply(
  held: HeldCall,
  state: ChatState,
  { text, opening, earlier, unfinishedKey }: MessageFacts,
): Omit<ReplyTask, 'stored' | 'receivedAt'> {
  const known = earlier ?? { callerTurn: null, turns: [] };
  const isNew = text !== null && known.callerTurn === null && opening === 'wait';
  const added = isNew ? addCallerTurn(held, text) : null;
  const turns = added === null ? known.turns : [...known.turns, added];
  const begun = { text, callerTurn: added?.index ?? known.callerTurn, turns };
  const own = { ...begun, owner: held.row.owner };
  const unfinished = { ...state.unfinished, ...(unfinishedKey !== '' && { [unfinishedKey]: own }) };
  const isSealedCall = isSealed(held.call.dataStorageSetting);
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
