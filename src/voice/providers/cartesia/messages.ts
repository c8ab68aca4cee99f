import type { TtsOptions } from '../../speech-ports.ts';
import { primaryLanguage } from '../../text/language.ts';
import type { Message } from '../connection/shared-sockets.ts';
import type { Utterance } from '../connection/socket-voices.ts';
import { clamped, type VoiceSupport } from '../connection/voice-options.ts';

/** The version of the API: https://docs.cartesia.ai/use-the-api/api-conventions. */
export const apiVersion = '2026-03-01';
/** A model has to be named. `sonic-3` is the newest with a choice of speed. */
const defaultModel = 'sonic-3';
/** https://docs.cartesia.ai/build-with-cartesia/capability-guides/volume-speed-emotion. */
const speeds = [0.6, 1.5] as const;
const emotions: Readonly<Record<string, string>> = {
  calm: 'calm',
  sympathetic: 'sympathetic',
  happy: 'happy',
  sad: 'sad',
  angry: 'angry',
  fearful: 'scared',
  surprised: 'surprised',
};
export const rates = [8000, 16_000, 22_050, 24_000, 44_100, 48_000];

/** Ids are UUIDs; names of other providers' voices are not. */
const voiceIds = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Speed and emotion came with the third generation. */
function hasControls(model: string): boolean {
  return /^sonic-(3|latest|preview)/.test(model);
}

export function supportFor({ voiceId, model }: TtsOptions): VoiceSupport {
  const isControlled = hasControls(model ?? defaultModel);
  return {
    hasVoice: voiceIds.test(voiceId),
    speed: isControlled ? speeds : null,
    hasEmotions: isControlled,
    hasTemperature: false,
  };
}

/** What all messages of an utterance repeat: https://docs.cartesia.ai/api-reference/tts/websocket. */
export function requestFor({ id, voiceId, sentRate, options }: Utterance): Message {
  const { model, speed, emotion, language } = options;
  const sentModel = model ?? defaultModel;
  const chosen = emotion === null ? undefined : emotions[emotion];
  const controls = {
    ...(speed !== 1 && { speed: clamped(speed, speeds) }),
    ...(chosen !== undefined && { emotion: chosen }),
  };
  const isControlled = hasControls(sentModel) && Object.keys(controls).length > 0;
  return {
    model_id: sentModel,
    voice: { mode: 'id', id: voiceId },
    language: primaryLanguage(language),
    context_id: id,
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: sentRate },
    add_timestamps: true,
    // Sentences arrive complete, so nothing has to be collected.
    max_buffer_delay_ms: 0,
    ...(isControlled && { generation_config: controls }),
  };
}

export function contextOf({ context_id: id }: Message): string | undefined {
  return typeof id === 'string' ? id : undefined;
}

export function isLast({ type, done }: Message): boolean {
  return type === 'error' || (type === 'done' && done === true);
}

/** Words with the end of each, in milliseconds since the start of the utterance. */
export function wordEnds({
  word_timestamps: stamps,
}: Message): readonly { readonly word: string; readonly endMs: number }[] {
  if (typeof stamps !== 'object' || stamps === null) return [];
  const { words, end } = stamps as { words?: unknown; end?: unknown };
  if (!Array.isArray(words) || !Array.isArray(end)) return [];
  return words.flatMap((word, index) => {
    const seconds: unknown = end[index];
    return typeof word === 'string' && typeof seconds === 'number' ? [{ word, endMs: seconds * 1000 }] : [];
  });
}
