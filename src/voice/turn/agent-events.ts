import type { TurnEvent } from './events.ts';
import type { Floor } from './floor.ts';
import type { Parts } from './parts.ts';

/** What the engine and the player of the agent's voice report. */
export class AgentEvents {
  private readonly parts: Parts;
  private readonly floor: Floor;

  constructor(parts: Parts, floor: Floor) {
    this.parts = parts;
    this.floor = floor;
  }

  // Replies

  onReplyEnd({ turn, endCall, isFinal, waitMs = 0 }: Extract<TurnEvent, { type: 'reply.end' }>) {
    const { floor } = this;
    const { replies, speech } = this.parts;
    const left = replies.end(turn);
    if (left === 'stale') return;
    if (endCall) floor.endAfterSpeech(isFinal);
    if (left === 'to be said') return;
    if (speech.current === null) return this.onNothingToSay(waitMs);
    if (endCall) floor.enterClosing();
  }

  onReplyFailed() {
    const { floor } = this;
    const { service, policy, replies, speech } = this.parts;
    const { kind, isOnceTooOften } = replies.fail();
    if (isOnceTooOften) return floor.end('llm_failed');
    speech.complete();
    if (!policy.isChat && kind !== 'reminder') service.queue('fallback', policy.language.fallbackText);
    if (speech.current === null) this.onNothingToSay(0);
  }

  private onNothingToSay(waitMs: number) {
    if (this.floor.state !== 'thinking') return;
    this.floor.commitCaller();
    this.floor.afterSpeech(waitMs);
  }

  onReplyTimeout(): void {
    this.parts.replies.cancelLate();
    this.onReplyFailed();
  }

  /** Rule 16: no dead air. */
  onLongWait(): void {
    const { policy, replies } = this.parts;
    if (this.floor.state === 'thinking') replies.sayWaiting(policy.language.waitingText);
  }

  /** The engine speaks unasked. A reply of which nothing is said yet follows afterwards. */
  onInterrupt({ text, isUninterruptible, endCall }: Extract<TurnEvent, { type: 'reply.interrupt' }>): void {
    const { floor } = this;
    const { service, replies, speech } = this.parts;
    if (floor.isSilenced) return;
    service.queue('engine', text, isUninterruptible);
    const isAwaited = floor.state === 'thinking' && speech.current === null;
    if (!isAwaited && !floor.isAway) floor.seize();
    if (endCall === true) {
      replies.drop();
      floor.endAfterSpeech(false);
    }
    floor.speakIfFree();
  }

  onFinish() {
    const { floor } = this;
    const { replies, speech, transfer } = this.parts;
    replies.complete();
    if (speech.current === null && !transfer.isRunning) return floor.end('agent_hangup');
    floor.endAfterSpeech(true);
    floor.enterClosing();
  }

  // Tools

  onToolStart(turn: number, say: string): void {
    const { floor } = this;
    const { policy, replies, speech } = this.parts;
    replies.startTool();
    if (!replies.isCurrent(turn)) return;
    replies.accept();
    // In a chat, what was written before a tool is called is a turn of its own, before that of the tool.
    if (policy.isChat) speech.complete();
    // Over a waiting sentence, the turn is committed already, and words since then are another one.
    if (floor.state !== 'thinking') return;
    floor.commitCaller();
    replies.bridgeTool(say);
  }

  onToolEnd() {
    const { floor } = this;
    const { idle, listening, replies, speech, transport } = this.parts;
    if (!replies.endTool()) return;
    if (floor.state === 'lost') transport.toolEnded();
    const request = replies.takeDeferred();
    if (request?.kind === 'reminder') idle.countReminder();
    const isThinking = floor.state === 'thinking';
    if (request === null) return replies.continueAfterTools(isThinking);
    const isQuiet = isThinking && speech.current === null;
    if (!isQuiet || !listening.mayBecomeWords) return replies.request(request);
    floor.listenFromThinking({ request, say: null }, listening.soundSince);
  }

  // Playback

  onPlayStart(utterance: number, since?: number) {
    const { speech } = this.parts;
    if (speech.current?.number === utterance) this.onHeard(since);
  }

  private onHeard(since?: number) {
    const { floor } = this;
    const { replies, speech } = this.parts;
    const { current } = speech;
    if (current === null || current.isPlaying) return;
    speech.start(since);
    floor.commitCaller();
    if (current.turn === 0 || replies.isCurrent(current.turn)) replies.accept();
    floor.enterAgent(current.turn);
  }

  onPlayProgress(utterance: number, heard: number, remainingMs: number): void {
    const { out, policy, speech } = this.parts;
    if (speech.current?.number !== utterance) return;
    speech.progress(heard, remainingMs);
    if (this.floor.state === 'closing') out.setTimer('drain', out.now + remainingMs + policy.drainMs);
  }

  onPlayDone(utterance: number) {
    const { floor } = this;
    const { overlap, replies, speech } = this.parts;
    const { current } = speech;
    if (current?.number !== utterance) return speech.endBackchannel(utterance);
    if (!current.isPlaying) this.onHeard();
    overlap.stop();
    speech.finish();
    replies.finish(current.turn);
    if (floor.isEnding && !replies.isInProgress) return floor.end('agent_hangup');
    floor.afterSpeech(0);
  }

  onVoiceFailed(utterance: number) {
    const { speech } = this.parts;
    if (speech.current?.number === utterance) this.floor.end('tts_failed');
    else speech.endBackchannel(utterance);
  }

  /** Rule 3: playback made no progress. */
  onStalledPlayback() {
    const { floor } = this;
    const { out, overlap, replies, speech } = this.parts;
    const { current } = speech;
    if (current === null) return;
    if (!current.isSent) return floor.end('tts_failed');
    const isPlayed = current.remainingMs === 0;
    const message = isPlayed
      ? 'The voice stopped before the end of what it had to say.'
      : 'The caller’s side stopped playing audio.';
    out.emit({ type: 'warning', code: 'playback_stalled', message });
    overlap.stop();
    speech.clear(false);
    speech.settle();
    if (replies.isCurrent(current.turn)) replies.drop();
    floor.commitCaller();
    floor.afterSpeech(0);
  }
}
