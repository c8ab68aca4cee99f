import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import {
  type ClientLlmFrame,
  type LlmFrame,
  plainProtocol,
  readFrame,
  type ServerLlmFrame,
  strictProtocol,
} from '../../voice/engines/custom-llm/frames.ts';

/** What a server sent, and when after the connection was opened. */
export interface Arrived {
  readonly atMs: number;
  readonly frame: ServerLlmFrame;
}

export interface Mistake {
  readonly atMs: number;
  readonly message: string;
}

const connectMs = 7000;

/** A connection to the server that is checked. It plays the part of the service. */
export class Probe {
  readonly arrived: Arrived[] = [];
  /** Frames that break the protocol. */
  readonly mistakes: Mistake[] = [];
  readonly isStrict: boolean;
  /** Responses without a `response_type`, as the oldest servers send them. */
  untyped = 0;
  closedWith: number | null = null;
  private readonly socket: WebSocket;
  private readonly startedAt = performance.now();
  private wake: () => void = () => {};

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.isStrict = socket.protocol === strictProtocol;
    socket.on('message', (data, isBinary) => this.receive(data as Buffer, isBinary));
    socket.on('close', (code) => {
      this.closedWith = code;
      this.wake();
    });
    socket.on('error', () => {});
  }

  /** Opens a connection. Rejects with what went wrong, in words. */
  static open(url: string): Promise<Probe> {
    const socket = new WebSocket(url, [plainProtocol, strictProtocol], {
      handshakeTimeout: connectMs,
      perMessageDeflate: false,
    });
    socket.on('upgrade', ({ headers }: IncomingMessage) => {
      headers['sec-websocket-protocol'] ??= plainProtocol;
    });
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(new Probe(socket)));
      socket.once('unexpected-response', (request, response) => {
        request.destroy();
        reject(new Error(`the server responded with HTTP ${response.statusCode} instead of opening a WebSocket`));
      });
      socket.once('error', (error) => reject(new Error(error.message)));
    });
  }

  get nowMs(): number {
    return Math.round(performance.now() - this.startedAt);
  }

  get isOpen(): boolean {
    return this.closedWith === null;
  }

  send(frame: ClientLlmFrame): void {
    if (this.isOpen) this.socket.send(JSON.stringify(frame));
  }

  /** Cuts the connection, as a network does. */
  drop(): void {
    this.socket.terminate();
  }

  close(): void {
    this.socket.close(1000);
  }

  /** The first thing that is so, or undefined if it is not in time or the server is gone. */
  async until<Found>(find: () => Found | undefined, maxMs: number): Promise<Found | undefined> {
    const deadline = performance.now() + maxMs;
    for (;;) {
      const found = find();
      const left = deadline - performance.now();
      if (found !== undefined || left <= 0 || !this.isOpen) return found;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  of<Type extends ServerLlmFrame['response_type']>(type: Type): { atMs: number; frame: LlmFrame<Type> }[] {
    return this.arrived.flatMap(({ atMs, frame }) =>
      frame.response_type === type ? [{ atMs, frame: frame as LlmFrame<Type> }] : [],
    );
  }

  private receive(data: Buffer, isBinary: boolean): void {
    const text = isBinary ? null : data.toString();
    const read = readFrame(text, data.length, this.isStrict);
    if ('error' in read) this.mistakes.push({ atMs: this.nowMs, message: `${read.error.code}: ${read.error.message}` });
    else this.arrived.push({ atMs: this.nowMs, frame: read.frame });
    if ('frame' in read && text?.includes('"response_type"') !== true) this.untyped += 1;
    this.wake();
  }
}
