import type { Deadlines, EndReason, EndsAfterSpeech, State } from './events.ts';
import type { Parts } from './parts.ts';
import type { Request, Withdrawn } from './replies.ts';

/** Where to go if no words follow a sound. */
type Return =
  | { readonly state: 'idle' | 'opening'; readonly deadlines: Deadlines }
  | { readonly state: 'thinking'; readonly withdrawn: Withdrawn };

/** Who has the floor: the state, and every transition between two states. */
export class Floor {
  private currentState: State = 'opening';
  private returnTo: Return | null = null;
  endsAfterSpeech: EndsAfterSpeech = 'no';
  private isMuted = false;
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  get state(): State {
    return this.currentState;
  }

  get isCallers(): boolean {
    return this.state === 'caller' || this.state === 'endpoint';
  }

  /** Whether the agent is heard, or paused. */
  get isAgents(): boolean {
    return this.state === 'agent' || this.state === 'overlap' || this.state === 'paused' || this.state === 'closing';
  }

  /** Whether the agent may not speak. */
  get isSilenced(): boolean {
    return this.isMuted;
  }

  /** Whether the caller cannot be heard or spoken to. */
  get isAway(): boolean {
    return this.state === 'lost' || this.state === 'transferring';
  }

  get isEnding(): boolean {
    return this.endsAfterSpeech !== 'no';
  }

  get canInterrupt(): boolean {
    const { policy, speech } = this.parts;
    return policy.isInterruptible && this.endsAfterSpeech !== 'final' && speech.current?.isUninterruptible !== true;
  }

  /** Whether what the caller enters waits until the agent has finished speaking. */
  get mayNotInterrupt(): boolean {
    const { current } = this.parts.speech;
    const isNotice = current !== null && current.turn === 0 && current.isUninterruptible;
    return isNotice || (this.isAgents && !this.canInterrupt);
  }

  // To the caller

  /** A sound while nobody speaks. */
  listenFromIdle(state: 'idle' | 'opening', since: number): void {
    this.returnTo = { state, deadlines: this.parts.idle.suspend() };
    this.enterCaller(since);
  }

  /** A sound while the agent is about to speak. */
  listenFromThinking(withdrawn: Withdrawn, since: number): void {
    this.returnTo = { state: 'thinking', withdrawn };
    this.enterCaller(since);
  }

  /** Words came: the sound was the caller's turn. */
  confirmSound(): void {
    this.returnTo = null;
  }

  takeByCaller(): void {
    const { listening, out } = this.parts;
    if (listening.isSounding) this.enterCaller(listening.soundSince);
    else this.enterEndpoint(out.now);
  }

  enterCaller(since: number): void {
    this.currentState = 'caller';
    this.parts.transfer.withdraw();
    this.parts.listening.follow(since);
  }

  enterEndpoint(since: number): void {
    this.currentState = 'endpoint';
    this.parts.transfer.withdraw();
    this.parts.listening.awaitEnd(since);
  }

  /** The caller is pressing keys: the agent stops, unless it may not be interrupted, and waits for the rest. */
  awaitKeys(): void {
    const { idle, out, replies, speech } = this.parts;
    if (this.isCallers || this.mayNotInterrupt) return;
    idle.allowReminders();
    idle.suspend();
    if (this.isAgents) this.stopAgent();
    else {
      speech.clear(false);
      replies.drop();
    }
    this.confirmSound();
    this.enterCaller(out.now);
  }

  /** Keys that are not completed become a part of the open turn. */
  keepKeys(): void {
    const { listening } = this.parts;
    if (listening.hasKeys) listening.keep(listening.takeKeys());
  }

  answerIfReady() {
    // The keys decide when the turn ends.
    if (this.state !== 'endpoint' || this.parts.listening.hasKeys) return;
    const { progress } = this.parts.listening;
    if (progress === 'finished') return this.answer();
    if (progress === 'nothing said') this.returnFromSound();
  }

  answer(): void {
    const { listening, replies } = this.parts;
    this.returnTo = null;
    replies.allowWaiting();
    this.enterThinking({ kind: 'response', words: listening.words });
  }

  /** Rule 1: as if the sound had not happened. A timer that expired meanwhile fires at once. */
  returnFromSound() {
    const { listening, idle, service } = this.parts;
    if (listening.hasKeys) return;
    const { returnTo } = this;
    this.returnTo = null;
    listening.stopWaiting();
    listening.dropWordlessTurn();
    if (returnTo === null || this.isMuted) return this.enterIdle();
    this.currentState = returnTo.state;
    if (returnTo.state !== 'thinking') {
      idle.restore(returnTo.deadlines);
      return;
    }
    const { request, say } = returnTo.withdrawn;
    if (say !== null) service.say(say);
    if (request !== null) return this.enterThinking(request);
    if (say === null) this.enterIdle();
  }

  /** What the caller said comes after what they heard before it. */
  commitCaller(): void {
    const { listening, speech } = this.parts;
    if (listening.hasWords) speech.settle();
    listening.commit();
  }

  // Overlaps

  enterOverlap(since: number): void {
    this.currentState = 'overlap';
    this.parts.overlap.begin(since);
  }

  enterPaused() {
    // The sentence that must not be interrupted may have begun meanwhile.
    if (!this.canInterrupt) return this.backToSpeech();
    this.currentState = 'paused';
    this.parts.overlap.hold();
    this.decideInterruption();
  }

  decideInterruption() {
    const verdict = this.parts.overlap.judgeWords();
    if (verdict === 'accepted') return this.interrupt();
    if (verdict === 'rejected') this.backToSpeech();
  }

  interrupt(): void {
    this.stopAgent();
    this.takeByCaller();
  }

  /** An interruption is accepted. It withdraws the end of the call, too (rule 17). */
  stopAgent(): void {
    const { overlap, replies } = this.parts;
    overlap.accept();
    replies.drop();
    this.endsAfterSpeech = 'no';
  }

  backToSpeech(): void {
    this.currentState = this.isEnding ? 'closing' : 'agent';
    this.parts.overlap.reject();
  }

  // To the agent

  /** The first words of the call. */
  open() {
    const { policy, service, replies } = this.parts;
    const { kind, text } = policy.opening;
    if (this.isMuted) return this.enterIdle();
    this.currentState = 'thinking';
    if (kind === 'request') replies.request({ kind: 'begin', words: '' });
    else service.queue('begin', text);
    service.sayNext();
  }

  enterThinking(request: Request) {
    const { listening, out, service, replies, transfer } = this.parts;
    this.currentState = 'thinking';
    transfer.withdraw();
    listening.stopWaiting();
    out.unsetTimer('reminder');
    if (request.kind !== 'reminder') out.unsetTimer('silence');
    if (this.isMuted) {
      this.commitCaller();
      return this.enterIdle();
    }
    replies.request(request);
    service.sayNext();
  }

  /** The service has something to say that cannot wait. */
  seize(): void {
    const { idle, listening, overlap, replies, speech } = this.parts;
    speech.clear(false);
    replies.drop();
    idle.suspend();
    listening.stopWaiting();
    overlap.stop();
    this.returnTo = null;
    this.commitCaller();
    this.currentState = 'thinking';
  }

  /** The service has something to say, and says it now if nobody else speaks. */
  speakIfFree(): void {
    const { idle, service } = this.parts;
    if (this.state === 'idle' || this.state === 'opening') {
      idle.suspend();
      this.currentState = 'thinking';
    }
    if (this.state === 'thinking') service.sayNext();
  }

  /** The first sample of an utterance was played. */
  enterAgent(turn: number): void {
    const { replies } = this.parts;
    if (this.state !== 'thinking') return;
    const isLast = this.isEnding && (!replies.isInProgress || replies.isCurrent(turn));
    this.currentState = isLast ? 'closing' : 'agent';
  }

  /** Who speaks after an utterance, or after a reply without text. */
  afterSpeech(waitMs: number) {
    const { listening, out, service, replies, transfer } = this.parts;
    if (this.isEnding && !replies.isInProgress && service.isEmpty) return this.end('agent_hangup');
    if (listening.hasKeys) {
      replies.drop();
      return this.enterCaller(out.now);
    }
    if (listening.takeKeptWords() !== '') {
      replies.drop();
      return listening.isSounding ? this.enterCaller(listening.soundSince) : this.answer();
    }
    if (listening.mayBecomeWords && !replies.isToolRunning) {
      return this.listenFromThinking(replies.withdraw(), listening.soundSince);
    }
    this.currentState = 'thinking';
    if (service.sayNext()) return;
    if (!replies.isExpected && !transfer.isRequested) return this.enterIdle(waitMs);
    replies.goOn();
    this.transferWhenSaid();
  }

  // To nobody

  enterIdle(waitMs = 0): void {
    const { idle, service, replies } = this.parts;
    this.currentState = 'idle';
    replies.forget();
    this.returnTo = null;
    if (service.sayNext()) this.currentState = 'thinking';
    else idle.start(waitMs);
  }

  mute(isOn: boolean) {
    const { listening, overlap, service, replies, speech, transfer } = this.parts;
    this.isMuted = isOn;
    if (!isOn) return;
    transfer.withdraw();
    const hadFloor = speech.current !== null || this.state === 'thinking';
    service.drop();
    speech.clear(false);
    replies.drop();
    this.endsAfterSpeech = 'no';
    if (!hadFloor || this.state === 'lost') return;
    overlap.stop();
    if (listening.isSounding && this.state !== 'thinking') return this.enterCaller(listening.soundSince);
    this.commitCaller();
    this.enterIdle();
  }

  // While the caller is away

  /** The transport is gone, and may resume. */
  enterLost(): void {
    this.currentState = 'lost';
  }

  /** The transport is back. */
  leaveLost(state: 'opening' | 'thinking' | 'transferring'): void {
    this.currentState = state;
  }

  /** Rule 19: a transfer begins once the agent has finished speaking. */
  transferWhenSaid(): void {
    const { idle, listening, out, service, replies, speech, transfer } = this.parts;
    if (!transfer.isRequested) return;
    speech.complete();
    if (service.sayNext()) return;
    if (!transfer.isAwaited) replies.drop();
    this.commitCaller();
    this.keepKeys();
    idle.suspend();
    listening.stopWaiting();
    out.unsetTimer('waiting');
    this.currentState = 'transferring';
    transfer.start();
  }

  // The end of the call

  endAfterSpeech(isFinal: boolean): void {
    this.endsAfterSpeech = isFinal ? 'final' : 'withdrawable';
  }

  /** The reply that ends the call is being said. */
  enterClosing(): void {
    if (this.state === 'agent') this.currentState = 'closing';
  }

  end(reason: EndReason): void {
    const { out, replies, speech, transfer } = this.parts;
    transfer.end();
    speech.clear(false);
    speech.settle();
    replies.drop();
    this.keepKeys();
    this.commitCaller();
    out.unsetTimers(...out.timers.keys());
    this.currentState = 'ended';
    out.push({ type: 'end', reason });
  }
}
