import { AgentEvents } from './agent-events.ts';
import { AwayEvents } from './away-events.ts';
import { CallerEvents } from './caller-events.ts';
import type { Command, State, TimerName, TurnEvent, TurnPolicy, Unfinished } from './events.ts';
import { Floor } from './floor.ts';
import { type Counts, noCounts, Parts } from './parts.ts';
import { unfinishedOf } from './unfinished.ts';

/** Each is handled, or the code does not compile. */
type RareEvent = Exclude<
  TurnEvent,
  {
    readonly type:
      | 'timer'
      | `vad.${string}`
      | `play.${string}`
      | `tool.${string}`
      | 'stt.partial'
      | 'stt.final'
      | 'reply.text'
      | 'reply.end'
      | 'reply.failed';
  }
>;

/**
 * Decides who may speak. Pure: an event and a time in, commands out. The numbered rules are described in
 * docs/voice.md; each has a test of that number.
 *
 * Here is what handles each event. The handlers decide by the state, which only the floor changes; the parts do the
 * rest.
 */
export class TurnMachine {
  private readonly parts: Parts;
  private readonly floor: Floor;
  private readonly caller: CallerEvents;
  private readonly agent: AgentEvents;
  private readonly away: AwayEvents;

  /** `counts`: of an earlier session of the call. `lastUtterance`: no utterance before has a higher number. */
  constructor(policy: TurnPolicy, counts = noCounts, lastUtterance = 0) {
    this.parts = new Parts(policy, counts, lastUtterance);
    this.floor = new Floor(this.parts);
    this.caller = new CallerEvents(this.parts, this.floor);
    this.agent = new AgentEvents(this.parts, this.floor);
    this.away = new AwayEvents(this.parts, this.floor);
  }

  get state(): State {
    return this.floor.state;
  }

  /** Whether the present state ends on its own: a timer is set, or a tool, a transfer or a connection has a timeout. */
  get canExit(): boolean {
    return this.isToolRunning || this.isTransferring || this.isSuspended || this.parts.out.hasTimerBesides('max');
  }

  get isToolRunning(): boolean {
    return this.runningTools > 0;
  }

  get runningTools(): number {
    return this.parts.replies.runningTools;
  }

  get isTransferring(): boolean {
    return this.parts.transfer.isRunning;
  }

  /** Whether a reply waits for a connection. */
  get isSuspended(): boolean {
    return this.parts.replies.isSuspended;
  }

  /** What the caller has said in the turn that is open. */
  get callerWords(): string {
    return this.parts.listening.words;
  }

  /** What the agent says, as far as the caller has heard it. */
  get heardWords(): string {
    const { current } = this.parts.speech;
    return current === null ? '' : current.text.slice(0, current.heard);
  }

  /** Whether an agent turn will be committed before the caller's. */
  get hasHeardUtterance(): boolean {
    return this.parts.speech.hasHeard;
  }

  /** Whether it is known what was heard of everything that was stopped. */
  get isSettled(): boolean {
    return this.parts.speech.isSettled;
  }

  get counts(): Counts {
    const { idle, replies } = this.parts;
    return { reminders: idle.reminders, failedReplies: replies.failures };
  }

  unfinishedAt(now: number): Unfinished {
    const { idle, transport } = this.parts;
    const isLost = this.state === 'lost';
    const state = isLost ? transport.stateBefore : this.state;
    const timers = isLost ? transport.remaining : idle.remainingAt(now);
    return unfinishedOf(this.parts, state, this.floor.endsAfterSpeech, timers);
  }

  step(event: TurnEvent, now: number): Command[] {
    const { out, replies } = this.parts;
    out.now = now;
    if (this.state !== 'ended') this.handle(event);
    replies.requestOnceSettled();
    return out.take();
  }

  private handle(event: TurnEvent) {
    const { out, replies, speech } = this.parts;
    switch (event.type) {
      case 'timer':
        if (out.takeTimer(event.name)) this.onTimer(event.name);
        return;
      case 'vad.start':
        return this.caller.onSound(event.since);
      case 'vad.end':
        return this.caller.onSilence(event.since);
      case 'stt.partial':
        return this.caller.onWords(event, false);
      case 'stt.final':
        return this.caller.onWords(event, true);
      case 'reply.text':
        return replies.hear(event.turn, event, this.isTransferring);
      case 'reply.end':
        return this.agent.onReplyEnd(event);
      case 'reply.failed':
        if (replies.isCurrent(event.turn)) this.agent.onReplyFailed();
        return;
      case 'play.sent':
        if (speech.current?.number === event.utterance) speech.sent();
        return;
      case 'play.start':
        return this.agent.onPlayStart(event.utterance, event.since);
      case 'play.progress':
        return this.agent.onPlayProgress(event.utterance, event.heard, event.remainingMs);
      case 'play.done':
        return this.agent.onPlayDone(event.utterance);
      case 'play.cleared':
        return speech.cleared(event.utterance, event.heard);
      case 'tool.start':
        return this.agent.onToolStart(event.turn, event.say);
      case 'tool.end':
        return this.agent.onToolEnd();
      default:
        return this.handleRare(event);
    }
  }

  private handleRare(event: RareEvent) {
    switch (event.type) {
      case 'connected':
        return this.onConnected();
      case 'text':
        return this.caller.onText(event.text, event.isRecorded);
      case 'dtmf':
        return this.caller.onKeys(event.digits);
      case 'hangup':
        return this.floor.end('caller_hangup');
      case 'stop':
        return this.floor.end(event.reason);
      case 'stt.failed':
        return this.floor.end('stt_failed');
      case 'tts.failed':
        return this.agent.onVoiceFailed(event.utterance);
      case 'transport.lost':
        return this.onLost();
      case 'transport.resumed':
        return this.away.onResumed();
      case 'policy':
        this.parts.policy = event.policy;
        return;
      case 'say':
        return this.onSay(event.text, event.isInterrupting);
      case 'reply.interrupt':
        return this.agent.onInterrupt(event);
      case 'reply.started':
        return this.parts.replies.start(event.turn);
      case 'reply.suspended':
        return this.parts.replies.suspend(event.turn);
      case 'reply.continued':
        return this.parts.replies.continue(event.turn);
      case 'finish':
        return this.agent.onFinish();
      case 'respond':
        return this.onRespond();
      case 'transfer.request':
        return this.away.onTransferRequested(event.by);
      case 'transfer.failed':
        return this.away.onTransferFailed();
      case 'continue':
        return this.onContinue(event);
      case 'mute':
        return this.floor.mute(event.isOn);
      default:
        event satisfies never;
    }
  }

  private onTimer(name: TimerName) {
    const { listening, out, policy } = this.parts;
    switch (name) {
      case 'begin':
        return this.floor.open();
      case 'endpoint':
        return this.floor.answerIfReady();
      case 'sttWait':
        // The words may still be open; then the endpoint decides.
        return listening.hasWords ? this.floor.answerIfReady() : this.floor.returnFromSound();
      case 'noise':
        return this.floor.enterEndpoint(out.now);
      case 'digits':
        return this.caller.onKeysComplete();
      case 'backchannel':
        return this.onBackchannel();
      case 'bargeIn':
        return this.floor.enterPaused();
      case 'falseInterruption':
        return this.floor.backToSpeech();
      case 'hold':
        // Without partials, words cannot be expected before the sound ends: then the sound decides.
        return policy.hasPartials ? this.floor.backToSpeech() : this.floor.interrupt();
      case 'reply':
        return this.agent.onReplyTimeout();
      case 'waiting':
        return this.agent.onLongWait();
      case 'playback':
        return this.agent.onStalledPlayback();
      case 'settle':
        return this.parts.speech.settle();
      case 'reminder':
        return this.onReminder();
      case 'silence':
        return this.floor.end('silence_timeout');
      case 'max':
        return this.floor.end('max_duration');
      case 'lost':
        return this.isToolRunning || this.isTransferring ? undefined : this.floor.end('caller_disconnected');
      case 'drain':
        return this.floor.end('agent_hangup');
    }
  }

  // What comes from neither the caller nor the engine

  private onConnected() {
    const { out, service, policy } = this.parts;
    if (this.state !== 'opening' || out.hasTimer('max')) return;
    const { opening, maxMs } = policy;
    const { kind, delayMs, notice = '' } = opening;
    out.setTimer('max', out.now + maxMs);
    if (notice !== '') service.queue('begin', notice, true);
    if (kind === 'wait') return this.floor.enterIdle();
    if (delayMs === 0 || notice !== '') return this.floor.open();
    out.setTimer('begin', out.now + delayMs);
  }

  private onBackchannel() {
    const { listening, speech } = this.parts;
    const word = this.state === 'endpoint' ? listening.takeBackchannel() : undefined;
    if (word !== undefined) speech.sayBackchannel(word);
  }

  private onReminder() {
    const { idle, replies } = this.parts;
    if (this.state !== 'idle') return;
    // While a tool runs it is only put off, and counts when the tool has returned: the caller may speak until then.
    if (!replies.isToolRunning) idle.countReminder();
    replies.allowWaiting();
    this.floor.enterThinking({ kind: 'reminder', words: '' });
  }

  private onSay(text: string, isInterrupting: boolean) {
    this.parts.service.queue('control', text);
    if (isInterrupting && !this.floor.isAway) this.floor.seize();
    this.floor.speakIfFree();
  }

  private onRespond() {
    const { idle, replies } = this.parts;
    if (this.state !== 'idle' && this.state !== 'opening') return;
    idle.suspend();
    replies.allowWaiting();
    this.floor.enterThinking({ kind: 'response', words: '' });
  }

  /** After everything else of an earlier session. */
  private onContinue({ unsaid, endsAfterSpeech, idleTimers }: Extract<TurnEvent, { type: 'continue' }>) {
    const { idle, service } = this.parts;
    const { floor } = this;
    if (!floor.isSilenced) {
      service.queueAll(unsaid);
      floor.endsAfterSpeech = endsAfterSpeech;
      if (floor.isEnding && service.isEmpty) return floor.end('agent_hangup');
      if (!service.isEmpty) floor.speakIfFree();
    }
    idle.restoreRemaining(idleTimers);
  }

  private onLost() {
    const { listening, out } = this.parts;
    if (this.state === 'lost') return;
    if (listening.isSounding) this.caller.onSilence(out.now);
    this.away.onLost();
  }
}
