import { type Dispatcher, request } from 'undici';
import { parseForeignJson } from '../../../contract/foreign-json.ts';
import type { Clock } from '../../clock.ts';
import type { Voice } from '../../speech-ports.ts';

type Json = Readonly<Record<string, unknown>>;

/** A list that somebody looks at is not asked for again with every look. */
const keptMs = 5 * 60_000;
/** After a failure, so that a provider that is down is not asked all the time. */
const retryMs = 10_000;
/** An utterance whose voice is not known waits for the list. */
const requestMs = 2000;
const maxPages = 10;

export interface VoicePages {
  /** A page after the one that a cursor stands for; null: the first. */
  url(cursor: string | null): string;
  readonly headers: Readonly<Record<string, string>>;
  read(page: Json): { readonly voices: readonly Voice[]; readonly next: string | null };
}

/** The voices of an account, as its provider lists them. What cannot be read now is what was read last, or empty. */
export function createVoiceList(
  pages: VoicePages,
  dispatcher: Dispatcher,
  clock: Clock,
): () => Promise<readonly Voice[]> {
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
