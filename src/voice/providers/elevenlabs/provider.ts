import type { Clock } from '../../clock.ts';
import { primaryLanguage } from '../../text/language.ts';
import type { ProviderAccount } from '../connection/account.ts';
import {
  createSocketVoices,
  listedVoice,
  type Utterance,
  type UtteranceMessages,
} from '../connection/socket-voices.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { elevenLabs } from './listing.ts';
import {
  type Alignment,
  alignmentOf,
  contextOf,
  inactivitySeconds,
  isFinal,
  rates,
  startMessage,
  streamUrl,
  supportFor,
} from './messages.ts';

/** George, the voice of the examples in the documentation, which every account has. */
const knownVoice = 'JBFqnCBsd6RMkjVDRZzb';

/** Voices of ElevenLabs. */
export function createElevenLabs(account: ProviderAccount, clock: Clock): SpeechProvider {
  return createSocketVoices(
    {
      listing: elevenLabs,
      headers: account.apiKey === null ? {} : { 'xi-api-key': account.apiKey },
      streams: {
        // Five are allowed. Unrelated speech at the same time is not what they are meant for.
        maxStreams: 4,
        maxLive: 1,
        idleMs: (inactivitySeconds - 10) * 1000,
        streamOf: contextOf,
        isLast: isFinal,
      },
      pages: { url: (cursor) => voicesUrl(account.baseUrl, cursor), read: readVoices },
      rates,
      supportFor,
      defaultVoice: (voices, language) => {
        const spoken = voices.find(({ languages }) => languages.includes(primaryLanguage(language)));
        return (spoken ?? voices[0])?.voiceId ?? knownVoice;
      },
      utterance: messagesOf,
    },
    account,
    clock,
  );
}

function messagesOf(utterance: Utterance): UtteranceMessages {
  const { id, audio, finish, fail } = utterance;
  // What was flushed is still said.
  const close = { context_id: id, close_context: true };
  let samples = 0;
  return {
    url: streamUrl(utterance),
    start: [startMessage(utterance)],
    text: (text, isLast) => [
      ...(text.trim() === '' ? [] : [{ text: `${text.trim()} `, context_id: id, flush: true }]),
      ...(isLast ? [close] : []),
    ],
    cancel: close,
    receive(message) {
      if (message.error !== undefined) return fail(`${elevenLabs.name} reported an error`);
      if (typeof message.audio === 'string' && message.audio !== '') {
        mark(utterance, alignmentOf(message), samples);
        samples += audio(message.audio);
      }
      if (message.isFinal === true || message.is_final === true) finish();
    },
  };
}

/** At the ends of words and clauses: more of them would not be more exact. `sample`: where the chunk starts. */
function mark({ spoken, mark: report }: Utterance, alignment: Alignment | null, sample: number): void {
  const { chars, starts, durations } = alignment ?? { chars: [], starts: [], durations: [] };
  for (const [index, char] of chars.entries()) {
    const characters = spoken.advance(char);
    const isEnd = index === chars.length - 1 || /[\s\p{P}]/u.test(chars[index + 1] ?? '');
    const endMs = (starts[index] ?? 0) + (durations[index] ?? 0);
    if (characters !== null && isEnd && Number.isFinite(endMs)) report(characters, endMs, sample);
  }
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
    const verified = (voice.verified_languages ?? []).map(({ language }) => language);
    // Voices without a verified language speak all of them.
    const languages = [...new Set(verified)].filter((language) => typeof language === 'string');
    return listedVoice(elevenLabs, voice.voice_id, voice.name, languages);
  });
  const next = page.has_more === true && typeof page.next_page_token === 'string' ? page.next_page_token : null;
  return { voices, next };
}
