import type { Stt, SttEvents, SttStream } from '../speech-ports.ts';
import type { SpeechProvider } from './speech-provider.ts';

/** Recognition in the caller's browser: the page sends words instead of us listening to the audio. */
export class BrowserSttStream implements SttStream {
  readonly #events: SttEvents;
  #isClosed = false;

  constructor(events: SttEvents) {
    this.#events = events;
  }

  /** What the page has recognized: `recognized` of the live protocol. */
  recognized(text: string, isFinal: boolean): void {
    if (this.#isClosed) return;
    if (isFinal) this.#events.final(text, []);
    else this.#events.partial(text);
  }

  write(): void {
    // The page listens to the microphone itself.
  }

  flush(): void {
    // The page sends its finals by itself, and cannot be asked for one: until then the last partial counts.
  }

  close(): void {
    this.#isClosed = true;
  }
}

export const browserStt = {
  name: 'browser',
  hasPartials: true,
  // The words come from a service behind the browser, and over the caller's network.
  waitMs: 1500,
  open: (_, events) => new BrowserSttStream(events),
} satisfies Stt;

/** Never chosen by `auto`: the audio goes to the maker of the browser, which is for the user to decide. */
export const browserProvider: SpeechProvider = {
  name: 'browser',
  configured: true,
  capabilities: ['stt'],
  languages: [],
  isAutomatic: false,
  stt: () => browserStt,
};
