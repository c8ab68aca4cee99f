import type { Tts, TtsEvents, TtsOptions } from '../../speech-ports.ts';
import { type Message, SocketUtterance, type UtteranceParts } from '../connection/socket-utterance.ts';
import { voiceNotApplied } from '../connection/voice-options.ts';
import { cartesia } from './listing.ts';
import { cancelMessage, isVoiceId, requestFor, sentRate, supportFor, wordEnds } from './messages.ts';

interface VoiceParts extends UtteranceParts {
  readonly url: string;
}

export function createCartesiaVoice(parts: VoiceParts): Tts {
  return {
    name: cartesia.name,
    notApplied: (options) => voiceNotApplied(options, supportFor(options)),
    open: (options, events) => new CartesiaUtterance(parts, options, events),
  };
}

class CartesiaUtterance extends SocketUtterance {
  readonly #url: string;
  #request: Message = {};

  constructor(parts: VoiceParts, options: TtsOptions, events: TtsEvents) {
    const isKnownVoice = isVoiceId(options.voiceId);
    super(parts, { ...options, sentRate: sentRate(options.rate), isKnownVoice }, events);
    this.#url = parts.url;
  }

  protected urlFor(voiceId: string): string {
    this.#request = requestFor(this.id, voiceId, this.options);
    return this.#url;
  }

  protected startMessages(): readonly Message[] {
    return [];
  }

  /** An empty text is only allowed at the end, where it says that nothing follows. */
  protected textMessages(text: string, isLast: boolean): readonly Message[] {
    if (text.trim() === '' && !isLast) return [];
    return [{ ...this.#request, transcript: text, continue: !isLast }];
  }

  protected cancelMessage(): Message {
    return cancelMessage(this.id);
  }

  protected receive(message: Message) {
    switch (message.type) {
      case 'chunk':
        if (typeof message.data === 'string') this.audio(message.data);
        return;
      case 'timestamps':
        return this.#mark(message);
      case 'error':
        return this.fail(`HTTP ${statusOf(message)} of ${cartesia.name}`);
      case 'done':
        return this.finish();
    }
  }

  #mark(message: Message): void {
    for (const { word, endMs } of wordEnds(message)) {
      const characters = this.spoken.advance(word);
      if (characters !== null) this.events.mark?.(characters, Math.round((endMs * this.options.rate) / 1000));
    }
  }
}

function statusOf({ status_code: status }: Message): number {
  return typeof status === 'number' ? status : 500;
}
