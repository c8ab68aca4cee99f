import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';
import { hangUpDocument, mediaDocument } from '../../src/voice/carriers/twilio/documents.ts';
import { type CarrierFrame, markFrame, mediaFrame, readFrame } from '../../src/voice/carriers/twilio/media-frames.ts';
import { isSignedBy, upgradeUrl } from '../../src/voice/carriers/twilio/signature.ts';

/** What the carrier did, with the time since the line was opened. */
export interface Happening {
  readonly what: string;
  readonly atMs: number;
  readonly isSigned: boolean;
}

/** The smallest service that can take a call: it records what the carrier asks for, and whether that was signed. */
export class LiveLine {
  readonly happenings: Happening[] = [];
  readonly frames: CarrierFrame[] = [];
  readonly #news = new EventEmitter();
  readonly #server = createServer((request, response) => {
    void this.#respond(request).then((document) => {
      response.writeHead(200, { 'content-type': 'text/xml' }).end(document);
    });
  });
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #base: string;
  readonly #authToken: string;
  readonly #startedAt = performance.now();
  #socket: WebSocket | null = null;
  #streamId = '';

  constructor(base: string, authToken: string) {
    this.#base = base.replace(/\/+$/, '');
    this.#authToken = authToken;
    this.#server.on('upgrade', (request: IncomingMessage, socket, head) => {
      this.#note('socket', request, upgradeUrl(`${this.#base}${request.url}`), []);
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#listen(opened));
    });
  }

  address(path: string): string {
    return `${this.#base}${path}`;
  }

  async open(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#socket?.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Sends audio of 8,000 mu-law codes per second, and a mark after it. */
  play(codes: Buffer, mark: string): void {
    for (let start = 0; start < codes.length; start += 800) {
      this.#socket?.send(mediaFrame(this.#streamId, codes.subarray(start, start + 800)));
    }
    this.#socket?.send(markFrame(this.#streamId, mark));
  }

  send(frame: (streamId: string) => string): void {
    this.#socket?.send(frame(this.#streamId));
  }

  /** `abnormally`: without the closing handshake of a WebSocket. */
  hangUpSocket({ abnormally }: { abnormally: boolean }): void {
    if (abnormally) this.#socket?.terminate();
    else this.#socket?.close(1000);
  }

  /** When it happens, or null if it does not in time. */
  async seen(what: string, maxMs: number): Promise<Happening | null> {
    const end = performance.now() + maxMs;
    for (;;) {
      const found = this.happenings.find((one) => one.what === what);
      if (found !== undefined) return found;
      const leftMs = end - performance.now();
      if (leftMs <= 0) return null;
      await Promise.race([once(this.#news, 'any'), new Promise((resolve) => setTimeout(resolve, leftMs))]);
    }
  }

  async #respond(request: IncomingMessage): Promise<string> {
    const { url = '' } = request;
    const fields = new URLSearchParams(await text(request));
    const [path = ''] = url.slice(1).split('?');
    const status = fields.get('CallStatus');
    this.#note(path === 'status' ? `status ${status}` : path, request, `${this.#base}${url}`, fields);
    if (path !== 'answer') return path === 'rejoin' ? hangUpDocument() : '';
    return mediaDocument({
      streamUrl: upgradeUrl(this.address('/media')),
      streamStatusUrl: this.address('/stream'),
      rejoinUrl: this.address('/rejoin'),
    });
  }

  #listen(socket: WebSocket): void {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const frame = readFrame(String(data));
      if (frame === null) return this.#tell('malformed frame', false);
      if (frame.event === 'media') this.#tell('audio', true);
      else this.frames.push(frame);
      if (frame.event === 'start') this.#streamId = frame.streamId;
      if (frame.event === 'start' || frame.event === 'stop') this.#tell(frame.event, true);
      if (frame.event === 'mark') this.#tell(`mark ${frame.name}`, true);
      if (frame.event === 'dtmf') this.#tell(`key ${frame.key}`, true);
    });
  }

  #note(what: string, request: IncomingMessage, url: string, fields: Iterable<readonly [string, string]>): void {
    const header = request.headers['x-twilio-signature'];
    this.#tell(what, isSignedBy(this.#authToken, url, fields, typeof header === 'string' ? header : undefined));
  }

  #tell(what: string, isSigned: boolean): void {
    // Audio arrives 50 times per second.
    if (what === 'audio' && this.happenings.some((one) => one.what === 'audio')) return;
    this.happenings.push({ what, atMs: Math.round(performance.now() - this.#startedAt), isSigned });
    this.#news.emit('any');
  }
}
