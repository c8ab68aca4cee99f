import { WebCallError } from './errors.ts';

/** The part of the Web Speech API that is used here; the types of TypeScript do not have all of it. */
interface Recognizer {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: ((event: { resultIndex: number; results: ArrayLike<RecognitionResult> }) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  abort(): void;
}

interface RecognitionResult extends ArrayLike<{ readonly transcript: string }> {
  readonly isFinal: boolean;
}

/** After these it does not help to start again. */
const fatal: readonly string[] = ['not-allowed', 'service-not-allowed', 'language-not-supported', 'audio-capture'];
/** The browser ends a recognition after some silence. If it ends at once again and again, it does not work. */
const restartMs = 300;
const maxFailures = 5;

export interface RecognitionOptions {
  readonly language: string;
  readonly onWords: (text: string, isFinal: boolean) => void;
  readonly onError: (error: WebCallError) => void;
}

export function hasBrowserRecognition(): boolean {
  return recognizerClass() !== undefined;
}

/** The speech recognition of the browser, which may send the audio to the maker of the browser. */
export class BrowserRecognition {
  readonly #options: RecognitionOptions;
  readonly #recognizer: Recognizer;
  #isWanted = false;
  #isRunning = false;
  #failures = 0;

  constructor(options: RecognitionOptions) {
    const Class = recognizerClass();
    if (Class === undefined) {
      throw new WebCallError('recognition_not_supported', 'This browser has no speech recognition.');
    }
    this.#options = options;
    this.#recognizer = new Class();
    this.#recognizer.lang = options.language;
    this.#recognizer.continuous = true;
    this.#recognizer.interimResults = true;
    this.#recognizer.onresult = ({ resultIndex, results }) => this.#read(Array.from(results).slice(resultIndex));
    this.#recognizer.onerror = ({ error }) => this.#fail(error);
    this.#recognizer.onend = () => {
      this.#isRunning = false;
      if (this.#isWanted) setTimeout(() => this.start(), restartMs);
    };
  }

  start(): void {
    this.#isWanted = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#recognizer.start();
  }

  stop(): void {
    this.#isWanted = false;
    this.#recognizer.abort();
  }

  #read(results: readonly RecognitionResult[]): void {
    // Results that arrive after stop were spoken before it, but the page may show itself as muted already.
    if (!this.#isWanted) return;
    this.#failures = 0;
    let open = '';
    for (const result of results) {
      const text = result[0]?.transcript ?? '';
      if (result.isFinal && text.trim() !== '') this.#options.onWords(text.trim(), true);
      else if (!result.isFinal) open += text;
    }
    if (open.trim() !== '') this.#options.onWords(open.trim(), false);
  }

  #fail(error: string): void {
    if (error === 'no-speech' || error === 'aborted') return;
    this.#failures += 1;
    if (!fatal.includes(error) && this.#failures < maxFailures) return;
    this.#isWanted = false;
    this.#options.onError(
      new WebCallError('recognition_failed', `The browser's speech recognition failed: ${error}.`, { detail: error }),
    );
  }
}

function recognizerClass(): (new () => Recognizer) | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as {
    SpeechRecognition?: new () => Recognizer;
    webkitSpeechRecognition?: new () => Recognizer;
  };
  return SpeechRecognition ?? webkitSpeechRecognition;
}
