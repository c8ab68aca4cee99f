import { CallerTurn, joined } from './caller-turn.ts';
import type { CommandList } from './command-list.ts';
import type { Transcript, TurnPolicy } from './events.ts';
import { UnconfirmedWords } from './unconfirmed-words.ts';

/** As many as a frame may have. */
const maxKeys = 50;

/** The caller's side: the sound, the open turn with its words, and the wait for its end. */
export class Listening {
  /** What the caller says, until it is committed. */
  turn: CallerTurn | null = null;
  /** Keys that the caller pressed, until they are a turn. */
  private keys = '';
  isSounding = false;
  soundSince = 0;
  private soundEnd = 0;
  private hasFinalSinceFlush = false;
  /** Words of a segment that no flush has ended, as far as the recognizer names segments. */
  private isSegmentOpen = false;
  private backchannels = 0;
  private unconfirmed: UnconfirmedWords | null = null;
  private readonly out: CommandList;
  private readonly policy: () => TurnPolicy;

  constructor(out: CommandList, policy: () => TurnPolicy) {
    this.out = out;
    this.policy = policy;
  }

  get words(): string {
    return this.turn?.words ?? '';
  }

  get hasWords(): boolean {
    return this.turn?.hasWords === true;
  }

  /** Since when the caller speaks, for words that may have come without a sound. */
  get since(): number {
    return this.isSounding ? this.soundSince : this.out.now;
  }

  /** A sound that has just begun may become words; an older one is noise (rule 15). */
  get mayBecomeWords(): boolean {
    return this.isSounding && this.out.now - this.soundSince < this.policy().noiseMs;
  }

  startSound(since: number): void {
    this.isSounding = true;
    this.soundSince = since;
    // Without segments, the words that follow cannot be told from those before.
    if (this.unconfirmed?.segment === undefined) this.unconfirmed = null;
    this.out.emit({ type: 'speech_started', role: 'caller', atMs: since });
  }

  endSound(since: number): void {
    if (this.isSounding) this.out.emit({ type: 'speech_ended', role: 'caller', atMs: since });
    this.isSounding = false;
    this.soundEnd = since;
  }

  // Words

  /** Rule 9: what is new in a transcript of words that may be committed already; null: nothing. */
  newWordsIn({ text, segment }: Transcript, isFinal: boolean, hasFloor: boolean): string | null {
    const { unconfirmed } = this;
    if (unconfirmed !== null && segment !== undefined && segment === unconfirmed.segment) {
      return unconfirmed.beyond(text, isFinal, this.policy().language.countWords) || null;
    }
    if (isFinal) this.hasFinalSinceFlush = true;
    if (unconfirmed === null) return text;
    if (segment !== undefined && unconfirmed.segment !== undefined) {
      if (segment > unconfirmed.segment) this.unconfirmed = null;
      return text;
    }
    if (hasFloor) return text;
    const isSame = unconfirmed.endsWith(text);
    if (isFinal || !isSame) this.unconfirmed = null;
    return isSame ? null : text;
  }

  /** Adds a transcript to the open turn, which stays open without words only while the caller has the floor. */
  hear({ text, segment }: Transcript, isFinal: boolean, hasFloor: boolean): 'no words' | 'known words' | 'new words' {
    const hasText = text.trim() !== '';
    if (this.turn === null && !hasText) return 'no words';
    this.turn ??= new CallerTurn(this.since);
    const hadWords = this.turn.hasWords;
    if (!isFinal && segment !== undefined) this.isSegmentOpen = true;
    const isNew = isFinal ? this.turn.hearFinal(text, segment) : this.turn.hearPartial(text, segment);
    if (!this.turn.hasWords) {
      if (!hadWords && !hasFloor) this.turn = null;
      return 'no words';
    }
    return isNew && hasText ? 'new words' : 'known words';
  }

  // Keys

  get hasKeys(): boolean {
    return this.keys !== '';
  }

  /** All that the caller has said or entered and that is not answered. */
  get input(): string {
    return joined(this.words, this.keys);
  }

  /** Returns what the keys have become if they are complete: after #, or if there is no room for more. */
  press(key: string): string | null {
    if (key === '#' && this.hasKeys) return this.takeKeys();
    this.keys += key;
    if (key === '#' || this.keys.length === maxKeys) return this.takeKeys();
    this.out.setTimer('digits', this.out.now + this.policy().digitsMs);
    return null;
  }

  takeKeys(): string {
    const { keys } = this;
    this.keys = '';
    this.out.unsetTimer('digits');
    if (keys !== '') this.out.emit({ type: 'dtmf_received', digits: keys });
    return keys;
  }

  /** A typed message that is answered later. */
  keep(text: string): void {
    this.turn ??= new CallerTurn(this.out.now);
    this.turn.hearFinal(text);
  }

  /** Rule 11: what the caller said over the agent, unless it was an acknowledgment before the last second. */
  takeKeptWords(): string {
    const { turn } = this;
    if (turn === null) return '';
    const isEarly = turn.startedAt < this.out.now - this.policy().lateAcknowledgmentMs;
    if (!turn.hasWords || (isEarly && !this.isSounding && this.isAcknowledgment(turn.words))) this.turn = null;
    return this.words;
  }

  isAcknowledgment(words: string): boolean {
    return words !== '' && this.policy().language.isAcknowledgment(words);
  }

  commit(): void {
    const { turn } = this;
    this.turn = null;
    if (turn === null || !turn.hasWords) return;
    if (!turn.isFinal) this.expectFinal(turn);
    else if (this.unconfirmed?.segment === undefined) this.unconfirmed = null;
    this.out.push({ type: 'commit', role: 'caller', text: turn.words });
    // If the caller goes on speaking, that is a new segment: otherwise its final would have these words, too.
    if (!turn.isFinal && (this.isSounding || this.isSegmentOpen)) this.flush();
  }

  private expectFinal({ words, partialWords, segment }: CallerTurn) {
    const { unconfirmed } = this;
    const isSameSegment = segment !== undefined && segment === unconfirmed?.segment;
    this.unconfirmed = isSameSegment
      ? unconfirmed.with(words, partialWords)
      : new UnconfirmedWords(words, partialWords, segment);
  }

  dropWordlessTurn(): void {
    if (!this.hasWords) this.turn = null;
  }

  /** The words so far are wanted as a final transcript, and what follows is another segment. */
  flush(): void {
    this.isSegmentOpen = false;
    this.out.push({ type: 'stt.flush' });
  }

  // The end of the turn

  /** The caller has the floor. */
  follow(since: number): void {
    this.out.unsetTimers('endpoint', 'sttWait', 'backchannel');
    this.turn ??= new CallerTurn(since);
    this.expectWords();
  }

  /** Rule 15: steady noise does not hold the floor. */
  expectWords(): void {
    this.out.setTimer('noise', this.out.now + this.policy().noiseMs);
  }

  /** The caller stopped, for now. */
  awaitEnd(since: number): void {
    this.out.unsetTimer('noise');
    this.soundEnd = since;
    this.hasFinalSinceFlush = false;
    this.flush();
    this.out.setTimer('sttWait', this.out.now + this.policy().sttWaitMs);
    this.armEndpoint();
  }

  /** The words so far decide how long to wait for more. */
  armEndpoint(): void {
    const { turn } = this;
    const { endpointMs, finishedEndpointMs, openEndpointMs, language } = this.policy();
    const words = turn?.hasWords ? turn.words : '';
    const hint = words === '' ? undefined : language.hint(words);
    const waitMs =
      hint === 'finished'
        ? Math.min(endpointMs, finishedEndpointMs)
        : hint === 'open'
          ? Math.max(endpointMs, openEndpointMs)
          : endpointMs;
    this.out.setTimer('endpoint', Math.max(this.out.now, this.soundEnd + waitMs));
    // A cough gets no reply, and no backchannel.
    if (turn === null || words === '') return;
    this.armBackchannel(turn, waitMs, hint === 'open');
    this.out.push({ type: 'reply.prepare', words });
  }

  stopWaiting(): void {
    this.out.unsetTimers('endpoint', 'sttWait', 'backchannel', 'noise');
  }

  /** Whether a transcript without words has answered the flush: nothing was said. */
  get wasNothingSaid(): boolean {
    return this.hasFinalSinceFlush && !this.hasWords;
  }

  /** Rules 8 and 9: finished once the caller has waited, and their words are final or will not become final in time. */
  get progress(): 'open' | 'finished' | 'nothing said' {
    if (this.out.hasTimer('endpoint')) return 'open';
    const isExpectingFinal = this.out.hasTimer('sttWait');
    if (this.turn?.hasWords !== true) return isExpectingFinal ? 'open' : 'nothing said';
    const isFinal = this.policy().isSttAccurate ? this.hasFinalSinceFlush : this.turn.isFinal;
    return isFinal || !isExpectingFinal ? 'finished' : 'open';
  }

  // Backchannels

  private armBackchannel(turn: CallerTurn, waitMs: number, isOpen: boolean) {
    const { backchannel } = this.policy();
    if (backchannel === null) return;
    const isWelcome = isOpen || waitMs >= backchannel.minEndpointMs;
    const at = Math.max(this.soundEnd + backchannel.pauseMs, turn.lastBackchannelAt + backchannel.gapMs);
    if (isWelcome && turn.backchannels < backchannel.maxPerTurn && at < this.soundEnd + waitMs) {
      this.out.setTimer('backchannel', at);
    } else this.out.unsetTimer('backchannel');
  }

  /** The word of a backchannel that is due. */
  takeBackchannel(): string | undefined {
    const { backchannel } = this.policy();
    if (this.turn === null || backchannel === null) return undefined;
    this.turn.backchannels += 1;
    this.turn.lastBackchannelAt = this.out.now;
    return backchannel.words[this.backchannels++ % backchannel.words.length];
  }
}
