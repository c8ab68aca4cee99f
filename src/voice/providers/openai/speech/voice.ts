import type { Tts, TtsEvents, TtsOptions, TtsStream } from '../../../speech-ports.ts';
import { createPcmReader } from '../../connection/pcm-reader.ts';
import { type VoiceSupport, voiceNotApplied } from '../../connection/voice-options.ts';
import { isOpenAi, speechModel } from '../account.ts';
import { openAi } from '../listing.ts';
import { type OpenAiSpeechParts, postSpeech, RejectedSpeech } from './request.ts';

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
    accountId: parts.accountId ?? '',
    notApplied: (options) => voiceNotApplied(options, supportFor(parts, options)),
    open: (options, events) => openStream(parts, options, events),
  };
}

function supportFor(parts: OpenAiSpeechParts, { voiceId, model }: TtsOptions): VoiceSupport {
  return {
    hasVoice: hasVoice(parts, voiceId),
    otherVoice: firstVoice,
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
    model: speechModel(parts, usedModel),
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
function openStream(parts: OpenAiSpeechParts, options: TtsOptions, events: TtsEvents): TtsStream {
  const sentences: Sentence[] = [];
  const abort = new AbortController();
  const pcm = createPcmReader(pcmRate, options.rate);
  let characters = 0;
  let samples = 0;
  let isComplete = false;
  let isOver = false;
  const deliver = (audio: Int16Array): void => {
    samples += audio.length;
    if (audio.length > 0) events.audio(audio);
  };
  const fail = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    abort.abort();
    events.failed(error instanceof RejectedSpeech ? error.message : `${openAi.name} closed the connection`);
  };
  const request = async (sentence: Sentence): Promise<void> => {
    const body = await postSpeech(
      parts,
      '/audio/speech',
      {
        body: bodyOf(parts, options, sentence.text),
        signal: abort.signal,
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
      },
      { 'content-type': 'application/json' },
    );
    for await (const chunk of body) {
      sentence.chunks.push(chunk as Uint8Array);
      advance();
    }
    sentence.state = 'done';
    advance();
  };
  /** Hands on what has arrived, and asks for more. */
  const advance = (): void => {
    for (let [first] = sentences; first !== undefined; [first] = sentences) {
      for (const chunk of first.chunks.splice(0)) if (!isOver) deliver(pcm.read(chunk));
      if (first.state !== 'done' || isOver) break;
      sentences.shift();
      characters += first.text.length;
      events.mark?.(characters, samples);
    }
    if (isOver) return;
    for (const sentence of sentences.slice(0, maxRequests)) {
      if (sentence.state !== 'waiting') continue;
      sentence.state = 'requested';
      request(sentence).catch(fail);
    }
    if (!isComplete || sentences.length > 0) return;
    isOver = true;
    deliver(pcm.end());
    events.done();
  };
  return {
    say(text, isLast) {
      if (text !== '') sentences.push({ text, chunks: [], state: text.trim() === '' ? 'done' : 'waiting' });
      isComplete ||= isLast;
      advance();
    },
    cancel() {
      isOver = true;
      abort.abort();
    },
  };
}
