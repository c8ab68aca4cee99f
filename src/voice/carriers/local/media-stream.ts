import type { Clock } from '../../clock.ts';
import type { Faults, MediaFault } from './faults.ts';
import { iso8601, newSid, signatureOf } from './formats.ts';
import type { Leg } from './leg.ts';
import { bytesPerMs } from './mulaw.ts';
import type { MediaSocket, OpenMediaSocket } from './ports.ts';
import { untilAborted } from './waiting.ts';
import type { Webhooks } from './webhooks.ts';

export interface MediaStreamContext {
  readonly clock: Clock;
  readonly now: () => number;
  readonly webhooks: Webhooks;
  readonly faults: Faults;
  readonly openSocket: OpenMediaSocket;
  /** Something that the server must not do. */
  readonly violation: (message: string, leg: Leg | null) => void;
  /** Errors of documents and streams, as in Twilio's debugger. */
  readonly notify: (code: number, message: string, leg: Leg) => void;
}

export interface MediaStreamOptions {
  readonly url: string;
  readonly name: string | null;
  readonly customParameters: Readonly<Record<string, string>>;
  readonly statusCallback: { readonly url: string; readonly method: 'GET' | 'POST' } | null;
}

/** `closed`: by the server. `stays`: the socket was lost, and the call does not go on with the next verb. */
export type StreamEnd = 'closed' | 'lost' | 'stays';

const handshakeMs = 10_000;
/** More than two minutes, sent ahead, are dropped. Twilio documents no number. */
const maxBufferedBytes = 120_000 * bytesPerMs;
const maxMessageBytes = 1024 * 1024;

/** A bidirectional media stream of a leg: the client of the server's socket. */
export class MediaStream {
  readonly sid = newSid('MZ');
  readonly #context: MediaStreamContext;
  readonly #leg: Leg;
  readonly #options: MediaStreamOptions;
  readonly #fault: MediaFault | null;
  #socket: MediaSocket | null = null;
  #isOpen = false;
  #isFinished = false;
  #isStalled = false;
  #hasMarks = true;
  #sequence = 0;
  #chunk = 0;
  #timestampMs = 0;
  readonly #cancels: (() => void)[] = [];

  constructor(context: MediaStreamContext, leg: Leg, options: MediaStreamOptions) {
    this.#context = context;
    this.#leg = leg;
    this.#options = options;
    this.#fault = context.faults.ofMedia({ callSid: leg.sid, to: leg.to });
  }

  /** Until the socket is closed. The signal ends it from our side, with a `stop` message. */
  async run(signal: AbortSignal): Promise<StreamEnd> {
    try {
      return await untilAborted<StreamEnd>(signal, (resolve) => {
        this.#connect(resolve);
        return undefined;
      });
    } finally {
      this.#finish();
    }
  }

  #connect(ended: (end: StreamEnd) => void): void {
    const { clock, openSocket } = this.#context;
    const { url } = this.#options;
    const lost = (): void => ended(this.#fault?.stays === true ? 'stays' : 'lost');
    this.#cancels.push(
      clock.after(handshakeMs, () => {
        if (this.#isOpen) return;
        this.#fail(31_901, 'Stream - WebSocket - Connection Timeout');
        lost();
      }),
    );
    const headers = { 'x-twilio-signature': signatureOf(this.#leg.account.options.authToken, url, {}) };
    this.#socket = openSocket(url, headers, {
      opened: () => {
        if (!this.#isFinished) this.#opened(lost);
      },
      message: (text) => this.#receive(text),
      closed: (hasFailed) => {
        if (this.#isFinished) return;
        if (!this.#isOpen) this.#fail(31_920, 'Stream - WebSocket - Handshake Error');
        else if (hasFailed) this.#fail(31_903, 'Stream - WebSocket - Connection Broken Pipe');
        if (hasFailed) lost();
        else ended('closed');
      },
    });
  }

  #opened(lost: () => void): void {
    const { leg, sid } = { leg: this.#leg, sid: this.sid };
    this.#isOpen = true;
    this.#send({ event: 'connected', protocol: 'Call', version: '1.0.0' });
    this.#sendNumbered('start', {
      start: {
        accountSid: leg.account.sid,
        streamSid: sid,
        callSid: leg.sid,
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters: this.#options.customParameters,
      },
    });
    this.#report('stream-started');
    this.#startFault(lost);
    leg.sink = (frame) => this.#sendFrame(frame);
    leg.keySink = (digit) => this.#sendNumbered('dtmf', { dtmf: { track: 'inbound_track', digit } });
    leg.hasMedia();
  }

  #startFault(lost: () => void): void {
    const fault = this.#fault;
    if (fault === null) return;
    const later = (ms: number, run: () => void): void => {
      this.#cancels.push(this.#context.clock.after(ms, run));
    };
    later(fault.afterMs ?? 0, () => {
      if (fault.kind === 'no_marks') this.#hasMarks = false;
      if (fault.kind === 'stall') {
        this.#isStalled = true;
        if (fault.ms !== undefined) later(fault.ms, () => (this.#isStalled = false));
      }
      if (fault.kind === 'drop') {
        this.#fail(31_903, 'Stream - WebSocket - Connection Broken Pipe');
        this.#socket?.cut();
        lost();
      }
    });
  }

  #sendFrame(frame: Uint8Array): void {
    const timestamp = String(this.#timestampMs);
    this.#timestampMs += frame.length / bytesPerMs;
    if (this.#isStalled) return;
    this.#chunk += 1;
    const payload = Buffer.from(frame).toString('base64');
    this.#sendNumbered('media', { media: { track: 'inbound', chunk: String(this.#chunk), timestamp, payload } });
  }

  #receive(text: string): void {
    if (this.#isFinished) return;
    const message = text.length > maxMessageBytes ? null : parsed(text);
    if (message === null) {
      this.#violation('A message on the media socket is not a JSON object.');
      return;
    }
    if (message.streamSid !== this.sid) {
      this.#violation('A message on the media socket has another streamSid.');
      return;
    }
    switch (message.event) {
      case 'media':
        this.#receiveMedia(message);
        break;
      case 'mark':
        this.#receiveMark(message);
        break;
      case 'clear':
        this.#leg.queue.clear();
        break;
      default:
        this.#violation('An unknown event on the media socket.');
    }
  }

  #receiveMedia(message: Record<string, unknown>): void {
    const payload = fieldOf(message.media, 'payload');
    if (typeof payload !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(payload) || payload.length % 4 !== 0) {
      this.#violation('The payload of a media message is not base64.');
      return;
    }
    const bytes = new Uint8Array(Buffer.from(payload, 'base64'));
    if (this.#leg.queue.waitingBytes + bytes.length > maxBufferedBytes) {
      this.#violation('More than two minutes of audio were sent ahead.');
      return;
    }
    this.#leg.queue.push(bytes);
  }

  #receiveMark(message: Record<string, unknown>): void {
    const name = fieldOf(message.mark, 'name');
    if (typeof name !== 'string') {
      this.#violation('A mark has no name.');
      return;
    }
    this.#leg.queue.mark(() => {
      if (this.#hasMarks) this.#sendNumbered('mark', { mark: { name } });
    });
  }

  #finish(): void {
    this.#isFinished = true;
    for (const cancel of this.#cancels) cancel();
    this.#leg.sink = null;
    this.#leg.keySink = null;
    const wasOpen = this.#isOpen;
    if (wasOpen) {
      this.#sendNumbered('stop', { stop: { accountSid: this.#leg.account.sid, callSid: this.#leg.sid } });
      this.#isOpen = false;
      this.#report('stream-stopped');
    }
    this.#leg.queue.forget();
    this.#socket?.close();
  }

  #sendNumbered(event: string, fields: Record<string, unknown>): void {
    this.#sequence += 1;
    this.#send({ event, sequenceNumber: String(this.#sequence), ...fields, streamSid: this.sid });
  }

  #send(message: Record<string, unknown>): void {
    if (this.#isOpen) this.#socket?.send(JSON.stringify(message));
  }

  #report(event: 'stream-started' | 'stream-stopped' | 'stream-error', error?: string): void {
    const { statusCallback, name } = this.#options;
    if (statusCallback === null) return;
    this.#context.webhooks.report(this.#leg, {
      kind: 'stream',
      ...statusCallback,
      parameters: {
        AccountSid: this.#leg.account.sid,
        CallSid: this.#leg.sid,
        StreamSid: this.sid,
        StreamName: name ?? this.sid,
        StreamEvent: event,
        ...(error === undefined ? {} : { StreamError: error }),
        Timestamp: iso8601(this.#context.now()),
      },
    });
  }

  /** The stream has failed: it is not reported as stopped, too. */
  #fail(code: number, message: string): void {
    this.#isOpen = false;
    this.#isFinished = true;
    this.#context.notify(code, message, this.#leg);
    this.#report('stream-error', message);
  }

  #violation(message: string): void {
    this.#context.violation(message, this.#leg);
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
