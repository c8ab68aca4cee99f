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
export class VoiceList {
  private readonly pages: VoicePages;
  private readonly dispatcher: Dispatcher;
  private readonly clock: Clock;
  private known: readonly Voice[] = [];
  private freshUntil = Number.NEGATIVE_INFINITY;
  private reading: Promise<readonly Voice[]> | null = null;

  constructor(pages: VoicePages, dispatcher: Dispatcher, clock: Clock) {
    this.pages = pages;
    this.dispatcher = dispatcher;
    this.clock = clock;
  }

  all(): Promise<readonly Voice[]> {
    if (this.clock.now() < this.freshUntil) return Promise.resolve(this.known);
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async read(): Promise<readonly Voice[]> {
    try {
      this.known = await this.readPages();
      this.freshUntil = this.clock.now() + keptMs;
    } catch {
      this.freshUntil = this.clock.now() + retryMs;
    }
    return this.known;
  }

  private async readPages(): Promise<readonly Voice[]> {
    const { url, headers, read } = this.pages;
    const voices: Voice[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < maxPages; page += 1) {
      const times = { headersTimeout: requestMs, bodyTimeout: requestMs };
      const response = await request(url(cursor), { headers, dispatcher: this.dispatcher, ...times });
      const body = parseForeignJson(await response.body.text()) as Json;
      if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
      const found = read(body);
      voices.push(...found.voices);
      cursor = found.next;
      if (cursor === null) break;
    }
    return voices;
  }
}
