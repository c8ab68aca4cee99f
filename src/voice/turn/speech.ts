import type { CommandList } from './command-list.ts';
import type { Sentence, Source, TurnPolicy } from './events.ts';

/** Each one that is stopped gives the others more time, so their number has a bound. */
const maxClearing = 5;

/** An utterance that was stopped, until it is known what was heard of it. */
interface Clearing {
  readonly utterance: Utterance;
  readonly isInterrupted: boolean;
  isReported: boolean;
}

/** The agent's side: one utterance at a time, from its first sentence to its commit. */
export class Speech {
  current: Utterance | null = null;
  /** Cleared, waiting for the last report of what was heard. Its commit comes before any other. */
  private clearing: Clearing[] = [];
  private backchannel = 0;
  private lastNumber: number;
  private readonly out: CommandList;
  private readonly policy: () => TurnPolicy;
  /** When the caller first heard the agent. */
  firstPlayedAt: number | undefined;
  /** Without a transport nothing is sent; what is said meanwhile is said again after it has resumed. */
  isConnected = true;

  constructor(out: CommandList, policy: () => TurnPolicy, lastNumber: number) {
    this.out = out;
    this.policy = policy;
    this.lastNumber = lastNumber;
  }

  /** Says a sentence: of the utterance that belongs to `turn` if it is still open, else of a new one. */
  say(source: Source, turn: number, { text, isUninterruptible }: Sentence, isLast: boolean) {
    const isNew = this.current === null;
    if (isNew) this.stopBackchannel();
    this.current ??= new Utterance(++this.lastNumber, source, turn);
    const utterance = this.current;
    if (text !== '') utterance.add(text, isUninterruptible);
    utterance.isComplete = isLast;
    if (!this.isConnected) return;
    this.out.push({ type: 'say', utterance: utterance.number, text, isLast, isUninterruptible, source });
    if (isNew) this.out.setTimer('playback', this.out.now + this.policy().firstAudioMs);
    else if (utterance.isPlaying && !this.out.hasTimer('playback')) this.expectProgress();
  }

  sayAll(source: Source, turn: number, sentences: readonly Sentence[], isComplete: boolean) {
    for (const [index, sentence] of sentences.entries()) {
      this.say(source, turn, sentence, isComplete && index === sentences.length - 1);
    }
  }

  /** No more sentences follow. */
  complete() {
    if (this.current === null || this.current.isComplete) return;
    const { source, turn } = this.current;
    this.say(source, turn, { text: '', isUninterruptible: false }, true);
  }

  sayBackchannel(word: string) {
    this.backchannel = ++this.lastNumber;
    this.out.push({ type: 'backchannel', utterance: this.backchannel, word });
  }

  private stopBackchannel() {
    if (this.backchannel !== 0) this.out.push({ type: 'clear', utterance: this.backchannel });
    this.backchannel = 0;
  }

  endBackchannel(utterance: number) {
    if (this.backchannel === utterance) this.backchannel = 0;
  }

  /** Whether something was heard that is not committed yet. */
  get hasHeard(): boolean {
    return (this.current?.heard ?? 0) > 0 || this.clearing.some(({ utterance }) => utterance.heard > 0);
  }

  /** Whether it is known what was heard of everything that was stopped. */
  get isSettled(): boolean {
    return this.clearing.length === 0;
  }

  /** What the engine says unasked, or what must be said, is about to be heard. */
  get isSeizing(): boolean {
    const { current } = this;
    return current !== null && current.turn === 0 && (current.source === 'engine' || current.isUninterruptible);
  }

  sent() {
    if (this.current === null) return;
    this.current.isSent = true;
    this.expectProgress();
  }

  start(since = this.out.now) {
    if (this.current === null) return;
    this.current.isSent = true;
    this.current.isPlaying = true;
    this.firstPlayedAt ??= since;
    this.out.emit({ type: 'speech_started', role: 'agent', atMs: since });
    this.expectProgress();
  }

  progress(heard: number, remainingMs: number) {
    if (this.current === null) return;
    this.current.remainingMs = remainingMs;
    this.current.heard = Math.max(this.current.heard, Math.min(heard, this.current.text.length));
    this.expectProgress();
  }

  expectProgress() {
    const { current } = this;
    if (current === null || current.isPaused) return;
    // All that was said so far has been heard: what comes next is up to the engine, which has timeouts of its own.
    if (!current.isComplete && current.heard >= current.text.length) this.out.unsetTimer('playback');
    else this.out.setTimer('playback', this.out.now + this.policy().stalledPlaybackMs);
  }

  pause() {
    if (this.current === null || this.current.isPaused) return;
    this.current.isPaused = true;
    this.out.unsetTimer('playback');
    this.out.unsetTimer('drain');
    this.out.push({ type: 'pause', utterance: this.current.number });
  }

  resume() {
    if (this.current === null || !this.current.isPaused) return;
    this.current.isPaused = false;
    this.out.push({ type: 'resume', utterance: this.current.number });
    this.expectProgress();
  }

  /** Nothing of it is heard any more. */
  silence(utterance = this.current) {
    if (utterance === null || !utterance.isPlaying || utterance.isSilenced) return;
    utterance.isSilenced = true;
    this.out.emit({ type: 'speech_ended', role: 'agent', atMs: this.out.now });
  }

  /** The utterance was played to its end. */
  finish() {
    const utterance = this.remove();
    if (utterance === null) return;
    this.silence(utterance);
    this.settle();
    this.commit(utterance, utterance.text.length, false);
  }

  /** Stops it. What was heard is committed when the transport has reported it. */
  clear(isInterrupted: boolean) {
    const utterance = this.remove();
    if (utterance === null) return;
    this.out.push({ type: 'clear', utterance: utterance.number });
    if (!utterance.isPlaying) return;
    this.silence(utterance);
    this.clearing.push({ utterance, isInterrupted, isReported: false });
    if (this.clearing.length > maxClearing) this.commitCleared();
    this.out.setTimer('settle', this.out.now + this.policy().clearMs);
  }

  cleared(number: number, heard: number) {
    const found = this.clearing.find(({ utterance }) => utterance.number === number);
    if (found === undefined) return;
    found.utterance.heard = Math.max(found.utterance.heard, heard);
    found.isReported = true;
    // In their order: the report of an earlier one may come later.
    while (this.clearing[0]?.isReported) this.commitCleared();
  }

  /** Commits cleared utterances with what is known: their last reports did not come in time, or another commit is due. */
  settle() {
    while (!this.isSettled) this.commitCleared();
  }

  private commitCleared() {
    const cleared = this.clearing.shift();
    if (this.isSettled) this.out.unsetTimer('settle');
    if (cleared !== undefined) this.commit(cleared.utterance, cleared.utterance.heard, cleared.isInterrupted);
  }

  /** After a resume: what was heard is committed, the rest is a new utterance that starts with the cut sentence. */
  restart() {
    const utterance = this.remove();
    if (utterance === null) return;
    this.out.push({ type: 'clear', utterance: utterance.number });
    if (utterance.heard > 0) this.commit(utterance, utterance.heard, false, null);
    this.sayAll(utterance.source, utterance.turn, utterance.rest, utterance.isComplete);
  }

  private remove(): Utterance | null {
    const utterance = this.current;
    this.current = null;
    this.out.unsetTimer('playback');
    this.out.unsetTimer('drain');
    return utterance;
  }

  private commit(
    { number, source, text }: Utterance,
    heard: number,
    isInterrupted: boolean,
    unspoken: string | null = text.slice(heard),
  ) {
    const heardText = text.slice(0, heard);
    if (heardText.trim() === '') return;
    const unspokenText = unspoken === '' ? null : unspoken;
    this.out.push({
      type: 'commit',
      role: 'agent',
      utterance: number,
      source,
      text: heardText,
      unspokenText,
      isInterrupted,
    });
  }
}

/** One agent turn: all sentences of a reply, or a sentence of the service's own. */
class Utterance {
  readonly number: number;
  readonly source: Source;
  /** The reply it belongs to; 0 for sentences that the service says itself. */
  readonly turn: number;
  text = '';
  /** Characters that were heard, as last reported. */
  heard = 0;
  /** Audio that was there and not heard, as last reported. */
  remainingMs = Number.POSITIVE_INFINITY;
  isComplete = false;
  /** Its first audio was handed to the transport. */
  isSent = false;
  isPlaying = false;
  isPaused = false;
  /** The utterance was heard, and its end was reported. */
  isSilenced = false;
  private readonly sentences: { readonly start: number; readonly isUninterruptible: boolean }[] = [];

  constructor(number: number, source: Source, turn: number) {
    this.number = number;
    this.source = source;
    this.turn = turn;
  }

  add(text: string, isUninterruptible: boolean): void {
    this.sentences.push({ start: this.text.length, isUninterruptible });
    this.text += text;
  }

  /** Whether the sentence that is being heard must not be interrupted. */
  get isUninterruptible(): boolean {
    return this.sentenceAt(this.heard)?.isUninterruptible === true;
  }

  /** What is left to say, from the start of the sentence that was cut. */
  get rest(): { readonly text: string; readonly isUninterruptible: boolean }[] {
    return this.sentences.flatMap(({ start, isUninterruptible }, index) => {
      const end = this.sentences[index + 1]?.start ?? this.text.length;
      return end > this.heard ? [{ text: this.text.slice(start, end), isUninterruptible }] : [];
    });
  }

  private sentenceAt(position: number) {
    let found = this.sentences[0];
    for (const sentence of this.sentences) if (sentence.start <= position) found = sentence;
    return found;
  }
}
