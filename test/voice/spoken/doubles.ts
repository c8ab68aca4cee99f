import type { Clock } from '../../../src/voice/clock.ts';
import type { TurnWord } from '../../../src/voice/ports.ts';
import type {
  Detector,
  DetectorEvents,
  Stt,
  SttEvents,
  SttOptions,
  Tts,
  TtsOptions,
} from '../../../src/voice/speech-ports.ts';
import { wordsOf } from '../../../src/voice/text/words.ts';
import { tone } from './tones.ts';

type Behavior =
  | 'speaks'
  | 'fails'
  | 'is silent'
  | 'fails halfway'
  | 'stops halfway'
  | 'has nothing to say'
  | 'never ends';

/** A voice that takes 50 ms for each character at speed 1, and knows nothing about its words. */
export class ToneVoice implements Tts {
  readonly name = 'tone';
  readonly requests: (TtsOptions & { readonly texts: string[] })[] = [];
  canceled = 0;
  /** By the id of the voice; all others speak. */
  readonly behavior = new Map<string, Behavior>();
  private readonly clock: Clock;
  private readonly delayMs: number;

  constructor(clock: Clock, delayMs = 100) {
    this.clock = clock;
    this.delayMs = delayMs;
  }

  notApplied: Tts['notApplied'] = () => [];
  mayBeSilent = false;

  open: Tts['open'] = (options, events) => {
    const texts: string[] = [];
    this.requests.push({ ...options, texts });
    const behavior = this.behavior.get(options.voiceId) ?? 'speaks';
    let isOver = false;
    let pending = 0;
    let isComplete = false;
    const finish = () => {
      if (isOver || !isComplete || pending > 0) return;
      isOver = true;
      events.done();
    };
    const deliver = (text: string) => {
      pending -= 1;
      if (isOver || behavior === 'is silent') return;
      if (behavior === 'fails') {
        isOver = true;
        return events.failed('HTTP 500 of the voice');
      }
      const samples = Math.round((text.length * 50 * options.rate) / 1000 / options.speed);
      const half = behavior === 'fails halfway' || behavior === 'stops halfway';
      if (behavior === 'never ends') {
        while (!isOver) events.audio(tone(options.rate, 0.4));
        return;
      }
      if (behavior !== 'has nothing to say') events.audio(tone(half ? samples >> 1 : samples, 0.4));
      if (half) {
        isOver = true;
        if (behavior === 'fails halfway') events.failed('closed in the middle of a word');
      }
      finish();
    };
    return {
      say: (text, isLast) => {
        if (text !== '') {
          texts.push(text);
          pending += 1;
          this.clock.after(this.delayMs, () => deliver(text));
        }
        isComplete ||= isLast;
        finish();
      },
      cancel: () => {
        isOver = true;
        this.canceled += 1;
      },
    };
  };
}

/** A voice that knows where its words are: each takes the same time, and is louder than the one before. */
export class WordVoice implements Tts {
  readonly name = 'words';
  readonly mayBeSilent = false;
  private readonly wordMs: number;

  constructor(wordMs: number) {
    this.wordMs = wordMs;
  }

  notApplied: Tts['notApplied'] = () => [];

  open: Tts['open'] = ({ rate, language }, events) => {
    let [characters, words] = [0, 0];
    return {
      say: (text, isLast) => {
        for (const { end } of wordsOf(text, language)) {
          const length = (this.wordMs * rate) / 1000;
          words += 1;
          events.audio(new Int16Array(length).fill(1000 * words));
          events.mark?.(characters + end, words * length);
        }
        characters += text.length;
        if (isLast) events.done();
      },
      cancel: () => {},
    };
  };
}

/** A detector that is told what it hears. */
export class ToldDetector implements Detector {
  readonly name = 'told';
  events: DetectorEvents | undefined;

  open(_rate: number, events: DetectorEvents) {
    this.events = events;
    return { write: () => {}, close: () => {} };
  }
}

/** A recognizer that is told what it understands. */
export class ToldStt implements Stt {
  readonly name: string;
  readonly hasPartials = true;
  readonly waitMs = 500;
  readonly streams: {
    readonly options: SttOptions;
    readonly events: SttEvents;
    written: Int16Array[];
    /** After how many samples. */
    flushedAt: number[];
    keepAlives: number;
    isClosed: boolean;
  }[] = [];
  /** Fails whenever it is opened. */
  isDown = false;

  constructor(name = 'told') {
    this.name = name;
  }

  get last() {
    const stream = this.streams.at(-1);
    if (stream === undefined) throw new Error('no stream was opened');
    return stream;
  }

  /** How many samples the last stream got. */
  get writtenSamples(): number {
    return this.last.written.reduce((sum, { length }) => sum + length, 0);
  }

  final(text: string, words: readonly TurnWord[] = [], endMs?: number): void {
    this.last.events.final(text, words, endMs);
  }

  open(options: SttOptions, events: SttEvents) {
    const stream = {
      options,
      events,
      written: [] as Int16Array[],
      flushedAt: [] as number[],
      keepAlives: 0,
      isClosed: false,
    };
    this.streams.push(stream);
    if (this.isDown) events.failed('HTTP 503 of the recognizer');
    return {
      write: (samples: Int16Array) => {
        stream.written.push(samples);
      },
      flush: () => {
        stream.flushedAt.push(stream.written.reduce((sum, { length }) => sum + length, 0));
      },
      keepAlive: () => {
        stream.keepAlives += 1;
      },
      close: () => {
        stream.isClosed = true;
      },
    };
  }
}
