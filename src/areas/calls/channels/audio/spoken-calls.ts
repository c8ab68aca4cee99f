import type { Agent } from '../../../../contract/agents/agent.ts';
import type { MediaFolder } from '../../../../storage/media.ts';
import { CallRecording } from '../../../../voice/audio/call-recording.ts';
import type { Clock } from '../../../../voice/clock.ts';
import { phoneSettingsOf } from '../../../../voice/engines/agent-parts.ts';
import type { SpeechProviders } from '../../../../voice/speech-ports.ts';
import { agentVoice } from '../../../../voice/spoken/agent-voice.ts';
import { callSpeech, loadSpeech } from '../../../../voice/spoken/call-speech.ts';
import { CallerRates } from '../../../../voice/spoken/caller-rates.ts';
import { fixedSentences } from '../../../../voice/spoken/fixed-sentences.ts';
import { SpeechCache } from '../../../../voice/spoken/speech-cache.ts';
import { SpokenSession } from '../../../../voice/spoken/spoken-session.ts';
import type { SpokenSessionParts } from '../../../../voice/spoken/spoken-session-parts.ts';
import { compilePronunciation } from '../../../../voice/text/pronunciation.ts';
import { createSpeakableStage } from '../../../../voice/text/speakable.ts';
import type { LogCallFailure } from '../../record/journal.ts';
import { openRecording } from '../../record/recording-files.ts';
import { recordingFailure } from '../../record/recordings.ts';

/** What a spoken call knows itself: everything except the speech. */
export interface SpokenCallParts
  extends Omit<SpokenSessionParts, 'speech' | 'recording' | 'newStages' | 'fixedSentences'> {
  readonly callId: string;
  /** The file to record to; null: the call is not recorded. */
  readonly recordingName: string | null;
  /** The call goes on without its recording. */
  readonly onRecordingFailed: () => void;
}

/** Assembles the session of a spoken call. */
export type NewSpokenCall = (parts: SpokenCallParts) => SpokenSession;

export interface SpokenCalls {
  readonly create: NewSpokenCall;
  /** Loads the speech that the calls of an agent use. Null if there is nothing to load. */
  load(agent: Agent): Promise<void> | null;
  /**
   * Has the first words spoken before the first call says them: the recording notice, if there is one, and the begin
   * message, which has time until the notice was said. Null if they are, or differ from call to call.
   */
  prepareOpening(agent: Agent, opening: Opening): Promise<void> | null;
}

/** How a call begins. */
export interface Opening {
  /** Samples per second of the agent's audio. */
  readonly rate: number;
  /** Whether the caller is told that the call is recorded, if the agent has a text for it. */
  readonly hasNotice: boolean;
}

type SpokenTexts = Pick<SpokenSessionParts, 'newStages' | 'fixedSentences'>;

/** The sessions of spoken calls, with the speech that their agents choose. What they say in every call is kept for all. */
export function createSpokenCalls(
  clock: Clock,
  speechOf: (workspaceId: string) => SpeechProviders,
  folder: MediaFolder,
  logFailure: LogCallFailure,
): SpokenCalls {
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
  const chosenSpeech = (agent: Agent) => callSpeech(speechOf(agent.workspaceId), agent, cache);
  const create: NewSpokenCall = ({ callId, recordingName, onRecordingFailed, ...parts }) => {
    const { agent, clock, elapsedMs } = parts;
    const speech = chosenSpeech(agent);
    const isSilent = speech.recognizers.length === 0 && speech.tts === null;
    const onFailed = (error: unknown): void => {
      logFailure(callId, recordingFailure, error);
      onRecordingFailed();
    };
    const recording =
      recordingName === null || isSilent
        ? null
        : new CallRecording(clock, openRecording(folder, recordingName), elapsedMs, onFailed);
    return new SpokenSession({ ...parts, ...textsOf(agent), speech, recording });
  };
  return {
    create,
    load: (agent) => loadSpeech(chosenSpeech(agent)),
    prepareOpening: (agent, { rate, hasNotice }) => {
      const { newStages, fixedSentences } = textsOf(agent);
      const speech = chosenSpeech(agent);
      const parts = { clock, agent, speech, fixedSentences, audio: { transport: { rate } } };
      const voice = agentVoice(parts, { callerRates: new CallerRates(), chosen: null, onSwitched: () => {} });
      const notice = hasNotice ? (phoneSettingsOf(agent).recordingNotice ?? '') : '';
      const texts = [notice, agent.beginMessage ?? ''].filter((text) => text !== '');
      const [first = null] = texts.map((text) => {
        const spoken = newStages().reduce((current, stage) => (current === '' ? '' : stage(current)), text);
        return voice?.prepare(spoken) ?? null;
      });
      return first;
    },
  };
}
