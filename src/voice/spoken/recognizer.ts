import type { CallConditions, NotApplied } from '../policy.ts';
import { isLineRate } from '../providers/test/frames.ts';
import { createTestDetector, testProviderName } from '../providers/test/test-speech.ts';
import type { Detector, Stt, SttOptions } from '../speech-ports.ts';
import { hearingRate } from './call-rates.ts';
import type { SpokenSessionParts } from './spoken-session-parts.ts';

/** How the caller is heard. */
export interface Recognition {
  readonly options: SttOptions;
  readonly detector: Detector;
  /** Whether this is test speech on a phone line, which must not be resampled. */
  readonly isLineTest: boolean;
  /** What the first recognizer cannot honor. */
  readonly notApplied: readonly NotApplied[];
}

export function recognitionOf({ agent, keywords, speech, audio }: SpokenSessionParts): Recognition {
  const [first] = speech.recognizers;
  const isTest = first?.name === testProviderName;
  const isLineTest = isTest && isLineRate(audio.inputRate);
  const rate = isLineTest ? audio.inputRate : hearingRate;
  const options = { language: agent.language, rate, keywords, mode: agent.sttMode };
  return {
    options,
    detector: isTest ? createTestDetector() : speech.detector,
    isLineTest,
    notApplied: first?.notApplied?.(options) ?? [],
  };
}

/** What the turn machine has to know about the recognizer. */
export function recognizerOf(stt: Stt | undefined, isRecognizedByCaller: boolean): CallConditions['recognizer'] {
  if (stt !== undefined) {
    return { hasPartials: stt.hasPartials, waitMs: stt.waitMs, hasEcho: stt.name !== testProviderName };
  }
  // Words of a browser come from a service behind it, and over the caller's network.
  return { hasPartials: true, waitMs: 1500, hasEcho: isRecognizedByCaller };
}
