import { randomUUID } from 'node:crypto';
import type { Tts, TtsEvents, TtsOptions, TtsStream } from '../../speech-ports.ts';
import { PcmReader } from '../connection/pcm-reader.ts';
import type { SharedSockets, SharedStream } from '../connection/shared-sockets.ts';
import { SpokenText } from '../connection/spoken-text.ts';
import { voiceNotApplied } from '../connection/voice-options.ts';
import { elevenLabs } from './listing.ts';
import {
  alignmentOf,
  closeMessage,
  isVoiceId,
  sentRate,
  startMessage,
  streamUrl,
  supportFor,
  textMessage,
} from './messages.ts';

interface VoiceParts {
  readonly sockets: SharedSockets;
  /** `wss://…` */
  readonly base: string;
  /** For a voice that is none of this provider. */
  defaultVoice(language: string): Promise<string>;
}

export function createElevenLabsVoice(parts: VoiceParts): Tts {
  return {
    name: elevenLabs.name,
    notApplied: (options) => voiceNotApplied(options, supportFor(options)),
    open: (options, events) => new ElevenLabsStream(parts, options, events),
  };
}

/** One utterance. */
class ElevenLabsStream implements TtsStream {
  private readonly id = randomUUID();
  private readonly events: TtsEvents;
  private readonly options: TtsOptions;
  private readonly pcm: PcmReader;
  private readonly spoken = new SpokenText();
  private stream: SharedStream | null = null;
  /** What is said before the voice is known. */
  private readonly waiting: { readonly text: string; readonly isLast: boolean }[] = [];
  private samples = 0;
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
    this.stream?.cancel(closeMessage(this.id));
  }

  private start({ sockets, base }: VoiceParts, voiceId: string): void {
    if (this.isOver) return;
    const stream = sockets.open(streamUrl(base, voiceId, this.options), this.id, {
      message: (message) => this.onMessage(message),
      failed: ({ detail }) => this.fail(detail),
    });
    this.stream = stream;
    stream.send(startMessage(this.id, this.options));
    for (const { text, isLast } of this.waiting.splice(0)) this.send(stream, text, isLast);
  }

  private send(stream: SharedStream, text: string, isLast: boolean): void {
    this.spoken.add(text);
    if (text.trim() !== '') stream.send(textMessage(this.id, text));
    if (isLast) stream.send(closeMessage(this.id));
  }

  private onMessage(message: Readonly<Record<string, unknown>>) {
    if (this.isOver) return;
    if (message.error !== undefined) return this.fail(`${elevenLabs.name} reported an error`);
    if (typeof message.audio === 'string' && message.audio !== '') this.onAudio(message, message.audio);
    if (message.isFinal !== true && message.is_final !== true) return;
    this.isOver = true;
    const rest = this.pcm.end();
    if (rest.length > 0) this.events.audio(rest);
    this.events.done();
  }

  private onAudio(message: Readonly<Record<string, unknown>>, audio: string): void {
    const before = this.samples;
    const samples = this.pcm.read(Buffer.from(audio, 'base64'));
    this.samples += samples.length;
    this.mark(message, before);
    this.events.audio(samples);
  }

  /** At the ends of words and clauses: more of them would not be more exact. */
  private mark(message: Readonly<Record<string, unknown>>, before: number): void {
    const alignment = alignmentOf(message);
    if (alignment === null) return;
    const { chars, starts, durations } = alignment;
    for (const [index, char] of chars.entries()) {
      const characters = this.spoken.advance(char);
      const isEnd = index === chars.length - 1 || /[\s\p{P}]/u.test(chars[index + 1] ?? '');
      const endMs = (starts[index] ?? 0) + (durations[index] ?? 0);
      if (characters === null || !isEnd || !Number.isFinite(endMs)) continue;
      this.events.mark?.(characters, before + Math.round((endMs * this.options.rate) / 1000));
    }
  }

  private fail(detail: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.events.failed(detail);
  }
}
