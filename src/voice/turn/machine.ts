import type { ReplyKind } from '../engines/engine.ts';
import { CallerTurn, joined } from './caller-turn.ts';
import { CommandList } from './command-list.ts';
import type { Command, EndReason, Source, State, TimerName, TurnEvent, TurnPolicy } from './events.ts';
import { type Sentence, Speech } from './speech.ts';

interface Reply {
  readonly turn: number;
  readonly kind: ReplyKind;
  readonly words: string;
  readonly requestedAt: number;
  /** Sentences that arrived while another utterance is said. */
  readonly queue: Sentence[];
  hasText: boolean;
  isEnded: boolean;
  isAccepted: boolean;
}

/** Where to go if no words follow a sound. */
type Return =
  | { readonly state: 'idle' | 'opening'; readonly deadlines: readonly (readonly [TimerName, number])[] }
  | { readonly state: 'thinking'; readonly request: Pick<Reply, 'kind' | 'words'> | null; readonly say: Own | null };

/** What the service says itself. */
interface Own {
  readonly source: Source;
  readonly sentences: readonly Sentence[];
}

const suspendedTimers = ['begin', 'reminder', 'silence'] as const;

/**
 * Decides who may speak. Pure: an event and a time in, commands out. The numbered rules are described in
 * docs/voice.md; each has a test of that number.
 */
export class TurnMachine {
  state: State = 'opening';
  private readonly out = new CommandList();
  private readonly speech: Speech;
  private policy: TurnPolicy;
  private caller: CallerTurn | null = null;
  private reply: Reply | null = null;
  /** A request that waits for a running tool (rule 10). */
  private deferred: Pick<Reply, 'kind' | 'words'> | null = null;
  private returnTo: Return | null = null;
  /** Sentences of the service itself that wait for the floor. */
  private readonly pending: Own[] = [];
  private endsAfterSpeech: 'no' | 'withdrawable' | 'final' = 'no';
  private lastTurn = 0;
  private tools = 0;
  private toolsSince = 0;
  private failedReplies = 0;
  private reminders = 0;
  private isMuted = false;
  private wasWaitingSaid = false;
  private isSounding = false;
  private soundSince = 0;
  private soundEnd = 0;
  /** Words of an earlier overlap that did not take the floor do not count for the next. */
  private overlapFrom = 0;
  private hasFinalSinceFlush = false;
  private backchannels = 0;
  /** Words that were committed before their final transcript arrived, which is then dropped. */
  private unconfirmed: string | null = null;
  private lost: { readonly state: State; readonly remaining: readonly (readonly [TimerName, number])[] } | null = null;

  constructor(policy: TurnPolicy) {
    this.policy = policy;
    this.speech = new Speech(this.out, () => this.policy);
  }

  /** Whether the present state ends on its own: a timer is set, or a tool runs, which has a timeout. */
  get canExit(): boolean {
    return this.tools > 0 || this.out.hasTimerBesides('max');
  }

  get isToolRunning(): boolean {
    return this.tools > 0;
  }

  step(event: TurnEvent, now: number): Command[] {
    this.out.now = now;
    if (this.state !== 'ended') this.handle(event);
    return this.out.take();
  }

  private handle(event: TurnEvent) {
    switch (event.type) {
      case 'timer':
        if (this.out.takeTimer(event.name)) this.onTimer(event.name);
        return;
      case 'vad.start':
        return this.onSound(event.since);
      case 'vad.end':
        return this.onSilence(event.since);
      case 'stt.partial':
        return this.onWords(event.text, false);
      case 'stt.final':
        return this.onWords(event.text, true);
      case 'reply.text':
        return this.onReplyText(event.turn, event);
      case 'reply.end':
        return this.onReplyEnd(event);
      case 'reply.failed':
        if (this.reply?.turn === event.turn) this.onReplyFailed();
        return;
      case 'play.start':
        if (this.speech.current?.number === event.utterance) this.onHeard();
        return;
      case 'play.progress':
        return this.onProgress(event.utterance, event.heard, event.remainingMs);
      case 'play.done':
        if (this.speech.current?.number === event.utterance) this.onPlayed();
        else this.speech.endBackchannel(event.utterance);
        return;
      case 'play.sent':
        if (this.speech.current?.number === event.utterance) this.speech.sent();
        return;
      case 'play.cleared':
        return this.speech.cleared(event.utterance, event.heard);
      case 'tool.start':
        return this.onToolStart(event.turn, event.say);
      case 'tool.end':
        return this.onToolEnd();
      default:
        return this.handleRare(event);
    }
  }

  private handleRare(event: TurnEvent) {
    switch (event.type) {
      case 'connected':
        return this.onConnected();
      case 'text':
        return this.onText(event.text);
      case 'hangup':
        return this.end('caller_hangup');
      case 'stop':
        return this.end(event.reason);
      case 'stt.failed':
        return this.end('stt_failed');
      case 'tts.failed':
        if (this.speech.current?.number === event.utterance) this.end('tts_failed');
        else this.speech.endBackchannel(event.utterance);
        return;
      case 'transport.lost':
        return this.onLost();
      case 'transport.resumed':
        return this.onResumed();
      case 'policy':
        this.policy = event.policy;
        return;
      case 'dtmf':
        return this.onDigits(event.digits);
      case 'say':
        return this.onSay('control', event.text, event.isInterrupting);
      case 'reply.interrupt':
        return this.onSay('engine', event.text, true);
      case 'respond':
        return this.onRespond();
      case 'mute':
        return this.onMute(event.isOn);
      default:
        return;
    }
  }

  // The opening

  private onConnected() {
    if (this.state !== 'opening' || this.out.hasTimer('max')) return;
    const { opening, maxMs } = this.policy;
    this.out.setTimer('max', this.out.now + maxMs);
    if (opening.kind === 'wait') return this.enterIdle();
    if (opening.delayMs === 0) return this.open();
    this.out.setTimer('begin', this.out.now + opening.delayMs);
  }

  private open() {
    const { kind, text } = this.policy.opening;
    if (this.isMuted) return this.enterIdle();
    this.state = 'thinking';
    if (kind === 'request') this.request('begin', '');
    else this.sayOwn({ source: 'begin', sentences: [{ text, isUninterruptible: false }] });
  }

  // What the caller does

  private onSound(since: number) {
    if (this.state === 'lost') return;
    this.isSounding = true;
    this.soundSince = since;
    this.unconfirmed = null;
    this.out.emit({ type: 'speech_started', role: 'caller', atMs: since });
    this.takeSound(since);
  }

  /** A sound, or a word without one: the caller may want the floor. */
  private takeSound(since: number) {
    switch (this.state) {
      case 'opening':
      case 'idle':
        this.returnTo = { state: this.state, deadlines: this.suspendTimers() };
        return this.enterCaller(since);
      case 'endpoint':
        return this.enterCaller(since);
      case 'thinking':
        // Rule 10: while a tool runs, only words cancel the reply.
        if (this.tools > 0) return;
        this.returnTo = this.withdrawReply();
        return this.enterCaller(since);
      case 'agent':
      case 'closing':
        if (this.canInterrupt) this.enterOverlap(since);
        return;
      case 'held':
        this.out.unsetTimer('falseInterruption');
        this.out.setTimer('hold', this.out.now + this.policy.holdMs);
        return;
      default:
        return;
    }
  }

  private onSilence(since: number) {
    if (this.isSounding) this.out.emit({ type: 'speech_ended', role: 'caller', atMs: since });
    this.isSounding = false;
    this.soundEnd = since;
    switch (this.state) {
      case 'caller':
        return this.enterEndpoint(since);
      case 'overlap':
        this.out.push({ type: 'stt.flush' });
        return this.backToSpeech();
      case 'held':
        return this.onSilenceWhileHeld(since);
      case 'agent':
      case 'closing':
      case 'thinking':
        this.out.push({ type: 'stt.flush' });
        return;
      default:
        return;
    }
  }

  private onSilenceWhileHeld(since: number) {
    this.out.push({ type: 'stt.flush' });
    // Detectors report the end of a sound late: what was too short to count may have paused the agent already.
    const wasTooShort = since - this.soundSince < this.policy.bargeInMs;
    if (wasTooShort || this.isAcknowledgment(this.overlapWords)) return this.backToSpeech();
    this.out.unsetTimer('hold');
    this.out.setTimer('falseInterruption', this.out.now + this.policy.falseInterruptionMs);
  }

  private onWords(text: string, isFinal: boolean) {
    if (isFinal) this.hasFinalSinceFlush = true;
    if (this.isConfirmation(text, isFinal)) return;
    if (this.state === 'lost') return;
    const hasWords = text.trim() !== '';
    if (this.caller === null && !hasWords) return this.onNoWords();
    this.caller ??= new CallerTurn(this.isSounding ? this.soundSince : this.out.now);
    const before = this.caller.hasWords;
    const isNew = isFinal ? this.caller.hearFinal(text) : this.caller.hearPartial(text);
    if (!this.caller.hasWords) {
      if (!before) this.caller = this.state === 'caller' || this.state === 'endpoint' ? this.caller : null;
      return this.onNoWords();
    }
    if (isNew && hasWords) this.onNewWords();
    else if (this.state === 'endpoint') this.answerIfReady();
  }

  /** An empty transcript after the caller stopped: nothing was said. */
  private onNoWords() {
    if (this.state === 'endpoint' && this.hasFinalSinceFlush && this.caller?.hasWords !== true) this.returnFromSound();
  }

  private onNewWords() {
    this.reminders = 0;
    switch (this.state) {
      case 'opening':
      case 'idle':
        this.suspendTimers();
        this.returnTo = null;
        return this.takeFloor();
      case 'caller':
        this.returnTo = null;
        this.out.setTimer('noise', this.out.now + this.policy.noiseMs);
        return;
      case 'endpoint':
        this.returnTo = null;
        // Words although the detector has reported silence, or after steady noise: the caller goes on.
        return this.onWordsAtEndpoint();
      case 'thinking':
        return this.onWordsWhileThinking();
      case 'agent':
      case 'closing':
        if (this.canInterrupt) this.enterOverlap(this.isSounding ? this.soundSince : this.out.now);
        return;
      case 'held':
        return this.decideInterruption();
      default:
        return;
    }
  }

  private onWordsAtEndpoint() {
    if (this.isSounding) return this.enterCaller(this.out.now);
    this.armEndpoint();
    this.out.push({ type: 'reply.prepare', words: this.caller?.words ?? '' });
    this.answerIfReady();
  }

  private onWordsWhileThinking() {
    this.withdrawReply();
    this.returnTo = null;
    if (this.isSounding) return this.enterCaller(this.soundSince);
    // Rule 8: a late final joins the open turn, and the reply is requested again with all parts.
    this.answer();
  }

  /** Rule 9: the final transcript of words that were already committed is not a new turn. */
  private isConfirmation(text: string, isFinal: boolean): boolean {
    if (this.unconfirmed === null || this.state === 'caller' || this.state === 'endpoint') return false;
    const isSame = bare(this.unconfirmed).endsWith(bare(text));
    if (isFinal || !isSame) this.unconfirmed = null;
    return isSame;
  }

  private takeFloor() {
    if (this.isSounding) this.enterCaller(this.soundSince);
    else this.enterEndpoint(this.out.now);
  }

  private enterCaller(since: number) {
    this.state = 'caller';
    this.unsetTimers('endpoint', 'sttWait', 'backchannel');
    this.caller ??= new CallerTurn(since);
    this.out.setTimer('noise', this.out.now + this.policy.noiseMs);
  }

  private enterEndpoint(since: number) {
    this.state = 'endpoint';
    this.out.unsetTimer('noise');
    this.soundEnd = since;
    this.hasFinalSinceFlush = false;
    this.out.push({ type: 'stt.flush' });
    this.out.setTimer('sttWait', this.out.now + this.policy.sttWaitMs);
    this.armEndpoint();
    if (this.caller?.hasWords) this.out.push({ type: 'reply.prepare', words: this.caller.words });
  }

  private armEndpoint() {
    const { endpointMs, finishedEndpointMs, openEndpointMs, language, backchannel } = this.policy;
    const hint = this.caller?.hasWords ? language.hint(this.caller.words) : undefined;
    const waitMs =
      hint === 'finished'
        ? Math.min(endpointMs, finishedEndpointMs)
        : hint === 'open'
          ? Math.max(endpointMs, openEndpointMs)
          : endpointMs;
    this.out.setTimer('endpoint', Math.max(this.out.now, this.soundEnd + waitMs));
    // A cough gets no reply, and no backchannel.
    if (backchannel === null || this.caller?.hasWords !== true) return;
    const isWelcome = hint === 'open' || waitMs >= backchannel.minEndpointMs;
    const at = Math.max(this.soundEnd + backchannel.pauseMs, this.caller.lastBackchannelAt + backchannel.gapMs);
    if (isWelcome && this.caller.backchannels < backchannel.maxPerTurn && at < this.soundEnd + waitMs) {
      this.out.setTimer('backchannel', at);
    } else this.out.unsetTimer('backchannel');
  }

  private onBackchannel() {
    if (this.state !== 'endpoint' || this.caller === null || this.policy.backchannel === null) return;
    const { words } = this.policy.backchannel;
    this.caller.backchannels += 1;
    this.caller.lastBackchannelAt = this.out.now;
    this.speech.sayBackchannel(words[this.backchannels++ % words.length] as string);
  }

  /** Rules 8 and 9: answers once the caller has waited, and their words are final or will not become final in time. */
  private answerIfReady() {
    if (this.state !== 'endpoint' || this.out.hasTimer('endpoint')) return;
    if (this.caller?.hasWords !== true) {
      if (!this.out.hasTimer('sttWait')) this.returnFromSound();
      return;
    }
    const isFinal = this.policy.isSttAccurate ? this.hasFinalSinceFlush : this.caller.isFinal;
    if (isFinal || !this.out.hasTimer('sttWait')) this.answer();
  }

  private answer() {
    this.returnTo = null;
    // A caller who was told to wait for a tool is not told again.
    if (this.tools === 0) this.wasWaitingSaid = false;
    this.enterThinking('response', this.caller?.words ?? '');
  }

  /** Rule 1: as if the sound had not happened. A timer that expired meanwhile fires at once. */
  private returnFromSound() {
    const { returnTo } = this;
    this.returnTo = null;
    this.unsetTimers('endpoint', 'sttWait', 'backchannel', 'noise');
    if (this.caller?.hasWords !== true) this.caller = null;
    if (returnTo === null || this.isMuted) return this.enterIdle();
    this.state = returnTo.state;
    if (returnTo.state !== 'thinking') {
      for (const [name, at] of returnTo.deadlines) this.out.setTimer(name, at);
      return;
    }
    if (returnTo.say !== null) this.sayOwn(returnTo.say);
    if (returnTo.request !== null) return this.enterThinking(returnTo.request.kind, returnTo.request.words);
    if (returnTo.say === null) this.enterIdle();
  }

  // Overlaps

  private get canInterrupt(): boolean {
    return (
      this.policy.isInterruptible && this.endsAfterSpeech !== 'final' && this.speech.current?.isUninterruptible !== true
    );
  }

  /** A sound that has just begun may become words; an older one is noise (rule 15). */
  private get mayBecomeWords(): boolean {
    return this.isSounding && this.out.now - this.soundSince < this.policy.noiseMs;
  }

  private get overlapWords(): string {
    return (this.caller?.words ?? '').slice(this.overlapFrom).trim();
  }

  private isAcknowledgment(words: string): boolean {
    return words !== '' && this.policy.language.isAcknowledgment(words);
  }

  private enterOverlap(since: number) {
    this.state = 'overlap';
    // An acknowledgment alone was not meant to take the floor: it is dropped when the caller goes on.
    if (this.caller !== null && this.caller.startedAt < since && this.isAcknowledgment(this.caller.words)) {
      this.caller = null;
    }
    const isContinued = this.caller !== null && this.caller.startedAt < since;
    this.overlapFrom = isContinued ? (this.caller?.finalLength ?? 0) : 0;
    this.out.setTimer('bargeIn', Math.max(this.out.now, since + this.policy.bargeInMs));
  }

  private enterHeld() {
    // The sentence that must not be interrupted may have begun meanwhile.
    if (!this.canInterrupt) return this.backToSpeech();
    this.state = 'held';
    this.speech.pause();
    this.out.setTimer('hold', this.out.now + this.policy.holdMs);
    this.decideInterruption();
  }

  private decideInterruption() {
    const words = this.overlapWords;
    if (words === '') return;
    if (this.isAcknowledgment(words)) {
      if (!this.isSounding) this.backToSpeech();
      return;
    }
    const { bargeInWords, echoMs, language } = this.policy;
    const isEarly = this.out.now - (this.speech.firstPlayedAt ?? 0) < echoMs;
    if (language.countWords(words) >= Math.max(1, bargeInWords, isEarly ? 2 : 0)) this.interrupt();
  }

  /** Rules 5 and 6: the interruption is accepted; only now is anything cleared. */
  private interrupt() {
    this.unsetTimers('hold', 'falseInterruption', 'bargeIn');
    this.out.emit({ type: 'agent_interrupted' });
    this.speech.clear(true);
    this.dropReply();
    this.endsAfterSpeech = 'no';
    this.takeFloor();
  }

  private backToSpeech() {
    this.unsetTimers('hold', 'falseInterruption', 'bargeIn');
    if (this.speech.current?.isPaused) this.out.emit({ type: 'false_interruption' });
    this.state = this.endsAfterSpeech === 'no' ? 'agent' : 'closing';
    this.speech.resume();
  }

  // Replies

  private enterThinking(kind: ReplyKind, words: string) {
    this.state = 'thinking';
    this.unsetTimers('endpoint', 'sttWait', 'backchannel', 'noise', 'reminder');
    if (kind !== 'reminder') this.out.unsetTimer('silence');
    if (this.isMuted) {
      this.commitCaller();
      return this.enterIdle();
    }
    this.request(kind, words);
    this.sayPending();
  }

  private request(kind: ReplyKind, words: string) {
    const { replyTimeoutMs, waitingMs, toolWaitingMs, isChat } = this.policy;
    const quietMs = this.tools > 0 ? toolWaitingMs : waitingMs;
    if (!isChat && !this.wasWaitingSaid) this.out.setTimer('waiting', this.out.now + quietMs);
    if (this.tools > 0) {
      this.deferred = { kind, words };
      return;
    }
    const turn = ++this.lastTurn;
    const requestedAt = this.out.now;
    this.reply = { turn, kind, words, requestedAt, queue: [], hasText: false, isEnded: false, isAccepted: false };
    this.out.push({ type: 'reply.request', turn, kind, words });
    this.out.setTimer('reply', requestedAt + replyTimeoutMs);
  }

  /** Rule 7: nothing was heard yet, so there is no entry. Returns how to start again if no words follow. */
  private withdrawReply(): Return {
    const request = this.reply ?? (this.deferred === null ? null : { ...this.deferred, turn: undefined });
    const { current } = this.speech;
    const isOwn = current !== null && current.turn !== request?.turn && current.source !== 'waiting';
    const say = isOwn ? { source: current.source, sentences: current.rest } : null;
    if (current?.source === 'waiting') this.wasWaitingSaid = false;
    this.speech.clear(false);
    this.dropReply();
    return { state: 'thinking', request: request === null ? null : { kind: request.kind, words: request.words }, say };
  }

  private dropReply() {
    this.unsetTimers('reply', 'waiting');
    if (this.reply !== null && !this.reply.isEnded) this.out.push({ type: 'reply.cancel', turn: this.reply.turn });
    this.reply = null;
    this.deferred = null;
  }

  private onReplyText(turn: number, { text, isUninterruptible }: Sentence) {
    const { reply } = this;
    if (reply?.turn !== turn || reply.isEnded || text === '') return;
    this.out.unsetTimer('waiting');
    if (!reply.hasText) this.failedReplies = 0;
    reply.hasText = true;
    if (this.tools === 0) this.out.setTimer('reply', reply.requestedAt + this.policy.replyCompleteMs);
    const sentence = { text, isUninterruptible };
    if (this.speech.current !== null && this.speech.current.turn !== turn) reply.queue.push(sentence);
    else this.speech.say(sourceOf(reply.kind), turn, sentence, false);
  }

  private onReplyEnd({
    turn,
    endCall,
    isFinal,
    waitMs = 0,
  }: {
    turn: number;
    endCall: boolean;
    isFinal: boolean;
    waitMs?: number;
  }) {
    const { reply } = this;
    if (reply?.turn !== turn || reply.isEnded) return;
    reply.isEnded = true;
    this.unsetTimers('reply', 'waiting');
    if (endCall) this.endsAfterSpeech = isFinal ? 'final' : 'withdrawable';
    if (this.speech.current?.turn === turn) {
      this.speech.complete();
      if (endCall && this.state === 'agent') this.enterClosing();
      return;
    }
    if (reply.queue.length > 0) return;
    this.acceptReply();
    this.reply = null;
    if (this.speech.current !== null) {
      if (endCall && this.state === 'agent') this.enterClosing();
      return;
    }
    if (this.state !== 'thinking') return;
    this.commitCaller();
    this.afterSpeech(waitMs);
  }

  private onReplyFailed() {
    const kind = this.reply?.kind;
    this.unsetTimers('reply', 'waiting');
    if (this.reply !== null) this.reply.isEnded = true;
    this.acceptReply();
    this.reply = null;
    this.failedReplies += 1;
    this.out.emit({ type: 'reply_failed' });
    if (this.failedReplies >= this.policy.maxFailedReplies) return this.end('llm_failed');
    this.speech.complete();
    if (!this.policy.isChat && kind !== 'reminder') this.queueOwn('fallback', this.policy.language.fallbackText);
    if (this.state !== 'thinking' || this.speech.current !== null) return;
    this.commitCaller();
    this.afterSpeech(0);
  }

  private acceptReply() {
    if (this.reply === null || this.reply.isAccepted) return;
    this.reply.isAccepted = true;
    this.out.push({ type: 'reply.accept', turn: this.reply.turn });
  }

  private commitCaller() {
    const { caller } = this;
    if (caller === null) return;
    this.speech.settle();
    this.caller = null;
    if (!caller.hasWords) return;
    this.unconfirmed = caller.isFinal ? null : caller.words;
    this.out.push({ type: 'commit', role: 'caller', text: caller.words });
  }

  // Tools

  private onToolStart(turn: number, say: string) {
    if (this.tools++ === 0) {
      this.toolsSince = this.out.now;
      this.out.unsetTimer('reply');
    }
    if (this.reply?.turn !== turn) return;
    this.commitCaller();
    this.acceptReply();
    if (this.policy.isChat || this.wasWaitingSaid || this.state !== 'thinking') return;
    if (say !== '') this.sayWaiting(say);
    else if (this.speech.current === null) this.out.setTimer('waiting', this.out.now + this.policy.toolWaitingMs);
  }

  private onToolEnd() {
    if (this.tools === 0 || --this.tools > 0) return;
    const { deferred, reply } = this;
    if (deferred !== null) {
      this.deferred = null;
      const isQuiet = this.state === 'thinking' && this.speech.current === null;
      if (!isQuiet || !this.mayBecomeWords) return this.request(deferred.kind, deferred.words);
      this.returnTo = { state: 'thinking', request: deferred, say: null };
      return this.enterCaller(this.soundSince);
    }
    if (reply === null || reply.isEnded) return;
    // The time in which a tool runs does not count.
    this.reply = { ...reply, requestedAt: reply.requestedAt + this.out.now - this.toolsSince };
    const { replyTimeoutMs, replyCompleteMs, waitingMs, isChat } = this.policy;
    this.out.setTimer('reply', this.reply.requestedAt + (reply.hasText ? replyCompleteMs : replyTimeoutMs));
    const isQuiet = this.state === 'thinking' && this.speech.current === null;
    if (!isChat && isQuiet && !this.wasWaitingSaid) this.out.setTimer('waiting', this.out.now + waitingMs);
  }

  // The agent's speech

  private onHeard() {
    const { current } = this.speech;
    if (current === null || current.isPlaying) return;
    this.speech.start();
    this.commitCaller();
    if (current.turn === this.reply?.turn || current.turn === 0) this.acceptReply();
    if (this.state !== 'thinking') return;
    this.state = 'agent';
    if (this.endsAfterSpeech !== 'no' && (this.reply === null || current.turn === this.reply.turn)) this.enterClosing();
  }

  private onProgress(utterance: number, heard: number, remainingMs: number) {
    if (this.speech.current?.number !== utterance) return;
    this.speech.progress(heard);
    if (this.state === 'closing') this.out.setTimer('drain', this.out.now + remainingMs + this.policy.drainMs);
  }

  private onPlayed() {
    if (this.speech.current?.isPlaying === false) this.onHeard();
    this.unsetTimers('bargeIn', 'hold', 'falseInterruption');
    const { current } = this.speech;
    this.speech.finish();
    const isReply = current !== null && current.turn === this.reply?.turn;
    if (isReply && this.reply?.isEnded) this.reply = null;
    if (this.endsAfterSpeech !== 'no' && this.reply === null) return this.end('agent_hangup');
    this.afterSpeech(0);
  }

  /** Who speaks after an utterance, or after a reply without text. */
  private afterSpeech(waitMs: number) {
    if (this.endsAfterSpeech !== 'no' && this.reply === null && this.pending.length === 0) {
      return this.end('agent_hangup');
    }
    const keptWords = this.keptWords();
    if (keptWords !== '') {
      this.dropReply();
      return this.isSounding ? this.enterCaller(this.soundSince) : this.answer();
    }
    if (this.mayBecomeWords && this.tools === 0) {
      this.returnTo = this.withdrawReply();
      return this.enterCaller(this.soundSince);
    }
    this.state = 'thinking';
    if (this.sayPending()) return;
    if (this.reply === null && this.deferred === null) return this.enterIdle(waitMs);
    this.sayQueued();
    this.armWaiting();
  }

  /** Rule 11: what the caller said over the agent, unless it was an acknowledgment before the last second. */
  private keptWords(): string {
    const { caller } = this;
    if (caller === null) return '';
    const isEarly = caller.startedAt < this.out.now - this.policy.lateAcknowledgmentMs;
    if (!caller.hasWords || (isEarly && !this.isSounding && this.isAcknowledgment(caller.words))) this.caller = null;
    return this.caller?.words ?? '';
  }

  private sayQueued() {
    const { reply } = this;
    if (reply === null || reply.queue.length === 0) return;
    this.speech.sayAll(sourceOf(reply.kind), reply.turn, reply.queue.splice(0), reply.isEnded);
  }

  private enterClosing() {
    this.state = 'closing';
  }

  private sayOwn({ source, sentences }: Own) {
    this.speech.sayAll(source, 0, sentences, true);
  }

  private queueOwn(source: Source, text: string) {
    this.pending.push({ source, sentences: [{ text, isUninterruptible: false }] });
  }

  private sayPending(): boolean {
    if (this.speech.current !== null) return true;
    const next = this.pending.shift();
    if (next !== undefined) this.sayOwn(next);
    return next !== undefined;
  }

  private sayWaiting(text: string) {
    this.out.unsetTimer('waiting');
    if (this.speech.current !== null || this.state !== 'thinking') return;
    this.wasWaitingSaid = true;
    this.sayOwn({ source: 'waiting', sentences: [{ text, isUninterruptible: false }] });
  }

  // Silence

  private enterIdle(waitMs = 0) {
    this.state = 'idle';
    this.reply = null;
    this.returnTo = null;
    this.wasWaitingSaid = false;
    if (this.sayPending()) {
      this.state = 'thinking';
      return;
    }
    const { reminderMs, reminderMax, silenceMs } = this.policy;
    if (this.reminders < reminderMax) this.out.setTimer('reminder', this.out.now + waitMs + reminderMs);
    if (!this.out.hasTimer('silence')) this.out.setTimer('silence', this.out.now + waitMs + silenceMs);
  }

  private onReminder() {
    if (this.state !== 'idle') return;
    this.reminders += 1;
    this.wasWaitingSaid = false;
    this.enterThinking('reminder', '');
  }

  // Everything else

  private onText(text: string) {
    if (this.state === 'lost') return;
    const isSpeaking =
      this.state === 'agent' || this.state === 'overlap' || this.state === 'held' || this.state === 'closing';
    if (isSpeaking && !this.canInterrupt) {
      this.caller ??= new CallerTurn(this.out.now);
      this.caller.hearFinal(text);
      return;
    }
    this.reminders = 0;
    this.suspendTimers();
    if (isSpeaking) {
      this.unsetTimers('hold', 'falseInterruption', 'bargeIn');
      this.out.emit({ type: 'agent_interrupted' });
      this.speech.clear(true);
      this.endsAfterSpeech = 'no';
    } else this.speech.clear(false);
    this.dropReply();
    const open = this.caller?.words ?? '';
    this.commitCaller();
    this.speech.settle();
    this.out.push({ type: 'commit', role: 'caller', text });
    this.returnTo = null;
    this.wasWaitingSaid = false;
    this.enterThinking('response', joined(open, text));
  }

  private onSay(source: Source, text: string, isInterrupting: boolean) {
    this.queueOwn(source, text);
    if (isInterrupting && this.state !== 'lost') {
      this.speech.clear(false);
      this.dropReply();
      this.suspendTimers();
      this.unsetTimers('endpoint', 'sttWait', 'backchannel', 'noise', 'hold', 'falseInterruption', 'bargeIn');
      this.commitCaller();
      this.state = 'thinking';
    }
    if (this.state === 'idle' || this.state === 'opening') {
      this.suspendTimers();
      this.state = 'thinking';
    }
    if (this.state === 'thinking') this.sayPending();
  }

  private onRespond() {
    if (this.state !== 'idle' && this.state !== 'opening') return;
    this.suspendTimers();
    this.wasWaitingSaid = false;
    this.enterThinking('response', '');
  }

  private onMute(isOn: boolean) {
    this.isMuted = isOn;
    if (!isOn) return;
    const hadFloor = this.speech.current !== null || this.state === 'thinking';
    this.pending.length = 0;
    this.speech.clear(false);
    this.dropReply();
    this.endsAfterSpeech = 'no';
    if (!hadFloor || this.state === 'lost') return;
    this.unsetTimers('hold', 'falseInterruption', 'bargeIn');
    if (this.isSounding && this.state !== 'thinking') return this.enterCaller(this.soundSince);
    this.commitCaller();
    this.enterIdle();
  }

  private onDigits(digits: string) {
    this.out.emit({ type: 'dtmf_received', digits });
    if (this.state !== 'idle') return;
    this.reminders = 0;
    this.unsetTimers('reminder', 'silence');
    this.enterIdle();
  }

  private onTimer(name: TimerName) {
    switch (name) {
      case 'begin':
        return this.open();
      case 'endpoint':
        return this.answerIfReady();
      case 'sttWait':
        // The words may still be open; then the endpoint decides.
        if (this.caller?.hasWords !== true) return this.returnFromSound();
        return this.answerIfReady();
      case 'bargeIn':
        return this.enterHeld();
      case 'falseInterruption':
        return this.backToSpeech();
      case 'hold':
        // Without partials, words cannot be expected before the sound ends: then the sound decides.
        return this.policy.hasPartials ? this.backToSpeech() : this.interrupt();
      case 'reminder':
        return this.onReminder();
      case 'silence':
        return this.end('silence_timeout');
      case 'max':
        return this.end('max_duration');
      case 'lost':
        return this.end('caller_disconnected');
      case 'drain':
        return this.end('agent_hangup');
      case 'backchannel':
        return this.onBackchannel();
      case 'reply':
        if (this.reply !== null) this.out.push({ type: 'reply.cancel', turn: this.reply.turn });
        return this.onReplyFailed();
      case 'waiting':
        return this.sayWaiting(this.policy.language.waitingText);
      case 'noise':
        // Rule 15: steady noise does not hold the floor.
        return this.enterEndpoint(this.out.now);
      case 'playback':
        return this.onStalledPlayback();
    }
  }

  private onStalledPlayback() {
    const { current } = this.speech;
    if (this.speech.isClearing && current === null) return this.speech.settle();
    if (current === null) return;
    if (!current.isSent) return this.end('tts_failed');
    this.out.emit({ type: 'warning', code: 'playback_stalled', message: 'The caller’s side stopped playing audio.' });
    this.unsetTimers('bargeIn', 'hold', 'falseInterruption');
    this.speech.clear(false);
    this.speech.settle();
    if (this.reply?.turn === current.turn) this.dropReply();
    this.commitCaller();
    this.afterSpeech(0);
  }

  // A transport that is gone and may resume

  private onLost() {
    if (this.state === 'lost') return;
    if (this.isSounding) this.onSilence(this.out.now);
    const remaining = [...this.out.timers].flatMap(([name, at]) =>
      name === 'max' ? [] : [[name, at - this.out.now] as const],
    );
    for (const [name] of remaining) this.out.unsetTimer(name);
    this.lost = { state: this.state, remaining };
    this.speech.pause();
    this.speech.isConnected = false;
    this.state = 'lost';
    this.out.setTimer('lost', this.out.now + this.policy.lostMs);
    this.out.isSuspended = true;
  }

  private onResumed() {
    if (this.state !== 'lost' || this.lost === null) return;
    const { state, remaining } = this.lost;
    this.lost = null;
    this.out.unsetTimer('lost');
    this.out.isSuspended = false;
    this.speech.isConnected = true;
    this.speech.settle();
    const hasReply = this.reply !== null || this.deferred !== null;
    if (this.speech.current === null && !hasReply && this.caller?.hasWords) return this.answer();
    if (this.speech.current !== null || hasReply || this.pending.length > 0) {
      this.state = 'thinking';
      this.speech.restart();
      if (this.speech.current === null && this.reply?.isEnded && this.reply.queue.length === 0) this.reply = null;
      if (this.speech.current === null) this.afterSpeech(0);
      if (this.state === 'thinking') this.armReply();
      return;
    }
    this.state = state === 'opening' ? 'opening' : 'idle';
    for (const [name, ms] of remaining) {
      if (suspendedTimers.some((suspended) => suspended === name)) this.out.setTimer(name, this.out.now + ms);
    }
    if (this.state === 'idle') this.enterIdle();
  }

  /** The timeouts of the reply that is under way, from now on. */
  private armReply() {
    const { replyTimeoutMs, replyCompleteMs } = this.policy;
    const { reply } = this;
    if (reply !== null && !reply.isEnded && this.tools === 0) {
      this.out.setTimer('reply', this.out.now + (reply.hasText ? replyCompleteMs : replyTimeoutMs));
    }
    this.armWaiting();
  }

  /** Rule 16, for a reply that goes on after something else was said. */
  private armWaiting() {
    const { isChat, waitingMs } = this.policy;
    if (isChat || this.wasWaitingSaid || this.speech.current !== null || this.out.hasTimer('waiting')) return;
    this.out.setTimer('waiting', this.out.now + waitingMs);
  }

  // Ends

  private end(reason: EndReason) {
    this.speech.clear(false);
    this.speech.settle();
    this.dropReply();
    this.commitCaller();
    for (const name of [...this.out.timers.keys()]) this.out.unsetTimer(name);
    this.state = 'ended';
    this.out.push({ type: 'end', reason });
  }

  private suspendTimers(): (readonly [TimerName, number])[] {
    const deadlines: (readonly [TimerName, number])[] = [];
    for (const name of suspendedTimers) {
      const at = this.out.deadline(name);
      if (at === undefined) continue;
      deadlines.push([name, at]);
      this.out.unsetTimer(name);
    }
    return deadlines;
  }

  private unsetTimers(...names: TimerName[]) {
    for (const name of names) this.out.unsetTimer(name);
  }
}

function sourceOf(kind: ReplyKind): Source {
  return kind === 'response' ? 'engine' : kind;
}

/** Recognizers add punctuation to a final transcript. */
function bare(text: string): string {
  return text.replace(/[\s\p{P}]/gu, '').toLowerCase();
}
