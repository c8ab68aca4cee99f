import { useQuery } from '@tanstack/react-query';
import { hasBrowserRecognition } from '../../../../sdk/src/web/recognition.ts';
import { useClient } from '../../session/use-session.ts';
import { replacedVoice } from '../../speech/replaced-voice.ts';
import { useVoices } from '../../speech/use-voices.ts';
import type { TriedVersion } from '../use-chat.ts';
import { type SpeechSupport, speechSupport, type TriedSettings } from './speech-support.ts';

interface Tried {
  /** Null while they are loaded. */
  readonly settings: TriedSettings | null;
  /** Null while it is not known. */
  readonly support: SpeechSupport | null;
  /** The voice that calls use, if it is another one than the agent's. */
  readonly replaced: string | null;
}

/** How the agent hears and speaks, and whether this service can do that. */
export function useSpeechSupport(agentId: string, version: TriedVersion): Tried {
  const client = useClient();
  const { data: settings } = useQuery({
    queryKey: ['agents', agentId, 'tried', version],
    queryFn: async ({ signal }): Promise<TriedSettings> => {
      const agent = await client.agents.versions.get(agentId, version, { signal });
      const { language, sttProvider, ttsProvider, voiceId } = agent;
      return { language, sttProvider, ttsProvider, voiceId };
    },
  });
  const { data: providers } = useQuery({
    queryKey: ['providers'],
    queryFn: async ({ signal }) => (await client.providers.list({ signal })).items,
  });
  const voices = useVoices(settings?.ttsProvider ?? '', settings?.language ?? '');
  if (settings === undefined) return { settings: null, support: null, replaced: null };
  const support = providers === undefined ? null : speechSupport(providers, settings, hasBrowserRecognition());
  const replaced = providers === undefined ? null : replacedVoice(providers, voices, settings);
  return { settings, support, replaced: replaced?.voiceId ?? null };
}
