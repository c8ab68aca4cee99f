import type { Clock } from '../clock.ts';
import { firstAudioMs, lastFirstAudioMs } from '../policy.ts';
import type { Tts, TtsOptions } from '../speech-ports.ts';
import type { SpeechCache } from './speech-cache.ts';
import { type Mark, SpeechPart } from './speech-part.ts';

export interface ChosenVoice {
  readonly provider: string;
  readonly voiceId: string;
}

export interface VoiceSettings {
  /** The agent's voice, and those that replace it in this order. */
  readonly voiceIds: readonly [string, ...string[]];
  /** Providers that speak if all of these have failed. They have voices of their own. */
  readonly otherProviders?: readonly Tts[];
  /** Who speaks at first; null: the first voice. */
  readonly chosen?: ChosenVoice | null;
  readonly model: string | null;
  readonly emotion: string | null;
  readonly temperature: number | null;
  readonly language: string;
  readonly rate: number;
  /** The speaking rate of the next utterance. */
  readonly speed: () => number;
  /** Sentences that are the same in every call of the agent, as they are spoken. */
  readonly fixedSentences: ReadonlySet<string>;
}

export interface VoiceUsage {
  readonly provider: string;
  readonly model: string | null;
  readonly requests: number;
  readonly characters: number;
}

/** A part that is being said. */
export interface Speaking {
  readonly part: SpeechPart;
  /** Whether more sentences can be added. */
  readonly isOpen: boolean;
  say(text: string, isLast: boolean): void;
  cancel(): void;
}

/** Who says it. */
interface Choice {
  readonly tts: Tts;
  readonly voiceId: string;
  readonly model: string | null;
  requests: number;
  characters: number;
}

/** `late`: it had nothing to be heard in time. `stalled`: it stopped before the end, without saying so. */
export type SpeakingFailure = 'failed' | 'late' | 'stalled';

interface SpeakingEvents {
  /** There is more audio, or the end of it. */
  changed(): void;
  failed(failure: SpeakingFailure): void;
}

/** The voice of the agent in one call: of its provider, or from the cache. A voice that failed is replaced for good. */
export class CallVoice {
  /** Samples per second. Another connection may have another one. */
  rate: number;
  /** What a voice last reported as failed, in words. */
  failure: string | null = null;
  /** Which of the choices speaks now. */
  choice: number;
  private readonly choices: readonly Choice[];
  private readonly clock: Clock;
  private readonly settings: VoiceSettings;
  private readonly cache: SpeechCache;
  private readonly onSwitched: (from: string, to: string) => void;

  constructor(
    clock: Clock,
    tts: Tts,
    settings: VoiceSettings,
    cache: SpeechCache,
    onSwitched: (from: string, to: string) => void,
  ) {
    this.clock = clock;
    const { voiceIds, model, otherProviders = [], chosen } = settings;
    const unused = { requests: 0, characters: 0 };
    this.choices = [
      ...voiceIds.map((voiceId) => ({ tts, voiceId, model, ...unused })),
      // A model of one provider says nothing to another.
      ...otherProviders.map((other) => ({ tts: other, voiceId: voiceIds[0], model: null, ...unused })),
    ];
    const isChosen = (each: Choice) => each.tts.name === chosen?.provider && each.voiceId === chosen.voiceId;
    this.choice = Math.max(0, this.choices.findIndex(isChosen));
    this.settings = settings;
    this.cache = cache;
    this.onSwitched = onSwitched;
    this.rate = settings.rate;
  }

  get speed(): number {
    return this.settings.speed();
  }

  /** What the first voice is asked for. */
  get firstOptions(): TtsOptions {
    return this.options(this.speed, this.choices[0]);
  }

  /** Who speaks now, for the next session of the call. */
  get chosen(): ChosenVoice {
    const { tts, voiceId } = this.current;
    return { provider: tts.name, voiceId };
  }

  /** By provider. */
  get usage(): VoiceUsage[] {
    const sums = new Map<string, VoiceUsage>();
    for (const { tts, model, requests, characters } of this.choices) {
      const { requests: before = 0, characters: said = 0 } = sums.get(tts.name) ?? {};
      const sum = { requests: before + requests, characters: said + characters };
      sums.set(tts.name, { provider: tts.name, model, ...sum });
    }
    return [...sums.values()].filter(({ requests, characters }) => requests + characters > 0);
  }

  /** Characters are counted once, for the voice that is asked first. */
  count(text: string): void {
    this.current.characters += text.length;
  }

  /** Goes on with the next voice after this choice has failed. False if none is left. */
  replace(failed: number): boolean {
    if (this.choice !== failed) return true;
    const from = this.current;
    const next = this.choices[this.choice + 1];
    if (next === undefined) return false;
    this.choice += 1;
    if (from.tts === next.tts) this.onSwitched(from.voiceId, next.voiceId);
    else this.onSwitched(from.tts.name, next.tts.name);
    return true;
  }

  private get current(): Choice {
    return this.choices[this.choice] as Choice;
  }

  newPart(speed: number): SpeechPart {
    const { language } = this.settings;
    return new SpeechPart({ language, samplesPerMs: this.rate / 1000 / speed });
  }

  isFixed(text: string): boolean {
    return this.settings.fixedSentences.has(text.trim());
  }

  /** Says a sentence to the cache, for the calls to come. Null if it is there, or not the same in every call. */
  prepare(text: string): Promise<void> | null {
    const { speed } = this;
    const inCache = () => this.cache.get(this.current.tts, this.options(speed), text.trim());
    if (!this.isFixed(text) || inCache() !== undefined) return null;
    const part = this.newPart(speed);
    part.add({ text, length: text.length });
    return new Promise((resolve) => {
      const changed = () => {
        if (!part.isDone) return;
        const speech = inCache();
        if (speech !== undefined) speech.isUncounted = true;
        resolve();
      };
      this.open(part, speed, true, { changed, failed: () => resolve() }).say(text, true);
    });
  }

  /** A sentence that is in the cache: all of its audio is there at once. */
  cached(text: string, speed: number): SpeechPart | undefined {
    const speech = this.cache.get(this.current.tts, this.options(speed), text.trim());
    if (speech === undefined) return undefined;
    if (speech.isUncounted === true) this.current.requests += 1;
    speech.isUncounted = false;
    const part = this.newPart(speed);
    for (const { characters, samples } of speech.marks) part.mark(characters, samples);
    part.deliver(speech.samples);
    part.isDone = true;
    return part;
  }

  /** Opens a stream for the sentences of a part. `isFixed`: it is one sentence, and is kept in the cache. */
  open(part: SpeechPart, speed: number, isFixed: boolean, events: SpeakingEvents): Speaking {
    const options = this.options(speed);
    const { tts } = this.current;
    const chunks: Int16Array[] = [];
    const marks: Mark[] = [];
    let isOver = false;
    let isOpen = true;
    /** When the caller has heard all audio that is there, if nothing stops them. */
    let heardAt = this.clock.now();
    const hasNext = this.choice + 1 < this.choices.length;
    const timeout = new AudioTimeout(this.clock, () => {
      stream.cancel();
      if (part.received > 0) fail('the voice stopped before the end of what it had to say', 'stalled');
      else fail(`no audio within ${(hasNext ? firstAudioMs : lastFirstAudioMs) / 1000} s`, 'late');
    });
    const expectAudio = () => {
      heardAt = Math.max(heardAt, this.clock.now());
      timeout.extendTo(heardAt + (hasNext || part.received > 0 ? firstAudioMs : lastFirstAudioMs));
    };
    const end = () => {
      isOver = true;
      isOpen = false;
      timeout.end();
    };
    const fail = (detail: string, failure: SpeakingFailure = 'failed') => {
      if (isOver) return;
      end();
      this.failure = detail;
      events.failed(failure);
    };
    this.current.requests += 1;
    const stream = tts.open(options, {
      audio: (samples) => {
        if (isOver || samples.length === 0) return;
        part.deliver(samples);
        if (part.isEndless) {
          stream.cancel();
          return fail('the voice sent more audio than the text can take');
        }
        heardAt = Math.max(heardAt, this.clock.now()) + (samples.length * 1000) / options.rate;
        // More text may follow, but need not.
        if (isOpen) timeout.end();
        else expectAudio();
        if (isFixed) chunks.push(samples);
        events.changed();
      },
      mark: (characters, samples) => {
        if (isOver) return;
        part.mark(characters, samples);
        if (isFixed) marks.push({ characters, samples });
      },
      done: () => {
        if (isOver) return;
        if (part.received === 0 && part.hasWords && !tts.mayBeSilent) return fail('the voice sent no audio');
        end();
        part.isDone = true;
        const [sentence] = part.sentences;
        if (isFixed && sentence !== undefined && part.received > 0) {
          this.cache.set(tts, options, sentence.text.trim(), { samples: joined(chunks), marks });
        }
        events.changed();
      },
      failed: (detail) => fail(detail),
    });
    return {
      part,
      get isOpen() {
        return isOpen;
      },
      say(text, isLast) {
        if (!isOpen) return;
        if (isLast) isOpen = false;
        const isFirst = part.received === 0 && text !== '' && !timeout.isRunning;
        if (isFirst || (isLast && part.received > 0)) expectAudio();
        stream.say(text, isLast);
      },
      cancel() {
        if (isOver) return;
        end();
        stream.cancel();
      },
    };
  }

  private options(speed: number, { voiceId, model } = this.current): TtsOptions {
    const { emotion, temperature, language } = this.settings;
    return { voiceId, model, speed, emotion, temperature, language, rate: this.rate };
  }
}

/** A time limit that can be moved, as often as audio arrives, without a new timer each time. */
class AudioTimeout {
  isRunning = false;
  private until = 0;
  private stop: (() => void) | null = null;
  private readonly clock: Clock;
  private readonly onEnd: () => void;

  constructor(clock: Clock, onEnd: () => void) {
    this.clock = clock;
    this.onEnd = onEnd;
  }

  extendTo(time: number): void {
    this.until = time;
    this.isRunning = true;
    this.stop ??= this.clock.after(time - this.clock.now(), () => this.check());
  }

  end(): void {
    this.isRunning = false;
    this.stop?.();
    this.stop = null;
  }

  private check(): void {
    this.stop = null;
    if (this.until > this.clock.now()) this.extendTo(this.until);
    else this.onEnd();
  }
}

function joined(chunks: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const chunk of chunks) {
    all.set(chunk, position);
    position += chunk.length;
  }
  return all;
}
