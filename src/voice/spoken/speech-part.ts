import { soundStart } from '../audio/level.ts';
import { speechMs, wordsOf } from '../text/words.ts';

export interface SpokenSentence {
  /** What the voice says. */
  readonly text: string;
  /** The length of the transcript's text, in which the caller's hearing is counted. */
  readonly length: number;
}

/** The first `characters` of the spoken text are heard once `samples` were played. */
export interface Mark {
  readonly characters: number;
  readonly samples: number;
}

/** A word, and where in the audio it is, in samples. */
export interface PlacedWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** How long a text takes, for voices that do not say where their words end. */
export interface Pace {
  readonly language: string;
  readonly samplesPerMs: number;
}

/** Slow speech takes a third of a second for a character; what is longer than this is not speech, and fills the memory. */
const maxCharacterMs = 500;
const maxPauseMs = 30_000;
/** A sound begins quietly. */
const leadMs = 20;

/** Sentences that are said in one stream of a voice: their audio until it is sent, and where in it they are. */
export class SpeechPart {
  readonly sentences: SpokenSentence[] = [];
  /** Samples that the voice has delivered. */
  received = 0;
  isDone = false;
  private spoken = '';
  private length = 0;
  private readonly queue: Int16Array[] = [];
  private queued = 0;
  /** Samples at the start that are not said. */
  private skipped = 0;
  private marks: Mark[] = [];
  private readonly wordEnds: (readonly number[] | undefined)[] = [];
  private readonly pace: Pace;

  constructor(pace: Pace) {
    this.pace = pace;
  }

  add(sentence: SpokenSentence): void {
    this.sentences.push(sentence);
    this.spoken += sentence.text;
    this.length += sentence.length;
  }

  deliver(samples: Int16Array): void {
    if (samples.length === 0) return;
    this.received += samples.length;
    this.queued += samples.length;
    this.queue.push(samples);
  }

  /**
   * Before anything of it is sent: leaves out the silence that voices begin with, a fifth of a second of some. Without a
   * sound in what is there, nothing is left out.
   */
  skipSilence(rate: number): void {
    let silence = 0;
    for (const samples of this.queue) {
      const start = soundStart(samples, rate);
      silence += start;
      if (start < samples.length) {
        this.skip(silence - Math.round((leadMs * rate) / 1000));
        return;
      }
    }
  }

  private skip(samples: number): void {
    let rest = samples;
    while (rest > 0) rest -= this.take(rest)?.length ?? rest;
    if (samples <= 0) return;
    this.skipped += samples;
    this.received -= samples;
    this.marks = this.marks.map((mark) => ({ ...mark, samples: Math.max(0, mark.samples - samples) }));
  }

  mark(characters: number, end: number): void {
    const samples = Math.max(0, end - this.skipped);
    const last = this.marks.at(-1);
    if (last !== undefined && (characters < last.characters || samples < last.samples)) return;
    this.marks.push({ characters, samples });
  }

  /** Whether all of it was sent. */
  get isSent(): boolean {
    return this.isDone && this.queued === 0;
  }

  /** Whether there is more audio than the text can take. */
  get isEndless(): boolean {
    return this.received > (maxPauseMs + this.spoken.length * maxCharacterMs) * this.pace.samplesPerMs;
  }

  get hasWords(): boolean {
    return /[\p{L}\p{N}]/u.test(this.spoken);
  }

  /** The next audio to send, at most so many samples. */
  take(max: number): Int16Array | undefined {
    const first = this.queue[0];
    if (first === undefined || max <= 0) return undefined;
    const samples = first.length <= max ? first : first.subarray(0, max);
    if (samples === first) this.queue.shift();
    else this.queue[0] = first.subarray(max);
    this.queued -= samples.length;
    return samples;
  }

  /**
   * The voice has failed: ends with the last sentence that is complete, and returns the sentences that are to be said
   * again. Audio of the next one that was sent already cannot be taken back.
   */
  cut(): SpokenSentence[] {
    const { complete, samples } = this.completeSentences();
    const sent = this.received - this.queued;
    const keep = Math.max(sent, samples);
    while (this.received > keep) {
      const last = this.queue.pop() as Int16Array;
      const excess = Math.min(last.length, this.received - keep);
      if (excess < last.length) this.queue.push(last.subarray(0, last.length - excess));
      this.received -= excess;
      this.queued -= excess;
    }
    const rest = this.sentences.splice(complete);
    this.spoken = this.sentences.map(({ text }) => text).join('');
    this.length = this.sentences.reduce((sum, { length }) => sum + length, 0);
    this.isDone = true;
    return rest;
  }

  private completeSentences(): { readonly complete: number; readonly samples: number } {
    const position = this.received === 0 ? 0 : this.spokenAt(this.received);
    let complete = 0;
    let end = 0;
    for (const [index, { text }] of this.sentences.entries()) {
      if (end + (this.endsOf(index).at(-1) ?? 0) > position || this.received === 0) break;
      end += text.length;
      complete += 1;
    }
    const mark = this.marks.findLast(({ characters }) => characters <= end);
    return { complete, samples: mark?.samples ?? (complete === 0 ? 0 : this.received) };
  }

  /** Characters of the transcript that are heard once so many samples were played: whole words. */
  heardAt(samples: number): number {
    if (this.isDone && samples >= this.received) return this.length;
    const spoken = this.spokenAt(samples);
    let start = 0;
    let heard = 0;
    for (const [index, { text, length }] of this.sentences.entries()) {
      const ends = this.endsOf(index);
      if (spoken < start + (ends.at(-1) ?? 0)) {
        const end = ends.findLast((each) => start + each <= spoken) ?? 0;
        return heard + (text.length === length ? end : Math.round((end / text.length) * length));
      }
      start += text.length;
      heard += length;
    }
    return heard;
  }

  /**
   * The words of the first so many characters of the transcript, if the voice says where each of them ends. Sentences
   * that are spoken differently from how they are written have none.
   */
  wordsOf(characters: number): PlacedWord[] {
    const placed: PlacedWord[] = [];
    let [spoken, written] = [0, 0];
    for (const { text, length } of this.sentences) {
      const { words, isComplete } = this.placeWords(text, spoken);
      const isAsWritten = text.length === length;
      if (isAsWritten && isComplete) placed.push(...words.filter(({ written: end }) => written + end <= characters));
      spoken += text.length;
      written += length;
    }
    return placed.map(({ text, start, end }) => ({ text, start, end }));
  }

  /** The word that is being said after so many samples, if the voice says where its words end. */
  wordAt(samples: number): PlacedWord | undefined {
    let spoken = 0;
    for (const { text } of this.sentences) {
      const word = this.placeWords(text, spoken).words.find(({ start, end }) => start <= samples && samples < end);
      if (word !== undefined) return word;
      spoken += text.length;
    }
    return undefined;
  }

  /** The words of a sentence, up to the first one of which the voice has not said where it ends. */
  private placeWords(sentence: string, from: number) {
    const all = wordsOf(sentence, this.pace.language);
    const words: (PlacedWord & { readonly written: number })[] = [];
    let start = this.marks.findLast(({ characters }) => characters <= from)?.samples ?? 0;
    for (const [index, { text, start: place, end: written }] of all.entries()) {
      const next = from + (all[index + 1]?.start ?? sentence.length);
      const mark = this.marks.find(({ characters }) => characters > from + place && characters <= next);
      if (mark === undefined) return { words, isComplete: false };
      words.push({ text, start, end: mark.samples, written });
      start = mark.samples;
    }
    return { words, isComplete: true };
  }

  /** Characters of the spoken text, in proportion between two marks. */
  private spokenAt(samples: number): number {
    let before: Mark = { characters: 0, samples: 0 };
    let after: Mark | undefined;
    for (const mark of this.marks) {
      if (mark.samples <= samples) before = mark;
      else {
        after = mark;
        break;
      }
    }
    after ??= this.endAfter(before);
    const span = after.samples - before.samples;
    if (span <= 0) return before.characters;
    const share = Math.min(1, (samples - before.samples) / span);
    return before.characters + share * (after.characters - before.characters);
  }

  private endAfter(mark: Mark): Mark {
    const characters = this.spoken.length;
    if (this.isDone) return { characters, samples: this.received };
    const { language, samplesPerMs } = this.pace;
    const expected = speechMs(this.spoken.slice(mark.characters), language) * samplesPerMs;
    return { characters, samples: Math.max(this.received, mark.samples + expected) };
  }

  private endsOf(index: number): readonly number[] {
    const { text } = this.sentences[index] as SpokenSentence;
    this.wordEnds[index] ??= wordsOf(text, this.pace.language).map(({ end }) => end);
    return this.wordEnds[index];
  }
}
