import { useQuery } from '@tanstack/react-query';
import { hasBrowserRecognition } from '../../../../sdk/src/web/recognition.ts';
import { useClient } from '../../session/use-session.ts';
import type { TriedVersion } from '../use-chat.ts';
import { type SpeechSettings, type SpeechSupport, speechSupport } from './speech-support.ts';

interface Tried {
  /** Null while they are loaded. */
  readonly settings: SpeechSettings | null;
  /** Null while it is not known. */
  readonly support: SpeechSupport | null;
}

/** How the agent hears and speaks, and whether this service can do that. */
export function useSpeechSupport(agentId: string, version: TriedVersion): Tried {
  const client = useClient();
  const { data: settings } = useQuery({
    queryKey: ['agents', agentId, 'tried', version],
    queryFn: async ({ signal }): Promise<SpeechSettings> => {
      const agent = await client.agents.versions.get(agentId, version, { signal });
      return { language: agent.language, sttProvider: agent.sttProvider, ttsProvider: agent.ttsProvider };
    },
  });
  const { data: providers } = useQuery({
    queryKey: ['providers'],
    queryFn: async ({ signal }) => (await client.providers.list({ signal })).items,
  });
  if (settings === undefined) return { settings: null, support: null };
  const support = providers === undefined ? null : speechSupport(providers, settings, hasBrowserRecognition());
  return { settings, support };
}
