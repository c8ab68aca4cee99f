import { joined } from './caller-turn.ts';
import type { Transcript } from './events.ts';
import type { Floor } from './floor.ts';
import type { Parts } from './parts.ts';

/** What the caller does, and what it means in each state. */
export class CallerEvents {
  private readonly parts: Parts;
  private readonly floor: Floor;

  constructor(parts: Parts, floor: Floor) {
    this.parts = parts;
    this.floor = floor;
  }

  /** The caller may want the floor. */
  onSound(since: number) {
    const { floor } = this;
    const { listening, overlap, replies, speech } = this.parts;
    const { state } = floor;
    if (floor.isAway) return;
    listening.startSound(since);
    switch (state) {
      case 'opening':
      case 'idle':
        return floor.listenFromIdle(state, since);
      case 'endpoint':
        return floor.enterCaller(since);
      case 'thinking':
        // Rule 10: while a tool runs, only words cancel the reply.
        if (!replies.isToolRunning && !speech.isSeizing) floor.listenFromThinking(replies.withdraw(), since);
        return;
      case 'agent':
      case 'closing':
        if (floor.canInterrupt) floor.enterOverlap(since);
        return;
      case 'paused':
        return overlap.holdLonger();
      case 'caller':
      case 'overlap':
      case 'lost':
      case 'transferring':
      case 'ended':
        return;
      default:
        state satisfies never;
    }
  }

  onSilence(since: number) {
    const { floor } = this;
    const { listening, overlap } = this.parts;
    listening.endSound(since);
    switch (floor.state) {
      case 'caller':
        return floor.enterEndpoint(since);
      case 'overlap':
        listening.flush();
        return floor.backToSpeech();
      case 'paused':
        listening.flush();
        if (overlap.judgeSilence(since) === 'rejected') floor.backToSpeech();
        return;
      case 'agent':
      case 'closing':
      case 'thinking':
        listening.flush();
        return;
      case 'opening':
      case 'idle':
      case 'endpoint':
      case 'lost':
      case 'transferring':
      case 'ended':
        return;
      default:
        floor.state satisfies never;
    }
  }

  onWords(transcript: Transcript, isFinal: boolean) {
    const { floor } = this;
    const { listening } = this.parts;
    if (floor.state === 'transferring') return;
    const text = listening.newWordsIn(transcript, isFinal, floor.isCallers);
    if (text === null) return;
    const words = { ...transcript, text };
    if (floor.state === 'lost') {
      // What was said before the connection was lost is answered when it resumes.
      if (listening.turn !== null) listening.hear(words, isFinal, true);
      return;
    }
    const heard = listening.hear(words, isFinal, floor.isCallers);
    if (heard === 'new words') return this.onNewWords();
    if (heard === 'known words') return floor.answerIfReady();
    // An empty transcript after the caller stopped.
    if (floor.state === 'endpoint' && listening.wasNothingSaid) floor.returnFromSound();
  }

  private onNewWords() {
    const { floor } = this;
    const { idle, listening } = this.parts;
    idle.allowReminders();
    switch (floor.state) {
      case 'opening':
      case 'idle':
        idle.suspend();
        floor.confirmSound();
        return floor.takeByCaller();
      case 'caller':
        floor.confirmSound();
        return listening.expectWords();
      case 'endpoint':
        floor.confirmSound();
        return this.onWordsAtEndpoint();
      case 'thinking':
        return this.onWordsWhileThinking();
      case 'agent':
      case 'closing':
        if (floor.canInterrupt) floor.enterOverlap(listening.since);
        return;
      case 'paused':
        return floor.decideInterruption();
      case 'overlap':
      case 'lost':
      case 'transferring':
      case 'ended':
        return;
      default:
        floor.state satisfies never;
    }
  }

  /** Words although the detector has reported silence, or after steady noise: the caller goes on. */
  private onWordsAtEndpoint() {
    const { listening, out } = this.parts;
    if (listening.isSounding) return this.floor.enterCaller(out.now);
    listening.armEndpoint();
    this.floor.answerIfReady();
  }

  private onWordsWhileThinking() {
    const { listening, replies, speech } = this.parts;
    // The engine has taken the floor: once it is heard, the caller may take it back.
    if (speech.isSeizing) return;
    replies.withdraw();
    this.floor.confirmSound();
    if (listening.isSounding) return this.floor.enterCaller(listening.soundSince);
    // Rule 8: a late final joins the open turn, and the reply is requested again with all parts.
    this.floor.answer();
  }

  /** A typed message. */
  onText(text: string, isRecorded = false) {
    const { floor } = this;
    const { idle, listening, out, replies, speech } = this.parts;
    if (floor.isAway) return;
    floor.keepKeys();
    if (floor.mayNotInterrupt) return listening.keep(text);
    idle.allowReminders();
    idle.suspend();
    if (floor.isAgents) floor.stopAgent();
    else {
      speech.clear(false);
      replies.drop();
    }
    const open = listening.words;
    floor.commitCaller();
    speech.settle();
    if (!isRecorded) out.push({ type: 'commit', role: 'caller', text });
    floor.confirmSound();
    replies.allowWaiting();
    floor.enterThinking({ kind: 'response', words: joined(open, text) });
  }

  /** Keys stop the agent like a typed message. They are a turn once they are complete (rule 18). */
  onKeys(keys: string): void {
    const { listening } = this.parts;
    if (this.floor.isAway) return;
    let complete: string | null = null;
    for (const key of keys) {
      // What arrives at once gets one reply: otherwise fifty # would be fifty requests to the model.
      if (complete !== null) listening.keep(complete);
      complete = listening.press(key);
    }
    if (complete !== null) this.onText(complete);
    else this.floor.awaitKeys();
  }

  onKeysComplete(): void {
    this.onText(this.parts.listening.takeKeys());
  }
}
