import type { Tts, TtsOptions } from '../../speech-ports.ts';

type NotApplied = ReturnType<Tts['notApplied']>[number];

export interface VoiceSupport {
  readonly hasVoice: boolean;
  /** The voice that speaks otherwise, if it is known in advance. */
  readonly otherVoice?: string;
  /** Null: the speed cannot be chosen. */
  readonly speed: readonly [min: number, max: number] | null;
  readonly hasEmotions: boolean;
  readonly hasTemperature: boolean;
}

/** What of the options a voice does not do as it is asked. */
export function voiceNotApplied({ speed, emotion, temperature }: TtsOptions, support: VoiceSupport): NotApplied[] {
  const list: NotApplied[] = [];
  const add = (field: NotApplied['field'], reason: NotApplied['reason'] = 'not_supported', used?: string) =>
    list.push({ field, reason, ...(used !== undefined && { used }) });
  if (!support.hasVoice) add('voiceId', 'not_supported', support.otherVoice);
  if (support.speed === null) {
    if (speed !== 1) add('voiceSpeed');
  } else if (speed !== clamped(speed, support.speed)) {
    add('voiceSpeed', 'clamped', String(clamped(speed, support.speed)));
  }
  if (emotion !== null && !support.hasEmotions) add('voiceEmotion');
  // 1 is what an agent has that was not changed, and neither stable nor expressive.
  if ((temperature ?? 1) !== 1 && !support.hasTemperature) add('voiceTemperature');
  return list;
}

export function clamped(value: number, [min, max]: readonly [min: number, max: number]): number {
  return Math.min(max, Math.max(min, value));
}
