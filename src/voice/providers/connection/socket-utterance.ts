import { randomUUID } from 'node:crypto';
import type { TtsEvents, TtsOptions, TtsStream } from '../../speech-ports.ts';
import { PcmReader } from './pcm-reader.ts';
import type { SharedSockets, SharedStream } from './shared-sockets.ts';
import { SpokenText } from './spoken-text.ts';

export type Message = Readonly<Record<string, unknown>>;

export interface UtteranceParts {
  readonly sockets: SharedSockets;
  /** For a voice that is none of this provider. */
  defaultVoice(language: string): Promise<string>;
}

interface UtteranceOptions extends TtsOptions {
  /** At which the provider sends. */
  readonly sentRate: number;
  /** Whether the provider may have the voice. */
  readonly isKnownVoice: boolean;
}

/** One utterance of a provider that says several over one socket. The providers differ in their messages. */
export abstract class SocketUtterance implements TtsStream {
  protected readonly id = randomUUID();
  protected readonly events: TtsEvents;
  protected readonly options: TtsOptions;
  protected readonly spoken = new SpokenText();
  readonly #sockets: SharedSockets;
  readonly #pcm: PcmReader;
  #stream: SharedStream | null = null;
  /** What is said before the voice is known. */
  readonly #waiting: { readonly text: string; readonly isLast: boolean }[] = [];
  #isOver = false;

  constructor(parts: UtteranceParts, options: UtteranceOptions, events: TtsEvents) {
    this.options = options;
    this.events = events;
    this.#sockets = parts.sockets;
    this.#pcm = new PcmReader(options.sentRate, options.rate);
    const { voiceId, language, isKnownVoice } = options;
    // Not before the constructor of the provider's class is done.
    const voice = isKnownVoice ? Promise.resolve(voiceId) : parts.defaultVoice(language);
    void voice.then((known) => this.#start(known));
  }

  /** Where to connect for this voice. */
  protected abstract urlFor(voiceId: string): string;
  /** What comes before the first text. */
  protected abstract startMessages(): readonly Message[];
  protected abstract textMessages(text: string, isLast: boolean): readonly Message[];
  protected abstract cancelMessage(): Message;
  protected abstract receive(message: Message): void;

  say(text: string, isLast: boolean): void {
    if (this.#stream === null) this.#waiting.push({ text, isLast });
    else this.#send(this.#stream, text, isLast);
  }

  cancel(): void {
    this.#isOver = true;
    this.#stream?.cancel(this.cancelMessage());
  }

  /** Returns how many samples it has. */
  protected audio(base64: string): number {
    const samples = this.#pcm.read(Buffer.from(base64, 'base64'));
    this.events.audio(samples);
    return samples.length;
  }

  protected finish(): void {
    this.#isOver = true;
    const rest = this.#pcm.end();
    if (rest.length > 0) this.events.audio(rest);
    this.events.done();
  }

  protected fail(detail: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.events.failed(detail);
  }

  #start(voiceId: string): void {
    if (this.#isOver) return;
    const stream = this.#sockets.open(this.urlFor(voiceId), this.id, {
      message: (message) => {
        if (!this.#isOver) this.receive(message);
      },
      failed: ({ detail }) => this.fail(detail),
    });
    this.#stream = stream;
    for (const message of this.startMessages()) stream.send(message);
    for (const { text, isLast } of this.#waiting.splice(0)) this.#send(stream, text, isLast);
  }

  #send(stream: SharedStream, text: string, isLast: boolean): void {
    this.spoken.add(text);
    for (const message of this.textMessages(text, isLast)) stream.send(message);
  }
}
