import type { SessionMemory } from '../session-parts.ts';
import type { ChosenVoice } from './call-voice.ts';

/** What a spoken session has learned, for the next one of the call. */
export interface SpokenMemory extends SessionMemory {
  /** Null: nothing is spoken. */
  readonly voice: ChosenVoice | null;
  /** The speaking rates of the caller's last turns: see `CallerRates`. */
  readonly callerRates: readonly number[];
  readonly isRecordingPaused: boolean;
}
