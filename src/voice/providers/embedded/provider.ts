import type { Detector, Stt } from '../../speech-ports.ts';
import { primaryLanguage } from '../../text/language.ts';
import type { MissingCapability, SpeechProvider } from '../speech-provider.ts';
import { createDetectionThread, createModelDetector, type DetectionThread } from './detection/detector.ts';
import { levelDetector } from './detection/level-detector.ts';
import { findJapaneseModel, findJapaneseVoice, type Places } from './japanese-files.ts';
import { findSpeechPackages, type SpeechPackages } from './packages.ts';
import type { RecognitionModels } from './recognition/messages.ts';
import { createRecognitionThread, createRecognizer } from './recognition/recognizer.ts';
import type { SpeakingPrograms } from './speaking/messages.ts';
import { createSpeaker, createSpeakingThread, type SpeakingThread } from './speaking/speaker.ts';
import { availableVoices } from './speaking/voices.ts';
import { findVoiceModels } from './voice-folders.ts';

export interface EmbeddedSpeechOptions extends Places {
  /** Load everything now instead of with the first call. */
  readonly isPreloaded: boolean;
  readonly packages?: SpeechPackages;
  readonly onPreloaded?: () => void;
}

const installCommand = 'npm ci --include=optional';
const addJapaneseCommand = 'voice-agents speech add ja';

/** Speech without an account and without a network, in threads of this process. */
export function createEmbeddedSpeech(options: EmbeddedSpeechOptions) {
  const packages = options.packages ?? findSpeechPackages();
  const { runtime, detection } = packages;
  const japaneseModel = findJapaneseModel(options);
  const programs: SpeakingPrograms = {
    flite: packages.flite,
    japanese: findJapaneseVoice(options),
    runtime,
    models: runtime === null ? [] : findVoiceModels(options.models),
  };
  const voices = availableVoices(programs);

  const detectionThread = runtime && detection ? createDetectionThread({ runtime, model: detection }) : null;
  const recognition = runtime
    ? createRecognition({ runtime, english: packages.english, japanese: japaneseModel })
    : null;
  const speakingThread = voices.length > 0 ? createSpeakingThread(programs) : null;
  const speaker = speakingThread === null ? null : createSpeaker(speakingThread, programs);
  const heard = recognition?.languages ?? [];
  const spoken = [...new Set(voices.flatMap(({ languages }) => languages))];

  if (options.isPreloaded) {
    void preload(detectionThread, recognition, speakingThread).then(options.onPreloaded);
  }
  const provider: SpeechProvider = {
    name: 'embedded',
    configured: heard.length > 0 || voices.length > 0,
    capabilities:
      heard.length + voices.length === 0
        ? ['stt', 'tts']
        : [...(heard.length > 0 ? (['stt'] as const) : []), ...(voices.length > 0 ? (['tts'] as const) : [])],
    languages: [...new Set([...heard, ...spoken])],
    automatic: true,
    stt: (language) => recognition?.recognizer(primaryLanguage(language)) ?? null,
    tts: (language) => (spoken.includes(primaryLanguage(language)) ? speaker : null),
    voices: async () =>
      voices.map(({ provider: own, voiceId, name, languages }) => ({ provider: own, voiceId, name, languages })),
    missing: () => missingOf(packages, programs),
    close: async () => {
      await Promise.all([detectionThread, recognition?.thread, speakingThread].map((thread) => thread?.close()));
    },
  };
  const detector: Detector = detectionThread === null ? levelDetector : createModelDetector(detectionThread);
  return { provider, detector };
}

type Recognition = NonNullable<ReturnType<typeof createRecognition>>;

function createRecognition(models: RecognitionModels) {
  const { english, japanese } = models;
  const languages = [...(english === null ? [] : ['en' as const]), ...(japanese === null ? [] : ['ja' as const])];
  if (languages.length === 0) return null;
  const thread = createRecognitionThread(models);
  const recognizers = new Map<string, Stt>(languages.map((language) => [language, createRecognizer(thread, language)]));
  return { thread, languages, recognizer: (language: string) => recognizers.get(language) ?? null };
}

/** Resolves when everything is loaded, or has failed: then the first call reports why. */
async function preload(
  detection: DetectionThread | null,
  recognition: Recognition | null,
  speaking: SpeakingThread | null,
): Promise<void> {
  const threads = [detection?.load(), speaking?.load()];
  for (const language of recognition?.languages ?? []) {
    await recognition?.recognizer(language)?.load?.();
  }
  await Promise.all(threads);
}

function missingOf(packages: SpeechPackages, programs: SpeakingPrograms): readonly MissingCapability[] {
  const { runtime, detection, english } = packages;
  const missing: [boolean, string, string][] = [
    [runtime === null || detection === null, 'speech detection', installCommand],
    [runtime === null || english === null, 'recognition of English', installCommand],
    [programs.flite === null, 'English voices', installCommand],
    [
      !availableVoices(programs).some(({ languages }) => languages.includes('ja')),
      'a Japanese voice',
      addJapaneseCommand,
    ],
  ];
  return missing.filter(([isMissing]) => isMissing).map(([, capability, command]) => ({ capability, command }));
}
