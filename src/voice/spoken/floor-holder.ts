import type { Circumstances } from '../policy.ts';
import { testProviderName } from '../providers/test/test-speech.ts';
import type { Stt } from '../speech-ports.ts';
import type { State } from '../turn/events.ts';

export type FloorHolder = 'caller' | 'agent' | 'none';

/** Who may speak, for the caller's side. */
export function floorOf(state: State): FloorHolder {
  switch (state) {
    case 'caller':
    case 'endpoint':
      return 'caller';
    case 'agent':
    case 'overlap':
    case 'held':
    case 'closing':
      return 'agent';
    default:
      return 'none';
  }
}

/** What the turn machine has to know about the recognizer. */
export function recognizerOf(stt: Stt | undefined, isRecognizedByCaller: boolean): Circumstances['recognizer'] {
  if (stt !== undefined) {
    return { hasPartials: stt.hasPartials, waitMs: stt.waitMs, hasEcho: stt.name !== testProviderName };
  }
  // Words of a browser come from a service behind it, and over the caller's network.
  return { hasPartials: true, waitMs: 1500, hasEcho: isRecognizedByCaller };
}
