import { randomUUID } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import { parseForeignJson } from '../../../contract/foreign-json.ts';
import type { Clock } from '../../clock.ts';
import type { TtsEvents, TtsOptions, TtsStream, Voice } from '../../speech-ports.ts';
import { primaryLanguage } from '../../text/language.ts';
import type { ProviderListing, SpeechProvider } from '../speech-provider.ts';
import { type ProviderAccount, proxyOf, socketUrl } from './account.ts';
import { createPcmReader } from './pcm-reader.ts';
import { createDispatcher } from './provider-http.ts';
import { openProviderSocket } from './provider-socket.ts';
import { type Message, SharedSockets, type SharedSocketsOptions, type SharedStream } from './shared-sockets.ts';
import { type VoiceSupport, voiceNotApplied } from './voice-options.ts';

/** What providers differ in that say several utterances over one socket. */
export interface SocketVoices {
  readonly listing: ProviderListing;
  readonly headers: Readonly<Record<string, string>>;
  readonly streams: Omit<SharedSocketsOptions, 'clock' | 'connect'>;
  readonly pages: Omit<VoicePages, 'headers'>;
  /** The rates at which it can send. */
  readonly rates: readonly number[];
  supportFor(options: TtsOptions): VoiceSupport;
  /** For a voice that is none of this provider. */
  defaultVoice(voices: readonly Voice[], language: string): string;
  utterance(utterance: Utterance): UtteranceMessages;
}

/** One utterance, whose voice is known. */
export interface Utterance {
  readonly id: string;
  readonly voiceId: string;
  readonly options: TtsOptions;
  /** `wss://…` */
  readonly base: string;
  /** At which the provider is to send. */
  readonly sentRate: number;
  readonly spoken: SpokenText;
  /** Returns how many samples it has. */
  audio(base64: string): number;
  /** The first characters are spoken `ms` after the sample, which is 0 for the start of the utterance. */
  mark(characters: number, ms: number, sample?: number): void;
  finish(): void;
  fail(detail: string): void;
}

export interface UtteranceMessages {
  readonly url: string;
  /** What comes before the first text. */
  readonly start: readonly Message[];
  text(text: string, isLast: boolean): readonly Message[];
  readonly cancel: Message;
  receive(message: Message): void;
}

const connectMs = 3000;
const defaultRate = 24_000;

export function createSocketVoices(own: SocketVoices, account: ProviderAccount, clock: Clock): SpeechProvider {
  const { listing, headers } = own;
  const dispatcher = createDispatcher(account);
  const { connect, accountId = '' } = account;
  const connection = { provider: listing.name, headers, proxy: proxyOf(account), connect, clock, connectMs };
  const sockets = new SharedSockets({
    ...own.streams,
    clock,
    connect: (url, events) => openProviderSocket({ ...connection, url }, events),
  });
  const allVoices = createVoiceList({ ...own.pages, headers }, dispatcher, clock);
  const base = socketUrl(account.baseUrl);
  const voice = {
    name: listing.name,
    accountId,
    notApplied: (options: TtsOptions) => voiceNotApplied(options, own.supportFor(options)),
    open: (options: TtsOptions, events: TtsEvents) => {
      const { voiceId, language } = options;
      const known = own.supportFor(options).hasVoice
        ? Promise.resolve(voiceId)
        : allVoices().then((voices) => own.defaultVoice(voices, language));
      return openUtterance(own, sockets, { base, known, options, events });
    },
  };
  return {
    ...listing,
    configured: true,
    automatic: true,
    tts: (language) => (listing.languages.includes(primaryLanguage(language)) ? voice : null),
    voices: allVoices,
    close: async () => {
      sockets.close();
      await dispatcher.destroy();
    },
  };
}

interface Opening extends Pick<Utterance, 'base' | 'options'> {
  /** The id of the voice. */
  readonly known: Promise<string>;
  readonly events: TtsEvents;
}

function openUtterance(own: SocketVoices, sockets: SharedSockets, opening: Opening): TtsStream {
  const { base, known, options, events } = opening;
  const id = randomUUID();
  const sentRate = own.rates.includes(options.rate) ? options.rate : defaultRate;
  const pcm = createPcmReader(sentRate, options.rate);
  const spoken = createSpokenText();
  let open: { readonly stream: SharedStream; readonly messages: UtteranceMessages } | null = null;
  /** What is said before the voice is known. */
  const waiting: Parameters<TtsStream['say']>[] = [];
  let isOver = false;
  const fail = (detail: string): void => {
    if (isOver) return;
    isOver = true;
    events.failed(detail);
  };
  const say: TtsStream['say'] = (text, isLast) => {
    if (open === null) {
      waiting.push([text, isLast]);
      return;
    }
    spoken.add(text);
    for (const message of open.messages.text(text, isLast)) open.stream.send(message);
  };
  const utterance = {
    ...{ id, options, base, sentRate, spoken, fail },
    audio: (base64: string) => {
      const samples = pcm.read(Buffer.from(base64, 'base64'));
      events.audio(samples);
      return samples.length;
    },
    mark: (characters: number, ms: number, sample = 0) =>
      events.mark?.(characters, sample + Math.round((ms * options.rate) / 1000)),
    finish: () => {
      isOver = true;
      const rest = pcm.end();
      if (rest.length > 0) events.audio(rest);
      events.done();
    },
  };
  void known.then((voiceId) => {
    if (isOver) return;
    const messages = own.utterance({ ...utterance, voiceId });
    const stream = sockets.open(messages.url, id, {
      message: (message) => {
        if (!isOver) messages.receive(message);
      },
      failed: ({ detail }) => fail(detail),
    });
    open = { stream, messages };
    for (const message of messages.start) stream.send(message);
    for (const words of waiting.splice(0)) say(...words);
  });
  return {
    say,
    cancel: () => {
      isOver = true;
      open?.stream.cancel(open.messages.cancel);
    },
  };
}

/** A voice as a provider lists it; none without an id. */
export function listedVoice(
  { name: provider }: ProviderListing,
  id: unknown,
  name: unknown,
  languages: readonly string[],
): Voice[] {
  if (typeof id !== 'string') return [];
  return [{ provider, voiceId: id, name: typeof name === 'string' ? name.slice(0, 255) : id, languages }];
}

/** Longer than a space, punctuation and a number that is spoken differently. */
const maxSkipped = 20;

type SpokenText = ReturnType<typeof createSpokenText>;

/** Where in the text the voice is, for voices that name the words or characters that they have said. */
function createSpokenText() {
  let spoken = '';
  let position = 0;
  return {
    add: (text: string): void => {
      spoken += text;
    },
    /**
     * The characters up to the end of this word, or null if it is not the next one: voices write numbers and symbols out.
     * A word further on is found, too, unless it may be another of the same.
     */
    advance: (word: string): number | null => {
      const wanted = word.trim();
      if (wanted === '') return null;
      const found = spoken.indexOf(wanted, position);
      if (found < 0 || found - position > maxSkipped) return null;
      position = found + wanted.length;
      return position;
    },
  };
}

type Json = Readonly<Record<string, unknown>>;

/** A list that somebody looks at is not asked for again with every look. */
const keptMs = 5 * 60_000;
/** After a failure, so that a provider that is down is not asked all the time. */
const retryMs = 10_000;
/** An utterance whose voice is not known waits for the list. */
const requestMs = 2000;
const maxPages = 10;

interface VoicePages {
  /** A page after the one that a cursor stands for; null: the first. */
  url(cursor: string | null): string;
  readonly headers: Readonly<Record<string, string>>;
  read(page: Json): { readonly voices: readonly Voice[]; readonly next: string | null };
}

/** The voices of an account, as its provider lists them. What cannot be read now is what was read last, or empty. */
function createVoiceList(pages: VoicePages, dispatcher: Dispatcher, clock: Clock): () => Promise<readonly Voice[]> {
  let known: readonly Voice[] = [];
  let freshUntil = Number.NEGATIVE_INFINITY;
  let reading: Promise<readonly Voice[]> | null = null;
  const read = async (): Promise<readonly Voice[]> => {
    try {
      known = await readPages(pages, dispatcher);
      freshUntil = clock.now() + keptMs;
    } catch {
      freshUntil = clock.now() + retryMs;
    }
    reading = null;
    return known;
  };
  return async () => {
    if (clock.now() < freshUntil) return known;
    reading ??= read();
    return reading;
  };
}

async function readPages({ url, headers, read }: VoicePages, dispatcher: Dispatcher): Promise<readonly Voice[]> {
  const voices: Voice[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const times = { headersTimeout: requestMs, bodyTimeout: requestMs };
    const response = await request(url(cursor), { headers, dispatcher, ...times });
    const body = parseForeignJson(await response.body.text()) as Json;
    if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
    const found = read(body);
    voices.push(...found.voices);
    cursor = found.next;
    if (cursor === null) break;
  }
  return voices;
}
