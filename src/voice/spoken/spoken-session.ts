import { firstAudioMs, type NotApplied } from '../policy.ts';
import type { Output, OutputEvents, RecordedEvent, TransferTarget } from '../ports.ts';
import { testProviderName } from '../providers/test/test-speech.ts';
import { Session } from '../session.ts';
import type { Stt } from '../speech-ports.ts';
import { noInput, TextOutput } from '../text-output.ts';
import type { EndReason, State, TurnPolicy, Unfinished } from '../turn/events.ts';
import { type FloorHolder, floorOf } from '../turn/floor-holder.ts';
import { serviceSentence } from '../turn/service-sentences.ts';
import { agentVoice, voiceNotApplied } from './agent-voice.ts';
import { CallRates } from './call-rates.ts';
import type { CallVoice } from './call-voice.ts';
import { CallerRates } from './caller-rates.ts';
import type { Conversation, EarlierConversation } from './conversation-log.ts';
import { type Recognition, recognitionOf, recognizerOf } from './recognizer.ts';
import { SpokenInput } from './spoken-input.ts';
import { SpokenLine } from './spoken-line.ts';
import type { SpokenMemory } from './spoken-memory.ts';
import { SpokenOutput } from './spoken-output.ts';
import { SpokenRecord } from './spoken-record.ts';
import type { CallAudio, SpeechUsage, SpokenSessionParts } from './spoken-session-parts.ts';
import type { AnsweredBy } from './voicemail.ts';

/**
 * A call by voice: its session, with everything between the caller's connection and the turn machine. Where there is no
 * speech for the agent, the caller types and reads.
 */
export class SpokenSession {
  readonly notApplied: readonly NotApplied[];
  private readonly parts: SpokenSessionParts;
  private readonly session: Session;
  private readonly input: SpokenInput | null;
  private output: SpokenOutput | null = null;
  private readonly voice: CallVoice | null;
  private readonly startedAt: number;
  private readonly spokenRecord: SpokenRecord;
  private readonly callerRates: CallerRates;
  private readonly rates: CallRates;
  private readonly line: SpokenLine;
  private readonly recognition: Recognition;
  /** Who speaks, as it was last reported. */
  floor: FloorHolder = 'none';
  private endedAt: number | null = null;
  /** What was unfinished when the session was released. */
  private released: Unfinished | null = null;
  private closing: Promise<void> | null = null;

  constructor(parts: SpokenSessionParts) {
    this.parts = parts;
    this.startedAt = parts.clock.now() - parts.elapsedMs;
    this.spokenRecord = new SpokenRecord(parts, this.startedAt, () => ({
      input: this.input,
      output: this.output,
      isReleased: this.released !== null,
    }));
    this.callerRates = new CallerRates(parts.memory?.callerRates);
    this.rates = new CallRates(parts.audio);
    this.recognition = recognitionOf(parts);
    this.line = new SpokenLine(parts, {
      outputRate: () => this.rates.output,
      dispatch: (event) => this.session.dispatch(event),
      record: (event) => this.record(event),
      stop: (reason) => this.stop(reason),
    });
    if (parts.memory !== null) this.pauseRecording(parts.memory.isRecordingPaused);
    this.voice = this.createVoice();
    this.notApplied = [
      ...parts.speech.notApplied,
      ...this.recognition.notApplied,
      ...voiceNotApplied(parts, this.voice),
    ];
    this.input = this.createInput();
    this.session = this.createSession();
  }

  // What comes from the caller's side

  /** Begins the conversation, or goes on with what was unfinished. */
  connect(): void {
    const { isMuted, resumed, resumeSentence = null } = this.parts;
    if (isMuted) this.session.dispatch({ type: 'mute', isOn: true });
    if (resumed === null) this.line.begin();
    this.session.dispatch({ type: 'connected' });
    if (resumed === null) return;
    const { words, endsAfterSpeech, idleTimers, isOpening } = resumed;
    const first = resumeSentence === null || isOpening ? [] : [serviceSentence('fallback', resumeSentence)];
    const unsaid = [...first, ...resumed.unsaid];
    if (words === '') this.session.dispatch({ type: 'respond' });
    else if (words !== null) this.session.dispatch({ type: 'text', text: words, isRecorded: true });
    this.session.dispatch({ type: 'continue', unsaid, endsAfterSpeech, idleTimers });
  }

  /** The audio is kept for a while, so it must not be changed afterwards. */
  audio(samples: Int16Array): void {
    if (this.endedAt !== null) return;
    const heard = this.rates.heard(samples);
    this.parts.recording?.caller(heard);
    if (this.line.isTransferring) return;
    this.line.audio(heard);
    this.input?.write(this.recognition.isLineTest ? samples : heard);
  }

  played(utterance: number, samples: number): void {
    this.output?.played(utterance, samples);
  }

  /** Typed words. */
  text(text: string): void {
    this.session.dispatch({ type: 'text', text });
  }

  /** Words that the caller's own side has recognized. */
  recognized(text: string, isFinal: boolean): void {
    if (this.parts.speech.isRecognizedByCaller) this.input?.recognized(text, isFinal);
  }

  dtmf(digits: string): void {
    this.session.dispatch({ type: 'dtmf', digits });
  }

  /** The connection is gone, and may resume. */
  detach(): void {
    this.output?.detach();
    this.parts.recording?.interrupt();
    this.session.dispatch({ type: 'transport.lost' });
  }

  attach(audio: CallAudio): void {
    this.rates.set(audio);
    if (this.voice !== null) this.voice.rate = audio.transport.rate;
    this.output?.attach(audio.transport);
    this.session.dispatch({ type: 'transport.resumed' });
  }

  hangUp(): void {
    this.session.dispatch({ type: 'hangup' });
  }

  // What comes from the service

  stop(reason: EndReason): void {
    this.session.dispatch({ type: 'stop', reason });
  }

  /** Stops without an end: records what was said and heard so far, and nothing afterwards. */
  release(): void {
    if (this.endedAt !== null) return;
    this.released = this.session.machine.unfinishedAt(this.parts.clock.now());
    this.stop('api_end');
  }

  /** Another process has the call already. */
  leaseLost(): void {
    this.release();
    this.closing ??= this.parts.recording?.leaseLost() ?? Promise.resolve();
  }

  /** Resolves once the recording is on the disk, after the end or `release`. */
  closed(): Promise<void> {
    this.closing ??= this.parts.recording?.close() ?? Promise.resolve();
    return this.closing;
  }

  say(text: string, isInterrupting: boolean): void {
    this.session.dispatch({ type: 'say', text, isInterrupting });
  }

  respond(): void {
    this.session.dispatch({ type: 'respond' });
  }

  mute(isOn: boolean): void {
    this.session.dispatch({ type: 'mute', isOn });
  }

  /** After what is being said. Even if the caller speaks. */
  transfer(target: TransferTarget): void {
    this.session.phone.transfer(target, 'api');
  }

  pressKeys(digits: string): boolean {
    return this.session.phone.pressKeys(digits);
  }

  /** The carrier says who answered. */
  answeredBy(by: AnsweredBy): void {
    this.line.answeredBy(by);
  }

  /** The carrier has heard the tone of a voicemail. */
  voicemailBeep(): void {
    this.line.voicemailBeep();
  }

  /** The file holds silence meanwhile. */
  pauseRecording(isPaused: boolean): void {
    if (this.parts.recording !== null) this.parts.recording.isPaused = isPaused;
  }

  // What is known about the call

  get capabilities() {
    return { speechIn: this.input !== null, speechOut: this.voice !== null };
  }

  get isRecording(): boolean {
    return this.parts.recording?.hasFailed === false;
  }

  get hasRecordingFailed(): boolean {
    return this.parts.recording?.hasFailed === true;
  }

  get state(): State {
    return this.session.state;
  }

  /** Whether the agent is speaking, or about to. */
  get isReplying(): boolean {
    return this.state === 'thinking' || this.state === 'transferring' || floorOf(this.state) === 'agent';
  }

  get runningTools(): number {
    return this.session.machine.runningTools;
  }

  /** For another session. Words that are not in the transcript are lost with this one, unless it is released in time. */
  unfinished(): Unfinished {
    if (this.released !== null) return this.released;
    const { machine } = this.session;
    const unfinished = machine.unfinishedAt(this.parts.clock.now());
    return machine.callerWords === '' ? unfinished : { ...unfinished, words: null };
  }

  /** For another session. */
  get memory(): SpokenMemory {
    return {
      ...this.session.memory,
      voice: this.voice?.chosen ?? null,
      callerRates: this.callerRates.committed,
      isRecordingPaused: this.parts.recording?.isPaused ?? false,
    };
  }

  speechUsage(): SpeechUsage {
    return { stt: this.input?.usage ?? [], tts: this.voice?.usage ?? [] };
  }

  /** Null if a part of it was lost. */
  conversation(): Conversation | null {
    return this.spokenRecord.conversation(this.endedAt ?? this.parts.clock.now());
  }

  /** For another session, once this one is released. */
  conversationSoFar(): EarlierConversation | null {
    if (this.released === null || this.endedAt === null) return null;
    return this.spokenRecord.conversationSoFar(this.endedAt);
  }

  // The parts

  private policyFor(stt: Stt | undefined): TurnPolicy {
    const { isRecognizedByCaller, otherTts = [] } = this.parts.speech;
    const policy = this.parts.policy(recognizerOf(stt, isRecognizedByCaller));
    // Each of them has its time for the first sample.
    return { ...policy, firstAudioMs: policy.firstAudioMs + otherTts.length * firstAudioMs };
  }

  private createVoice(): CallVoice | null {
    return agentVoice(this.parts, {
      callerRates: this.callerRates,
      chosen: this.parts.memory?.voice ?? null,
      onSwitched: (from, to) => this.record({ type: 'provider_switched', capability: 'tts', from, to }),
    });
  }

  private createInput(): SpokenInput | null {
    const { clock, speech } = this.parts;
    const { recognizers, isRecognizedByCaller } = speech;
    const { detector, options } = this.recognition;
    if (recognizers.length === 0 && !isRecognizedByCaller) return null;
    return new SpokenInput({
      clock,
      detector,
      recognizers,
      options,
      dispatch: (event) => {
        this.line.observe(event);
        this.session.dispatch(event);
      },
      onSwitched: (from, to) => {
        this.record({ type: 'provider_switched', capability: 'stt', from, to });
        const next = recognizers.find(({ name }) => name === to);
        this.session.dispatch({ type: 'policy', policy: this.policyFor(next) });
      },
    });
  }

  private createSession(): Session {
    const { clock, agent, engine, newStages, tools, newToolCallId, latencyBudgetMs } = this.parts;
    const { speech, firstTurn, lastUtterance, resumedTurns, memory, onMetadata } = this.parts;
    return new Session({
      clock,
      policy: this.policyFor(speech.recognizers[0]),
      language: agent.language,
      engine,
      input: this.input ?? noInput,
      output: (events) => this.createOutput(events),
      newStages,
      tools,
      newToolCallId,
      phone: this.parts.phone,
      onTransfer: (mode) => this.line.observeTransfer(mode),
      recorder: {
        turn: (turn) => this.spokenRecord.turn(turn),
        event: (event, atMs) => this.spokenRecord.event(event, atMs),
        ended: (reason, atMs, detail) => this.recordEnd(reason, atMs, detail),
      },
      resumedTurns,
      memory: memory ?? undefined,
      firstIndex: firstTurn,
      startedAt: this.startedAt,
      latencyBudgetMs,
      ...(lastUtterance !== undefined && { lastUtterance }),
      ...(onMetadata && { onMetadata }),
      observe: (event, commands, machine, now) => {
        this.callerRates.observe(event, commands);
        this.spokenRecord.observe(event, commands, machine, now);
        this.observeFloor(machine.state);
        this.parts.observe?.(event, commands, machine, now);
      },
    });
  }

  private createOutput(events: OutputEvents): Output {
    const { clock, agent, audio, recording, speech } = this.parts;
    if (this.voice === null) return new TextOutput(events);
    this.output = new SpokenOutput(
      {
        clock,
        voice: this.voice,
        transport: audio.transport,
        // The words of test speech are in its samples.
        volume: speech.tts?.name === testProviderName ? 1 : agent.volume,
        onPlayed: recording === null ? undefined : (samples) => recording.agent(this.rates.recorded(samples)),
      },
      events,
    );
    return this.output;
  }

  // The record

  private recordEnd(reason: EndReason, atMs: number, detail: string | null): void {
    this.endedAt = this.parts.clock.now();
    this.line.close();
    if (this.released !== null) return;
    const failure =
      reason === 'stt_failed' ? this.input?.failure : reason === 'tts_failed' ? this.voice?.failure : null;
    this.parts.recorder.ended(this.line.endReason(reason), atMs, detail ?? failure ?? null);
  }

  private record(event: RecordedEvent): void {
    this.parts.recorder.event(event, Math.round(this.parts.clock.now() - this.startedAt));
  }

  private observeFloor(state: State): void {
    const floor = floorOf(state);
    if (floor === this.floor) return;
    this.floor = floor;
    this.parts.onFloor(floor);
  }
}
