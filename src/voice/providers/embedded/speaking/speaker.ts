import { programFile } from '../../../../workers/program-file.ts';
import { ResidentThread } from '../../../../workers/resident/resident-thread.ts';
import type { Tts, TtsOptions } from '../../../speech-ports.ts';
import { primaryLanguage } from '../../../text/language.ts';
import { speechThread } from '../speech-thread.ts';
import type { SpeakingEvent, SpeakingMessage, SpeakingOptions, SpeakingPrograms } from './messages.ts';
import { availableVoices, type EmbeddedVoice, japaneseEmotions } from './voices.ts';

export type SpeakingThread = ResidentThread<SpeakingOptions, SpeakingMessage, SpeakingEvent>;

/** Beyond these the voices become hard to understand. */
const minSpeed = 0.5;
const maxSpeed = 2;

export function createSpeakingThread(programs: SpeakingPrograms): SpeakingThread {
  return new ResidentThread(speechThread(programFile('./worker', import.meta.url), programs));
}

export function createSpeaker(thread: SpeakingThread, programs: SpeakingPrograms): Tts {
  const voices = availableVoices(programs);
  const emotionsOf = ({ program }: EmbeddedVoice) =>
    program === 'open-jtalk' ? (programs.japanese?.emotions ?? {}) : {};
  const settingsOf = (options: TtsOptions) => {
    const voice = chosenVoice(voices, options);
    const variant = options.emotion === null ? undefined : japaneseEmotions[options.emotion];
    const emotion = variant !== undefined && variant in emotionsOf(voice) ? variant : null;
    return { voice, emotion, speed: Math.max(minSpeed, Math.min(maxSpeed, options.speed)) };
  };
  return {
    name: 'embedded',
    mayBeSilent: true,
    load: () => thread.load(),
    notApplied(options) {
      const { voice, emotion, speed } = settingsOf(options);
      const unsupported = [
        options.model !== null && 'voiceModel',
        options.emotion !== null && emotion === null && 'voiceEmotion',
        // 1 is how every voice is without the setting.
        options.temperature !== null && options.temperature !== 1 && 'voiceTemperature',
      ] as const;
      return [
        ...(voice.voiceId === options.voiceId
          ? []
          : [{ field: 'voiceId', reason: 'not_supported', used: voice.voiceId } as const]),
        ...unsupported.filter((field) => field !== false).map((field) => ({ field, reason: 'not_supported' }) as const),
        ...(speed === options.speed ? [] : [{ field: 'voiceSpeed', reason: 'clamped', used: String(speed) } as const]),
      ];
    },
    open(options, events) {
      const { voice, emotion, speed } = settingsOf(options);
      const { program, gain } = voice;
      const stream = thread.open(
        { program, variant: emotion ?? voice.variant, gain, speed, rate: options.rate },
        {
          event: (event) => {
            if (event.type === 'audio') events.audio(event.samples);
            else {
              stream.close();
              events.done();
            }
          },
          failed: (detail) => events.failed(detail),
        },
      );
      return { say: (text, isLast) => stream.send({ text, isLast }), cancel: () => stream.close() };
    },
  };
}

/** The voice itself if it speaks the language, else the first one that does. */
function chosenVoice(voices: readonly EmbeddedVoice[], { voiceId, language }: TtsOptions): EmbeddedVoice {
  const primary = primaryLanguage(language);
  const speaking = voices.filter(({ languages }) => languages.includes(primary));
  const voice = speaking.find((one) => one.voiceId === voiceId) ?? speaking[0] ?? voices[0];
  if (voice === undefined) throw new Error('there is no embedded voice');
  return voice;
}
