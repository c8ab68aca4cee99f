import type { SpeechProviders } from '../../../../../src/voice/speech-ports.ts';

export interface SayOptions {
  readonly voiceId?: string;
  readonly language?: string;
  readonly speed?: number;
  readonly rate?: number;
  readonly emotion?: string | null;
}

/** All audio of a text. */
export function say(speech: SpeechProviders, texts: readonly string[], options: SayOptions = {}): Promise<Int16Array> {
  const { voiceId = 'slt', language = 'en-US', speed = 1, rate = 16_000, emotion = null } = options;
  const tts = speech.tts('embedded', language);
  if (tts === null) throw new Error(`no voice for ${language}`);
  return new Promise((resolve, reject) => {
    const parts: Int16Array[] = [];
    const stream = tts.open(
      { voiceId, model: null, speed, emotion, temperature: null, language, rate },
      {
        audio: (samples) => parts.push(samples),
        done: () => resolve(joined(parts)),
        failed: (detail) => reject(new Error(detail)),
      },
    );
    texts.forEach((text, index) => {
      stream.say(text, index === texts.length - 1);
    });
  });
}

export interface Heard {
  readonly partials: readonly string[];
  readonly finals: readonly string[];
}

/** What the recognizer makes of it. */
export function hear(
  speech: SpeechProviders,
  samples: Int16Array,
  { rate = 16_000, keywords = [] as readonly string[], mode = 'fast' as 'fast' | 'accurate' } = {},
): Promise<Heard> {
  const stt = speech.stt('embedded', 'en-US');
  if (stt === null) throw new Error('no recognition');
  return new Promise((resolve, reject) => {
    const partials: string[] = [];
    const finals: string[] = [];
    const stream = stt.open(
      { language: 'en-US', rate, keywords, mode },
      {
        partial: (text) => partials.push(text),
        final: (text) => {
          if (text !== '') finals.push(text);
          else {
            stream.close();
            resolve({ partials, finals });
          }
        },
        failed: (detail) => reject(new Error(detail)),
      },
    );
    for (let start = 0; start < samples.length; start += rate / 50) {
      stream.write(samples.subarray(start, start + rate / 50));
    }
    stream.flush();
    // Nothing was said since the first one, so that its final is empty and the last one.
    stream.flush();
  });
}

export interface Found {
  readonly type: 'start' | 'end';
  readonly position: number;
}

/** Positions in the stream. A second stream, which the thread serves afterwards, shows that the first is complete. */
export async function detect(speech: SpeechProviders, samples: Int16Array, at: number): Promise<readonly Found[]> {
  const found: Found[] = [];
  const detector = speech.detector();
  const stream = detector.open(at, {
    start: (ago) => found.push({ type: 'start', position: samples.length - ago }),
    end: (ago) => found.push({ type: 'end', position: samples.length - ago }),
  });
  stream.write(samples);
  const known = joined([new Int16Array(16_000), await say(speech, ['Hello, hello.']), new Int16Array(16_000)]);
  await new Promise<void>((resolve) => {
    const other = detector.open(16_000, { start: () => {}, end: () => resolve() });
    other.write(known);
  });
  stream.close();
  return found;
}

export function joined(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}

export function rms(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

export function peak(samples: Int16Array): number {
  return samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);
}

/** The share of words that differ, as an edit distance. */
export function wordErrorRate(said: string, heard: string): number {
  const [wanted, got] = [wordsOf(said), wordsOf(heard)];
  let row = got.map((_, index) => index + 1);
  wanted.forEach((word, before) => {
    let diagonal = before;
    let left = before + 1;
    row = got.map((other, index) => {
      const above = row[index] as number;
      left = Math.min(left + 1, above + 1, diagonal + (word === other ? 0 : 1));
      diagonal = above;
      return left;
    });
  });
  return (row.at(-1) ?? wanted.length) / wanted.length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}
