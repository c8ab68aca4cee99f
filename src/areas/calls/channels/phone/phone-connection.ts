import type { MediaStream, MediaStreamEvents } from '../../../../voice/transports/media-stream.ts';
import type { Connection, OwnedCall } from '../audio/owned-call.ts';

/** The open media socket of a call. */
export interface CallMedia {
  readonly stream: MediaStream;
  /** The call is over or goes on elsewhere: closes the socket, so that the carrier asks what comes next. */
  close(): void;
}

const stalled = {
  code: 'media_stalled',
  message: 'The carrier sends no audio of the caller.',
} as const;

/** The media socket of a carrier in a spoken call. What a page would show is not needed here. */
export class PhoneConnection implements Connection, MediaStreamEvents {
  readonly #call: OwnedCall;
  readonly #media: CallMedia;

  constructor(call: OwnedCall, media: CallMedia) {
    this.#call = call;
    this.#media = media;
  }

  /** The agent speaks, and then hears what the caller said until now. */
  async start(): Promise<void> {
    const { stream } = this.#media;
    if (await this.#call.start({ inputRate: stream.rate, transport: stream })) stream.listen(this);
  }

  /** The socket is closed, by whichever side. Unless the call is over, the carrier asks where it goes on. */
  closed(): void {
    this.#call.detach(this);
  }

  // From the carrier

  audio(samples: Int16Array): void {
    this.#call.audio(samples);
  }

  key(key: string): void {
    this.#call.act(({ spoken }) => spoken.dtmf(key));
  }

  played(utterance: number, samples: number): void {
    this.#call.act(({ spoken }) => spoken.played(utterance, samples));
  }

  /** The caller has hung up, unless the line is being connected to another phone. */
  stopped(): void {
    if (this.#call.isTransferring) this.#call.detach(this);
    else this.#call.hangUp();
  }

  stalled(): void {
    this.#call.act((conversation) => conversation.warn(stalled.code, stalled.message));
  }

  gone(): void {
    this.#call.disconnect();
  }

  // To the carrier

  onTranscript(): void {}

  onFloor(): void {}

  onMetadata(): void {}

  /** There is no page on a telephone. */
  callTool(): void {}

  pressKeys(keys: string): boolean {
    return this.#media.stream.pressKeys(keys);
  }

  play(samples: Int16Array): void {
    this.#media.stream.play(samples);
  }

  close(): void {
    this.#media.close();
  }

  ended(): void {
    this.#media.close();
  }
}
