import type { Agent } from '../../../contract/agent.ts';
import type { MediaStore } from '../../../storage/media.ts';
import { CallRecording } from '../../../voice/audio/call-recording.ts';
import type { SpeechProviders } from '../../../voice/speech-ports.ts';
import { callSpeech } from '../../../voice/spoken/call-speech.ts';
import { fixedSentences } from '../../../voice/spoken/fixed-sentences.ts';
import { SpeechCache } from '../../../voice/spoken/speech-cache.ts';
import { SpokenSession } from '../../../voice/spoken/spoken-session.ts';
import type { SpokenSessionParts } from '../../../voice/spoken/spoken-session-parts.ts';
import { compilePronunciation } from '../../../voice/text/pronunciation.ts';
import { createSpeakableStage } from '../../../voice/text/speakable.ts';
import { openRecording } from '../recording-files.ts';
import { recordingFailure } from '../recordings.ts';
import type { LogCallFailure } from './call-log.ts';

/** What a web call knows itself: everything except the speech. */
export interface SpokenCallParts
  extends Omit<SpokenSessionParts, 'speech' | 'recording' | 'newStages' | 'fixedSentences'> {
  readonly callId: string;
  /** The file of the media store to record to; null: the call is not recorded. */
  readonly recordingName: string | null;
  /** The call goes on without its recording. */
  readonly onRecordingFailed: () => void;
}

/** Assembles the session of a web call. */
export type NewSpokenCall = (parts: SpokenCallParts) => SpokenSession;

type SpokenTexts = Pick<SpokenSessionParts, 'newStages' | 'fixedSentences'>;

/** The sessions of web calls, with the speech that their agents choose. What they say in every call is kept for all. */
export function createSpokenCalls(
  providers: SpeechProviders,
  media: MediaStore,
  logFailure: LogCallFailure,
): NewSpokenCall {
  const cache = new SpeechCache();
  const known = new WeakMap<Agent, SpokenTexts>();
  const textsOf = (agent: Agent): SpokenTexts => {
    const found = known.get(agent);
    if (found !== undefined) return found;
    const pronounce = compilePronunciation(agent.pronunciationDictionary ?? []);
    const newStages = () => [createSpeakableStage(agent.language), pronounce];
    const texts = { newStages, fixedSentences: fixedSentences(agent, newStages) };
    known.set(agent, texts);
    return texts;
  };
  return ({ callId, recordingName, onRecordingFailed, ...parts }) => {
    const { agent, clock, elapsedMs } = parts;
    const speech = callSpeech(providers, agent, cache);
    const isSilent = speech.recognizers.length === 0 && speech.tts === null;
    const onFailed = (error: unknown): void => {
      logFailure(callId, recordingFailure, error);
      onRecordingFailed();
    };
    const recording =
      recordingName === null || isSilent
        ? null
        : new CallRecording(clock, openRecording(media, recordingName), elapsedMs, onFailed);
    return new SpokenSession({ ...parts, ...textsOf(agent), speech, recording });
  };
}
