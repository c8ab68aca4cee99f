import { request } from 'undici';
import type { Tts, TtsEvents, TtsOptions, TtsStream } from '../../../speech-ports.ts';
import { statusFailure } from '../../connection/failure.ts';
import { PcmReader } from '../../connection/pcm-reader.ts';
import { type VoiceSupport, voiceNotApplied } from '../../connection/voice-options.ts';
import { openAi } from '../listing.ts';
import { headersOf, isOpenAi, type OpenAiSpeechParts, sentModel } from './account.ts';

/** `pcm` is always this: https://platform.openai.com/docs/guides/text-to-speech#supported-output-formats. */
const pcmRate = 24_000;
/** A model has to be named. */
const defaultModel = 'gpt-4o-mini-tts';
/** https://platform.openai.com/docs/api-reference/audio/createSpeech. */
const maxCharacters = 4096;
export const openAiVoices = 'alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse'.split(' ');
const firstVoice = 'alloy';
const tones: Readonly<Record<string, string>> = {
  calm: 'calm',
  sympathetic: 'sympathetic and warm',
  happy: 'happy',
  sad: 'sad',
  angry: 'angry',
  fearful: 'fearful',
  surprised: 'surprised',
};
/** Sentences that are generated at the same time: one is heard while the next one is made. */
const maxRequests = 2;
/** For the headers, and between two parts of the audio. */
const silenceMs = 5000;

/** Speech of OpenAI, or of any server with the same route. */
export function createOpenAiVoice(parts: OpenAiSpeechParts): Tts {
  return {
    name: openAi.name,
    notApplied: (options) => voiceNotApplied(options, supportFor(parts, options)),
    open: (options, events) => new OpenAiStream(parts, options, events),
  };
}

function supportFor(parts: OpenAiSpeechParts, { voiceId, model }: TtsOptions): VoiceSupport {
  return {
    hasVoice: hasVoice(parts, voiceId),
    speed: [0.25, 4],
    hasEmotions: hasInstructions(model ?? defaultModel),
    hasTemperature: false,
  };
}

/** Only its own voices are known. */
function hasVoice(parts: OpenAiSpeechParts, voiceId: string): boolean {
  return !isOpenAi(parts) || openAiVoices.includes(voiceId) || voiceId.startsWith('voice_');
}

function hasInstructions(model: string): boolean {
  return !/^tts-1/.test(model);
}

function bodyOf(parts: OpenAiSpeechParts, { voiceId, model, speed, emotion }: TtsOptions, text: string): string {
  const voice = hasVoice(parts, voiceId) ? voiceId : firstVoice;
  const tone = emotion === null ? undefined : tones[emotion];
  const usedModel = model ?? defaultModel;
  return JSON.stringify({
    model: sentModel(parts, usedModel),
    input: text.slice(0, maxCharacters),
    voice: isOpenAi(parts) && voice.startsWith('voice_') ? { id: voice } : voice,
    response_format: 'pcm',
    ...(speed !== 1 && { speed }),
    ...(tone !== undefined && hasInstructions(usedModel) && { instructions: `Speak in a tone that is ${tone}.` }),
  });
}

/** A sentence: its request, and its audio until it is its turn. */
interface Sentence {
  readonly text: string;
  readonly chunks: Uint8Array[];
  state: 'waiting' | 'requested' | 'done';
}

/** One utterance: a request for each sentence, heard in their order. */
class OpenAiStream implements TtsStream {
  private readonly parts: OpenAiSpeechParts;
  private readonly options: TtsOptions;
  private readonly events: TtsEvents;
  private readonly sentences: Sentence[] = [];
  private readonly abort = new AbortController();
  private readonly pcm: PcmReader;
  private characters = 0;
  private samples = 0;
  private isComplete = false;
  private isOver = false;

  constructor(parts: OpenAiSpeechParts, options: TtsOptions, events: TtsEvents) {
    this.parts = parts;
    this.options = options;
    this.events = events;
    this.pcm = new PcmReader(pcmRate, options.rate);
  }

  say(text: string, isLast: boolean): void {
    if (text !== '') this.sentences.push({ text, chunks: [], state: text.trim() === '' ? 'done' : 'waiting' });
    this.isComplete ||= isLast;
    this.advance();
  }

  cancel(): void {
    this.isOver = true;
    this.abort.abort();
  }

  /** Hands on what has arrived, and asks for more. */
  private advance(): void {
    for (let first = this.sentences[0]; first !== undefined; first = this.sentences[0]) {
      for (const chunk of first.chunks.splice(0)) this.deliver(chunk);
      if (first.state !== 'done' || this.isOver) break;
      this.sentences.shift();
      this.characters += first.text.length;
      this.events.mark?.(this.characters, this.samples);
    }
    if (this.isOver) return;
    for (const sentence of this.sentences.slice(0, maxRequests)) {
      if (sentence.state !== 'waiting') continue;
      sentence.state = 'requested';
      this.request(sentence).catch((error: unknown) => this.fail(error));
    }
    if (!this.isComplete || this.sentences.length > 0) return;
    this.isOver = true;
    const rest = this.pcm.end();
    if (rest.length > 0) this.events.audio(rest);
    this.events.done();
  }

  private deliver(chunk: Uint8Array): void {
    if (this.isOver) return;
    const samples = this.pcm.read(chunk);
    this.samples += samples.length;
    if (samples.length > 0) this.events.audio(samples);
  }

  private async request(sentence: Sentence): Promise<void> {
    const { parts } = this;
    const response = await request(`${parts.baseUrl}/audio/speech`, {
      method: 'POST',
      headers: { ...headersOf(parts), 'content-type': 'application/json' },
      body: bodyOf(parts, this.options, sentence.text),
      dispatcher: parts.dispatcher,
      signal: this.abort.signal,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    });
    const { statusCode, headers } = response;
    if (statusCode !== 200) {
      await response.body.dump().catch(() => {});
      throw new RejectedSpeech(statusFailure(openAi.name, statusCode, String(headers['retry-after'] ?? '')).detail);
    }
    for await (const chunk of response.body) {
      sentence.chunks.push(chunk as Uint8Array);
      this.advance();
    }
    sentence.state = 'done';
    this.advance();
  }

  private fail(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.abort.abort();
    this.events.failed(error instanceof RejectedSpeech ? error.message : `${openAi.name} closed the connection`);
  }
}

class RejectedSpeech extends Error {}
