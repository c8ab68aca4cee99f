import type { TtsOptions } from '../../speech-ports.ts';
import { primaryLanguage } from '../../text/language.ts';
import { clamped, type VoiceSupport } from '../connection/voice-options.ts';

type Message = Readonly<Record<string, unknown>>;

/** https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input. */
const speeds = [0.7, 1.2] as const;
const rates = [8000, 16_000, 22_050, 24_000, 44_100];
/** The longest that a connection may be kept without use. */
export const inactivitySeconds = 180;

/** Ids are 20 letters and digits; names of other providers' voices are not. */
export function isVoiceId(voiceId: string): boolean {
  return /^[A-Za-z0-9]{20}$/.test(voiceId);
}

export function supportFor({ voiceId }: TtsOptions): VoiceSupport {
  return { hasVoice: isVoiceId(voiceId), speed: speeds, hasEmotions: false, hasTemperature: true };
}

/** The rate to ask for. */
export function sentRate(rate: number): number {
  return rates.includes(rate) ? rate : 24_000;
}

export function streamUrl(base: string, voiceId: string, { model, language, rate }: TtsOptions): string {
  const query = new URLSearchParams({
    output_format: `pcm_${sentRate(rate)}`,
    inactivity_timeout: String(inactivitySeconds),
    // Sentences arrive complete, so nothing has to be collected.
    auto_mode: 'true',
    sync_alignment: 'true',
  });
  if (model !== null) query.set('model_id', model);
  // Other models take the language from the text, and reject the parameter.
  if (model?.endsWith('_v2_5')) query.set('language_code', primaryLanguage(language));
  return `${base}/v1/text-to-speech/${encodeURIComponent(voiceId)}/multi-stream-input?${query}`;
}

/** The first message of an utterance. Settings that were not chosen are those of the voice. */
export function startMessage(id: string, { speed, temperature }: TtsOptions): Message {
  const settings = {
    ...(speed !== 1 && { speed: clamped(speed, speeds) }),
    // 0 is stable and 2 most expressive; there 1 is stable, and 0.5 the default.
    ...((temperature ?? 1) !== 1 && { stability: 1 - (temperature ?? 1) / 2 }),
  };
  return { text: ' ', context_id: id, ...(Object.keys(settings).length > 0 && { voice_settings: settings }) };
}

export function textMessage(id: string, text: string): Message {
  return { text: `${text.trim()} `, context_id: id, flush: true };
}

/** What was flushed is still said. */
export function closeMessage(id: string): Message {
  return { context_id: id, close_context: true };
}

/** The reference says `contextId` and `isFinal`, the guide `context_id` and `is_final`. */
export function contextOf({ contextId, context_id: other }: Message): string | undefined {
  const id = contextId ?? other;
  return typeof id === 'string' ? id : undefined;
}

export function isFinal({ isFinal, is_final: other, error }: Message): boolean {
  return isFinal === true || other === true || error !== undefined;
}

export interface Alignment {
  readonly chars: readonly string[];
  readonly starts: readonly number[];
  readonly durations: readonly number[];
}

/** Times count from the start of the chunk. */
export function alignmentOf({ alignment }: Message): Alignment | null {
  if (typeof alignment !== 'object' || alignment === null) return null;
  const { chars, charStartTimesMs, charDurationsMs } = alignment as Record<string, unknown>;
  if (![chars, charStartTimesMs, charDurationsMs].every(Array.isArray)) return null;
  return {
    chars: chars as string[],
    starts: charStartTimesMs as number[],
    durations: charDurationsMs as number[],
  };
}
