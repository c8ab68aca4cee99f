import type { Tts, TtsEvents, TtsOptions } from '../../speech-ports.ts';
import { type Message, SocketUtterance, type UtteranceParts } from '../connection/socket-utterance.ts';
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

interface VoiceParts extends UtteranceParts {
  /** `wss://…` */
  readonly base: string;
}

export function createElevenLabsVoice(parts: VoiceParts): Tts {
  return {
    name: elevenLabs.name,
    notApplied: (options) => voiceNotApplied(options, supportFor(options)),
    open: (options, events) => new ElevenLabsUtterance(parts, options, events),
  };
}

class ElevenLabsUtterance extends SocketUtterance {
  readonly #base: string;
  #samples = 0;

  constructor(parts: VoiceParts, options: TtsOptions, events: TtsEvents) {
    const isKnownVoice = isVoiceId(options.voiceId);
    super(parts, { ...options, sentRate: sentRate(options.rate), isKnownVoice }, events);
    this.#base = parts.base;
  }

  protected urlFor(voiceId: string): string {
    return streamUrl(this.#base, voiceId, this.options);
  }

  protected startMessages(): readonly Message[] {
    return [startMessage(this.id, this.options)];
  }

  protected textMessages(text: string, isLast: boolean): readonly Message[] {
    return [...(text.trim() === '' ? [] : [textMessage(this.id, text)]), ...(isLast ? [closeMessage(this.id)] : [])];
  }

  protected cancelMessage(): Message {
    return closeMessage(this.id);
  }

  protected receive(message: Message) {
    if (message.error !== undefined) return this.fail(`${elevenLabs.name} reported an error`);
    if (typeof message.audio === 'string' && message.audio !== '') {
      this.#mark(message);
      this.#samples += this.audio(message.audio);
    }
    if (message.isFinal === true || message.is_final === true) this.finish();
  }

  /** At the ends of words and clauses: more of them would not be more exact. */
  #mark(message: Message): void {
    const alignment = alignmentOf(message);
    if (alignment === null) return;
    const { chars, starts, durations } = alignment;
    for (const [index, char] of chars.entries()) {
      const characters = this.spoken.advance(char);
      const isEnd = index === chars.length - 1 || /[\s\p{P}]/u.test(chars[index + 1] ?? '');
      const endMs = (starts[index] ?? 0) + (durations[index] ?? 0);
      if (characters === null || !isEnd || !Number.isFinite(endMs)) continue;
      this.events.mark?.(characters, this.#samples + Math.round((endMs * this.options.rate) / 1000));
    }
  }
}
