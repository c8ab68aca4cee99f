import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { after } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';

const rate = z.strictObject({ rate: z.union([z.literal(16_000), z.literal(24_000), z.literal(48_000)]) });
const utterance = z.int().min(1);
const clientFrame = z.union([
  z.strictObject({ type: z.literal('start'), input: rate, output: rate }),
  z.strictObject({ type: z.literal('start') }),
  z.strictObject({ type: z.literal('played'), utterance, samples: z.int().min(0) }),
  z.strictObject({ type: z.literal('text'), text: z.string().min(1).max(10_000).optional() }),
  z.strictObject({ type: z.literal('recognized'), text: z.string().min(1), isFinal: z.boolean() }),
  z.strictObject({ type: z.literal('tool_result'), toolCallId: z.string(), result: z.unknown() }),
  z.strictObject({ type: z.literal('tool_result'), toolCallId: z.string(), error: z.string().min(1).max(1000) }),
  z.strictObject({ type: z.literal('dtmf'), digits: z.string().regex(/^[0-9*#A-D]{1,50}$/) }),
  z.strictObject({ type: z.literal('end') }),
]);
export type ReceivedFrame = z.infer<typeof clientFrame>;

export interface LiveDoubleOptions {
  readonly mode?: 'voice' | 'chat';
  readonly language?: string;
  readonly capabilities?: { readonly speechIn?: boolean; readonly speechOut?: boolean };
  /** Serves everything except the socket. */
  readonly onRequest?: RequestListener;
  /** Refuses the upgrade with this status. */
  readonly refusal?: () => number | undefined;
}

/**
 * The service's side of the live protocol, without a service: a call with one token, whose test plays the agent. Every
 * violation of the protocol by the page is a problem.
 */
export class LiveDouble {
  readonly token = 'vat_test-token_1.x';
  readonly callId = 'call_01m7f8np1p0000f5kznwj47tan9zt2';
  readonly problems: string[] = [];
  readonly sockets: LiveSocket[] = [];
  readonly #options: LiveDoubleOptions;
  readonly #server = createServer((request, response) => {
    if (this.#options.onRequest !== undefined) this.#options.onRequest(request, response);
    else response.writeHead(404).end();
  });
  readonly #waiting: ((socket: LiveSocket) => void)[] = [];
  #isJoined = false;
  resumeKey: string | null = null;
  #keys = 0;

  constructor(options: LiveDoubleOptions = {}) {
    this.#options = options;
    const upgrades = new WebSocketServer({
      noServer: true,
      handleProtocols: () => 'voice-agents.v1',
    });
    this.#server.on('upgrade', (request, socket, head) => {
      const status = this.#options.refusal?.() ?? this.#refusal(request);
      if (status !== undefined) {
        refuse(socket, status);
        return;
      }
      upgrades.handleUpgrade(request, socket, head, (opened) => this.#accept(opened));
    });
  }

  static async start(options: LiveDoubleOptions = {}): Promise<LiveDouble> {
    const double = new LiveDouble(options);
    double.#server.listen(0, '127.0.0.1');
    await once(double.#server, 'listening');
    after(() => double.close());
    return double;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get access(): { liveUrl: string; token: string } {
    return { liveUrl: `${this.url.replace('http', 'ws')}/live/v1/calls/${this.callId}`, token: this.token };
  }

  /** The next socket that is ready: the page has sent `start`. */
  nextSocket(): Promise<LiveSocket> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Forgets everything about the call, for the next test. */
  reset(): void {
    for (const socket of this.sockets.splice(0)) socket.drop();
    this.#isJoined = false;
    this.resumeKey = null;
    this.problems.length = 0;
  }

  close(): void {
    for (const socket of this.sockets) socket.drop();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #refusal(request: IncomingMessage): number | undefined {
    const [path] = (request.url ?? '').split('?');
    if (path !== `/live/v1/calls/${this.callId}` || path !== request.url) return 404;
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(', ');
    if (offered.length !== 2 || offered[0] !== 'voice-agents.v1') {
      this.problems.push(`offers the subprotocols ${offered}`);
      return 401;
    }
    if (offered[1] === `resume.${this.resumeKey}`) return undefined;
    if (offered[1] !== `token.${this.token}` || this.#isJoined) return 401;
    this.#isJoined = true;
    return undefined;
  }

  #accept(socket: WebSocket): void {
    this.#keys += 1;
    const { mode = 'voice', language = 'en-US', capabilities } = this.#options;
    const live = new LiveSocket(socket, { mode, problems: this.problems });
    this.sockets.push(live);
    live.next('start').then(() => {
      this.resumeKey = `key-${this.#keys}_x`;
      live.send({
        type: 'ready',
        callId: this.callId,
        agentName: 'Sakura',
        language,
        capabilities: { speechIn: true, speechOut: true, recording: false, ...capabilities },
        resumeKey: this.resumeKey,
      });
      this.#waiting.shift()?.(live);
    });
  }
}

interface Sent {
  samples: number;
  played: number;
}

/** One connection of the page. */
export class LiveSocket {
  readonly frames: ReceivedFrame[] = [];
  /** Frames of the microphone, and when they arrived. */
  readonly audio: { readonly samples: Int16Array; readonly at: number }[] = [];
  readonly playedAt: { readonly utterance: number; readonly samples: number; readonly at: number }[] = [];
  closeCode: number | null = null;
  readonly #socket: WebSocket;
  readonly #mode: 'voice' | 'chat';
  readonly #problems: string[];
  readonly #sent = new Map<number, Sent>();
  #inputRate: number | null = null;
  outputRate = 0;
  #hasStarted = false;
  #current: Sent | null = null;
  #changed: (() => void)[] = [];

  constructor(socket: WebSocket, { mode, problems }: { mode: 'voice' | 'chat'; problems: string[] }) {
    this.#socket = socket;
    this.#mode = mode;
    this.#problems = problems;
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#hear(data);
      else this.#read(data.toString());
      this.#notify();
    });
    socket.on('close', (code) => {
      this.closeCode = code;
      this.#notify();
    });
    socket.on('error', () => {});
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** Announces an utterance. */
  speak(utterance: number): void {
    this.#current = { samples: 0, played: -1 };
    this.#sent.set(utterance, this.#current);
    this.send({ type: 'speech', utterance });
  }

  /** Audio of the last utterance, in messages of 40 ms. */
  play(samples: Int16Array): void {
    const length = this.outputRate * 0.04;
    for (let start = 0; start < samples.length; start += length) {
      const part = samples.slice(start, start + length);
      this.#socket.send(Buffer.from(part.buffer));
      if (this.#current !== null) this.#current.samples += part.length;
    }
  }

  /** What the page has reported about an utterance. */
  reportsOf(utterance: number): { utterance: number; samples: number }[] {
    return this.frames.flatMap((frame) => (frame.type === 'played' && frame.utterance === utterance ? [frame] : []));
  }

  /** The first frame of a type that satisfies the condition, also an earlier one. */
  next<Type extends ReceivedFrame['type']>(
    type: Type,
    condition: (frame: Extract<ReceivedFrame, { type: Type }>) => boolean = () => true,
  ): Promise<Extract<ReceivedFrame, { type: Type }>> {
    return this.until(() =>
      this.frames.find(
        (frame): frame is Extract<ReceivedFrame, { type: Type }> =>
          frame.type === type && condition(frame as Extract<ReceivedFrame, { type: Type }>),
      ),
    );
  }

  /** Waits until the function returns something. */
  async until<Value>(read: () => Value | undefined | false): Promise<Value> {
    for (;;) {
      const value = read();
      if (value !== undefined && value !== false) return value;
      await new Promise<void>((resolve) => {
        this.#changed.push(resolve);
      });
    }
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  /** Like a broken network. */
  drop(): void {
    this.#socket.terminate();
  }

  #notify(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }

  #hear(data: Buffer): void {
    const wanted = this.#inputRate === null ? null : (this.#inputRate / 50) * 2;
    if (wanted === null) this.#problems.push('audio before start, or in a chat');
    else if (data.length !== wanted) this.#problems.push(`an audio frame of ${data.length} bytes instead of ${wanted}`);
    const samples = Int16Array.from({ length: data.length / 2 }, (_, place) => data.readInt16LE(place * 2));
    this.audio.push({ samples, at: performance.now() });
  }

  #read(text: string): void {
    const parsed = clientFrame.safeParse(JSON.parse(text));
    if (!parsed.success) {
      this.#problems.push(`a bad frame: ${text}`);
      return;
    }
    const frame = parsed.data;
    if ((frame.type === 'start') === this.#hasStarted) this.#problems.push(`out of order: ${text}`);
    // The tests of tools need no audio, although the service offers tools of a page in spoken calls only.
    if (this.#mode === 'chat' && !['start', 'text', 'end', 'tool_result'].includes(frame.type))
      this.#problems.push(`not for a chat: ${text}`);
    if (frame.type === 'start') this.#start(frame, text);
    if (frame.type === 'played') this.#count(frame.utterance, frame.samples, text);
    this.frames.push(frame);
  }

  #start(frame: Extract<ReceivedFrame, { type: 'start' }>, text: string): void {
    this.#hasStarted = true;
    if ('input' in frame === (this.#mode === 'chat'))
      this.#problems.push(`the wrong start of a ${this.#mode}: ${text}`);
    if (!('input' in frame)) return;
    this.#inputRate = frame.input.rate;
    this.outputRate = frame.output.rate;
  }

  #count(utterance: number, samples: number, text: string): void {
    const sent = this.#sent.get(utterance);
    if (sent === undefined) {
      this.#problems.push(`an utterance that was not announced: ${text}`);
      return;
    }
    if (samples > sent.samples) this.#problems.push(`more than was sent, ${sent.samples}: ${text}`);
    if (samples < sent.played) this.#problems.push(`less than before, ${sent.played}: ${text}`);
    sent.played = samples;
    this.playedAt.push({ utterance, samples, at: performance.now() });
  }
}

function refuse(socket: Duplex, status: number): void {
  const body = JSON.stringify({ error: { code: 'UNAUTHORIZED', message: 'Refused.' } });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
