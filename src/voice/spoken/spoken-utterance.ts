import type { CallVoice, Speaking, SpeakingFailure } from './call-voice.ts';
import type { PlacedWord, SpeechPart, SpokenSentence } from './speech-part.ts';

interface UtteranceEvents {
  /** There is more audio to send, or its end. */
  changed(): void;
  /** No voice could say it. */
  failed(): void;
}

/**
 * One utterance and its audio. Sentences share a stream of the voice, except those that are the same in every call: they
 * come from the cache, or go into it, one at a time.
 */
export class SpokenUtterance {
  readonly number: number;
  /** No more sentences follow. */
  isComplete = false;
  isPaused = false;
  /** Samples that were handed to the transport, and played. */
  sent = 0;
  played = 0;
  /** Whether anything was played. */
  isStarted = false;
  heard = 0;
  /** Whether anything that was sent can be heard. */
  isAudible = false;
  private readonly parts: SpeechPart[] = [];
  private readonly speaking = new Map<SpeechPart, Speaking>();
  /** Parts before this one were sent. */
  private next = 0;
  private isCanceled = false;
  private wasRepeated = false;
  private readonly speed: number;
  private readonly voice: CallVoice;
  private readonly events: UtteranceEvents;

  constructor(number: number, voice: CallVoice, events: UtteranceEvents) {
    this.number = number;
    this.voice = voice;
    this.speed = voice.speed;
    this.events = events;
  }

  say(sentence: SpokenSentence, isLast: boolean): void {
    if (isLast) this.isComplete = true;
    this.voice.count(sentence.text);
    this.place(sentence, isLast);
  }

  private place(sentence: SpokenSentence, isLast: boolean): void {
    if (this.isCanceled) return;
    if (sentence.text === '') this.placeSilent(sentence);
    else if (this.voice.isFixed(sentence.text)) this.placeFixed(sentence);
    else this.placeInStream(sentence, isLast);
    if (isLast) this.endStream();
    if (sentence.text === '') this.events.changed();
  }

  /** Nothing of it is spoken: it counts as heard with what is before it. */
  private placeSilent(sentence: SpokenSentence): void {
    if (sentence.length === 0) return;
    let part = this.parts.at(-1);
    if (part === undefined) {
      part = this.voice.newPart(this.speed);
      part.isDone = true;
      this.parts.push(part);
    }
    part.add(sentence);
  }

  private placeFixed(sentence: SpokenSentence) {
    this.endStream();
    const cached = this.voice.cached(sentence.text, this.speed);
    if (cached === undefined) return this.start(sentence, true, true);
    cached.add(sentence);
    this.parts.push(cached);
    this.events.changed();
  }

  private placeInStream(sentence: SpokenSentence, isLast: boolean) {
    const part = this.parts.at(-1);
    const speaking = part === undefined ? undefined : this.speaking.get(part);
    if (part === undefined || speaking?.isOpen !== true) return this.start(sentence, false, isLast);
    part.add(sentence);
    speaking.say(sentence.text, isLast);
  }

  private start(sentence: SpokenSentence, isFixed: boolean, isLast: boolean): void {
    const part = this.voice.newPart(this.speed);
    part.add(sentence);
    this.parts.push(part);
    const { choice } = this.voice;
    const speaking = this.voice.open(part, this.speed, isFixed, {
      changed: this.events.changed,
      failed: (failure) => this.onFailed(part, choice, failure),
    });
    this.speaking.set(part, speaking);
    speaking.say(sentence.text, isLast);
  }

  private endStream(): void {
    const part = this.parts.at(-1);
    const speaking = part === undefined ? undefined : this.speaking.get(part);
    if (speaking?.isOpen === true) speaking.say('', true);
  }

  /**
   * The next voice says everything from the sentence that was cut off. The last one says it once more: the thread or the
   * connection of all calls may have ended because of another one. If it stops again, without an error, the utterance
   * ends with what was heard: nothing more of it is played.
   */
  private onFailed(part: SpeechPart, choice: number, failure: SpeakingFailure) {
    const isReplaced = this.voice.replace(choice);
    if (!isReplaced && failure === 'stalled' && this.wasRepeated) return;
    if (!isReplaced && (failure === 'late' || this.wasRepeated)) {
      this.cancel();
      return this.events.failed();
    }
    if (!isReplaced) this.wasRepeated = true;
    const later = this.parts.splice(this.parts.indexOf(part) + 1);
    for (const each of later) this.speaking.get(each)?.cancel();
    const again = [...part.cut(), ...later.flatMap(({ sentences }) => sentences)];
    for (const [index, sentence] of again.entries()) {
      this.place(sentence, this.isComplete && index === again.length - 1);
    }
  }

  /** The next audio to send, at most so many samples. */
  take(max: number): Int16Array | undefined {
    for (;;) {
      const part = this.parts[this.next];
      if (part === undefined) return undefined;
      if (this.sent === 0) part.skipSilence(this.voice.rate);
      const samples = part.take(max);
      if (samples !== undefined) {
        this.sent += samples.length;
        return samples;
      }
      if (!part.isSent) return undefined;
      this.next += 1;
    }
  }

  /** Whether everything was generated and sent. */
  get isSent(): boolean {
    return this.isComplete && this.parts.every(({ isSent }) => isSent);
  }

  get isPlayed(): boolean {
    return this.isSent && this.played >= this.sent;
  }

  /** Audio that the caller has not heard yet, to our knowledge. */
  get remaining(): number {
    return this.parts.reduce((sum, { received }) => sum + received, 0) - this.played;
  }

  /** Returns whether there is news. */
  progress(samples: number): boolean {
    const played = Math.min(samples, this.sent);
    if (played <= this.played) return false;
    this.played = played;
    this.isStarted = true;
    this.heard = Math.max(this.heard, this.heardSoFar());
    return true;
  }

  private heardSoFar(): number {
    let start = 0;
    let heard = 0;
    for (const part of this.parts) {
      const played = this.played - start;
      heard += part.heardAt(Math.max(0, played));
      if (!part.isDone || played < part.received) break;
      start += part.received;
    }
    return heard;
  }

  /** The words that were heard, if the voice reports their times; counted from the first sample. */
  words(characters: number): PlacedWord[] {
    const words: PlacedWord[] = [];
    let [start, rest] = [0, characters];
    for (const part of this.parts) {
      for (const word of part.wordsOf(rest)) {
        words.push({ text: word.text, start: start + word.start, end: start + word.end });
      }
      start += part.received;
      rest -= part.sentences.reduce((sum, { length }) => sum + length, 0);
    }
    return words;
  }

  /** Where the word starts that is being said after so many samples, if the voice says where its words are. */
  wordStartAt(samples: number): number | undefined {
    let start = 0;
    for (const part of this.parts) {
      if (samples < start + part.received) {
        const word = part.wordAt(samples - start);
        return word && start + word.start;
      }
      start += part.received;
    }
    return undefined;
  }

  /** Nothing is generated any more. */
  cancel(): void {
    this.isCanceled = true;
    for (const speaking of this.speaking.values()) speaking.cancel();
  }
}
