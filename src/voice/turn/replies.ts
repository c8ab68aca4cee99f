import type { ReplyKind } from '../engines/engine.ts';
import type { CommandList } from './command-list.ts';
import type { Sentence, ServiceSpeech, Source, TurnPolicy } from './events.ts';
import { type ServiceSentences, serviceSentence } from './service-sentences.ts';
import type { Speech } from './speech.ts';

/** What a reply is asked for. */
export interface Request {
  readonly kind: ReplyKind;
  readonly words: string;
}

/** What the agent was about to say, to start again if no words follow. */
export interface Withdrawn {
  readonly request: Request | null;
  readonly say: ServiceSpeech | null;
}

interface Reply extends Request {
  readonly turn: number;
  requestedAt: number;
  /** Sentences that arrived while another utterance is said. */
  readonly queue: Sentence[];
  hasText: boolean;
  isEnded: boolean;
  isAccepted: boolean;
  /** Since when the engine cannot be asked. */
  suspendedSince: number | null;
}

/** The reply in progress and its tools, from the request to the last sentence, and the sentence that bridges the wait. */
export class Replies {
  private reply: Reply | null = null;
  /** A request that waits for a running tool (rule 10), or until it is known what the caller heard (rule 6). */
  private deferred: Request | null = null;
  private lastTurn = 0;
  private tools = 0;
  private toolsSince = 0;
  /** In a row. */
  failures: number;
  private wasWaitingSaid = false;
  private readonly out: CommandList;
  private readonly policy: () => TurnPolicy;
  private readonly speech: Speech;
  private readonly service: ServiceSentences;

  constructor(out: CommandList, policy: () => TurnPolicy, speech: Speech, service: ServiceSentences, failures: number) {
    this.out = out;
    this.policy = policy;
    this.speech = speech;
    this.service = service;
    this.failures = failures;
  }

  get runningTools(): number {
    return this.tools;
  }

  get isToolRunning(): boolean {
    return this.tools > 0;
  }

  /** The engine cannot be asked, and has a timeout of its own. */
  get isSuspended(): boolean {
    return this.reply !== null && this.reply.suspendedSince !== null;
  }

  get isInProgress(): boolean {
    return this.reply !== null;
  }

  get isExpected(): boolean {
    return this.reply !== null || this.deferred !== null;
  }

  /** What was asked for and is not said to its end. */
  get pending(): Request | null {
    return this.reply ?? this.deferred;
  }

  isCurrent(turn: number): boolean {
    return this.reply?.turn === turn;
  }

  request({ kind, words }: Request): void {
    const { waitingMs, toolWaitingMs } = this.policy();
    if (this.tools > 0) this.armWaiting(toolWaitingMs);
    else if (kind !== 'reminder') this.armWaiting(waitingMs);
    if (this.tools > 0 || !this.speech.isSettled) this.deferred = { kind, words };
    else this.send({ kind, words });
  }

  /** Rule 6: the engine gets what the caller heard of the utterance before, and then the request. */
  requestOnceSettled(): void {
    const { deferred } = this;
    if (deferred === null || this.tools > 0 || !this.speech.isSettled) return;
    this.deferred = null;
    this.send(deferred);
  }

  private send({ kind, words }: Request) {
    const { replyTimeoutMs } = this.policy();
    const turn = ++this.lastTurn;
    const requestedAt = this.out.now;
    const progress = { queue: [], hasText: false, isEnded: false, isAccepted: false, suspendedSince: null };
    this.reply = { turn, kind, words, requestedAt, ...progress };
    this.out.push({ type: 'reply.request', turn, kind, words });
    this.out.setTimer('reply', requestedAt + replyTimeoutMs);
  }

  /** The caller's turn is committed, or the caller hears the reply. */
  accept(): void {
    if (this.reply === null || this.reply.isAccepted) return;
    this.reply.isAccepted = true;
    this.out.push({ type: 'reply.accept', turn: this.reply.turn });
  }

  /** Rule 7: nothing was heard yet, so there is no entry. */
  withdraw(): Withdrawn {
    const { reply } = this;
    const request = reply ?? this.deferred;
    const { current } = this.speech;
    const isOwn = current !== null && current.turn !== reply?.turn && current.source !== 'waiting';
    const say = isOwn ? { source: current.source, sentences: current.rest } : null;
    if (current?.source === 'waiting') this.wasWaitingSaid = false;
    this.speech.clear(false);
    this.drop();
    return { request: request === null ? null : { kind: request.kind, words: request.words }, say };
  }

  drop(): void {
    this.out.unsetTimers('reply', 'waiting');
    if (this.reply !== null && !this.reply.isEnded) this.cancel(this.reply);
    this.reply = null;
    this.deferred = null;
  }

  /** Nobody waits for a reply any more. */
  forget(): void {
    this.reply = null;
    this.wasWaitingSaid = false;
  }

  private cancel({ turn }: Reply) {
    this.out.push({ type: 'reply.cancel', turn });
  }

  // What the engine sends

  /** From its first text on, it has longer to be complete. */
  start(turn: number): void {
    const { reply } = this;
    if (reply?.turn !== turn || reply.isEnded || reply.hasText) return;
    this.failures = 0;
    reply.hasText = true;
    if (this.tools === 0 && !this.isSuspended) this.armTimeout(reply, reply.requestedAt);
  }

  /** `mustWait`: it cannot be said now. */
  hear(turn: number, { text, isUninterruptible }: Sentence, mustWait: boolean): void {
    const { reply } = this;
    if (reply?.turn !== turn || reply.isEnded || text === '') return;
    this.out.unsetTimer('waiting');
    this.start(turn);
    const sentence = { text, isUninterruptible };
    const { current } = this.speech;
    if (mustWait || (current !== null && current.turn !== turn)) reply.queue.push(sentence);
    else this.speech.say(sourceOf(reply.kind), turn, sentence, false);
  }

  /** Returns what is left of it: a reply without text is over at once. */
  end(turn: number): 'stale' | 'being said' | 'to be said' | 'nothing' {
    const { reply } = this;
    if (reply?.turn !== turn || reply.isEnded) return 'stale';
    reply.isEnded = true;
    this.out.unsetTimers('reply', 'waiting');
    if (this.speech.current?.turn === turn) {
      this.speech.complete();
      return 'being said';
    }
    if (reply.queue.length > 0) return 'to be said';
    this.accept();
    this.reply = null;
    return 'nothing';
  }

  fail(): { readonly kind: ReplyKind | undefined; readonly isOnceTooOften: boolean } {
    const kind = this.reply?.kind;
    this.out.unsetTimers('reply', 'waiting');
    if (this.reply !== null) this.reply.isEnded = true;
    this.accept();
    this.reply = null;
    // Nobody waits for a reminder, and servers may ignore that one is due.
    if (kind !== 'reminder') this.failures += 1;
    this.out.emit({ type: 'reply_failed' });
    return { kind, isOnceTooOften: this.failures >= this.policy().maxFailedReplies };
  }

  /** The engine cannot be asked: the time until it can does not count. */
  suspend(turn: number): void {
    const { reply } = this;
    if (reply?.turn !== turn || reply.isEnded || reply.suspendedSince !== null) return;
    reply.suspendedSince = this.out.now;
    this.out.unsetTimer('reply');
    // The caller has not asked anything yet, and is not waiting for an answer.
    if (reply.kind === 'begin') this.out.unsetTimer('waiting');
  }

  continue(turn: number): void {
    const { reply } = this;
    if (reply?.turn !== turn || reply.suspendedSince === null) return;
    reply.requestedAt += this.out.now - reply.suspendedSince;
    reply.suspendedSince = null;
    if (!reply.isEnded && this.tools === 0) this.armTimeout(reply, reply.requestedAt);
  }

  /** Nothing more will come. */
  complete(): void {
    this.deferred = null;
    if (this.reply !== null && !this.reply.isEnded) this.end(this.reply.turn);
  }

  /** What is being said of it is its end: the engine need not go on. */
  cutShort(): void {
    const { reply } = this;
    const isLive = reply !== null && !reply.isEnded;
    this.complete();
    if (isLive) this.cancel(reply);
  }

  /** The reply took too long. */
  cancelLate(): void {
    if (this.reply !== null) this.cancel(this.reply);
  }

  // What the caller hears

  /** An utterance was played to its end: its reply is over, unless more sentences follow. */
  finish(turn: number): void {
    if (this.reply?.turn === turn && this.reply.isEnded) this.reply = null;
  }

  /** A reply that ended while the transport was gone, and has nothing left to say. */
  finishSilent(): void {
    if (this.reply?.isEnded && this.reply.queue.length === 0) this.reply = null;
  }

  /** After something else was said: the sentences that arrived meanwhile, or rule 16 again. */
  goOn(): void {
    const { reply } = this;
    if (reply !== null && reply.queue.length > 0) {
      this.speech.sayAll(sourceOf(reply.kind), reply.turn, reply.queue.splice(0), reply.isEnded);
    }
    this.awaitQuietly();
  }

  /** After a resume: the timeouts count from now on. */
  restartTimeouts(): void {
    const { reply } = this;
    const isAwaited = reply !== null && !reply.isEnded && reply.suspendedSince === null;
    if (isAwaited && this.tools === 0) this.armTimeout(reply, this.out.now);
    this.awaitQuietly();
  }

  private armTimeout({ hasText }: Reply, since: number) {
    const { replyTimeoutMs, replyCompleteMs } = this.policy();
    this.out.setTimer('reply', since + (hasText ? replyCompleteMs : replyTimeoutMs));
  }

  // Tools

  /** Rule 10: the time in which a tool runs does not count. */
  startTool(): void {
    if (this.tools++ > 0) return;
    this.toolsSince = this.out.now;
    this.out.unsetTimer('reply');
  }

  /** Returns whether no tool runs any more. */
  endTool(): boolean {
    return this.tools > 0 && --this.tools === 0;
  }

  takeDeferred(): Request | null {
    const { deferred } = this;
    this.deferred = null;
    return deferred;
  }

  /** The reply goes on with the results of its tools. */
  continueAfterTools(isThinking: boolean): void {
    const { reply } = this;
    if (reply === null || reply.isEnded) return;
    reply.requestedAt = reply.requestedAt + this.out.now - this.toolsSince;
    if (!this.isSuspended) this.armTimeout(reply, reply.requestedAt);
    if (isThinking && this.speech.current === null) this.armWaiting(this.policy().waitingMs);
  }

  // Rule 16: no dead air

  /** The engine's own sentence about its tool, or the waiting sentence in time. */
  bridgeTool(say: string): void {
    if (this.policy().isChat || this.wasWaitingSaid) return;
    if (say !== '') this.sayWaiting(say);
    else if (this.speech.current === null) this.armWaiting(this.policy().toolWaitingMs);
  }

  sayWaiting(text: string): void {
    this.out.unsetTimer('waiting');
    if (this.speech.current !== null) return;
    this.wasWaitingSaid = true;
    this.service.say(serviceSentence('waiting', text));
  }

  /** The next wait is a new one. */
  allowWaiting(): void {
    this.wasWaitingSaid = false;
  }

  private awaitQuietly() {
    if (this.speech.current === null && !this.out.hasTimer('waiting')) this.armWaiting(this.policy().waitingMs);
  }

  private armWaiting(ms: number) {
    const { reply } = this;
    const isUnasked = reply?.kind === 'begin' ? this.isSuspended : reply?.kind === 'reminder' && this.tools === 0;
    if (!this.policy().isChat && !this.wasWaitingSaid && !isUnasked) this.out.setTimer('waiting', this.out.now + ms);
  }
}

function sourceOf(kind: ReplyKind): Source {
  return kind === 'response' ? 'engine' : kind;
}
