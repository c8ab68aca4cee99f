import { bytesOf } from '../../audio/pcm.ts';
import type { Clock } from '../../clock.ts';
import type { TurnWord } from '../../ports.ts';
import type { Stt, SttEvents, SttOptions, SttStream } from '../../speech-ports.ts';
import { type ProviderAccount, proxyOf, socketUrl } from '../connection/account.ts';
import { keywordsNotApplied, keywordsWithin } from '../connection/keyword-budget.ts';
import { openProviderSocket } from '../connection/provider-socket.ts';
import type { Message } from '../connection/shared-sockets.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { deepgram, deepgramLanguage } from './listing.ts';

/** Twice within the five seconds that a recognizer has to recover. */
const connectMs = 2500;
const model = 'nova-3';
/** https://developers.deepgram.com/docs/keyterm: 500 tokens, and 100 terms at most are recommended. */
const keywordLimits = { words: 100, tokens: 500 };
/** Less than this at the end of the audio gets no answer to `Finalize`. */
const settledMs = 100;

/** Recognition by Deepgram. */
export function createDeepgram(account: ProviderAccount, clock: Clock): SpeechProvider {
  const recognizer = createDeepgramRecognizer(account, clock);
  return {
    ...deepgram,
    configured: true,
    automatic: true,
    stt: (language) => (deepgramLanguage(language) === null ? null : recognizer),
  };
}

/** Streaming recognition: https://developers.deepgram.com/reference/speech-to-text/listen-streaming. */
function createDeepgramRecognizer(account: ProviderAccount, clock: Clock): Stt {
  return {
    name: deepgram.name,
    hasPartials: true,
    waitMs: 1000,
    notApplied: ({ keywords }) => keywordsNotApplied(keywords, keywordLimits),
    open: (options, events) => openStream(account, clock, options, events),
  };
}

function addressOf({ baseUrl }: ProviderAccount, { language, rate, keywords, mode }: SttOptions): string {
  const query = new URLSearchParams({
    model,
    language: deepgramLanguage(language) ?? language,
    encoding: 'linear16',
    sample_rate: String(rate),
    channels: '1',
    interim_results: 'true',
    punctuate: 'true',
    // Turns are ours; its own pauses only decide how early a segment is final. Formatting waits for more of it.
    endpointing: mode === 'fast' ? '100' : '300',
    smart_format: String(mode === 'accurate'),
  });
  for (const keyword of keywordsWithin(keywords, keywordLimits)) query.append('keyterm', keyword);
  return `${socketUrl(baseUrl)}/v1/listen?${query}`;
}

function openStream(account: ProviderAccount, clock: Clock, options: SttOptions, events: SttEvents): SttStream {
  const { apiKey } = account;
  /** How much was written, and how much is final, in milliseconds of the stream. */
  let writtenMs = 0;
  let finalMs = 0;
  /** The same partial arrives several times a second, even while nothing is said. */
  let partial: string | null = null;
  const socket = openProviderSocket(
    {
      provider: deepgram.name,
      url: addressOf(account, options),
      headers: apiKey === null ? {} : { Authorization: `Token ${apiKey}` },
      proxy: proxyOf(account),
      connect: account.connect,
      clock,
      connectMs,
    },
    {
      open: () => {},
      message: (message) => {
        const result = resultOf(message);
        if (result === null) return;
        if (!result.isFinal) {
          if (result.text !== partial) events.partial(result.text, result.startMs);
          partial = result.text;
          return;
        }
        partial = '';
        finalMs = Math.max(finalMs, result.endMs);
        events.final(result.text, result.words, result.endMs);
      },
      failed: ({ detail, isFinal }) => events.failed(detail, isFinal),
    },
  );
  return {
    write(samples) {
      writtenMs += (samples.length * 1000) / options.rate;
      socket.send(bytesOf(samples));
    },
    flush() {
      if (writtenMs - finalMs < settledMs) events.final('', [], finalMs);
      else socket.send('{"type":"Finalize"}');
    },
    keepAlive: () => socket.send('{"type":"KeepAlive"}'),
    close() {
      socket.send('{"type":"CloseStream"}');
      socket.close();
    },
  };
}

/** Null if the message is of another type, or incomplete. */
function resultOf(message: Message) {
  if (message.type !== 'Results') return null;
  const channel = message.channel as
    | { alternatives?: readonly { transcript?: unknown; words?: unknown }[] }
    | undefined;
  const best = channel?.alternatives?.[0];
  const words = Array.isArray(best?.words) ? (best.words as readonly Message[]) : [];
  return {
    isFinal: message.is_final === true || message.from_finalize === true,
    text: typeof best?.transcript === 'string' ? best.transcript : '',
    words: words.map(turnWord),
    startMs: seconds(message.start) * 1000,
    endMs: (seconds(message.start) + seconds(message.duration)) * 1000,
  };
}

function turnWord({ word, punctuated_word: punctuated, start, end, confidence }: Message): TurnWord {
  return {
    text: String(punctuated ?? word ?? ''),
    startMs: Math.round(seconds(start) * 1000),
    endMs: Math.round(seconds(end) * 1000),
    confidence: typeof confidence === 'number' ? confidence : null,
  };
}

function seconds(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
