import type { Clock } from '../clock.ts';
import { firstAudioMs, lastFirstAudioMs } from '../policy.ts';
import type { Tts, TtsOptions } from '../speech-ports.ts';
import type { SpeechCache } from './speech-cache.ts';
import { type Mark, SpeechPart } from './speech-part.ts';

export interface VoiceSettings {
  /** The agent's voice, and those that replace it in this order. */
  readonly voiceIds: readonly [string, ...string[]];
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

interface SpeakingEvents {
  /** There is more audio, or the end of it. */
  changed(): void;
  /** `isLate`: nothing was heard of it in time. */
  failed(isLate: boolean): void;
}

/** The voice of the agent in one call: of its provider, or from the cache. A voice that failed is replaced for good. */
export class CallVoice {
  /** Samples per second. Another connection may have another one. */
  rate: number;
  /** What a voice last reported as failed, in words. */
  failure: string | null = null;
  private index = 0;
  private requests = 0;
  private characters = 0;
  private readonly clock: Clock;
  private readonly tts: Tts;
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
    this.tts = tts;
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
    return this.options(this.speed);
  }

  get usage(): VoiceUsage {
    const { requests, characters } = this;
    return { provider: this.tts.name, model: this.settings.model, requests, characters };
  }

  /** Characters are counted once, whichever voice says them in the end. */
  count(text: string): void {
    this.characters += text.length;
  }

  get voiceId(): string {
    return this.settings.voiceIds[this.index] as string;
  }

  /** Goes on with the next voice after the one of that id has failed. False if none is left. */
  replace(failedId: string): boolean {
    const { voiceIds } = this.settings;
    if (this.voiceId !== failedId) return true;
    const next = voiceIds[this.index + 1];
    if (next === undefined) return false;
    this.index += 1;
    this.onSwitched(failedId, next);
    return true;
  }

  newPart(speed: number): SpeechPart {
    const { language } = this.settings;
    return new SpeechPart({ language, samplesPerMs: this.rate / 1000 / speed });
  }

  isFixed(text: string): boolean {
    return this.settings.fixedSentences.has(text.trim());
  }

  /** A sentence that is in the cache: all of its audio is there at once. */
  cached(text: string, speed: number): SpeechPart | undefined {
    const speech = this.cache.get(this.tts.name, this.options(speed), text.trim());
    if (speech === undefined) return undefined;
    const part = this.newPart(speed);
    for (const { characters, samples } of speech.marks) part.mark(characters, samples);
    part.deliver(speech.samples);
    part.isDone = true;
    return part;
  }

  /** Opens a stream for the sentences of a part. `isFixed`: it is one sentence, and is kept in the cache. */
  open(part: SpeechPart, speed: number, isFixed: boolean, events: SpeakingEvents): Speaking {
    const options = this.options(speed);
    const chunks: Int16Array[] = [];
    const marks: Mark[] = [];
    let isOver = false;
    let isOpen = true;
    let stopWaiting: (() => void) | null = null;
    const end = () => {
      isOver = true;
      isOpen = false;
      stopWaiting?.();
    };
    const fail = (detail: string, isLate = false) => {
      if (isOver) return;
      end();
      this.failure = detail;
      events.failed(isLate);
    };
    this.requests += 1;
    const stream = this.tts.open(options, {
      audio: (samples) => {
        if (isOver || samples.length === 0) return;
        stopWaiting?.();
        part.deliver(samples);
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
        if (part.received === 0 && part.hasWords) return fail('the voice sent no audio');
        end();
        part.isDone = true;
        const [sentence] = part.sentences;
        if (isFixed && sentence !== undefined && part.received > 0) {
          this.cache.set(this.tts.name, options, sentence.text.trim(), { samples: joined(chunks), marks });
        }
        events.changed();
      },
      failed: (detail) => fail(detail),
    });
    const hasNext = this.index + 1 < this.settings.voiceIds.length;
    const maxWaitMs = hasNext ? firstAudioMs : lastFirstAudioMs;
    const awaitAudio = () => {
      stopWaiting ??= this.clock.after(maxWaitMs, () => {
        stream.cancel();
        fail(`no audio within ${maxWaitMs / 1000} s`, true);
      });
    };
    return {
      part,
      get isOpen() {
        return isOpen;
      },
      say(text, isLast) {
        if (!isOpen) return;
        if (isLast) isOpen = false;
        if (text !== '' && part.received === 0) awaitAudio();
        stream.say(text, isLast);
      },
      cancel() {
        if (isOver) return;
        end();
        stream.cancel();
      },
    };
  }

  private options(speed: number): TtsOptions {
    const { model, emotion, temperature, language } = this.settings;
    return { voiceId: this.voiceId, model, speed, emotion, temperature, language, rate: this.rate };
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
