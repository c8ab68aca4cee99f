import type { RecordedEvent, Turn } from '../../../voice/ports.ts';
import { Session } from '../../../voice/session.ts';
import { noInput, TextOutput } from '../../../voice/text-output.ts';
import type { Command, EndReason, State } from '../../../voice/turn/events.ts';
import type { FloorHolder, SpeechUsage, SpokenCall, SpokenCallParts, Unfinished } from './spoken-call.ts';

type Request = Extract<Command, { type: 'reply.request' }>;

/** There is none: what the caller types is final. */
const recognizer = { hasPartials: true, waitMs: 0, hasEcho: false };
const replying: readonly State[] = ['thinking', 'agent', 'overlap', 'held', 'closing'];

/** A web call without speech, because nothing here speaks its language: the caller types, and reads. */
export class TypedCall implements SpokenCall {
  readonly capabilities = { speechIn: false, speechOut: false };
  readonly notApplied = [];
  isToolRunning = false;
  readonly isRecording: boolean = false;
  private readonly parts: SpokenCallParts;
  private readonly session: Session;
  private isLeft = false;
  private holder: FloorHolder = 'none';
  /** The state before the connection was lost, if it is. */
  private lastState: State = 'opening';
  private lastRequest: Request | null = null;
  private nextTurn: number;
  private readonly shown = new Map<number, string>();
  private readonly counts = { reminders: 0, waitingSentences: 0, callerInterruptions: 0 };

  constructor(parts: SpokenCallParts) {
    this.parts = parts;
    this.nextTurn = parts.firstTurn;
    const { agent, clock, engine, tools, newToolCallId, elapsedMs, latencyBudgetMs, resumedTurns } = parts;
    this.session = new Session({
      clock,
      policy: parts.policy(recognizer),
      language: agent.language,
      engine,
      input: noInput,
      output: (events) => new TextOutput(events, (utterance, text) => this.show(utterance, text)),
      newStages: () => [],
      tools,
      newToolCallId,
      recorder: {
        turn: (turn) => this.recordTurn(turn),
        event: (event, atMs) => this.recordEvent(event, atMs),
        ended: (reason, atMs, detail) => {
          if (!this.isLeft) parts.recorder.ended(reason, atMs, detail);
        },
      },
      resumedTurns,
      elapsedMs,
      latencyBudgetMs,
      observe: (_event, commands, machine) => {
        this.isToolRunning = machine.isToolRunning;
        for (const command of commands) if (command.type === 'reply.request') this.lastRequest = command;
        if (machine.state !== 'lost') this.lastState = machine.state;
        this.reportFloor(machine.state);
      },
    });
  }

  get isReplying(): boolean {
    return replying.includes(this.session.state);
  }

  connect(): void {
    const { isMuted, resumed } = this.parts;
    if (isMuted) this.session.dispatch({ type: 'mute', isOn: true });
    this.session.dispatch({ type: 'connected' });
    if (resumed === null || resumed.isOpening) return;
    if (resumed.unsaid !== null) this.session.dispatch({ type: 'reply.interrupt', text: resumed.unsaid });
    if (resumed.words === '') this.session.dispatch({ type: 'respond' });
    else if (resumed.words !== null) {
      this.session.dispatch({ type: 'text', text: resumed.words, isRecorded: true });
    }
  }

  /** Nobody listens. */
  audio(): void {}

  played(): void {}

  recognized(): void {}

  text(words: string): void {
    this.session.dispatch({ type: 'text', text: words });
  }

  dtmf(digits: string): void {
    this.session.dispatch({ type: 'dtmf', digits });
  }

  lost(): void {
    this.session.dispatch({ type: 'transport.lost' });
  }

  resumed(): void {
    this.session.dispatch({ type: 'transport.resumed' });
  }

  hangUp(): void {
    this.session.dispatch({ type: 'hangup' });
  }

  stop(reason: EndReason): void {
    this.session.dispatch({ type: 'stop', reason });
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

  /** There is nothing to record. */
  pauseRecording(): void {}

  closed(): Promise<void> {
    return Promise.resolve();
  }

  unfinished(): Unfinished {
    const nothing = { isOpening: false, words: null, unsaid: null };
    if (this.lastState === 'opening') return { ...nothing, isOpening: true };
    if (this.lastState !== 'thinking' || this.lastRequest === null) return nothing;
    const { kind, words } = this.lastRequest;
    if (kind === 'begin') return { ...nothing, isOpening: true };
    return kind === 'response' ? { ...nothing, words } : nothing;
  }

  leave(): void {
    this.isLeft = true;
    this.session.dispatch({ type: 'stop', reason: 'api_end' });
  }

  speechUsage(): SpeechUsage {
    return { stt: [], tts: [] };
  }

  conversation() {
    return {
      agentSpeechMs: 0,
      callerSpeechMs: 0,
      overlapMs: 0,
      firstWordMs: null,
      deadAirMs: 0,
      longestSilenceMs: 0,
      agentInterruptions: 0,
      falseInterruptions: 0,
      backchannels: 0,
      ...this.counts,
    };
  }

  private reportFloor(state: State): void {
    const holder: FloorHolder = ['agent', 'overlap', 'held', 'closing'].includes(state)
      ? 'agent'
      : ['caller', 'endpoint'].includes(state)
        ? 'caller'
        : 'none';
    if (holder === this.holder) return;
    this.holder = holder;
    this.parts.floor(holder);
  }

  private show(utterance: number, text: string): void {
    const shown = `${this.shown.get(utterance) ?? ''}${text}`;
    this.shown.clear();
    this.shown.set(utterance, shown);
    this.parts.transcript({ role: 'agent', text: shown, isFinal: false, turn: this.nextTurn });
  }

  private recordTurn(turn: Turn): void {
    const { index, role, source, text, interrupted } = turn;
    this.nextTurn = Math.max(this.nextTurn, this.parts.firstTurn + index + 1);
    if (source === 'reminder') this.counts.reminders += 1;
    if (source === 'waiting') this.counts.waitingSentences += 1;
    if (interrupted) this.counts.callerInterruptions += 1;
    if (role !== 'tool') {
      this.parts.transcript({ role, text, isFinal: true, turn: this.parts.firstTurn + index });
    }
    // Nobody waited for a sound.
    const latency = turn.latency === null ? null : { ...turn.latency, endpointingMs: null, ttsFirstAudioMs: null };
    this.parts.recorder.turn({ ...turn, latency });
  }

  private recordEvent(event: RecordedEvent, atMs: number): void {
    // Nobody speaks.
    if (event.type === 'speech_started' || event.type === 'speech_ended') return;
    this.parts.recorder.event(event, atMs);
  }
}
