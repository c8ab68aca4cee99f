import { recordingRate } from '../audio/call-recording.ts';
import type { Resampler } from '../audio/pcm.ts';
import type { Engine, Variables } from '../engines/engine.ts';
import { filledAgent, filledKeywords, latencyBudgetOf } from '../filled-agent.ts';
import { type NotApplied, type Policy, policyOf, speakingSpeed } from '../policy.ts';
import type { Output, OutputEvents, RecordedEvent, Turn } from '../ports.ts';
import { createTestDetector, testProviderName } from '../providers/test/test-speech.ts';
import { Session } from '../session.ts';
import type { Stt } from '../speech-ports.ts';
import { TextOutput } from '../text-output.ts';
import type { EndReason, State, TurnPolicy } from '../turn/events.ts';
import { CallVoice } from './call-voice.ts';
import { CallerRates } from './caller-rates.ts';
import { type Conversation, ConversationLog } from './conversation-log.ts';
import { type FloorHolder, floorOf, recognizerOf } from './floor-holder.ts';
import { LiveTranscript } from './live-transcript.ts';
import { SpokenInput } from './spoken-input.ts';
import { SpokenOutput } from './spoken-output.ts';
import type { ContinuedCall, SpeechUsage, SpokenSessionParts } from './spoken-session-parts.ts';
import { wordsWithin } from './turn-words.ts';

/** Recognizers and detectors hear this, whatever the caller's side sends. */
const hearingRate = recordingRate;

/** A spoken call: its session, with everything between the caller's connection and the turn machine. */
export class SpokenSession {
  readonly notApplied: readonly NotApplied[];
  private readonly parts: SpokenSessionParts;
  private readonly session: Session;
  private readonly engine: Engine;
  private readonly input: SpokenInput | null;
  private output: SpokenOutput | null = null;
  private readonly voice: CallVoice | null;
  private readonly policy: Policy;
  private readonly startedAt: number;
  private readonly contexts: string[];
  private readonly history: Turn[];
  private readonly log = new ConversationLog();
  private readonly transcript: LiveTranscript;
  private readonly callerRates = new CallerRates();
  private readonly unknownNames = new Set<string>();
  private hearing: Resampler | null;
  private isMuted: boolean;
  private floor: FloorHolder = 'none';
  private endedAt: number | null = null;

  constructor(parts: SpokenSessionParts) {
    this.parts = parts;
    const { clock, speech, continued } = parts;
    this.startedAt = clock.now() - (continued?.elapsedMs ?? 0);
    this.history = [...(continued?.history ?? [])];
    this.contexts = [...(continued?.contexts ?? [])];
    this.isMuted = continued?.isMuted ?? false;
    this.transcript = new LiveTranscript(this.history.length, parts.onTranscript);
    this.hearing = this.resamplerFrom(parts.inputRate);
    this.policy = this.policyFor(speech.recognizers[0]);
    this.voice = this.createVoice();
    this.notApplied = [...this.policy.notApplied, ...this.voiceNotApplied()];
    this.engine = this.createEngine();
    this.input = this.createInput();
    this.session = this.createSession();
  }

  // What comes from the caller's side

  connect(): void {
    if (this.isMuted) this.session.dispatch({ type: 'mute', isOn: true });
    this.session.dispatch({ type: 'connected' });
  }

  /** It is kept for a while, so it must not be changed afterwards. */
  audio(samples: Int16Array): void {
    if (this.endedAt !== null) return;
    const heard = this.hearing === null ? samples : this.hearing.push(samples);
    this.parts.recording?.caller(heard);
    this.input?.write(heard);
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
    this.input?.recognized(text, isFinal);
  }

  dtmf(digits: string): void {
    this.session.dispatch({ type: 'dtmf', digits });
  }

  lost(): void {
    this.output?.lost();
    this.parts.recording?.interrupt();
    this.session.dispatch({ type: 'transport.lost' });
  }

  /** The new connection may have another rate. */
  resumed(inputRate = this.parts.inputRate): void {
    this.hearing = this.resamplerFrom(inputRate);
    this.output?.resumed();
    this.session.dispatch({ type: 'transport.resumed' });
  }

  hangUp(): void {
    this.session.dispatch({ type: 'hangup' });
  }

  // What comes from the service

  end(reason: EndReason): void {
    this.session.dispatch({ type: 'stop', reason });
  }

  /** Stops without an end: the call continues in another session. */
  leave(): void {
    this.endedAt ??= this.parts.clock.now();
    this.session.leave();
  }

  say(text: string, isInterrupting: boolean): void {
    this.session.dispatch({ type: 'say', text, isInterrupting });
  }

  addContext(text: string): void {
    this.contexts.push(text);
  }

  /** False if a reply is in progress, or the caller is speaking. */
  respond(): boolean {
    if (this.state !== 'idle' && this.state !== 'opening') return false;
    this.session.dispatch({ type: 'respond' });
    return true;
  }

  setVariables(variables: Variables): void {
    this.engine.setVariables(variables);
  }

  mute(isOn: boolean): void {
    this.isMuted = isOn;
    this.session.dispatch({ type: 'mute', isOn });
  }

  // What is known about the call

  get state(): State {
    return this.session.state;
  }

  get turnPolicy(): TurnPolicy {
    return this.policy.turn;
  }

  get variables(): Variables {
    return this.session.variables;
  }

  get modelUsage() {
    return this.engine.usage?.() ?? [];
  }

  get usage(): readonly SpeechUsage[] {
    const heard = (this.input?.usage ?? []).map((each) => ({
      capability: 'stt' as const,
      ...each,
      model: null,
      characters: 0,
    }));
    const { voice } = this;
    if (voice === null || voice.usage.characters === 0) return heard;
    return [...heard, { capability: 'tts', ...voice.usage, audioMs: 0 }];
  }

  get conversation(): Conversation {
    return this.log.conversation(this.startedAt, this.endedAt ?? this.parts.clock.now());
  }

  /** For a session elsewhere. */
  get continuation(): ContinuedCall {
    const { history, contexts, isMuted } = this;
    const elapsedMs = this.parts.clock.now() - this.startedAt;
    return { history, contexts, engineState: this.engine.state(), elapsedMs, isMuted };
  }

  // The parts

  private resamplerFrom(inputRate: number): Resampler | null {
    return inputRate === hearingRate ? null : this.parts.speech.newResampler(inputRate, hearingRate);
  }

  private get named(): Variables {
    const { defaults, variables } = this.parts.facts;
    return { ...defaults, ...variables };
  }

  private policyFor(stt: Stt | undefined): Policy {
    const { agent, isFlow, speech, continued } = this.parts;
    const policy = policyOf(
      filledAgent(agent, this.named, (name) => this.warnUnknown(name)),
      { isChat: false, isFlow, recognizer: recognizerOf(stt, speech.isRecognizedByCaller) },
    );
    if (continued === undefined) return policy;
    const turn: TurnPolicy = {
      ...policy.turn,
      opening: { kind: 'wait', text: '', delayMs: 0 },
      maxMs: Math.max(0, policy.turn.maxMs - continued.elapsedMs),
    };
    return { ...policy, turn };
  }

  private createVoice(): CallVoice | null {
    const { clock, agent, speech, transport, fixedSentences } = this.parts;
    if (speech.tts === null) return null;
    const { voiceId, fallbackVoiceIds, voiceModel: model, voiceEmotion: emotion, language } = agent;
    return new CallVoice(
      clock,
      speech.tts,
      {
        voiceIds: [voiceId, ...fallbackVoiceIds],
        model,
        emotion,
        temperature: agent.voiceTemperature,
        language,
        rate: transport.rate,
        speed: () => this.speed,
        fixedSentences,
      },
      speech.cache,
      (from, to) => this.record({ type: 'provider_switched', capability: 'tts', from, to }),
    );
  }

  /** In steps: a voice that changes a little all the time is tiring, and cached speech has one speed. */
  private get speed(): number {
    const { speechRate } = this.policy;
    const speed = speakingSpeed(speechRate, this.callerRates.rates, this.parts.agent.language);
    return speechRate.follows === null ? speed : Math.round(speed * 20) / 20;
  }

  private voiceNotApplied(): NotApplied[] {
    const { agent, speech } = this.parts;
    if (speech.tts === null || this.voice === null) return [];
    const list: NotApplied[] = [...speech.tts.notApplied(this.voice.firstOptions)];
    if (speech.tts.name === testProviderName && agent.volume !== 1) {
      list.push({ field: 'volume', reason: 'not_supported' });
    }
    return list;
  }

  private createEngine(): Engine {
    const { clock, newEngine, facts, continued } = this.parts;
    return newEngine({
      ...facts,
      clock,
      isSpoken: true,
      history: () => this.history,
      contexts: () => this.contexts,
      ...(continued !== undefined && { state: continued.engineState }),
    });
  }

  private createInput(): SpokenInput | null {
    const { clock, agent, speech } = this.parts;
    const { recognizers, isRecognizedByCaller } = speech;
    if (recognizers.length === 0 && !isRecognizedByCaller) return null;
    const isTest = recognizers[0]?.name === testProviderName;
    return new SpokenInput({
      clock,
      detector: isTest ? createTestDetector() : speech.detector,
      recognizers,
      options: {
        language: agent.language,
        rate: hearingRate,
        keywords: filledKeywords(agent, this.named, (name) => this.warnUnknown(name)),
        mode: agent.sttMode,
      },
      dispatch: (event) => this.session.dispatch(event),
      onSwitched: (from, to) => {
        this.record({ type: 'provider_switched', capability: 'stt', from, to });
        const next = recognizers.find(({ name }) => name === to);
        this.session.dispatch({ type: 'policy', policy: this.policyFor(next).turn });
      },
    });
  }

  private createSession(): Session {
    const { clock, agent, newStages, tools, newToolCallId, continued } = this.parts;
    return new Session({
      clock,
      policy: this.policy.turn,
      language: agent.language,
      engine: this.engine,
      input: this.input ?? { flush: () => {}, close: () => {} },
      output: (events) => this.createOutput(events),
      newStages,
      tools,
      newToolCallId,
      recorder: {
        turn: (turn) => this.recordTurn(turn),
        event: (event, atMs) => this.parts.recorder.event(event, atMs),
        ended: (reason, atMs, detail) => this.recordEnd(reason, atMs, detail),
      },
      firstIndex: this.history.length,
      elapsedMs: continued?.elapsedMs ?? 0,
      latencyBudgetMs: latencyBudgetOf(agent),
      observe: (event, commands, machine, now) => {
        this.callerRates.observe(event, commands);
        this.log.observe(event, commands, machine, now);
        this.transcript.observe(event, machine);
        this.observeFloor(machine.state);
        this.parts.observe?.(event, commands, machine, now);
      },
    });
  }

  private createOutput(events: OutputEvents): Output {
    const { clock, agent, transport, recording, speech } = this.parts;
    if (this.voice === null) return new TextOutput(events);
    const toRecording = transport.rate === recordingRate ? null : speech.newResampler(transport.rate, recordingRate);
    this.output = new SpokenOutput(
      {
        clock,
        voice: this.voice,
        transport,
        // The words of test speech are in its samples.
        volume: speech.tts?.name === testProviderName ? 1 : agent.volume,
        onPlayed:
          recording === null
            ? undefined
            : (samples) => recording.agent(toRecording === null ? samples : toRecording.push(samples)),
      },
      events,
    );
    return this.output;
  }

  // The record

  private recordTurn(turn: Turn): void {
    const recorded = turn.role === 'caller' ? this.withWords(turn) : turn;
    const known = this.history.findIndex(({ index }) => index === turn.index);
    if (known === -1) this.history.push(recorded);
    else this.history[known] = recorded;
    this.log.committed(recorded);
    this.transcript.committed(recorded);
    this.parts.recorder.turn(recorded);
  }

  private withWords(turn: Turn): Turn {
    const words = this.input?.takeWords(this.startedAt + turn.endMs) ?? [];
    return { ...turn, words: wordsWithin(words, turn, this.startedAt) };
  }

  private recordEnd(reason: EndReason, atMs: number, detail: string | null): void {
    this.endedAt = this.parts.clock.now();
    const failure =
      reason === 'stt_failed' ? this.input?.failure : reason === 'tts_failed' ? this.voice?.failure : null;
    this.parts.recorder.ended(reason, atMs, detail ?? failure ?? null);
  }

  private record(event: RecordedEvent): void {
    this.parts.recorder.event(event, Math.round(this.parts.clock.now() - this.startedAt));
  }

  private warnUnknown(name: string): void {
    if (this.unknownNames.has(name)) return;
    this.unknownNames.add(name);
    this.record({ type: 'warning', code: 'unknown_variable', message: `the variable ${name} has no value` });
  }

  private observeFloor(state: State): void {
    const floor = floorOf(state);
    if (floor === this.floor) return;
    this.floor = floor;
    this.parts.onFloor(floor);
  }
}
