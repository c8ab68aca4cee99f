import type { Call } from '../../../../contract/calls/call.ts';
import type { CallEndReason } from '../../../../contract/calls/end-reasons.ts';
import type { ControlCall } from '../../../../contract/calls/requests.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import type { Database, Queries } from '../../../../storage/database.ts';
import type { Clock } from '../../../../voice/clock.ts';
import {
  type ControlRecord,
  type ConversationRecord,
  UnwrittenRecords,
  type WrittenRecords,
} from '../../conversation/records.ts';
import { setConversationState } from '../../conversation/state.ts';
import { resumeMs } from '../../lifecycle/due.ts';
import { endedByOf, isTerminal } from '../../record/call.ts';
import type { StoredCall } from '../../record/call-row.ts';
import type { Journal, LogCallFailure } from '../../record/journal.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import { recordingWarning } from '../../record/recordings.ts';
import { isSealed } from '../../record/storage-setting.ts';
import type { CallStore } from '../../record/store.ts';
import type { StoredEvent } from '../../record/turns-and-events.ts';
import type { SpokenConversation } from './spoken-conversation.ts';
import type { SpokenState } from './spoken-state.ts';

export interface CallRecordParts {
  readonly database: Database;
  readonly journal: Journal;
  readonly store: CallStore;
  /** The name of this process. */
  readonly owner: string;
  readonly clock: Clock;
  readonly logFailure: LogCallFailure;
}

export interface CallRecordListener {
  /** The conversation, once it has begun. */
  session(): SpokenConversation | null;
  /** Its working state. */
  state(): SpokenState | null;
  /** This process has nothing more to write: the call is over, or another process has it. */
  over(isEnded: boolean): void;
}

interface RecordedEnding {
  readonly reason: CallEndReason;
  readonly at: number;
  readonly detail: string | null;
}

/**
 * What happens in a call is written at the next multiple of this. All calls of a process write at the same times, so that
 * they share a transaction: each has to wait for the disk, and everything else waits with it.
 */
const batchMs = 250;
const retryMs = 1000;

/** What a write contains. */
interface Batch {
  readonly records: readonly ConversationRecord[];
  readonly written: WrittenRecords;
  readonly replies: number;
  /** The number of the turn that follows; null: it has no turns. */
  readonly nextTurn: number | null;
  readonly lastEvent: StoredEvent | undefined;
}

class LostCall extends Error {
  /** The call is over; otherwise another process has it. */
  readonly isOver: boolean;

  constructor(isOver: boolean) {
    super(isOver ? 'the call is over' : 'another process has the call');
    this.isOver = isOver;
  }
}

/**
 * What is written of a spoken call, in batches. Every write compares the owner and its epoch, so that a process that has
 * lost the call changes nothing.
 */
export class CallRecord {
  readonly #parts: CallRecordParts;
  readonly #call: Pick<Call, 'id' | 'workspaceId'>;
  readonly #listener: CallRecordListener;
  /** As it was written last, so that its document need not be read and parsed again. */
  #known: StoredCall | null = null;
  #epoch: number;
  #ending: RecordedEnding | null = null;
  readonly #unwritten: UnwrittenRecords;
  /** A write that has failed. If the connection to the database broke during its commit, it may be stored. */
  #unconfirmed: Batch | null = null;
  #isClosed = false;
  #work: Promise<unknown> = Promise.resolve();
  #cancelWrite: (() => void) | null = null;

  constructor(
    parts: CallRecordParts,
    { call, ownerEpoch }: StoredCall,
    history: readonly Turn[],
    listener: CallRecordListener,
  ) {
    this.#parts = parts;
    this.#call = call;
    this.#epoch = ownerEpoch;
    this.#unwritten = new UnwrittenRecords(history);
    this.#listener = listener;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get isEnding(): boolean {
    return this.#ending !== null;
  }

  /** Runs a claim of this process on its own call, between two writes. */
  reclaim<Claim extends { readonly epoch: number | null }>(claim: () => Promise<Claim>): Promise<Claim> {
    return this.#exclusive(async () => {
      const claimed = await claim();
      if (claimed.epoch !== null) this.#epoch = claimed.epoch;
      return claimed;
    });
  }

  add(record: ConversationRecord): void {
    if (this.#isClosed) return;
    this.#unwritten.add(record);
    this.writeLater();
  }

  /** An action of the API. `sequence` is that of its call event, once it is stored. */
  addControl(action: ControlCall['action'], at: number): { readonly sequence: number | null } {
    const record: ControlRecord = { type: 'control', action, at, sequence: null };
    this.#unwritten.add(record);
    return record;
  }

  /** Only the first end counts. */
  endAt(reason: CallEndReason, at: number, detail: string | null): void {
    if (this.#ending !== null || this.#isClosed) return;
    this.#ending = { reason, at, detail };
    this.write().catch(() => this.writeLater(retryMs));
  }

  writeLater(ms = batchMs - (this.#parts.clock.now() % batchMs)): void {
    if (this.#isClosed) return;
    this.#cancelWrite ??= this.#parts.clock.after(ms, () => {
      this.#cancelWrite = null;
      this.write().catch((error) => {
        this.#parts.logFailure(this.#call.id, 'events of a voice call could not be written yet', error);
        this.writeLater(retryMs);
      });
    });
  }

  /** Writes everything that has happened so far. */
  write(): Promise<void> {
    return this.#exclusive(async () => {
      if (this.#isClosed) return;
      const session = this.#listener.session();
      await (this.#ending !== null ? session?.spoken.closed() : undefined);
      const ending = this.#ending;
      let batch: Batch | null = null;
      const result = await this.#parts.database
        .transaction(
          async (queries) => {
            const tried = await this.#writeBatch(queries, ending);
            batch = tried.batch;
            return tried;
          },
          { isBackground: true },
        )
        .catch((error) => {
          if (!(error instanceof LostCall)) {
            this.#unconfirmed = batch ?? this.#unconfirmed;
            throw error;
          }
          this.#listener.over(error.isOver);
          return null;
        });
      if (result === null) return;
      this.#settle(result.batch);
      this.#known = result.stored;
      if (result.isEnded) this.#listener.over(true);
    });
  }

  /** Writes what is outstanding and gives up the call. `state` is called when nothing else is being written. */
  release(state: () => Promise<SpokenState>, done: (error: unknown) => void): Promise<void> {
    return this.#exclusive(async () => {
      if (this.#isClosed) return;
      const left = await state();
      try {
        await this.#parts.database.transaction(async (queries) => {
          const locked = await this.#lock(queries);
          this.#writeInto(locked, this.#unwritten.all);
          setConversationState(locked, left);
          locked.set({ owner: null, leaseUntil: null, dueAt: locked.now + resumeMs });
          await this.#parts.journal.write(queries, locked);
        });
      } catch (error) {
        done(error);
        throw error;
      }
      done(null);
    });
  }

  /** Nothing more is written. */
  close(): void {
    this.#isClosed = true;
    this.#cancelWrite?.();
  }

  #settle({ records, written, replies }: Batch): void {
    this.#unwritten.settle(records, written);
    this.#listener.session()?.settleReplies(replies);
  }

  async #writeBatch(queries: Queries, ending: RecordedEnding | null) {
    const { journal } = this.#parts;
    const session = this.#listener.session();
    const locked = await this.#lock(queries);
    const records = this.#unwritten.all;
    const replies = session?.replies ?? 0;
    const written = this.#writeInto(locked, records, replies);
    const nextTurn = locked.nextTurn === locked.before.nextTurn ? null : locked.nextTurn;
    const batch: Batch = { records, written, replies, nextTurn, lastEvent: locked.events.at(-1) };
    const end = ending === null ? locked.endingByLimit : { ...ending, by: endedByOf(ending.reason) };
    if (end === null) {
      // Sealed content stays in memory, except while the call is handed over.
      const state = isSealed(locked.call.dataStorageSetting) ? null : this.#listener.state();
      if (state !== null) setConversationState(locked, state);
      const { etag } = await journal.write(queries, locked);
      return { batch, stored: { ...locked.row, etag }, isEnded: false };
    }
    locked.setCall({ conversation: session?.spoken.conversation() ?? null });
    await journal.end(queries, locked, end);
    return { batch, stored: null, isEnded: true };
  }

  #writeInto(
    locked: LockedCall,
    records: readonly ConversationRecord[],
    replies = this.#listener.session()?.replies ?? 0,
  ): WrittenRecords {
    const written = this.#unwritten.writeInto(locked, records);
    const session = this.#listener.session();
    if (session !== null) {
      const changes = session.totals(locked.call, replies);
      const recording = recordingOf(session, locked.call);
      locked.setCall({ ...changes, ...recording });
      if (recording.recording?.status === 'failed') locked.addEvent('warning', recordingWarning);
    }
    return written;
  }

  /** Only as long as this process has the call. */
  async #lock(queries: Queries): Promise<LockedCall> {
    const locked = await this.#parts.journal.lock(queries, this.#call.workspaceId, this.#call.id, this.#known);
    if (locked === undefined || isTerminal(locked.call)) throw new LostCall(locked !== undefined);
    const { owner, ownerEpoch } = locked.row;
    if (owner !== this.#parts.owner || ownerEpoch !== this.#epoch) throw new LostCall(false);
    if (this.#unconfirmed !== null) await this.#confirm(queries, locked, this.#unconfirmed);
    return locked;
  }

  /** Finds out whether a write is stored that has failed, so that nothing is stored twice. */
  async #confirm(queries: Queries, locked: LockedCall, batch: Batch): Promise<void> {
    const { nextTurn, lastEvent } = batch;
    // Others add no turns, but events.
    const isStored =
      nextTurn === null
        ? lastEvent !== undefined && (await this.#parts.store.hasEvent(queries, lastEvent))
        : locked.nextTurn >= nextTurn;
    this.#unconfirmed = null;
    if (isStored) this.#settle(batch);
  }

  /** One after the other, so that a write never sees the claim of another connection half done. */
  #exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => {});
    return result;
  }
}

/** What changes in the call. */
function recordingOf({ spoken }: SpokenConversation, { recording }: Call): Partial<Pick<Call, 'recording'>> {
  const status = spoken.hasRecordingFailed ? 'failed' : spoken.isRecording ? 'recording' : recording.status;
  return status === recording.status ? {} : { recording: { status, durationMs: null, sizeBytes: null } };
}
