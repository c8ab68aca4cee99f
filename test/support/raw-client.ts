import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parseAnswers, type RawAnswer } from './raw-socket.ts';

/** A connection that is written and read as bytes. It stays open for reading after its own end. */
export class RawClient {
  readonly socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  readonly #closed: Promise<unknown>;

  private constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.socket.on('error', () => {});
    this.socket.on('end', () => this.socket.end());
    this.#closed = new Promise((resolve) => {
      this.socket.once('close', resolve);
    });
    this.socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
  }

  static async open(port: number): Promise<RawClient> {
    const client = new RawClient(port);
    await once(client.socket, 'connect');
    return client;
  }

  /** Everything received so far, as text. */
  get text(): string {
    return this.#received.toString('latin1');
  }

  get answers(): RawAnswer[] {
    return parseAnswers(this.#received);
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Sends these bytes together with the end of the stream. */
  end(bytes: string | Buffer): void {
    this.socket.cork();
    this.socket.write(bytes);
    this.socket.end();
    this.socket.uncork();
  }

  /** Resolves when this many responses have arrived, or the connection is closed. */
  async receive(count: number): Promise<RawAnswer[]> {
    while (this.answers.length < count && !this.socket.closed) {
      await Promise.race([once(this.socket, 'data'), this.#closed]);
    }
    return this.answers;
  }

  async untilClosed(): Promise<RawAnswer[]> {
    await this.#closed;
    return this.answers;
  }

  destroy(): void {
    this.socket.destroy();
  }
}
