import { LRUCache } from 'lru-cache';
import type { Tts, TtsOptions } from '../speech-ports.ts';
import type { Mark } from './speech-part.ts';

export interface CachedSpeech {
  readonly samples: Int16Array;
  readonly marks: readonly Mark[];
  /** The speech was requested before any call said it: the first call that does counts the request. */
  isUncounted?: boolean;
}

const defaultMaxBytes = 64 * 1024 * 1024;

type Speaker = Pick<Tts, 'name' | 'accountId'>;

/**
 * Sentences that are the same in every call, as a voice has said them. One for all calls of a process; what was said with
 * the account of a workspace is for its calls only.
 */
export class SpeechCache {
  private readonly speech: LRUCache<string, CachedSpeech>;

  constructor(maxBytes = defaultMaxBytes) {
    this.speech = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ samples }) => Math.max(1, samples.byteLength),
    });
  }

  get(tts: Speaker, options: TtsOptions, text: string): CachedSpeech | undefined {
    return this.speech.get(keyOf(tts, options, text));
  }

  set(tts: Speaker, options: TtsOptions, text: string, speech: CachedSpeech): void {
    this.speech.set(keyOf(tts, options, text), speech);
  }
}

function keyOf(
  { name, accountId = '' }: Speaker,
  { voiceId, model, speed, emotion, temperature, language, rate }: TtsOptions,
  text: string,
): string {
  return JSON.stringify([name, accountId, voiceId, model, speed, emotion, temperature, language, rate, text]);
}
