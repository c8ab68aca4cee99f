import type { Turn } from '../../../../contract/calls/turn.ts';
import { stateConflict } from '../../../../core/errors.ts';
import type { Database, Queries } from '../../../../storage/database.ts';
import { Conversation, type ConversationParts } from '../../conversation/conversation.ts';
import type { CustomLlm } from '../../conversation/custom-llm.ts';
import type { PreparedAgent, PreparedAgents } from '../../conversation/prepared-agents.ts';
import { type ConversationRecord, merged, UnwrittenRecords, type WrittenRecords } from '../../conversation/records.ts';
import { addReplyTimes } from '../../conversation/reply-times.ts';
import { setConversationState } from '../../conversation/state.ts';
import { dueAt } from '../../lifecycle/due.ts';
import { endedByOf } from '../../record/call.ts';
import type { StoredCall } from '../../record/call-row.ts';
import type { Journal } from '../../record/journal.ts';
import { inOrder, type LockedCall } from '../../record/locked-call.ts';
import { isSealed } from '../../record/storage-setting.ts';
import type { CallStore } from '../../record/store.ts';
import { type ChatOutcome, ChatSession } from './chat-session.ts';
import { type ChatState, chatStateOf, writtenTurn } from './chat-state.ts';
import type { ReplyLease } from './reply-leases.ts';
import type { createUnpromptedTurns } from './unprompted-turns.ts';

export interface ChatParts extends ConversationParts {
  readonly database: Database;
  readonly store: CallStore;
  readonly journal: Journal;
  readonly prepare: PreparedAgents;
  readonly customLlm: CustomLlm;
  readonly takeUnpromptedTurn: ReturnType<typeof createUnpromptedTurns>;
  /** How long the lease of a reply lasts. If it is not renewed in time, another process may take over. */
  readonly leaseMs: number;
}

/** A reply to carry out: what the first transaction has established. */
export interface ReplyTask {
  readonly stored: StoredCall;
  readonly state: ChatState;
  /** The turns of the message so far. */
  readonly turns: readonly Turn[];
  /** The message; null if there is only an opening, or if the API asks the agent to take a turn. */
  readonly text: string | null;
  /** Null: the caller's turn is not stored yet, because the opening comes before it. */
  readonly callerTurn: number | null;
  readonly opening: 'open' | 'wait';
  readonly isResponse: boolean;
  /** The key under which the state records the unanswered message. */
  readonly unfinishedKey: string;
  /** When the message arrived, by `performance.now()`. */
  readonly receivedAt: number;
}

export interface ReplyListener {
  text(turn: number, delta: string): void;
  tool(name: string): void;
  /** From a custom LLM, for the caller's page. */
  metadata?(metadata: unknown): void;
}

export interface Settled {
  readonly locked: LockedCall;
  /** The turns of the message, in order. */
  readonly turns: readonly Turn[];
}

/** One message, from its opening to the last turn. The call is leased to it until it is settled or closed. */
export class RunningReply {
  readonly lease: ReplyLease;
  readonly #parts: ChatParts;
  readonly #task: ReplyTask;
  readonly #conversation: Conversation;
  readonly #session: ChatSession;
  readonly #unwritten: UnwrittenRecords;
  #turns: readonly Turn[];
  #callerTurn: number | null;
  #nextTurn: number;
  /** What a repeated request starts from. */
  #engineState: unknown;
  #writing: Promise<unknown> = Promise.resolve();
  #writeFailure: Error | null = null;
  #hasEnded = false;
  #isReleased = false;

  constructor(
    parts: ChatParts,
    task: ReplyTask,
    prepared: PreparedAgent,
    history: readonly Turn[],
    listener: ReplyListener,
  ) {
    this.#parts = parts;
    this.#task = task;
    this.lease = leaseOf(task);
    const { stored, state } = task;
    this.#callerTurn = task.callerTurn;
    this.#nextTurn = stored.nextTurn;
    this.#engineState = state.engine;
    this.#turns = task.turns;
    // The tools that an earlier reply to the same message has called.
    const resumed = task.turns.filter(({ role }) => role === 'tool');
    this.#unwritten = new UnwrittenRecords(resumed);
    this.#conversation = new Conversation(
      parts,
      { prepared, call: stored.call, state, history },
      {
        customLlm: (agent, call) =>
          parts.customLlm.keepConnected(agent, call, (text, endCall) =>
            parts.takeUnpromptedTurn(agent, call, text, endCall),
          ),
        // What is written happens when it is stored.
        record: ({ at: _, ...record }) => this.#unwritten.add(record as ConversationRecord),
        stored: () => this.#writeSoFar(),
        onTool: (name) => listener.tool(name),
        // Written while the model goes on; the last transaction waits for it, and fails if it has failed.
        onToolDone: () => void this.#writeSoFar().catch(() => {}),
      },
    );
    if (Object.keys(state.controlVariables).length > 0) this.#conversation.setVariables(state.controlVariables);
    this.#session = new ChatSession({
      clock: parts.clock,
      conversation: this.#conversation,
      state,
      opening: task.opening,
      resumedTurns: resumed,
      onText: (delta) => listener.text(this.#nextTurn + this.#unwritten.newTurns, delta),
      onMetadata: (metadata) => listener.metadata?.(metadata),
    });
  }

  /** Cancels the reply: the call has ended meanwhile. */
  cancel(): void {
    this.#session.cancel();
    this.#parts.customLlm.disconnect(this.lease.callId);
  }

  async run(): Promise<ChatOutcome> {
    const { text, isResponse, receivedAt } = this.#task;
    let outcome = await this.#session.open();
    if (outcome.end === null && outcome.failure === null) {
      if (text !== null) {
        if (this.#callerTurn === null) await this.#writeCallerTurn(text);
        outcome = await this.#session.replyTo(text, performance.now() - receivedAt);
      } else if (isResponse) {
        outcome = await this.#session.respond();
      }
    }
    await this.#writing;
    this.#hasEnded = outcome.end !== null;
    return outcome;
  }

  /** Writes everything that is outstanding, and releases the call. Returns the turns of the message. */
  async settle(queries: Queries, { failure, end }: ChatOutcome): Promise<Settled> {
    const { journal } = this.#parts;
    const locked = await this.#lock(queries);
    const records = this.#unwritten.all;
    // Half a reply is not kept: a repeated request gets a whole one.
    const { turns } = this.#unwritten.writeInto(
      locked,
      failure === null ? records : records.filter(isKeptAfterFailure),
    );
    const all = merged(this.#turns, turns);
    const state = this.#stateAfter(locked, all, failure !== null);
    const { replyTimes, controlVariables } = state;
    const { replies } = this.#conversation;
    // What was set during the reply is newer than what the engine knows.
    const setSince = controlVariables;
    locked.setCall(this.#conversation.totals(locked.call, { replies, replyTimes, setSince, speech: null }));
    locked.set({ owner: null, leaseUntil: null });
    const ending = end === null ? locked.endingByLimit : { ...end, by: endedByOf(end.reason), at: locked.now };
    if (ending !== null) await journal.end(queries, locked, ending);
    else {
      locked.set({ dueAt: dueAt(this.#conversation.prepared.agent, locked.row, locked.now) });
      setConversationState(locked, state);
      await journal.write(queries, locked);
    }
    queries.atEnd((isCommitted) => {
      this.#isReleased = isCommitted;
    });
    return { locked, turns: all };
  }

  /** Whether the reply was settled, which released the call. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  close(): void {
    this.#session.close();
    this.#conversation.close();
    if (this.#hasEnded) this.#parts.customLlm.disconnect(this.lease.callId);
  }

  async #writeCallerTurn(text: string): Promise<void> {
    const records = this.#unwritten.all;
    this.#engineState = this.#conversation.engine.state();
    const written = await this.#parts.database.transaction(async (queries) => {
      const locked = await this.#lock(queries);
      const { turns, ...rest } = this.#unwritten.writeInto(locked, records);
      const turn = writtenTurn(locked, { role: 'caller', source: null, text });
      const index = locked.addTurn(turn);
      const all = [...turns, inOrder({ ...turn, index })];
      await this.#save(queries, locked, all, index);
      return { ...rest, turns: all, index, nextTurn: locked.nextTurn };
    });
    this.#noteWritten(records, written);
    this.#callerTurn = written.index;
    this.#conversation.history.push(written.turns.at(-1) as Turn);
  }

  /** Writes what has happened so far, after what is being written. */
  #writeSoFar(): Promise<void> {
    const writing = this.#writing.then(async () => {
      const records = upToLastTool(this.#unwritten.all);
      if (records.length === 0) return;
      const written = await this.#parts.database.transaction(async (queries) => {
        const locked = await this.#lock(queries);
        const result = this.#unwritten.writeInto(locked, records);
        await this.#save(queries, locked, result.turns, this.#callerTurn);
        return { ...result, nextTurn: locked.nextTurn };
      });
      this.#noteWritten(records, written);
    });
    this.#writing = writing.catch((error: Error) => {
      this.#writeFailure = error;
    });
    return writing;
  }

  #noteWritten(records: readonly ConversationRecord[], written: WrittenRecords & { readonly nextTurn: number }): void {
    this.#unwritten.settle(records, written);
    this.#turns = merged(this.#turns, written.turns);
    this.#nextTurn = written.nextTurn;
  }

  async #save(queries: Queries, locked: LockedCall, turns: readonly Turn[], callerTurn: number | null): Promise<void> {
    setConversationState(locked, this.#unfinishedState(locked, merged(this.#turns, turns), callerTurn));
    await this.#parts.journal.write(queries, locked);
  }

  /** Only as long as the call is leased to this reply. */
  async #lock(queries: Queries): Promise<LockedCall> {
    if (this.#writeFailure !== null) throw this.#writeFailure;
    const { stored } = this.#task;
    const { workspaceId, id } = stored.call;
    const locked = await this.#parts.journal.lock(queries, workspaceId, id, stored);
    if (locked === undefined || locked.call.status !== 'ongoing') throw endedMeanwhile(locked?.call.status ?? 'ended');
    if (locked.row.owner !== stored.owner) throw replyInProgress(locked.call.status);
    return locked;
  }

  #stateAfter(locked: LockedCall, turns: readonly Turn[], hasFailed: boolean): ChatState {
    if (hasFailed) {
      const state = this.#unfinishedState(locked, turns, this.#callerTurn);
      return { ...state, failedReplies: this.#task.state.failedReplies + 1 };
    }
    const state = this.#stateWith(locked, turns);
    const { [this.#task.unfinishedKey]: _, ...unfinished } = state.unfinished;
    return { ...state, failedReplies: 0, unfinished };
  }

  /** What a repeated request continues from. */
  #unfinishedState(locked: LockedCall, turns: readonly Turn[], callerTurn: number | null): ChatState {
    const { text, unfinishedKey, stored } = this.#task;
    const { unfinished, controlVariables } = chatStateOf(locked);
    const message = { text, callerTurn, turns, owner: stored.owner };
    const state = {
      ...this.#stateWith(locked, turns),
      unfinished: unfinishedKey === '' ? unfinished : { ...unfinished, [unfinishedKey]: message },
    };
    // A flow starts the reply again from where it was. A prompt has no place, and keeps what its tools have returned.
    if (locked.call.engine === 'prompt') return state;
    const { engine } = this.#conversation;
    const earlier = engine.restartState?.(this.#engineState) ?? this.#engineState;
    return { ...state, engine: earlier, controlVariables };
  }

  /** From the state as it is now: the call may have been controlled since the reply began. */
  #stateWith(locked: LockedCall, turns: readonly Turn[]): ChatState {
    const stored = chatStateOf(locked);
    const known = this.#task.state.controlVariables;
    const since = Object.entries(stored.controlVariables).filter(([name, value]) => known[name] !== value);
    return {
      ...stored,
      engine: this.#conversation.engine.state(),
      controlVariables: Object.fromEntries(since),
      warnings: [...this.#conversation.warnings],
      replyTimes: addReplyTimes(stored.replyTimes, locked.turns),
      history: isSealed(locked.call.dataStorageSetting) ? merged(stored.history, turns) : [],
    };
  }
}

function isKeptAfterFailure(record: ConversationRecord): boolean {
  if (record.type === 'turn') return record.turn.role !== 'agent';
  return record.type !== 'event' || !['latency_exceeded', 'knowledge_searched'].includes(record.event.type);
}

/** What the agent says after its tools is not kept before the reply is complete: a repeated request gets it again. */
function upToLastTool(records: readonly ConversationRecord[]): readonly ConversationRecord[] {
  const last = records.findLastIndex((record) => {
    if (record.type === 'turn') return record.turn.role === 'tool';
    return record.type === 'event' && ['tool_called', 'tool_returned'].includes(record.event.type);
  });
  return records.slice(0, last + 1);
}

export function leaseOf({ stored: { call, owner } }: ReplyTask): ReplyLease {
  return { workspaceId: call.workspaceId, callId: call.id, owner: owner as string };
}

export function replyInProgress(status: string, retryAfterSeconds = 1) {
  return stateConflict('call', {
    status,
    allowed: ['registered', 'ongoing'],
    reason: 'reply_in_progress',
    retryAfterSeconds,
  });
}

export function endedMeanwhile(status: string) {
  return stateConflict('call', { status, allowed: ['ongoing'], reason: 'ended_meanwhile' });
}
