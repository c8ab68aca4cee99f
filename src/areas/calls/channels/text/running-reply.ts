import type { Call } from '../../../../contract/calls/call.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import { stateConflict } from '../../../../core/errors.ts';
import type { Database, Queries } from '../../../../storage/database.ts';
import type { Clock } from '../../../../voice/clock.ts';
import { collect } from '../../../../voice/engines/collected.ts';
import type { Variables } from '../../../../voice/engines/engine.ts';
import type { Llm } from '../../../../voice/llm.ts';
import type { Tools, TurnLatency } from '../../../../voice/ports.ts';
import type { NewTools } from '../../conversation/conversation.ts';
import type { CustomLlm } from '../../conversation/custom-llm.ts';
import type { PreparedAgent, PreparedAgents } from '../../conversation/prepared-agents.ts';
import {
  type ConversationRecord,
  isKeptAfterFailure,
  merged,
  placesOf,
  type TurnPlaces,
  upToLastTool,
  usageOf,
  writeRecords,
} from '../../conversation/records.ts';
import { setConversationState } from '../../conversation/state.ts';
import { dueAt } from '../../lifecycle/due.ts';
import { endedByOf } from '../../record/call.ts';
import type { StoredCall } from '../../record/call-row.ts';
import type { Journal } from '../../record/journal.ts';
import { inOrder, type LockedCall } from '../../record/locked-call.ts';
import { isSealed, storedValues } from '../../record/storage-setting.ts';
import type { CallStore } from '../../record/store.ts';
import { type ChatOutcome, ChatSession } from './chat-session.ts';
import { addReplyTimes, type ChatState, chatStateOf, latencyOf } from './chat-state.ts';
import type { createUnpromptedTurns } from './unprompted-turns.ts';
import { writtenTurn } from './written-turns.ts';

export interface ChatParts {
  readonly database: Database;
  readonly store: CallStore;
  readonly journal: Journal;
  readonly prepare: PreparedAgents;
  readonly llm: Llm | null;
  readonly customLlm: CustomLlm;
  readonly takeUnpromptedTurn: ReturnType<typeof createUnpromptedTurns>;
  readonly newTools: NewTools;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** How long a reply may be without a sign of life before another process takes over. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly onLatency: (latency: TurnLatency) => void;
}

/** A reply to carry out: what the first transaction has established. */
export interface ReplyTask {
  readonly stored: StoredCall;
  readonly state: ChatState;
  /** The turns of the message so far. */
  readonly turns: readonly Turn[];
  /** The message; null for an opening alone, and if the agent is to take a turn. */
  readonly text: string | null;
  /** Null: the caller's turn is not stored yet, because the opening comes before it. */
  readonly callerTurn: number | null;
  readonly opening: 'open' | 'wait';
  readonly isResponse: boolean;
  /** Under which the state remembers that the message is not answered. */
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

/** One message, from its opening to the last turn. */
export class RunningReply {
  readonly chat: ChatSession;
  readonly #parts: ChatParts;
  readonly #task: ReplyTask;
  readonly #prepared: PreparedAgent;
  readonly #tools: Tools & { close(): void };
  #places: TurnPlaces;
  #turns: readonly Turn[];
  #callerTurn: number | null;
  #nextTurn: number;
  /** What a repeated request starts from. */
  #engineState: unknown;
  #writing: Promise<unknown> = Promise.resolve();
  #lost: Error | null = null;

  constructor(
    parts: ChatParts,
    task: ReplyTask,
    prepared: PreparedAgent,
    history: readonly Turn[],
    listener: ReplyListener,
  ) {
    this.#parts = parts;
    this.#task = task;
    this.#prepared = prepared;
    const { stored, state } = task;
    this.#callerTurn = task.callerTurn;
    this.#nextTurn = stored.nextTurn;
    this.#engineState = state.engine;
    // The tools that an earlier reply to the same message has called.
    const resumed = task.turns.filter(({ role }) => role === 'tool');
    this.#places = placesOf(resumed);
    this.#turns = task.turns;
    this.#tools = parts.newTools(stored.call, prepared.tools, () => ({
      ...state.variables,
      ...this.chat.engine.collected(),
    }));
    this.chat = new ChatSession(
      {
        prepared,
        call: stored.call,
        state,
        history,
        resumedTurns: resumed,
        llm: parts.llm,
        customLlm: (agent, call) =>
          parts.customLlm.forChat(agent, call, (text, endCall) => parts.takeUnpromptedTurn(agent, call, text, endCall)),
        tools: this.#recordedTools(listener),
        newToolCallId: () => parts.newId('tcl'),
        now: parts.now,
        clock: parts.clock,
        onLatency: parts.onLatency,
        onMetadata: (metadata) => listener.metadata?.(metadata),
        onText: (delta) => listener.text(this.#nextTurn + this.#unwrittenTurns(), delta),
      },
      task.opening,
    );
  }

  close(): void {
    this.chat.leave();
    this.#tools.close();
  }

  async run(transaction: Database['transaction']): Promise<ChatOutcome> {
    const { text, isResponse, receivedAt } = this.#task;
    let outcome = await this.chat.open();
    if (outcome.end === null && outcome.failure === null) {
      if (text !== null) {
        if (this.#callerTurn === null) await this.#writeCallerTurn(transaction, text);
        outcome = await this.chat.replyTo(text, performance.now() - receivedAt);
      } else if (isResponse) {
        outcome = await this.chat.respond();
      }
    }
    await this.#writing;
    return outcome;
  }

  /** Writes everything that is outstanding, and releases the call. Returns the turns of the message. */
  async settle(queries: Queries, { failure, end }: ChatOutcome): Promise<Settled> {
    const locked = await this.#lock(queries);
    // Half a reply is not kept: a repeated request gets a whole one.
    const records = failure === null ? this.chat.records : this.chat.records.filter(isKeptAfterFailure);
    const { turns } = writeRecords(records, locked, this.#places);
    const all = merged(this.#turns, turns);
    const { journal } = this.#parts;
    const state = this.#stateAfter(locked, all, failure !== null);
    locked.setCall({
      usage: usageOf(locked.call, this.chat.engine.usage?.() ?? [], this.chat.requests),
      collectedVariables: this.#collectedIn(locked.call, state),
      latency: latencyOf(state.replyTimes),
    });
    locked.set({ owner: null, leaseUntil: null });
    const ending = end === null ? locked.endingByLimit : { ...end, by: endedByOf(end.reason), at: locked.now };
    if (ending !== null) await journal.end(queries, locked, ending);
    else {
      locked.set({ dueAt: dueAt(this.#prepared.agent, locked.row, locked.now) });
      setConversationState(locked, state);
      await journal.write(queries, locked);
    }
    return { locked, turns: all };
  }

  async #writeCallerTurn(transaction: Database['transaction'], text: string): Promise<void> {
    const records = [...this.chat.records];
    this.#engineState = this.chat.engine.state();
    const written = await transaction(async (queries) => {
      const locked = await this.#lock(queries);
      const { turns, places } = writeRecords(records, locked, this.#places);
      const turn = writtenTurn(locked, { role: 'caller', source: null, text });
      const index = locked.addTurn(turn);
      const all = [...turns, inOrder({ ...turn, index })];
      await this.#save(queries, locked, all, index);
      return { places, turns: all, index, nextTurn: locked.nextTurn };
    });
    this.#note(records, written);
    this.#callerTurn = written.index;
    this.chat.noteTurn(written.turns.at(-1) as Turn);
  }

  /** A tool is called only after the call of it is stored, so that it is never called again under another id. */
  #recordedTools(listener: ReplyListener): Tools {
    return {
      run: (toolCallId, call, onResult) => {
        listener.tool(call.name);
        this.#writeSoFar().then(
          () =>
            this.#tools.run(toolCallId, call, (result) => {
              onResult(result);
              // Written while the model goes on; the last transaction waits for it, and fails if it has failed.
              this.#writeSoFar().catch((error: Error) => {
                this.#lost = error;
              });
            }),
          (error: Error) => {
            this.#lost = error;
            onResult({ isError: true, code: 'failed', message: 'the call of the tool could not be recorded' });
          },
        );
      },
    };
  }

  /** Writes what has happened so far, after what is being written. */
  #writeSoFar(): Promise<void> {
    const writing = this.#writing.then(async () => {
      const records = upToLastTool(this.chat.records);
      if (records.length === 0) return;
      const written = await this.#parts.database.transaction(async (queries) => {
        const locked = await this.#lock(queries);
        const result = writeRecords(records, locked, this.#places);
        await this.#save(queries, locked, result.turns, this.#callerTurn);
        return { ...result, nextTurn: locked.nextTurn };
      });
      this.#note(records, written);
    });
    this.#writing = writing.catch(() => {});
    return writing;
  }

  /** These records are in the database now. More may have been added meanwhile. */
  #note(
    records: readonly ConversationRecord[],
    written: { readonly turns: readonly Turn[]; readonly places: TurnPlaces; readonly nextTurn: number },
  ): void {
    this.chat.records = this.chat.records.slice(records.length);
    this.#turns = merged(this.#turns, written.turns);
    this.#places = written.places;
    this.#nextTurn = written.nextTurn;
  }

  async #save(queries: Queries, locked: LockedCall, turns: readonly Turn[], callerTurn: number | null): Promise<void> {
    setConversationState(locked, this.#unfinishedState(locked, merged(this.#turns, turns), callerTurn));
    await this.#parts.journal.write(queries, locked);
  }

  /** Only as long as this process has the call. */
  async #lock(queries: Queries): Promise<LockedCall> {
    if (this.#lost !== null) throw this.#lost;
    const { stored } = this.#task;
    const { workspaceId, id } = stored.call;
    const locked = await this.#parts.journal.lock(queries, workspaceId, id, stored);
    if (locked === undefined || locked.call.status !== 'ongoing') throw endedMeanwhile(locked?.call.status ?? 'ended');
    if (locked.row.owner !== stored.owner) throw replyInProgress(locked.call.status);
    return locked;
  }

  /** The result of a tool changes a turn that has a place already. */
  #unwrittenTurns(): number {
    const { byToolCall } = this.#places;
    const isNew = (record: ConversationRecord) =>
      record.type === 'turn' && (record.turn.toolCall === null || !byToolCall.has(record.turn.toolCall.id));
    return this.chat.records.filter(isNew).length;
  }

  /** What was set during the reply is newer than what the engine knows. */
  #collected({ controlVariables }: ChatState): Variables {
    return collect(this.chat.engine.collected(), controlVariables).collected;
  }

  /** The same object if there is nothing, because searches need not be told then. */
  #collectedIn({ collectedVariables, dataStorageSetting }: Call, state: ChatState): Call['collectedVariables'] {
    const collected = this.#collected(state);
    return Object.keys(collected).length === 0 ? collectedVariables : storedValues(collected, dataStorageSetting);
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
    const own = { text, callerTurn, turns, owner: stored.owner };
    const state = {
      ...this.#stateWith(locked, turns),
      unfinished: unfinishedKey === '' ? unfinished : { ...unfinished, [unfinishedKey]: own },
    };
    // A flow starts the reply again from where it was. A prompt has no place, and keeps what its tools have returned.
    if (locked.call.engine === 'prompt') return state;
    const { engine } = this.chat;
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
      engine: this.chat.engine.state(),
      controlVariables: Object.fromEntries(since),
      warnings: [...this.chat.warnings],
      replyTimes: addReplyTimes(stored.replyTimes, locked.turns),
      history: isSealed(locked.call.dataStorageSetting) ? merged(stored.history, turns) : [],
    };
  }
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
