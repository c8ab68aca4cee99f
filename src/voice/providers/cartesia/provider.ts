import type { Clock } from '../../clock.ts';
import type { Voice } from '../../speech-ports.ts';
import { primaryLanguage } from '../../text/language.ts';
import { type ProviderAccount, proxyOf, socketUrl } from '../connection/account.ts';
import { createDispatcher } from '../connection/provider-http.ts';
import { openProviderSocket } from '../connection/provider-socket.ts';
import { SharedSockets } from '../connection/shared-sockets.ts';
import { VoiceList } from '../connection/voice-list.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { cartesia } from './listing.ts';
import { apiVersion, contextOf, isLast } from './messages.ts';
import { createCartesiaVoice } from './voice.ts';

const connectMs = 3000;
/** Five minutes without use close a connection: https://docs.cartesia.ai/use-the-api/concurrency-limits-and-timeouts. */
const idleMs = 4 * 60_000;
/** The documentation recommends one connection for dozens of utterances. */
const maxStreams = 24;
/** Tessa, a voice of the examples in the documentation. */
const knownVoice = '6ccbfb76-1fc6-48f7-b71d-91ac6298247b';

/** Voices of Cartesia. */
export function createCartesia(account: ProviderAccount, clock: Clock): SpeechProvider {
  const { apiKey, baseUrl } = account;
  const headers: Record<string, string> = {
    'Cartesia-Version': apiVersion,
    ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
  };
  const dispatcher = createDispatcher(account);
  const sockets = new SharedSockets({
    clock,
    connect: (url, events) =>
      openProviderSocket({ provider: cartesia.name, url, headers, proxy: proxyOf(account), clock, connectMs }, events),
    maxStreams,
    maxLive: maxStreams,
    idleMs,
    streamOf: contextOf,
    isLast,
  });
  const list = new VoiceList(
    { url: (cursor) => voicesUrl(baseUrl, cursor), headers, read: readVoices },
    dispatcher,
    clock,
  );
  const voice = createCartesiaVoice({
    sockets,
    url: `${socketUrl(baseUrl)}/tts/websocket`,
    defaultVoice: async (language) => defaultVoice(await list.all(), language),
  });
  return {
    ...cartesia,
    configured: true,
    automatic: true,
    tts: (language) => (cartesia.languages.includes(primaryLanguage(language)) ? voice : null),
    voices: () => list.all(),
    close: async () => {
      sockets.close();
      await dispatcher.destroy();
    },
  };
}

function defaultVoice(voices: readonly Voice[], language: string): string {
  const spoken = voices.find(({ languages: each }) => each.map(primaryLanguage).includes(primaryLanguage(language)));
  return spoken?.voiceId ?? knownVoice;
}

/** https://docs.cartesia.ai/api-reference/voices/list. */
function voicesUrl(baseUrl: string, cursor: string | null): string {
  const query = new URLSearchParams({ limit: '100' });
  if (cursor !== null) query.set('starting_after', cursor);
  return `${baseUrl}/voices?${query}`;
}

interface WireVoice {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly language?: unknown;
}

function readVoices(page: Readonly<Record<string, unknown>>) {
  const voices = (Array.isArray(page.data) ? (page.data as WireVoice[]) : []).flatMap(({ id, name, language }) =>
    typeof id === 'string'
      ? [
          {
            provider: cartesia.name,
            voiceId: id,
            name: typeof name === 'string' ? name.slice(0, 255) : id,
            languages: typeof language === 'string' ? [language.replaceAll('_', '-')] : [],
          },
        ]
      : [],
  );
  // The id of the last one is where the next page starts.
  return { voices, next: page.has_more === true ? (voices.at(-1)?.voiceId ?? null) : null };
}
