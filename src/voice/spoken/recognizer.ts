import type { CallConditions } from '../policy.ts';
import { testProviderName } from '../providers/test/test-speech.ts';
import type { Stt } from '../speech-ports.ts';

/** What the turn machine has to know about the recognizer. */
export function recognizerOf(stt: Stt | undefined, isRecognizedByCaller: boolean): CallConditions['recognizer'] {
  if (stt !== undefined) {
    return { hasPartials: stt.hasPartials, waitMs: stt.waitMs, hasEcho: stt.name !== testProviderName };
  }
  // Words of a browser come from a service behind it, and over the caller's network.
  return { hasPartials: true, waitMs: 1500, hasEcho: isRecognizedByCaller };
}
