import type { Clock } from '../../clock.ts';
import type { Voice } from '../../speech-ports.ts';
import { primaryLanguage } from '../../text/language.ts';
import { type ProviderAccount, proxyOf, socketUrl } from '../connection/account.ts';
import { createDispatcher } from '../connection/provider-http.ts';
import { openProviderSocket } from '../connection/provider-socket.ts';
import { SharedSockets } from '../connection/shared-sockets.ts';
import { VoiceList } from '../connection/voice-list.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { elevenLabs } from './listing.ts';
import { contextOf, inactivitySeconds, isFinal } from './messages.ts';
import { createElevenLabsVoice } from './voice.ts';

const connectMs = 3000;
/** George, the voice of the examples in the documentation, which every account has. */
const knownVoice = 'JBFqnCBsd6RMkjVDRZzb';

/** Voices of ElevenLabs. */
export function createElevenLabs(account: ProviderAccount, clock: Clock): SpeechProvider {
  const headers: Record<string, string> = account.apiKey === null ? {} : { 'xi-api-key': account.apiKey };
  const dispatcher = createDispatcher(account);
  const sockets = new SharedSockets({
    clock,
    connect: (url, events) =>
      openProviderSocket(
        { provider: elevenLabs.name, url, headers, proxy: proxyOf(account), clock, connectMs },
        events,
      ),
    // Five are allowed. Unrelated speech at the same time is not what they are meant for.
    maxStreams: 4,
    maxLive: 1,
    idleMs: (inactivitySeconds - 10) * 1000,
    streamOf: contextOf,
    isLast: isFinal,
  });
  const list = new VoiceList(
    { url: (cursor) => voicesUrl(account.baseUrl, cursor), headers, read: readVoices },
    dispatcher,
    clock,
  );
  const voice = createElevenLabsVoice({
    sockets,
    base: socketUrl(account.baseUrl),
    defaultVoice: async (language) => defaultVoice(await list.all(), language),
  });
  return {
    ...elevenLabs,
    configured: true,
    automatic: true,
    tts: (language) => (elevenLabs.languages.includes(primaryLanguage(language)) ? voice : null),
    voices: () => list.all(),
    close: async () => {
      sockets.close();
      await dispatcher.destroy();
    },
  };
}

function defaultVoice(voices: readonly Voice[], language: string): string {
  const spoken = voices.filter(({ languages: each }) => each.includes(primaryLanguage(language)));
  return (spoken[0] ?? voices[0])?.voiceId ?? knownVoice;
}

/** https://elevenlabs.io/docs/api-reference/voices/search. */
function voicesUrl(baseUrl: string, cursor: string | null): string {
  const query = new URLSearchParams({ page_size: '100', include_total_count: 'false' });
  if (cursor !== null) query.set('next_page_token', cursor);
  return `${baseUrl}/v2/voices?${query}`;
}

interface WireVoice {
  readonly voice_id?: unknown;
  readonly name?: unknown;
  readonly verified_languages?: readonly { readonly language?: unknown }[] | null;
}

function readVoices(page: Readonly<Record<string, unknown>>) {
  const voices = (Array.isArray(page.voices) ? (page.voices as WireVoice[]) : []).flatMap((voice) => {
    if (typeof voice.voice_id !== 'string') return [];
    const verified = (voice.verified_languages ?? []).flatMap(({ language }) =>
      typeof language === 'string' ? [language] : [],
    );
    const name = typeof voice.name === 'string' ? voice.name : voice.voice_id;
    // Those without a language that was verified speak all of them.
    return [
      {
        provider: elevenLabs.name,
        voiceId: voice.voice_id,
        name: name.slice(0, 255),
        languages: [...new Set(verified)],
      },
    ];
  });
  const next = page.has_more === true && typeof page.next_page_token === 'string' ? page.next_page_token : null;
  return { voices, next };
}
