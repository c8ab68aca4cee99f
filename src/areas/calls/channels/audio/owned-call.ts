import type { CallEndReason } from '../../../../contract/calls/end-reasons.ts';
import type { ControlCall } from '../../../../contract/calls/requests.ts';
import type { Turn } from '../../../../contract/calls/turn.ts';
import { serviceUnavailable, stateConflict } from '../../../../core/errors.ts';
import type { CallAudio } from '../../../../voice/spoken/spoken-session-parts.ts';
import type { PreparedAgent } from '../../conversation/prepared-agents.ts';
import type { ReplyTimes } from '../../conversation/reply-times.ts';
import { resumeMs } from '../../lifecycle/due.ts';
import type { PhoneMessage } from '../../lifecycle/phone-lines.ts';
import type { StoredCall } from '../../record/call-row.ts';
import { CallRecord, type CallRecordParts } from './call-record.ts';
import type { ClientToolCall } from './client-tools.ts';
import type { SpokenCalls } from './spoken-calls.ts';
import {
  SpokenConversation,
  type SpokenConversationListener,
  type SpokenConversationParts,
} from './spoken-conversation.ts';
import type { SpokenState } from './spoken-state.ts';

/** The caller's side of a call: a page, or the media socket of a carrier. */
export interface Connection extends Pick<SpokenConversationListener, 'onTranscript' | 'onFloor' | 'onMetadata'> {
  /** A tool that runs on the caller's side. */
  callTool(call: ClientToolCall): void;
  /** Presses keys for the agent, after what it said before. False: that is not possible. */
  pressKeys(keys: string): boolean;
  /** Plays a sound between the words of the agent, such as the tone that a waiting caller hears. */
  play(samples: Int16Array): void;
  /** The call goes on, or not, without this connection. */
  close(reason: CloseReason): void;
  /** The call is over. */
  ended(): void;
}

/** `joined_elsewhere`: a newer connection has the call; `going_away`: another process may continue it. */
export type CloseReason = 'joined_elsewhere' | 'going_away' | 'too_much';

export interface OwnedCallParts extends SpokenConversationParts, CallRecordParts {
  /** Before the first words of a call: see `SpokenCalls`. */
  readonly loadSpeech: SpokenCalls['load'];
  readonly prepareOpening: SpokenCalls['prepareOpening'];
  /** This process has nothing more to do with the call. */
  readonly onGone: (call: OwnedCall) => void;
}

/** What was read when the call was claimed. */
export interface OwnedCallFacts {
  readonly stored: StoredCall;
  readonly state: SpokenState;
  readonly prepared: PreparedAgent;
  readonly history: readonly Turn[];
  /** What the replies so far took. */
  readonly replyTimes: ReplyTimes;
}

export interface Capabilities {
  readonly speechIn: boolean;
  readonly speechOut: boolean;
  readonly recording: boolean;
}

/** Something that the caller does in the conversation. */
type CallerAction = (conversation: SpokenConversation) => void;

/** Clients give up a connection that is not ready after ten seconds. */
const maxLoadMs = 6000;
const maxGreetingMs = 1500;
const maxEarlyActions = 20;

/** A spoken call that this process owns: its connection, its conversation, and its record. */
export class OwnedCall {
  readonly id: string;
  readonly workspaceId: string;
  readonly #parts: OwnedCallParts;
  readonly #facts: OwnedCallFacts;
  readonly #record: CallRecord;
  /** See `SpokenState`. */
  resumedEpoch: number | null = null;
  #session: SpokenConversation | null = null;
  #connection: Connection | null = null;
  #isGone = false;
  /** Whether the call has ended: a client that has just connected learns so from the last event. */
  #isOver = false;
  #cancelWait: () => void = () => {};
  /** Resolves once the speech is loaded, or takes too long. */
  readonly #loading: Promise<void>;
  /** What the caller did before the conversation began. */
  readonly #early: CallerAction[] = [];

  constructor(parts: OwnedCallParts, facts: OwnedCallFacts) {
    this.#parts = parts;
    this.#facts = facts;
    const { stored, history } = facts;
    this.id = stored.call.id;
    this.workspaceId = stored.call.workspaceId;
    this.#record = new CallRecord(parts, stored, history, {
      session: () => this.#session,
      state: () => this.#state(),
      over: (isEnded) => this.close(isEnded),
    });
    this.#loading = this.#within(maxLoadMs, parts.loadSpeech(this.agent));
    this.#waitForCaller();
  }

  get epoch(): number {
    return this.#record.epoch;
  }

  get agent() {
    return this.#facts.prepared.agent;
  }

  // The connection

  /** Runs a claim of this process on its own call, between two writes. */
  reclaim<Claim extends { readonly epoch: number | null }>(claim: () => Promise<Claim>): Promise<Claim> {
    return this.#record.reclaim(claim);
  }

  /** The caller is connected. A connection from before is not any more. */
  attach(connection: Connection): void {
    if (this.#isGone) {
      if (this.#isOver) connection.ended();
      else connection.close('going_away');
      return;
    }
    const before = this.#connection;
    this.#connection = connection;
    this.#cancelWait();
    if (before === null) return;
    before.close('joined_elsewhere');
    this.#session?.spoken.detach();
  }

  /** The connection is closed. The caller may come back. */
  detach(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    if (this.#isGone) return;
    if (this.#session === null) this.#waitForCaller();
    else this.#session.spoken.detach();
  }

  /**
   * The client is ready to hear the agent. `onReady` is called before anything is said, and when the agent can speak at
   * once: a caller who is connected earlier speaks before the greeting, which cancels it. Resolves to false if the
   * connection was replaced meanwhile, or the call is over.
   */
  async start(audio: CallAudio, onReady: (capabilities: Capabilities) => void = () => {}): Promise<boolean> {
    const connection = this.#connection;
    if (this.#session === null && !this.#isGone) await this.#prepare(audio);
    if (this.#connection !== connection || this.#isGone) return false;
    this.#begin(audio, onReady);
    return true;
  }

  async #prepare({ transport }: CallAudio): Promise<void> {
    await this.#loading;
    const { state } = this.#facts;
    const isOpening = state.unfinished?.isOpening ?? true;
    const opening = { rate: transport.rate, hasNotice: state.phone !== null && this.#recordingName !== null };
    if (isOpening) await this.#within(maxGreetingMs, this.#parts.prepareOpening(this.agent, opening));
  }

  #begin(audio: CallAudio, onReady: (capabilities: Capabilities) => void): void {
    const isNew = this.#session === null;
    this.#session ??= this.#newSession(audio);
    const { spoken } = this.#session;
    onReady({ ...spoken.capabilities, recording: spoken.isRecording });
    if (isNew) spoken.connect();
    else {
      spoken.attach(audio);
      this.#session.clientTools.resend();
    }
    // The page may still show who spoke before.
    if (!isNew || this.#facts.state.unfinished !== null) this.#connection?.onFloor(spoken.floor);
    this.#record.writeLater();
    for (const action of this.#early.splice(0)) action(this.#session);
  }

  /** What the caller does before the conversation begins waits for it: they may have typed already. */
  act(action: CallerAction): void {
    if (this.#session !== null) action(this.#session);
    else if (this.#early.length < maxEarlyActions) this.#early.push(action);
    else this.#connection?.close('too_much');
  }

  hangUp(): void {
    if (this.#session !== null) this.#session.spoken.hangUp();
    else this.#endAt('caller_hangup', this.#parts.now(), null);
  }

  /** Nothing is heard of the caller any more. */
  disconnect(): void {
    if (this.#session !== null) this.#session.spoken.stop('caller_disconnected');
    else this.#endAt('caller_disconnected', this.#parts.now(), null);
  }

  /** Whether the caller's line is being connected to another phone, so that it leaves this process and may come back. */
  get isTransferring(): boolean {
    return this.#session?.isTransferring ?? false;
  }

  /** The carrier reports something about the caller's line. */
  tell(message: PhoneMessage): void {
    if (message.type === 'hangup') this.hangUp();
    else this.#session?.tell(message);
  }

  /** What is said before the conversation begins is not heard. */
  audio(samples: Int16Array): void {
    this.#session?.spoken.audio(samples);
  }

  /** What the newest connection sends after `start` shows that it has got `ready`, with the next key. */
  confirmResumed(epoch: number): void {
    if (epoch === this.epoch) this.resumedEpoch = null;
  }

  // What the API does

  async end(reason: 'caller_hangup' | 'api_end'): Promise<void> {
    if (reason === 'caller_hangup') this.hangUp();
    else if (this.#session !== null) this.#session.spoken.stop(reason);
    else this.#endAt(reason, this.#parts.now(), null);
    await this.#record.write();
  }

  /** Returns the number of the call event. */
  async control(body: ControlCall): Promise<number> {
    await this.#session?.checkTransfer(body);
    const session = this.#session;
    const { isEnding } = this.#record;
    if (session === null || isEnding || this.#isGone) {
      const status = isEnding ? 'ended' : 'ongoing';
      throw stateConflict('call', { status, allowed: ['ongoing'], reason: 'not_joined', retryAfterSeconds: 1 });
    }
    session.checkControl(body, 'ongoing');
    const record = this.#record.addControl(body.action, this.#parts.now());
    session.control(body);
    await this.#record.write();
    if (record.sequence === null) throw serviceUnavailable('The call is continued by another process.');
    return record.sequence;
  }

  get isConnected(): boolean {
    return this.#connection !== null;
  }

  /**
   * Whether a tool runs, whose result would be lost if the call were released now. Those of a page that is gone can only
   * return where the page comes back.
   */
  get isToolRunning(): boolean {
    if (this.#session === null) return false;
    const { spoken, clientTools } = this.#session;
    return spoken.runningTools > (this.#connection === null ? clientTools.count : 0);
  }

  /** Gives up the call: another process continues it from what is written now. */
  async release(reason: CloseReason): Promise<void> {
    const stopped = async (): Promise<SpokenState> => {
      const session = this.#session;
      // What is said from here on would be lost.
      session?.spoken.release();
      await session?.spoken.closed();
      return this.#state() ?? { ...this.#facts.state, resumedEpoch: this.resumedEpoch };
    };
    // After a failure the conversation cannot go on here: the call is as if its process were lost.
    await this.#record.release(stopped, (error) => this.#close(error === null ? reason : 'going_away'));
  }

  /** The call is over, or another process has it. */
  close(isOver: boolean): void {
    this.#close(isOver ? null : 'going_away');
  }

  // The conversation

  #state(): SpokenState | null {
    return this.#session && { ...this.#session.state(), resumedEpoch: this.resumedEpoch };
  }

  /** Null: the call is not recorded. */
  get #recordingName(): string | null {
    const { call, recording } = this.#facts.stored;
    return call.recording.status === 'failed' ? null : (recording?.pieces?.at(-1)?.name ?? recording?.name ?? null);
  }

  #newSession(audio: CallAudio): SpokenConversation {
    const { stored, ...facts } = this.#facts;
    const { call, nextTurn: firstTurn } = stored;
    return new SpokenConversation(
      this.#parts,
      { ...facts, call, firstTurn, epoch: this.epoch, recordingName: this.#recordingName, audio },
      {
        record: (record) => this.#record.add(record),
        ended: (reason, at, detail) => this.#endAt(reason, at, detail),
        onTranscript: (part) => this.#connection?.onTranscript(part),
        onFloor: (floor) => this.#connection?.onFloor(floor),
        onMetadata: (metadata) => this.#connection?.onMetadata(metadata),
        // The warning must not wait until something else happens.
        onRecordingFailed: () => this.#record.writeLater(),
        callTool: (call) => this.#connection?.callTool(call),
        pressKeys: (keys) => this.#connection?.pressKeys(keys) ?? false,
        play: (samples) => this.#connection?.play(samples),
        stored: () => this.#record.write(),
      },
    );
  }

  /** Resolves with the work, or after so long. */
  #within(ms: number, work: Promise<void> | null): Promise<void> {
    if (work === null) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(ms, resolve);
      void work.finally(() => {
        cancel();
        resolve();
      });
    });
  }

  #waitForCaller(): void {
    this.#cancelWait();
    this.#cancelWait = this.#parts.clock.after(resumeMs, () =>
      this.#endAt('caller_disconnected', this.#parts.now(), null),
    );
  }

  #endAt(reason: CallEndReason, at: number, detail: string | null): void {
    if (this.#record.isEnding || this.#isGone) return;
    this.#cancelWait();
    this.#record.endAt(reason, at, detail);
  }

  /** `reason` is null if the call has ended. */
  #close(reason: CloseReason | null): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#isOver = reason === null;
    this.#cancelWait();
    this.#record.close();
    this.#session?.spoken.leaseLost();
    this.#session?.close();
    const connection = this.#connection;
    this.#connection = null;
    if (reason === null) connection?.ended();
    else connection?.close(reason);
    this.#parts.onGone(this);
  }
}
