import { randomUUID } from 'node:crypto';
import type { Tts, TtsEvents, TtsOptions, TtsStream } from '../../speech-ports.ts';
import { PcmReader } from '../connection/pcm-reader.ts';
import type { SharedSockets, SharedStream } from '../connection/shared-sockets.ts';
import { SpokenText } from '../connection/spoken-text.ts';
import { voiceNotApplied } from '../connection/voice-options.ts';
import { cartesia } from './listing.ts';
import { cancelMessage, isVoiceId, requestFor, sentRate, supportFor, wordEnds } from './messages.ts';

type Message = Readonly<Record<string, unknown>>;

interface VoiceParts {
  readonly sockets: SharedSockets;
  readonly url: string;
  /** For a voice that is none of this provider. */
  defaultVoice(language: string): Promise<string>;
}

export function createCartesiaVoice(parts: VoiceParts): Tts {
  return {
    name: cartesia.name,
    notApplied: (options) => voiceNotApplied(options, supportFor(options)),
    open: (options, events) => new CartesiaStream(parts, options, events),
  };
}

/** One utterance. */
class CartesiaStream implements TtsStream {
  private readonly id = randomUUID();
  private readonly events: TtsEvents;
  private readonly options: TtsOptions;
  private readonly pcm: PcmReader;
  private readonly spoken = new SpokenText();
  private stream: SharedStream | null = null;
  private request: Message = {};
  /** What is said before the voice is known. */
  private readonly waiting: { readonly text: string; readonly isLast: boolean }[] = [];
  private isOver = false;

  constructor(parts: VoiceParts, options: TtsOptions, events: TtsEvents) {
    this.options = options;
    this.events = events;
    this.pcm = new PcmReader(sentRate(options.rate), options.rate);
    if (isVoiceId(options.voiceId)) this.start(parts, options.voiceId);
    else void parts.defaultVoice(options.language).then((voiceId) => this.start(parts, voiceId));
  }

  say(text: string, isLast: boolean): void {
    if (this.stream === null) this.waiting.push({ text, isLast });
    else this.send(this.stream, text, isLast);
  }

  cancel(): void {
    this.isOver = true;
    this.stream?.cancel(cancelMessage(this.id));
  }

  private start({ sockets, url }: VoiceParts, voiceId: string): void {
    if (this.isOver) return;
    this.request = requestFor(this.id, voiceId, this.options);
    const stream = sockets.open(url, this.id, {
      message: (message) => this.onMessage(message),
      failed: ({ detail }) => this.fail(detail),
    });
    this.stream = stream;
    for (const { text, isLast } of this.waiting.splice(0)) this.send(stream, text, isLast);
  }

  /** An empty text is only allowed at the end, where it says that nothing follows. */
  private send(stream: SharedStream, text: string, isLast: boolean): void {
    this.spoken.add(text);
    if (text.trim() === '' && !isLast) return;
    stream.send({ ...this.request, transcript: text, continue: !isLast });
  }

  private onMessage(message: Message) {
    if (this.isOver) return;
    switch (message.type) {
      case 'chunk':
        if (typeof message.data === 'string') this.events.audio(this.pcm.read(Buffer.from(message.data, 'base64')));
        return;
      case 'timestamps':
        return this.mark(message);
      case 'error':
        return this.fail(`HTTP ${statusOf(message)} of ${cartesia.name}`);
      case 'done':
        return this.finish();
    }
  }

  private mark(message: Message): void {
    for (const { word, endMs } of wordEnds(message)) {
      const characters = this.spoken.advance(word);
      if (characters !== null) this.events.mark?.(characters, Math.round((endMs * this.options.rate) / 1000));
    }
  }

  private finish(): void {
    this.isOver = true;
    const rest = this.pcm.end();
    if (rest.length > 0) this.events.audio(rest);
    this.events.done();
  }

  private fail(detail: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.events.failed(detail);
  }
}

function statusOf({ status_code: status }: Message): number {
  return typeof status === 'number' ? status : 500;
}
