import type { TtsOptions } from '../../speech-ports.ts';
import { primaryLanguage } from '../../text/language.ts';
import type { Message } from '../connection/shared-sockets.ts';
import type { Utterance } from '../connection/socket-voices.ts';
import { clamped, type VoiceSupport } from '../connection/voice-options.ts';

/** https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input. */
const speeds = [0.7, 1.2] as const;
export const rates = [8000, 16_000, 22_050, 24_000, 44_100];
/** The longest that a connection may be kept without use. */
export const inactivitySeconds = 180;

/** Ids are 20 letters and digits; names of other providers' voices are not. */
const voiceIds = /^[A-Za-z0-9]{20}$/;

export function supportFor({ voiceId }: TtsOptions): VoiceSupport {
  return { hasVoice: voiceIds.test(voiceId), speed: speeds, hasEmotions: false, hasTemperature: true };
}

export function streamUrl({ base, voiceId, sentRate, options: { model, language } }: Utterance): string {
  const query = new URLSearchParams({
    output_format: `pcm_${sentRate}`,
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
export function startMessage({ id, options: { speed, temperature } }: Utterance): Message {
  const settings = {
    ...(speed !== 1 && { speed: clamped(speed, speeds) }),
    // 0 is stable and 2 most expressive; there 1 is stable, and 0.5 the default.
    ...((temperature ?? 1) !== 1 && { stability: 1 - (temperature ?? 1) / 2 }),
  };
  return { text: ' ', context_id: id, ...(Object.keys(settings).length > 0 && { voice_settings: settings }) };
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
