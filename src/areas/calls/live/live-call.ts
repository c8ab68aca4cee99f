import type { Call } from '../../../contract/calls/call.ts';
import type { ControlCall } from '../../../contract/calls/requests.ts';
import type { CallEndReason } from '../../../contract/end-reasons.ts';
import type { ClientFrame, ServerFrame } from '../../../contract/live.ts';
import { closeCodes } from '../../../contract/live.ts';
import type { Turn } from '../../../contract/turn.ts';
import { serviceUnavailable, stateConflict } from '../../../core/errors.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { CallAudio } from '../../../voice/spoken/spoken-session-parts.ts';
import { endedByOf, isTerminal } from '../call.ts';
import type { StoredCall } from '../call-row.ts';
import type { ChatRecord } from '../chat/chat-session.ts';
import type { PreparedAgent } from '../chat/prepared-agents.ts';
import { placesOf, type TurnPlaces, writeRecords } from '../chat/recording.ts';
import { resumeMs } from '../due.ts';
import type { HeldCall } from '../held-call.ts';
import type { Journal } from '../journal.ts';
import { isSealed } from '../storage-setting.ts';
import { LiveSession, type LiveSessionParts } from './live-session.ts';
import { type LiveState, setLiveState } from './live-state.ts';

/** The client that is connected to a call. */
export interface Connection {
  send(frame: ServerFrame): boolean;
  close(code: { readonly code: number; readonly meaning: string }): void;
}

export interface LiveCallParts extends LiveSessionParts {
  readonly database: Database;
  readonly journal: Journal;
  /** The name of this process. */
  readonly owner: string;
  readonly logFailure: (what: string, error: unknown) => void;
  /** This process has nothing more to do with the call. */
  readonly onGone: (call: LiveCall) => void;
}

/** What was read when the call was claimed. */
export interface LiveCallFacts {
  readonly stored: StoredCall;
  readonly state: LiveState;
  readonly prepared: PreparedAgent;
  readonly history: readonly Turn[];
  readonly latencies: readonly Pick<Turn, 'role' | 'latency'>[];
}

interface ControlRecord {
  readonly type: 'control';
  readonly action: ControlCall['action'];
  readonly at: number;
  /** The number of its call event, once it is stored. */
  sequence: number | null;
}

type Record = ChatRecord | ControlRecord;

interface LiveEnding {
  readonly reason: CallEndReason;
  readonly at: number;
  readonly detail: string | null;
}

/** What happens in a call is written this long after it has happened, together with what has happened since. */
const batchMs = 250;
const retryMs = 1000;

export interface Capabilities {
  readonly speechIn: boolean;
  readonly speechOut: boolean;
  readonly recording: boolean;
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
 * A web call that this process owns: its connection, its conversation, and what is written of it. Every write compares
 * the owner and its epoch, so that a process that has lost the call changes nothing.
 */
export class LiveCall {
  readonly id: string;
  readonly workspaceId: string;
  readonly #parts: LiveCallParts;
  readonly #facts: LiveCallFacts;
  #epoch: number;
  #session: LiveSession | null = null;
  #connection: Connection | null = null;
  #records: Record[] = [];
  #ending: LiveEnding | null = null;
  #places: TurnPlaces;
  #isGone = false;
  /** It has ended: a client that has just connected learns so from the last event. */
  #isOver = false;
  #work: Promise<unknown> = Promise.resolve();
  #cancelWrite: (() => void) | null = null;
  #cancelWait: () => void = () => {};

  constructor(parts: LiveCallParts, facts: LiveCallFacts) {
    this.#parts = parts;
    this.#facts = facts;
    const { call, ownerEpoch } = facts.stored;
    this.id = call.id;
    this.workspaceId = call.workspaceId;
    this.#epoch = ownerEpoch;
    this.#places = placesOf(facts.history.filter(({ role }) => role === 'tool'));
    this.#waitForCaller();
  }

  get epoch(): number {
    return this.#epoch;
  }

  get agent() {
    return this.#facts.prepared.agent;
  }

  get isRecording(): boolean {
    return this.#session?.spoken.isRecording ?? false;
  }

  // The connection

  /** Runs a claim of this process on its own call, between two writes. */
  reclaim<Claim extends { readonly epoch: number | null }>(claim: () => Promise<Claim>): Promise<Claim> {
    return this.#exclusive(async () => {
      const claimed = await claim();
      if (claimed.epoch !== null) this.#epoch = claimed.epoch;
      return claimed;
    });
  }

  /** A client is connected. One that was before is not any more. */
  attach(connection: Connection): void {
    if (this.#isGone) {
      if (!this.#isOver) connection.close(closeCodes.goingAway);
      return;
    }
    const before = this.#connection;
    this.#connection = connection;
    this.#cancelWait();
    if (before === null) return;
    before.close(closeCodes.joinedElsewhere);
    this.#session?.spoken.lost();
  }

  /** The connection is closed. */
  detach(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    if (this.#isGone) return;
    if (this.#session === null) this.#waitForCaller();
    else this.#session.spoken.lost();
  }

  /** The client is ready to hear the agent. `onReady` is called before anything is said. */
  start(audio: CallAudio, onReady: (capabilities: Capabilities) => void): void {
    if (this.#isGone) return;
    const isNew = this.#session === null;
    this.#session ??= this.#newSession(audio);
    const { spoken } = this.#session;
    onReady({ ...spoken.capabilities, recording: spoken.isRecording });
    if (isNew) spoken.connect();
    else spoken.resumed(audio);
    this.#writeLater();
  }

  receive(frame: Exclude<ClientFrame, { type: 'start' }>) {
    const spoken = this.#session?.spoken;
    switch (frame.type) {
      case 'text':
        return spoken?.text(frame.text ?? '');
      case 'played':
        return spoken?.played(frame.utterance, frame.samples);
      case 'recognized':
        return spoken?.recognized(frame.text, frame.isFinal);
      case 'dtmf':
        return spoken?.dtmf(frame.digits);
      case 'tool_result':
        return this.#session?.clientTools.settle(
          frame.toolCallId,
          frame.error === undefined
            ? { isError: false, result: frame.result ?? null }
            : { isError: true, code: 'failed', message: frame.error },
        );
      case 'end':
        return spoken?.hangUp();
    }
  }

  audio(samples: Int16Array): void {
    this.#session?.spoken.audio(samples);
  }

  // What the API does

  async end(reason: 'caller_hangup' | 'api_end'): Promise<void> {
    const { spoken } = this.#session ?? {};
    if (spoken === undefined) this.#endAt(reason, this.#parts.now(), null);
    else if (reason === 'api_end') spoken.stop(reason);
    else spoken.hangUp();
    await this.#write();
  }

  /** Returns the number of the call event. */
  async control(body: ControlCall): Promise<number> {
    const session = this.#session;
    if (session === null || this.#ending !== null || this.#isGone) {
      const status = this.#ending === null ? 'ongoing' : 'ended';
      throw stateConflict('call', { status, allowed: ['ongoing'], reason: 'not_joined', retryAfterSeconds: 1 });
    }
    session.checkControl(body, 'ongoing');
    const record: ControlRecord = { type: 'control', action: body.action, at: this.#parts.now(), sequence: null };
    this.#records.push(record);
    session.control(body);
    await this.#write();
    if (record.sequence === null) throw serviceUnavailable('The call is continued by another process.');
    return record.sequence;
  }

  /**
   * Gives the call away: another process continues it from what is written now. False while a tool runs, whose result
   * would be lost.
   */
  async release(code: Parameters<Connection['close']>[0]): Promise<boolean> {
    if (this.#session?.spoken.isToolRunning) return false;
    await this.#exclusive(async () => {
      if (this.#isGone) return;
      const session = this.#session;
      // What is said from here on would be lost.
      session?.spoken.leave();
      await session?.spoken.closed();
      const state = session?.state() ?? this.#facts.state;
      try {
        await this.#parts.database.transaction(async (queries) => {
          const held = await this.#hold(queries);
          this.#writeInto(held, this.#records);
          setLiveState(held, state);
          held.set({ owner: null, leaseUntil: null, dueAt: held.now + resumeMs });
          await this.#parts.journal.write(queries, held);
        });
      } catch (error) {
        // The conversation has stopped, and cannot go on here: the call is as if its process were lost.
        this.#leave(closeCodes.goingAway);
        throw error;
      }
      this.#leave(code);
    });
    return true;
  }

  /** Another process has the call, or has ended it. */
  lose(isOver: boolean): void {
    this.#leave(isOver ? null : closeCodes.goingAway);
  }

  // The conversation

  #newSession(audio: CallAudio): LiveSession {
    const { stored, ...facts } = this.#facts;
    const { call, recording } = stored;
    return new LiveSession(
      this.#parts,
      { ...facts, call, firstTurn: stored.nextTurn, recordingName: recording?.name ?? null, audio },
      {
        record: (record) => this.#record(record),
        ended: (reason, at, detail) => this.#endAt(reason, at, detail),
        onTranscript: (part) => void this.#connection?.send({ type: 'transcript', ...part }),
        onFloor: (floor) => void this.#connection?.send({ type: 'state', floor }),
        onMetadata: (metadata) => void this.#connection?.send({ type: 'metadata', metadata }),
        toolCall: (toolCall) => this.#connection?.send({ type: 'tool_call', ...toolCall }) ?? false,
        stored: () => this.#write(),
      },
    );
  }

  #waitForCaller(): void {
    this.#cancelWait();
    this.#cancelWait = this.#parts.clock.after(resumeMs, () =>
      this.#endAt('caller_disconnected', this.#parts.now(), null),
    );
  }

  #record(record: Record): void {
    if (this.#isGone) return;
    this.#records.push(record);
    this.#writeLater();
  }

  #endAt(reason: CallEndReason, at: number, detail: string | null): void {
    if (this.#ending !== null || this.#isGone) return;
    this.#ending = { reason, at, detail };
    this.#cancelWait();
    this.#write().catch(() => this.#writeLater(retryMs));
  }

  // The record

  #writeLater(ms = batchMs): void {
    this.#cancelWrite ??= this.#parts.clock.after(ms, () => {
      this.#cancelWrite = null;
      this.#write().catch((error) => {
        this.#parts.logFailure('what happened in a web call could not be written yet', error);
        this.#writeLater(retryMs);
      });
    });
  }

  /** Writes everything that has happened so far. */
  #write(): Promise<void> {
    return this.#exclusive(async () => {
      if (this.#isGone) return;
      await (this.#ending !== null ? this.#session?.spoken.closed() : undefined);
      const records = this.#records;
      const ending = this.#ending;
      const replies = this.#session?.replies ?? 0;
      const written = await this.#parts.database
        .transaction(async (queries) => this.#writeBatch(queries, records, ending, replies))
        .catch((error) => {
          if (!(error instanceof LostCall)) throw error;
          this.lose(error.isOver);
          return null;
        });
      if (written === null) return;
      for (const [record, sequence] of written.sequences) record.sequence = sequence;
      this.#records = this.#records.slice(records.length);
      this.#places = written.places;
      if (this.#session !== null) this.#session.replies -= replies;
      if (written.isEnded) this.#leave(null);
    });
  }

  async #writeBatch(queries: Queries, records: readonly Record[], ending: LiveEnding | null, replies: number) {
    const { journal } = this.#parts;
    const held = await this.#hold(queries);
    const written = this.#writeInto(held, records, replies);
    const { limitReached } = held;
    const overLimit = limitReached === null ? null : { reason: 'max_duration' as const, detail: limitReached };
    const end = ending ?? (overLimit === null ? null : { ...overLimit, at: held.now });
    if (end === null) {
      // Sealed content stays in memory, except while the call is handed over.
      if (this.#session !== null && !isSealed(held.call.dataStorageSetting)) setLiveState(held, this.#session.state());
      await journal.write(queries, held);
    } else {
      held.setCall({ conversation: this.#session?.spoken.conversation() ?? null });
      await journal.end(queries, held, { ...end, by: endedByOf(end.reason) });
    }
    return { ...written, isEnded: end !== null };
  }

  #writeInto(held: HeldCall, records: readonly Record[], replies = this.#session?.replies ?? 0) {
    const sequences = new Map<ControlRecord, number>();
    let places = this.#places;
    for (const record of records) {
      if (record.type === 'control') {
        sequences.set(record, held.addEvent('control_applied', { action: record.action }, record.at));
      } else ({ places } = writeRecords([record], held, places));
    }
    if (this.#session !== null) {
      const changes: Partial<Call> = this.#session.figures(held.call, replies);
      const isFirstOfRecording = this.isRecording && held.call.recording.status === 'none';
      if (isFirstOfRecording) changes.recording = { status: 'recording', durationMs: null, sizeBytes: null };
      held.setCall(changes);
    }
    return { sequences, places };
  }

  /** Only as long as this process has the call. */
  async #hold(queries: Queries): Promise<HeldCall> {
    const held = await this.#parts.journal.hold(queries, this.workspaceId, this.id);
    if (held === undefined || isTerminal(held.call)) throw new LostCall(held !== undefined);
    const { owner, ownerEpoch } = held.row;
    if (owner !== this.#parts.owner || ownerEpoch !== this.#epoch) throw new LostCall(false);
    return held;
  }

  /** `code` is null if the call has ended: then its last event closes the connection. */
  #leave(code: Parameters<Connection['close']>[0] | null): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#isOver = code === null;
    this.#cancelWait();
    this.#cancelWrite?.();
    this.#session?.spoken.abandon();
    this.#session?.close();
    const connection = this.#connection;
    this.#connection = null;
    if (code !== null) connection?.close(code);
    this.#parts.onGone(this);
  }

  /** One after the other, so that a write never sees the claim of another connection half done. */
  #exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => {});
    return result;
  }
}
