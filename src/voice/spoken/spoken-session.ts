import { recordingRate } from '../audio/call-recording.ts';
import { Resampler } from '../audio/resample.ts';
import { waitingTone } from '../audio/tones.ts';
import { audibleLatency } from '../latency.ts';
import { firstAudioMs, type NotApplied } from '../policy.ts';
import type { Output, OutputEvents, RecordedEvent, TransferTarget, Turn } from '../ports.ts';
import { isLineRate } from '../providers/test/frames.ts';
import { createTestDetector, testProviderName } from '../providers/test/test-speech.ts';
import { Session } from '../session.ts';
import type { Stt, SttOptions } from '../speech-ports.ts';
import { noInput, TextOutput } from '../text-output.ts';
import type { Command, EndReason, State, TurnEvent, TurnPolicy, Unfinished } from '../turn/events.ts';
import { type FloorHolder, floorOf } from '../turn/floor-holder.ts';
import { ownSentence } from '../turn/own-sentences.ts';
import { agentVoice, voiceNotApplied } from './agent-voice.ts';
import type { CallVoice } from './call-voice.ts';
import { CallerRates } from './caller-rates.ts';
import { type Conversation, ConversationLog, type EarlierConversation } from './conversation-log.ts';
import { HeardWords } from './heard-words.ts';
import { LiveTranscript } from './live-transcript.ts';
import { recognizerOf } from './recognizer.ts';
import { SpokenInput } from './spoken-input.ts';
import type { SpokenMemory } from './spoken-memory.ts';
import { SpokenOutput } from './spoken-output.ts';
import type { CallAudio, SpeechUsage, SpokenSessionParts } from './spoken-session-parts.ts';
import { wordsWithin } from './turn-words.ts';
import { type AnsweredBy, Voicemail } from './voicemail.ts';

/** How often a caller who waits for a person hears a tone. */
const waitingToneMs = 5000;

/** Recognizers and detectors hear this, whatever the caller's side sends: except test speech, which is in the samples. */
const hearingRate = recordingRate;

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
  private readonly log: ConversationLog;
  private readonly transcript: LiveTranscript;
  private readonly callerRates: CallerRates;
  private readonly heardWords = new HeardWords();
  private hearing: Resampler | null = null;
  private toRecording: Resampler | null = null;
  private outputRate = 0;
  /** Nobody listens to the caller during a transfer. */
  private isTransferring = false;
  private cancelTone: () => void = () => {};
  private voicemail: Voicemail | null = null;
  /** What is being said is left on a voicemail. */
  private isLeavingMessage = false;
  /** Who speaks, as it was last reported. */
  floor: FloorHolder = 'none';
  private endedAt: number | null = null;
  /** What was unfinished when the session was released. */
  private released: Unfinished | null = null;
  private closing: Promise<void> | null = null;

  constructor(parts: SpokenSessionParts) {
    this.parts = parts;
    this.startedAt = parts.clock.now() - parts.elapsedMs;
    this.log = new ConversationLog(parts.earlierConversation);
    this.transcript = new LiveTranscript(parts.firstTurn, parts.onTranscript);
    this.callerRates = new CallerRates(parts.memory?.callerRates);
    this.setRates(parts.audio);
    if (parts.memory !== null) this.pauseRecording(parts.memory.isRecordingPaused);
    this.voice = this.createVoice();
    this.notApplied = [
      ...parts.speech.notApplied,
      ...this.recognizerNotApplied(),
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
    if (resumed === null) this.voicemail = this.createVoicemail();
    this.session.dispatch({ type: 'connected' });
    if (resumed === null) return;
    const { words, endsAfterSpeech, idleTimers, isOpening } = resumed;
    const first = resumeSentence === null || isOpening ? [] : [ownSentence('fallback', resumeSentence)];
    const unsaid = [...first, ...resumed.unsaid];
    if (words === '') this.session.dispatch({ type: 'respond' });
    else if (words !== null) this.session.dispatch({ type: 'text', text: words, isRecorded: true });
    this.session.dispatch({ type: 'continue', unsaid, endsAfterSpeech, idleTimers });
  }

  /** It is kept for a while, so it must not be changed afterwards. */
  audio(samples: Int16Array): void {
    if (this.endedAt !== null) return;
    const heard = this.hearing === null ? samples : this.hearing.process(samples);
    this.parts.recording?.caller(heard);
    if (this.isTransferring) return;
    this.voicemail?.audio(heard);
    this.input?.write(this.isLineTest ? samples : heard);
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
    this.setRates(audio);
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
  abandon(): void {
    this.release();
    this.closing ??= this.parts.recording?.abandon() ?? Promise.resolve();
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
    this.voicemail?.answeredBy(by);
  }

  /** The carrier has heard the tone of a voicemail. */
  voicemailBeep(): void {
    this.voicemail?.beep();
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
    if (this.isPartLost) return null;
    return this.log.conversation(this.startedAt, this.endedAt ?? this.parts.clock.now());
  }

  /** For another session, once this one is released. */
  conversationSoFar(): EarlierConversation | null {
    if (this.released === null || this.endedAt === null || this.isPartLost) return null;
    return this.log.soFar(this.startedAt, this.endedAt);
  }

  private get isPartLost(): boolean {
    return this.parts.resumed !== null && this.parts.earlierConversation === null;
  }

  // The parts

  private setRates({ inputRate, transport }: CallAudio): void {
    this.outputRate = transport.rate;
    this.hearing = inputRate === hearingRate ? null : new Resampler(inputRate, hearingRate);
    this.toRecording = transport.rate === recordingRate ? null : new Resampler(transport.rate, recordingRate);
  }

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

  private get recognition(): SttOptions {
    const { agent, keywords } = this.parts;
    const rate = this.isLineTest ? this.parts.audio.inputRate : hearingRate;
    return { language: agent.language, rate, keywords, mode: agent.sttMode };
  }

  private get isTest(): boolean {
    return this.parts.speech.recognizers[0]?.name === testProviderName;
  }

  /** Whether this is test speech on a phone line. */
  private get isLineTest(): boolean {
    return this.isTest && isLineRate(this.parts.audio.inputRate);
  }

  private recognizerNotApplied(): readonly NotApplied[] {
    return this.parts.speech.recognizers[0]?.notApplied?.(this.recognition) ?? [];
  }

  private createInput(): SpokenInput | null {
    const { clock, speech } = this.parts;
    const { recognizers, isRecognizedByCaller } = speech;
    if (recognizers.length === 0 && !isRecognizedByCaller) return null;
    return new SpokenInput({
      clock,
      detector: this.isTest ? createTestDetector() : speech.detector,
      recognizers,
      options: this.recognition,
      dispatch: (event) => {
        this.voicemail?.observe(event);
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
      onTransfer: (mode) => this.observeTransfer(mode),
      recorder: {
        turn: (turn) => this.recordTurn(turn),
        event: (event, atMs) => {
          if (this.isAudible(event)) this.parts.recorder.event(event, atMs);
        },
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
        this.heardWords.observe(commands);
        const audible = commands.filter((command) => command.type !== 'emit' || this.isAudible(command.event));
        this.log.observe(event, audible, machine, now);
        this.transcript.observe(event, machine);
        this.observeFloor(machine.state);
        this.parts.observe?.(event, commands, machine, now);
      },
    });
  }

  /** A caller who waits for a person hears that the line is not dead. */
  private observeTransfer(mode: TransferTarget['mode'] | null): void {
    this.isTransferring = mode !== null;
    this.cancelTone();
    const play = (): void => {
      this.parts.phone?.play(waitingTone(this.outputRate));
      this.cancelTone = this.parts.clock.after(waitingToneMs, play);
    };
    if (mode === 'warm') play();
  }

  private createVoicemail(): Voicemail | null {
    const { clock, agent, voicemail = null } = this.parts;
    if (voicemail === null) return null;
    const dispatch = (event: TurnEvent) => this.session.dispatch(event);
    return new Voicemail({
      ...voicemail,
      clock,
      language: agent.language,
      rate: hearingRate,
      onVerdict: (by, source) => this.record({ type: 'answered_by', by, source }),
      hangUp: () => this.stop('voicemail'),
      hush: () => dispatch({ type: 'mute', isOn: true }),
      leave: (text) => {
        this.isLeavingMessage = true;
        dispatch({ type: 'mute', isOn: false });
        dispatch({ type: 'reply.interrupt', text, isUninterruptible: true, endCall: true });
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
        onPlayed:
          recording === null ? undefined : (samples) => recording.agent(this.toRecording?.process(samples) ?? samples),
      },
      events,
    );
    return this.output;
  }

  /** What is only written makes no sound. */
  private isAudible(event: Extract<Command, { type: 'emit' }>['event'] | RecordedEvent): boolean {
    const isSound = event.type === 'speech_started' || event.type === 'speech_ended';
    return this.voice !== null || !isSound || event.role === 'caller';
  }

  // The record

  private recordTurn(turn: Turn): void {
    const recorded = turn.role === 'caller' ? this.withWords(turn) : this.asHeard(turn);
    this.log.committed(recorded);
    this.transcript.committed(recorded);
    this.parts.recorder.turn(recorded);
  }

  private withWords(turn: Turn): Turn {
    const words = this.input?.takeWords() ?? [];
    return { ...turn, words: wordsWithin(words, turn, this.startedAt) };
  }

  private asHeard(turn: Turn): Turn {
    // The next session says the rest.
    const unspokenText = this.released === null ? turn.unspokenText : null;
    const words = turn.role === 'agent' ? this.heardWords.take(turn, this.output, this.startedAt) : [];
    return { ...turn, words, unspokenText, latency: audibleLatency(turn.latency, this.capabilities) };
  }

  private recordEnd(reason: EndReason, atMs: number, detail: string | null): void {
    this.endedAt = this.parts.clock.now();
    this.cancelTone();
    this.voicemail?.close();
    if (this.released !== null) return;
    const failure =
      reason === 'stt_failed' ? this.input?.failure : reason === 'tts_failed' ? this.voice?.failure : null;
    const isMessageLeft = reason === 'agent_hangup' && this.isLeavingMessage;
    this.parts.recorder.ended(isMessageLeft ? 'voicemail' : reason, atMs, detail ?? failure ?? null);
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
