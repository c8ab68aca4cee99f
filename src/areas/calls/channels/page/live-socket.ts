import type { RawData, WebSocket } from 'ws';
import {
  type ClientFrame,
  type ClientFrames,
  closeCodes,
  readClientFrame,
  type ServerFrame,
} from '../../../../contract/calls/live.ts';
import type { MaybePromise } from '../../../../core/maybe-promise.ts';
import type { RateLimitState } from '../../../../http/admission/rate-limit.ts';
import { BodyError, findUnstorable } from '../../../../http/operations/body.ts';
import { sendWithin } from '../../../../http/sockets.ts';
import type { RejectPeer } from '../../../../net/socket-closing.ts';
import { samplesOf } from '../../../../voice/audio/pcm.ts';
import type { Clock } from '../../../../voice/clock.ts';
import type { AudioTransport } from '../../../../voice/speech-ports.ts';
import type { LogCallFailure } from '../../record/journal.ts';

export type OtherFrame = Exclude<ClientFrame, { type: 'start' }>;

/** A socket that was accepted; `reject` closes it after a violation. */
export interface OpenedSocket {
  readonly socket: WebSocket;
  readonly reject: RejectPeer;
}

/** What is behind the socket: a web call or a chat. */
export interface SocketUser {
  readonly hasAudio: boolean;
  /** The first frame. */
  start(frame: ClientFrames['start']): void;
  receive(frame: OtherFrame): void;
  audio(samples: Int16Array): void;
  closed(): void;
}

interface CloseCode {
  readonly code: number;
  readonly meaning: string;
}

export interface LiveSocketParts {
  /** Counts a message towards the limit of the token. */
  readonly admitMessage: () => MaybePromise<RateLimitState>;
  readonly clock: Clock;
  readonly logFailure: LogCallFailure;
}

const startMs = 10_000;
const textFramesPerSecond = 200;
/** A browser sends audio in real time; a mobile network that stalled delivers its backlog at once. */
const audioSpeed = 1.5;
const audioBurstSeconds = 8;
const bytesPerSample = 2;
/** Shorter audio frames count as this long, because each of them costs time: those of an AudioWorklet have 2.7 ms. */
const minAudioFrameSeconds = 0.0025;
/** Messages that are not counted yet, because the database is slow. */
const maxWaiting = 200;
/** Pings, and pongs that nobody asked for. */
const controlFramesPerSecond = 20;

/** One connection of a client: reads its frames, within their limits, and closes it after a mistake. */
export class LiveSocket {
  readonly #socket: WebSocket;
  readonly #rejectPeer: RejectPeer;
  /** Nothing is read before there is one. */
  #user!: SocketUser;
  readonly #parts: LiveSocketParts;
  readonly #callId: string;
  readonly #textFrames: TokenBucket;
  readonly #controlFrames: TokenBucket;
  /** Messages that are being counted, and what must not overtake them. */
  readonly #waiting: OtherFrame[] = [];
  #minAudioBytes = 0;
  #audioBytes: TokenBucket | null = null;
  #isStarted = false;
  #isClosing = false;
  #isDetached = false;
  #cancelStart: () => void = () => {};

  constructor({ socket, reject }: OpenedSocket, callId: string, parts: LiveSocketParts) {
    const { clock } = parts;
    this.#callId = callId;
    this.#socket = socket;
    this.#rejectPeer = reject;
    this.#parts = parts;
    this.#textFrames = new TokenBucket(textFramesPerSecond, textFramesPerSecond, () => clock.now());
    this.#controlFrames = new TokenBucket(controlFramesPerSecond, controlFramesPerSecond, () => clock.now());
  }

  /** Begins to read. */
  open(user: SocketUser): void {
    this.#user = user;
    this.#cancelStart = this.#parts.clock.after(startMs, () => {
      if (!this.#isStarted) this.reject(closeCodes.idle);
    });
    this.#socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    this.#socket.on('ping', () => this.#onControl());
    this.#socket.on('pong', () => this.#onControl());
    this.#socket.once('close', () => {
      this.#isClosing = true;
      this.#detach();
    });
  }

  /** False if the client is gone, or does not read. */
  send(frame: ServerFrame): boolean {
    return this.sendText(JSON.stringify(frame));
  }

  /** A frame that is JSON already. */
  sendText(json: string): boolean {
    return this.#send(json);
  }

  close({ code, meaning }: CloseCode): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#socket.close(code, reasonOf(meaning));
  }

  /** After a violation, or if the client has lost its permission: nothing more is read, and the client is gone. */
  reject({ code, meaning }: CloseCode): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#waiting.length = 0;
    this.#rejectPeer(code, reasonOf(meaning));
    this.#detach();
  }

  #detach(): void {
    if (this.#isDetached) return;
    this.#isDetached = true;
    this.#cancelStart();
    this.#user.closed();
  }

  /** The way of the agent's audio to this client. */
  transport(rate: number): AudioTransport {
    return {
      rate,
      speech: (utterance) => void this.send({ type: 'speech', utterance }),
      audio: (_utterance, samples) =>
        void this.#send(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)),
      pause: (utterance) => void this.send({ type: 'pause', utterance }),
      resume: (utterance) => void this.send({ type: 'resume', utterance }),
      clear: (utterance) => void this.send({ type: 'clear', utterance }),
    };
  }

  #send(data: string | Uint8Array): boolean {
    if (this.#isClosing) return false;
    if (sendWithin(this.#socket, data)) return true;
    // The page no longer reads anything, not even that its connection is being closed.
    this.#isClosing = true;
    this.#socket.terminate();
    return false;
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (this.#isClosing) return;
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
    this.#process(() => (isBinary ? this.#onAudio(bytes) : this.#onText(bytes)));
  }

  #process(work: () => void): void {
    try {
      work();
    } catch (error) {
      // A defect in one call must not end all others.
      this.#parts.logFailure(this.#callId, 'a frame of a call could not be processed', error);
      this.close(closeCodes.failed);
    }
  }

  #receive(frame: OtherFrame): void {
    const isFree = frame.type === 'played' || frame.type === 'tool_result';
    if (isFree || (this.#waiting.length === 0 && !isMessage(frame))) {
      this.#user.receive(frame);
      return;
    }
    // The next one contains its words.
    if (frame.type === 'recognized' && !frame.isFinal) return;
    if (this.#waiting.length === maxWaiting) {
      this.#tooMuch('more messages than can be processed');
      return;
    }
    this.#waiting.push(frame);
    if (this.#waiting.length === 1) void this.#receiveWaiting();
  }

  async #receiveWaiting(): Promise<void> {
    for (let frame = this.#waiting[0]; frame !== undefined; frame = this.#waiting[0]) {
      const refusal = isMessage(frame) ? await this.#countMessage() : null;
      const [next] = this.#waiting;
      if (next !== undefined && refusal === null) this.#process(() => this.#user.receive(next));
      else if (next !== undefined) this.send({ type: 'error', code: 'rate_limited', message: refusal ?? '' });
      this.#waiting.shift();
    }
  }

  /** Why the message is over the limit of its token, or null. */
  async #countMessage(): Promise<string | null> {
    try {
      const { refusal } = await this.#parts.admitMessage();
      return refusal?.message ?? null;
    } catch (error) {
      // A caller must not go unheard because messages cannot be counted at the moment.
      this.#parts.logFailure(this.#callId, 'a message over a socket could not be counted', error);
      return null;
    }
  }

  #onControl(): void {
    if (this.#isClosing || this.#controlFrames.take(1)) return;
    this.#tooMuch(`more than ${controlFramesPerSecond} pings or pongs per second`);
  }

  #onText(bytes: Buffer) {
    if (!this.#textFrames.take(1)) return this.#tooMuch(`more than ${textFramesPerSecond} text frames per second`);
    const read = readClientFrame(bytes.toString());
    if ('issue' in read) return this.badFrame(read.issue);
    const { frame } = read;
    const issue = unstorableIssue(frame);
    if (issue !== undefined) return this.badFrame(`${frame.type}: ${issue}`);
    if (frame.type !== 'start') {
      return this.#isStarted ? this.#receive(frame) : this.badFrame('the first frame must be start');
    }
    if (this.#isStarted) return this.badFrame('start was sent before');
    const hasAudio = frame.input !== undefined && frame.output !== undefined;
    if (this.#user.hasAudio && !hasAudio) return this.badFrame('start: a web call needs input and output');
    if (!this.#user.hasAudio && (frame.input ?? frame.output) !== undefined) {
      return this.badFrame('start: a chat has neither input nor output');
    }
    this.#isStarted = true;
    if (frame.input !== undefined) {
      const bytesPerSecond = frame.input.rate * bytesPerSample;
      const burst = audioBurstSeconds * bytesPerSecond;
      this.#minAudioBytes = minAudioFrameSeconds * bytesPerSecond;
      this.#audioBytes = new TokenBucket(audioSpeed * bytesPerSecond, burst, () => this.#parts.clock.now());
    }
    this.#user.start(frame);
  }

  #onAudio(bytes: Buffer) {
    if (!this.#isStarted) return this.badFrame('the first frame must be start');
    if (this.#audioBytes === null) return this.badFrame('a chat has no audio');
    if (bytes.length === 0 || bytes.length % bytesPerSample !== 0) {
      return this.badFrame('audio must consist of whole samples of 16 bits');
    }
    const counted = Math.max(bytes.length, this.#minAudioBytes);
    if (!this.#audioBytes.take(counted)) return this.#tooMuch('audio arrives faster than it can be spoken');
    this.#user.audio(samplesOf(bytes));
  }

  badFrame(message: string): void {
    this.send({ type: 'error', code: 'bad_frame', message });
    this.reject(closeCodes.badFrame);
  }

  #tooMuch(message: string): void {
    this.send({ type: 'error', code: 'too_much', message });
    this.reject(closeCodes.tooMuch);
  }
}

/** What the caller says, which may cause a reply. */
function isMessage(frame: OtherFrame): boolean {
  return frame.type === 'text' || frame.type === 'dtmf' || (frame.type === 'recognized' && frame.isFinal);
}

/** Close frames have room for 123 bytes. */
function reasonOf(meaning: string): string {
  return meaning.replaceAll('`', '').slice(0, 120);
}

/** The schema accepts any text, and any JSON as a result, but not all of it can be stored: the same as in requests. */
function unstorableIssue(frame: ClientFrame): string | undefined {
  try {
    const [issue] = findUnstorable(frame);
    return issue && `${issue.path.join('.')} ${issue.message}`;
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    return 'the result is nested too deeply';
  }
}

/** Limits a rate, with a reserve for bursts. */
class TokenBucket {
  readonly #perMs: number;
  readonly #capacity: number;
  readonly #now: () => number;
  #level: number;
  #at: number;

  constructor(perSecond: number, capacity: number, now: () => number) {
    this.#perMs = perSecond / 1000;
    this.#capacity = capacity;
    this.#now = now;
    this.#level = capacity;
    this.#at = now();
  }

  /** False if there are not that many. */
  take(count: number): boolean {
    const now = this.#now();
    this.#level = Math.min(this.#capacity, this.#level + (now - this.#at) * this.#perMs);
    this.#at = now;
    if (count > this.#level) return false;
    this.#level -= count;
    return true;
  }
}
