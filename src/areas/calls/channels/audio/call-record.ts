import type { Call } from '../../../../contract/calls/call.ts';
import type { CallEndReason } from '../../../../contract/calls/end-reasons.ts';
import type { ControlCall } from '../../../../contract/calls/requests.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import type { Database, Queries } from '../../../../storage/database.ts';
import type { Clock } from '../../../../voice/clock.ts';
import { type ConversationRecord, placesOf, type TurnPlaces, writeRecords } from '../../conversation/records.ts';
import { setConversationState } from '../../conversation/state.ts';
import { resumeMs } from '../../lifecycle/due.ts';
import { endedByOf, isTerminal } from '../../record/call.ts';
import type { LogCallFailure } from '../../record/call-log.ts';
import type { StoredCall } from '../../record/call-row.ts';
import type { Journal } from '../../record/journal.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import { recordingWarning } from '../../record/recordings.ts';
import { isSealed } from '../../record/storage-setting.ts';
import type { LiveSession } from './spoken-conversation.ts';
import type { LiveState } from './spoken-state.ts';

export interface LiveRecordParts {
  readonly database: Database;
  readonly journal: Journal;
  /** The name of this process. */
  readonly owner: string;
  readonly clock: Clock;
  readonly logFailure: LogCallFailure;
}

export interface LiveRecordListener {
  /** The conversation, once it has begun. */
  session(): LiveSession | null;
  /** Its working state. */
  state(): LiveState | null;
  /** This process has nothing more to write: the call is over, or another process has it. */
  over(isEnded: boolean): void;
}

interface ControlRecord {
  readonly type: 'control';
  readonly action: ControlCall['action'];
  readonly at: number;
  /** The number of its call event, once it is stored. */
  sequence: number | null;
}

type Entry = ConversationRecord | ControlRecord;

interface LiveEnding {
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

class LostCall extends Error {
  /** The call is over; otherwise another process has it. */
  readonly isOver: boolean;

  constructor(isOver: boolean) {
    super(isOver ? 'the call is over' : 'another process has the call');
    this.isOver = isOver;
  }
}

/**
 * What is written of a web call, in batches. Every write compares the owner and its epoch, so that a process that has
 * lost the call changes nothing.
 */
export class LiveRecord {
  readonly #parts: LiveRecordParts;
  readonly #call: Pick<Call, 'id' | 'workspaceId'>;
  readonly #listener: LiveRecordListener;
  /** As it was written last, so that its document need not be read and parsed again. */
  #known: StoredCall | null = null;
  #epoch: number;
  #entries: Entry[] = [];
  #ending: LiveEnding | null = null;
  #places: TurnPlaces;
  #isClosed = false;
  #work: Promise<unknown> = Promise.resolve();
  #cancelWrite: (() => void) | null = null;

  constructor(
    parts: LiveRecordParts,
    { call, ownerEpoch }: StoredCall,
    history: readonly Turn[],
    listener: LiveRecordListener,
  ) {
    this.#parts = parts;
    this.#call = call;
    this.#epoch = ownerEpoch;
    this.#places = placesOf(history.filter(({ role }) => role === 'tool'));
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
    this.#entries.push(record);
    this.writeLater();
  }

  /** An action of the API. `sequence` is that of its call event, once it is stored. */
  addControl(action: ControlCall['action'], at: number): { readonly sequence: number | null } {
    const entry: ControlRecord = { type: 'control', action, at, sequence: null };
    this.#entries.push(entry);
    return entry;
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
        this.#parts.logFailure(this.#call.id, 'what happened in a web call could not be written yet', error);
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
      // A copy: what happens during the transaction is written by the next one.
      const entries = [...this.#entries];
      const ending = this.#ending;
      const replies = session?.replies ?? 0;
      const written = await this.#parts.database
        .transaction(async (queries) => this.#writeBatch(queries, entries, ending, replies), { isBackground: true })
        .catch((error) => {
          if (!(error instanceof LostCall)) throw error;
          this.#listener.over(error.isOver);
          return null;
        });
      if (written === null) return;
      for (const [entry, sequence] of written.sequences) entry.sequence = sequence;
      this.#entries = this.#entries.slice(entries.length);
      this.#places = written.places;
      this.#known = written.stored;
      if (session !== null) session.replies -= replies;
      if (written.isEnded) this.#listener.over(true);
    });
  }

  /** Writes what is outstanding and gives up the call. `state` is called when nothing else is being written. */
  giveAway(state: () => Promise<LiveState>, done: (error: unknown) => void): Promise<void> {
    return this.#exclusive(async () => {
      if (this.#isClosed) return;
      const left = await state();
      try {
        await this.#parts.database.transaction(async (queries) => {
          const locked = await this.#lock(queries);
          this.#writeInto(locked, this.#entries);
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

  async #writeBatch(queries: Queries, entries: readonly Entry[], ending: LiveEnding | null, replies: number) {
    const { journal } = this.#parts;
    const session = this.#listener.session();
    const locked = await this.#lock(queries);
    const written = this.#writeInto(locked, entries, replies);
    const { limitReached } = locked;
    const overLimit = limitReached === null ? null : { reason: 'max_duration' as const, detail: limitReached };
    const end = ending ?? (overLimit === null ? null : { ...overLimit, at: locked.now });
    if (end === null) {
      // Sealed content stays in memory, except while the call is handed over.
      const state = isSealed(locked.call.dataStorageSetting) ? null : this.#listener.state();
      if (state !== null) setConversationState(locked, state);
      const { etag } = await journal.write(queries, locked);
      return { ...written, stored: { ...locked.row, etag }, isEnded: false };
    }
    locked.setCall({ conversation: session?.spoken.conversation() ?? null });
    await journal.end(queries, locked, { ...end, by: endedByOf(end.reason) });
    return { ...written, stored: null, isEnded: true };
  }

  #writeInto(locked: LockedCall, entries: readonly Entry[], replies = this.#listener.session()?.replies ?? 0) {
    const sequences = new Map<ControlRecord, number>();
    let places = this.#places;
    for (const entry of entries) {
      if (entry.type === 'control') {
        sequences.set(entry, locked.addEvent('control_applied', { action: entry.action }, entry.at));
      } else ({ places } = writeRecords([entry], locked, places));
    }
    const session = this.#listener.session();
    if (session !== null) {
      const changes = session.figures(locked.call, replies);
      const recording = recordingOf(session, locked.call);
      locked.setCall({ ...changes, ...recording });
      if (recording.recording?.status === 'failed') locked.addEvent('warning', recordingWarning);
    }
    return { sequences, places };
  }

  /** Only as long as this process has the call. */
  async #lock(queries: Queries): Promise<LockedCall> {
    const locked = await this.#parts.journal.lock(queries, this.#call.workspaceId, this.#call.id, this.#known);
    if (locked === undefined || isTerminal(locked.call)) throw new LostCall(locked !== undefined);
    const { owner, ownerEpoch } = locked.row;
    if (owner !== this.#parts.owner || ownerEpoch !== this.#epoch) throw new LostCall(false);
    return locked;
  }

  /** One after the other, so that a write never sees the claim of another connection half done. */
  #exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => {});
    return result;
  }
}

/** What changes in the call. */
function recordingOf({ spoken }: LiveSession, { recording }: Call): Partial<Pick<Call, 'recording'>> {
  const status = spoken.hasRecordingFailed ? 'failed' : spoken.isRecording ? 'recording' : recording.status;
  return status === recording.status ? {} : { recording: { status, durationMs: null, sizeBytes: null } };
}
