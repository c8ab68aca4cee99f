import assert from 'node:assert/strict';
import { decodeMulaw } from '../../../src/voice/audio/g711.ts';
import type { Clock } from '../../../src/voice/clock.ts';
import { MediaStream, type MediaStreamEvents } from '../../../src/voice/transports/media-stream.ts';

type Item = { readonly codes: Buffer } | { readonly mark: string };

interface LineOptions {
  /** One way. */
  readonly networkMs?: number;
  /** Marks that never come back. */
  readonly losesMark?: (name: string) => boolean;
}

const streamSid = 'MZ1';
export const callSid = 'CA1';

/**
 * The carrier's side of a media stream, as Twilio documents it: plays what arrives in order and in real time, sends a mark
 * back when the audio before it was played, and on `clear` drops the audio and sends the marks back at once.
 */
export class PhoneLine {
  readonly stream: MediaStream;
  /** What happened, in order. */
  readonly log: string[] = [];
  /** The frames of the service, as they arrived: `media 160`, `mark …`, `clear`. */
  readonly frames: string[] = [];
  /** Every sample that was played. */
  readonly played: number[] = [];
  #queue: Item[] = [];
  #playing: { readonly codes: Buffer; readonly since: number; readonly stop: () => void } | null = null;
  #chunk = 0;
  #timestampMs = 0;
  readonly #clock: Clock;
  readonly #options: LineOptions;

  constructor(clock: Clock, options: LineOptions = {}) {
    this.#clock = clock;
    this.#options = options;
    const socket = { send: (frame: string) => this.#travel(() => this.#receive(frame)) };
    this.stream = new MediaStream(socket, {
      clock,
      providerCallId: callSid,
      started: () => this.log.push('started'),
      violation: ({ code, reason }) => this.log.push(`${code} ${reason}`),
    });
  }

  /** Notes what the stream reports; audio by the number of samples. */
  listen(events: Partial<MediaStreamEvents> = {}): void {
    this.stream.listen({
      audio: (samples) => this.log.push(`audio ${samples.length}`),
      key: (key) => this.log.push(`key ${key}`),
      played: (utterance, samples) => this.log.push(`played ${utterance} ${samples}`),
      stopped: () => this.log.push('stopped'),
      stalled: () => this.log.push(`stalled ${this.#clock.now()}`),
      gone: () => this.log.push(`gone ${this.#clock.now()}`),
      ...events,
    });
  }

  send(frame: unknown): void {
    this.#travel(() => this.stream.receive(JSON.stringify(frame)));
  }

  start(fields: Record<string, unknown> = {}, id = streamSid): void {
    this.send({ event: 'connected', protocol: 'Call', version: '1.0.0' });
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
    const start = { accountSid: 'AC1', streamSid: id, callSid, tracks: ['inbound'], mediaFormat, customParameters: {} };
    this.send({ event: 'start', sequenceNumber: '1', start: { ...start, ...fields }, streamSid: id });
  }

  /** The next 20 ms of the caller; all of them have the same code, so that they can be told apart. */
  say(code = 0xff): void {
    this.#chunk += 1;
    this.media({ chunk: this.#chunk, timestampMs: this.#timestampMs, code });
    this.#timestampMs += 20;
  }

  media({ chunk, timestampMs, code = 0xff, bytes = 160 }: Media): void {
    const payload = Buffer.alloc(bytes, code).toString('base64');
    const media = { track: 'inbound', chunk: String(chunk), timestamp: String(timestampMs), payload };
    this.send({ event: 'media', sequenceNumber: '2', media, streamSid });
  }

  #travel(arrive: () => void): void {
    if (this.#options.networkMs === undefined) arrive();
    else this.#clock.after(this.#options.networkMs, arrive);
  }

  #receive(text: string): void {
    const frame = JSON.parse(text);
    assert.equal(frame.streamSid, streamSid);
    if (frame.event === 'media') {
      const codes = Buffer.from(frame.media.payload, 'base64');
      assert.ok(codes.length > 0);
      this.frames.push(`media ${codes.length}`);
      this.#queue.push({ codes });
    } else if (frame.event === 'mark') {
      this.frames.push(`mark ${frame.mark.name}`);
      this.#queue.push({ mark: frame.mark.name });
    } else {
      assert.equal(frame.event, 'clear');
      this.frames.push('clear');
      this.#clear();
    }
    this.#play();
  }

  #play(): void {
    while (this.#playing === null) {
      const item = this.#queue.shift();
      if (item === undefined) return;
      if ('mark' in item) {
        this.#returnMark(item.mark);
        continue;
      }
      const { codes } = item;
      const stop = this.#clock.after(codes.length / 8, () => {
        this.played.push(...decodeMulaw(codes));
        this.#playing = null;
        this.#play();
      });
      this.#playing = { codes, since: this.#clock.now(), stop };
    }
  }

  #clear(): void {
    if (this.#playing !== null) {
      const { codes, since, stop } = this.#playing;
      stop();
      this.played.push(...decodeMulaw(codes.subarray(0, Math.round((this.#clock.now() - since) * 8))));
      this.#playing = null;
    }
    const dropped = this.#queue;
    this.#queue = [];
    for (const item of dropped) if ('mark' in item) this.#returnMark(item.mark);
  }

  #returnMark(name: string): void {
    if (this.#options.losesMark?.(name) !== true)
      this.send({ event: 'mark', sequenceNumber: '3', mark: { name }, streamSid });
  }
}

interface Media {
  readonly chunk: number;
  readonly timestampMs: number;
  readonly code?: number;
  readonly bytes?: number;
}
