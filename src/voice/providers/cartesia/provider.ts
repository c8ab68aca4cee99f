import type { Clock } from '../../clock.ts';
import { primaryLanguage } from '../../text/language.ts';
import type { ProviderAccount } from '../connection/account.ts';
import type { Message } from '../connection/shared-sockets.ts';
import {
  createSocketVoices,
  listedVoice,
  type Utterance,
  type UtteranceMessages,
} from '../connection/socket-voices.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { cartesia } from './listing.ts';
import { apiVersion, contextOf, isLast, rates, requestFor, supportFor, wordEnds } from './messages.ts';

/** Five minutes without use close a connection: https://docs.cartesia.ai/use-the-api/concurrency-limits-and-timeouts. */
const idleMs = 4 * 60_000;
/** The documentation recommends one connection for dozens of utterances. */
const maxStreams = 24;
/** Tessa, a voice of the examples in the documentation. */
const knownVoice = '6ccbfb76-1fc6-48f7-b71d-91ac6298247b';

/** Voices of Cartesia. */
export function createCartesia(account: ProviderAccount, clock: Clock): SpeechProvider {
  const { apiKey, baseUrl } = account;
  return createSocketVoices(
    {
      listing: cartesia,
      headers: {
        'Cartesia-Version': apiVersion,
        ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
      },
      streams: { maxStreams, maxLive: maxStreams, idleMs, streamOf: contextOf, isLast },
      pages: { url: (cursor) => voicesUrl(baseUrl, cursor), read: readVoices },
      rates,
      supportFor,
      defaultVoice: (voices, language) => {
        const spoken = voices.find(({ languages }) =>
          languages.map(primaryLanguage).includes(primaryLanguage(language)),
        );
        return spoken?.voiceId ?? knownVoice;
      },
      utterance: messagesOf,
    },
    account,
    clock,
  );
}

function messagesOf(utterance: Utterance): UtteranceMessages {
  const { id, base, spoken, audio, mark, finish, fail } = utterance;
  const request = requestFor(utterance);
  return {
    url: `${base}/tts/websocket`,
    start: [],
    // An empty text is only allowed at the end, where it says that nothing follows.
    text: (text, isEnd) => (text.trim() === '' && !isEnd ? [] : [{ ...request, transcript: text, continue: !isEnd }]),
    cancel: { context_id: id, cancel: true },
    receive(message) {
      switch (message.type) {
        case 'chunk':
          if (typeof message.data === 'string') audio(message.data);
          return;
        case 'timestamps':
          for (const { word, endMs } of wordEnds(message)) {
            const characters = spoken.advance(word);
            if (characters !== null) mark(characters, endMs);
          }
          return;
        case 'error':
          return fail(
            `HTTP ${typeof message.status_code === 'number' ? message.status_code : 500} of ${cartesia.name}`,
          );
        case 'done':
          return finish();
      }
    },
  };
}

/** https://docs.cartesia.ai/api-reference/voices/list. */
function voicesUrl(baseUrl: string, cursor: string | null): string {
  const query = new URLSearchParams({ limit: '100' });
  if (cursor !== null) query.set('starting_after', cursor);
  return `${baseUrl}/voices?${query}`;
}

function readVoices(page: Message) {
  const voices = (Array.isArray(page.data) ? (page.data as Message[]) : []).flatMap(({ id, name, language }) =>
    listedVoice(cartesia, id, name, typeof language === 'string' ? [language.replaceAll('_', '-')] : []),
  );
  // The id of the last one is where the next page starts.
  return { voices, next: page.has_more === true ? (voices.at(-1)?.voiceId ?? null) : null };
}
