import assert from 'node:assert/strict';
import type { CallMedia } from '../../../../src/areas/calls/channels/phone/phone-connection.ts';
import { encodeMulaw } from '../../../../src/voice/audio/g711.ts';
import type { Clock } from '../../../../src/voice/clock.ts';
import { readTestFrame, testFrame } from '../../../../src/voice/providers/test/frames.ts';
import { MediaStream } from '../../../../src/voice/transports/media-stream.ts';

const frameMs = 20;
const frameBytes = 160;
const lineRate = 8000;
const silence = Buffer.alloc(frameBytes, 0xff);

type Queued = { readonly codes: Buffer } | { readonly mark: string };

/**
 * The carrier's side of a media stream, as its documentation describes it: sends the caller's audio every 20 ms, plays
 * what it gets in order, returns marks as they are reached, and all that are waiting when it is told to clear.
 */
export class ScriptedLine implements CallMedia {
  readonly stream: MediaStream;
  /** The words that were played so far. */
  readonly heard: string[] = [];
  /** Names of marks that were returned, in order. */
  readonly marks: string[] = [];
  clears = 0;
  isClosed = false;
  violation: string | null = null;
  /** When the first audio arrived, on the clock of the service. */
  firstAudioAt: number | null = null;
  /** Does not return marks, as if the network held them back. */
  holdsMarks = false;
  /** Sends nothing of the caller. */
  isStalled = false;
  readonly #held: string[] = [];
  readonly #clock: Clock;
  readonly #providerCallId: string;
  #queue: Queued[] = [];
  #playing = Buffer.alloc(0);
  readonly #spoken: Int16Array[] = [];
  #chunk = 0;
  readonly #waiting: (() => void)[] = [];
  #stop: () => void = () => {};
  #onClosed: () => void = () => {};

  constructor(clock: Clock, providerCallId: string) {
    this.#clock = clock;
    this.#providerCallId = providerCallId;
    this.stream = new MediaStream(
      { send: (frame) => this.#receive(JSON.parse(frame)) },
      {
        clock,
        providerCallId,
        started: () => {},
        violation: ({ reason }) => {
          this.violation = reason;
          this.lose();
        },
      },
    );
  }

  /** The carrier starts the stream, and the caller's audio follows. */
  start(): this {
    this.#send({ event: 'connected', protocol: 'Call', version: '1.0.0' });
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
    this.#send({ event: 'start', start: { streamSid: 'MZ1', callSid: this.#providerCallId, mediaFormat } });
    this.#pass();
    return this;
  }

  /** What the media route does once the call is connected. */
  onClosed(closed: () => void): this {
    if (this.isClosed) closed();
    else this.#onClosed = closed;
    return this;
  }

  /** Says these words, each for 200 ms, or sounds without words (''). Resolves once they are said. */
  async say(...words: string[]): Promise<void> {
    for (const word of words) {
      for (let frame = 0; frame < 10; frame += 1) this.#spoken.push(testFrame(frame === 0 ? word : '', lineRate));
    }
    await this.until(() => this.#spoken.length === 0);
  }

  press(key: string): void {
    this.#send({ event: 'dtmf', dtmf: { track: 'inbound_track', digit: key } });
  }

  returnHeldMarks(): void {
    this.holdsMarks = false;
    for (const name of this.#held.splice(0)) this.#return(name);
  }

  /** The caller hangs up. */
  hangUp(): void {
    this.#send({ event: 'stop', stop: { callSid: this.#providerCallId } });
    this.lose();
  }

  /** The socket is gone. */
  lose(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#stop();
    this.stream.close();
    this.#onClosed();
    this.#wake();
  }

  /** The service closes the socket. */
  close(): void {
    this.lose();
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      assert.ok(!this.isClosed, `the line is open; heard: ${this.heard.join(' ')}`);
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    }
  }

  async closed(): Promise<void> {
    while (!this.isClosed) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  #send(frame: object): void {
    if (!this.isClosed) this.stream.receive(JSON.stringify(frame));
  }

  #receive(frame: { event: string; media?: { payload: string }; mark?: { name: string } }): void {
    if (frame.media !== undefined) {
      this.firstAudioAt ??= this.#clock.now();
      this.#queue.push({ codes: Buffer.from(frame.media.payload, 'base64') });
    }
    if (frame.mark !== undefined) this.#queue.push({ mark: frame.mark.name });
    if (frame.event === 'clear') this.#clear();
  }

  #clear(): void {
    this.clears += 1;
    const marks = this.#queue.flatMap((queued) => ('mark' in queued ? [queued.mark] : []));
    this.#queue = [];
    this.#playing = Buffer.alloc(0);
    // Later than the call that clears, as over a network.
    this.#clock.after(0, () => {
      for (const name of marks) this.#return(name);
    });
  }

  #pass(): void {
    this.#stop = this.#clock.after(frameMs, () => {
      if (this.isClosed) return;
      this.#speak();
      this.#play();
      this.#pass();
      this.#wake();
    });
  }

  #speak(): void {
    this.#chunk += 1;
    if (this.isStalled) return;
    const frame = this.#spoken.shift();
    const payload = (frame === undefined ? silence : encodeMulaw(frame)).toString('base64');
    const timestamp = String((this.#chunk - 1) * frameMs);
    this.#send({ event: 'media', media: { track: 'inbound', chunk: String(this.#chunk), timestamp, payload } });
  }

  /** Plays 20 ms, and what else there is without a duration. */
  #play(): void {
    let left = frameBytes;
    for (;;) {
      const [next] = this.#queue;
      if (next === undefined) return;
      if ('mark' in next) {
        this.#queue.shift();
        this.#return(next.mark);
        continue;
      }
      if (left === 0) return;
      const part = next.codes.subarray(0, left);
      left -= part.length;
      this.#hear(part);
      if (part.length === next.codes.length) this.#queue.shift();
      else this.#queue[0] = { codes: next.codes.subarray(part.length) };
    }
  }

  #hear(codes: Buffer): void {
    this.#playing = Buffer.concat([this.#playing, codes]);
    while (this.#playing.length >= frameBytes) {
      const word = readCodes(this.#playing.subarray(0, frameBytes));
      this.#playing = this.#playing.subarray(frameBytes);
      if (word !== null && word !== '') this.heard.push(word);
    }
  }

  #return(name: string): void {
    if (this.holdsMarks) {
      this.#held.push(name);
      return;
    }
    this.marks.push(name);
    this.#send({ event: 'mark', mark: { name } });
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** The text of 160 mu-law codes; null if they are not speech. */
function readCodes(codes: Buffer): string | null {
  if (codes.toString('latin1', 0, 4) !== 'TEST') return null;
  return codes.toString('utf8', 6, 6 + codes.readUInt16LE(4));
}

/** Test speech of a line, as the decoder of the service sees it. */
export const readsBack = (text: string): string | null => readTestFrame(testFrame(text, lineRate));
