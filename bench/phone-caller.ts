import { once } from 'node:events';
import { WebSocket } from 'ws';
import { encodeMulaw } from '../src/voice/audio/g711.ts';
import { twilioSignature } from '../src/voice/carriers/twilio/signature.ts';
import { testFrame } from '../src/voice/providers/test/frames.ts';
import { frameMs } from './live-caller.ts';

/** The public address of the service, which is in signatures only: requests are sent to its port. */
export const publicUrl = 'https://phone.example';
export const accountSid = `AC${'8'.repeat(32)}`;
export const authToken = 'an-auth-token-for-the-bench-only';

/** What a phone says again and again: base64 of 20 ms of mu-law. */
export interface PhoneScript {
  readonly frames: readonly string[];
  readonly lastVoiced: number;
}

const lineRate = 8000;
const silence = Buffer.alloc(160, 0xff).toString('base64');

/** A word in test speech, followed by silence up to the length. */
export function phoneScript(word: string, wordFrames: number, lengthMs: number): PhoneScript {
  const spoken = (index: number) => Buffer.from(encodeMulaw(testFrame(index === 0 ? word : '', lineRate)));
  const frames = Array.from({ length: lengthMs / frameMs }, (_, index) =>
    index < wordFrames ? spoken(index).toString('base64') : silence,
  );
  return { frames, lastVoiced: wordFrames - 1 };
}

/** The carrier's side of one call: a phone that never stops, and a carrier that plays everything at once. */
export class PhoneCaller {
  readonly callSid: string;
  private readonly socket: WebSocket;
  private readonly streamSid: string;
  private readonly script: PhoneScript;
  private readonly openedAt: number;
  private position: number;
  private sent = 0;
  private stoppedAt: number | null = null;
  private hasHeard = false;
  private onFirst: (ms: number) => void = () => {};
  readonly responsesMs: number[] = [];
  /** From the document, with which the carrier answers, to the first audio. */
  readonly firstFrameMs: Promise<number>;
  readonly isOpen: Promise<unknown>;

  /** `path`: of the media socket, from the document. */
  constructor(port: number, path: string, callSid: string, script: PhoneScript, position: number) {
    this.openedAt = performance.now();
    this.callSid = callSid;
    this.streamSid = `MZ${callSid.slice(2)}`;
    this.script = script;
    this.position = position;
    this.firstFrameMs = new Promise((resolve) => {
      this.onFirst = resolve;
    });
    const signature = twilioSignature(authToken, publicUrl.replace('https', 'wss') + path, []);
    const headers = { 'x-twilio-signature': signature };
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers, perMessageDeflate: false });
    this.isOpen = once(this.socket, 'open');
    this.socket.on('open', () => this.start());
    this.socket.on('message', (data: Buffer) => this.receive(data.toString()));
  }

  record(): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    const { frames, lastVoiced } = this.script;
    const frame = this.position % frames.length;
    this.position += 1;
    const timestamp = this.sent * frameMs;
    this.sent += 1;
    this.socket.send(
      `{"event":"media","sequenceNumber":"${this.sent + 1}","media":{"track":"inbound","chunk":"${this.sent}","timestamp":"${timestamp}","payload":"${frames[frame]}"},"streamSid":"${this.streamSid}"}`,
    );
    if (frame === lastVoiced) this.stoppedAt = performance.now();
  }

  async end(): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    const closed = once(this.socket, 'close');
    this.socket.send(JSON.stringify({ event: 'stop', sequenceNumber: '0', streamSid: this.streamSid, stop: {} }));
    this.socket.close(1000);
    await closed;
  }

  private start(): void {
    const { streamSid, callSid } = this;
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
    const start = { accountSid, streamSid, callSid, tracks: ['inbound'], mediaFormat, customParameters: {} };
    this.socket.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
    this.socket.send(JSON.stringify({ event: 'start', sequenceNumber: '1', start, streamSid }));
  }

  private receive(text: string): void {
    if (text.startsWith('{"event":"mark"')) {
      this.socket.send(text);
      return;
    }
    if (!text.startsWith('{"event":"media"')) return;
    if (!this.hasHeard) this.onFirst(performance.now() - this.openedAt);
    this.hasHeard = true;
    if (this.stoppedAt !== null) this.responsesMs.push(performance.now() - this.stoppedAt);
    this.stoppedAt = null;
  }
}
