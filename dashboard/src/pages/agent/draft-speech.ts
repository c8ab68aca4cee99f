import { createContext, useContext, useMemo } from 'react';
import type { Values } from './values.ts';

/** What decides which voices a draft can have, and how they sound. */
export interface DraftSpeech {
  readonly provider: string;
  readonly language: string;
  readonly model: string | null;
  readonly speed: number;
  readonly emotion: string | null;
}

const unknown: DraftSpeech = { provider: 'auto', language: '', model: null, speed: 1, emotion: null };

export const DraftSpeechContext = createContext<DraftSpeech>(unknown);

export function useDraftSpeech(): DraftSpeech {
  return useContext(DraftSpeechContext);
}

/** Changes only if one of them does: rows that do not depend on them are not rendered again. */
export function useDraftSpeechOf(values: Values): DraftSpeech {
  const { ttsProvider, language, voiceModel, voiceSpeed, voiceEmotion } = values;
  return useMemo(
    () => ({
      provider: typeof ttsProvider === 'string' && ttsProvider !== '' ? ttsProvider : 'auto',
      language: typeof language === 'string' ? language : '',
      model: typeof voiceModel === 'string' && voiceModel !== '' ? voiceModel : null,
      speed: typeof voiceSpeed === 'number' ? voiceSpeed : 1,
      emotion: typeof voiceEmotion === 'string' ? voiceEmotion : null,
    }),
    [ttsProvider, language, voiceModel, voiceSpeed, voiceEmotion],
  );
}
