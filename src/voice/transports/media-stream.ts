import { clearFrame, markFrame, mediaFrame, readFrame } from '../carriers/twilio/media-frames.ts';
import type { Clock } from '../clock.ts';
import type { AudioTransport } from '../speech-ports.ts';
import { LineInput } from './line-input.ts';
import { LineOutput, lineRate } from './line-output.ts';

/** The socket of a carrier, which is open. */
export interface MediaSocket {
  send(frame: string): void;
}

/** What happens on the stream. Nothing is reported after `close`. */
export interface MediaStreamEvents {
  /** Audio of the caller, at 8,000 samples per second. */
  audio(samples: Int16Array): void;
  /** A key that the caller has pressed: 0 to 9, A to D, * or #. */
  key(key: string): void;
  /** The first so many samples of an utterance were played. */
  played(utterance: number, samples: number): void;
  /** The carrier ends the stream: the call is over, or goes on elsewhere. */
  stopped(): void;
  /** No audio of the caller for 5 s. Reported again if it stops again. */
  stalled(): void;
  /** No audio of the caller for 30 s. */
  gone(): void;
}

export interface MediaStreamParts {
  readonly clock: Clock;
  /** The carrier's id of the call that the socket was opened for. */
  readonly providerCallId: string;
  /** The stream has started: audio can be sent, and the caller's audio follows. */
  readonly started: () => void;
  /** The other side broke a rule: the socket must be closed with this code. Nothing more is read or sent. */
  readonly violation: (violation: { readonly code: typeof violationCode; readonly reason: string }) => void;
}

/** A close code of RFC 6455. */
export const violationCode = 1008;

const startMs = 10_000;
const stalledMs = 5000;
const goneMs = 30_000;
/** What arrives before somebody listens. */
const maxKeptSamples = 10 * lineRate;
const maxKeptKeys = 64;
/** The caller's audio, and as many marks and keys; a network that stalled delivers its backlog at once. */
const framesPerSecond = 150;
const burstFrames = 600;
/** Longer frames count as several. */
const frameBytes = 160;
/** Ten times what Twilio sends, and the start with its parameters. */
const maxFrameLength = 16 * 1024;

export function createMediaStream(socket: MediaSocket, parts: MediaStreamParts): MediaStream {
  return new MediaStream(socket, parts);
}

/**
 * A bidirectional media stream of a carrier: mu-law in JSON frames. It cannot pause, so what was not played is sent again
 * after a pause. Frames of the socket go to `receive`.
 */
export class MediaStream implements AudioTransport {
  readonly rate = lineRate;
  readonly #socket: MediaSocket;
  readonly #parts: MediaStreamParts;
  readonly #input: LineInput;
  readonly #output: LineOutput;
  #events: MediaStreamEvents | null = null;
  /** Null before the start. */
  #streamId: string | null = null;
  #isClosed = false;
  /** Frames to send once the stream has started. */
  #early: ((streamId: string) => string)[] = [];
  #keptAudio: Int16Array[] = [];
  #keptSamples = 0;
  #keptKeys: string[] = [];
  #budget = burstFrames;
  #budgetAt: number;
  #heardAt: number;
  #isStalled = false;
  #cancelWatch: () => void;

  constructor(socket: MediaSocket, parts: MediaStreamParts) {
    const { clock } = parts;
    this.#socket = socket;
    this.#parts = parts;
    this.#input = new LineInput({ clock, audio: (samples) => this.#onAudio(samples) });
    this.#output = new LineOutput({
      clock,
      media: (codes) => this.#send((id) => mediaFrame(id, codes)),
      mark: (name) => this.#send((id) => markFrame(id, name)),
      clear: () => this.#send(clearFrame),
      played: (utterance, samples) => this.#events?.played(utterance, samples),
    });
    this.#budgetAt = clock.now();
    this.#heardAt = clock.now();
    this.#cancelWatch = clock.after(startMs, () => this.#violate('the stream did not start in time'));
  }

  /** Begins to report, first of all what has arrived until now. */
  listen(events: MediaStreamEvents): void {
    this.#events = events;
    const [audio, keys] = [this.#keptAudio, this.#keptKeys];
    this.#keptAudio = [];
    this.#keptKeys = [];
    this.#keptSamples = 0;
    for (const samples of audio) events.audio(samples);
    for (const key of keys) events.key(key);
  }

  /** A text frame of the socket. */
  receive(text: string) {
    if (this.#isClosed) return;
    if (text.length > maxFrameLength) return this.#violate('a frame is too long');
    if (!this.#isWithinBudget(1)) return this.#violate('there are too many frames');
    const frame = readFrame(text);
    if (frame === null) return this.#violate('a frame is malformed');
    if (frame.event === 'start') return this.#start(frame.streamId, frame.callId);
    if (frame.event === 'other') return;
    if (this.#streamId === null) return this.#violate('the stream was not started');
    switch (frame.event) {
      case 'media':
        if (!this.#isWithinBudget(frame.codes.length / frameBytes - 1)) return this.#violate('there is too much audio');
        this.#onMedia();
        return this.#input.add(frame);
      case 'dtmf':
        return this.#onKey(frame.key);
      case 'mark':
        return this.#output.onMark(frame.name);
      case 'stop':
        return this.#events?.stopped();
      default:
        frame satisfies never;
    }
  }

  /** Frames that are not text are none of the protocol. */
  receiveBinary(): void {
    this.#violate('a frame is not text');
  }

  speech(utterance: number, position: number): void {
    this.#output.speech(utterance, position);
  }

  audio(utterance: number, samples: Int16Array): void {
    if (!this.#isClosed) this.#output.audio(utterance, samples);
  }

  clear(utterance: number): void {
    if (!this.#isClosed) this.#output.clear(utterance);
  }

  /** Presses keys, as tones after what was sent before; `w` is a pause of 500 ms. False if they cannot be pressed. */
  pressKeys(keys: string): boolean {
    return !this.#isClosed && this.#output.pressKeys(keys);
  }

  /** Plays a sound between utterances, such as the tone that a waiting caller hears. */
  play(samples: Int16Array): void {
    if (!this.#isClosed) this.#output.play(samples);
  }

  /** The socket is closed, or about to be. */
  close(): void {
    this.#isClosed = true;
    this.#events = null;
    this.#cancelWatch();
    this.#input.close();
    this.#output.close();
    this.#early = [];
    this.#keptAudio = [];
  }

  #start(streamId: string, callId: string) {
    if (this.#streamId !== null) return this.#violate('the stream was started before');
    if (callId !== this.#parts.providerCallId) return this.#violate('the stream is of another call');
    this.#streamId = streamId;
    this.#heardAt = this.#parts.clock.now();
    this.#watch(stalledMs);
    for (const frame of this.#early) this.#socket.send(frame(streamId));
    this.#early = [];
    this.#parts.started();
  }

  #send(frame: (streamId: string) => string): void {
    if (this.#isClosed) return;
    if (this.#streamId === null) this.#early.push(frame);
    else this.#socket.send(frame(this.#streamId));
  }

  #onAudio(samples: Int16Array) {
    if (this.#events !== null) return this.#events.audio(samples);
    this.#keptAudio.push(samples);
    this.#keptSamples += samples.length;
    // The newest words are those that an answer is expected to.
    while (this.#keptSamples > maxKeptSamples) this.#keptSamples -= this.#keptAudio.shift()?.length ?? 0;
  }

  #onKey(key: string): void {
    if (this.#events !== null) this.#events.key(key);
    else if (this.#keptKeys.length < maxKeptKeys) this.#keptKeys.push(key);
  }

  #onMedia(): void {
    this.#heardAt = this.#parts.clock.now();
    if (!this.#isStalled) return;
    this.#isStalled = false;
    this.#watch(stalledMs);
  }

  /** One timer for all frames, which looks at the time of the last one. */
  #watch(ms: number): void {
    this.#cancelWatch();
    this.#cancelWatch = this.#parts.clock.after(ms, () => this.#onWatch());
  }

  #onWatch() {
    const silentMs = this.#parts.clock.now() - this.#heardAt;
    if (silentMs >= goneMs) return this.#events?.gone();
    if (silentMs >= stalledMs && !this.#isStalled) {
      this.#isStalled = true;
      this.#events?.stalled();
    }
    if (!this.#isClosed) this.#watch((this.#isStalled ? goneMs : stalledMs) - silentMs);
  }

  #isWithinBudget(frames: number): boolean {
    if (frames <= 0) return true;
    const now = this.#parts.clock.now();
    this.#budget = Math.min(burstFrames, this.#budget + ((now - this.#budgetAt) * framesPerSecond) / 1000);
    this.#budgetAt = now;
    this.#budget -= frames;
    return this.#budget >= 0;
  }

  #violate(reason: string): void {
    if (this.#isClosed) return;
    this.close();
    this.#parts.violation({ code: violationCode, reason });
  }
}
