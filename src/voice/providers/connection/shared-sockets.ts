import type { Clock } from '../../clock.ts';
import type { ProviderFailure } from './failure.ts';
import type { ProviderSocket, SocketEvents } from './provider-socket.ts';

export type Message = Readonly<Record<string, unknown>>;

export interface SharedSocketsOptions {
  readonly clock: Clock;
  connect(url: string, events: SocketEvents): ProviderSocket;
  /** Streams that a connection has at the same time, with those that were canceled and are not over yet. */
  readonly maxStreams: number;
  /** Streams that are in use at the same time. */
  readonly maxLive: number;
  /** How long a connection is kept that nobody uses: shorter than the provider keeps it. */
  readonly idleMs: number;
  /** The stream that a message belongs to; undefined: all of them. */
  streamOf(message: Message): string | undefined;
  /** Whether the provider has nothing more to say about its stream. */
  isLast(message: Message): boolean;
}

export interface SharedStream {
  send(message: Message): void;
  /** The messages that tell the provider to stop; nothing is reported afterwards. */
  cancel(...messages: Message[]): void;
}

export interface SharedStreamEvents {
  message(message: Message): void;
  failed(failure: ProviderFailure): void;
}

interface Connection {
  readonly url: string;
  readonly socket: ProviderSocket;
  /** Canceled streams stay until the provider has released them, because it still counts them. */
  readonly streams: Map<string, Stream>;
  stopIdling: (() => void) | null;
  isOver: boolean;
}

interface Stream {
  readonly id: string;
  readonly events: SharedStreamEvents;
  /** What was sent while nothing has come back, to be sent again on another connection. */
  sent: Message[] | null;
  hasTriedAgain: boolean;
  isCanceled: boolean;
  connection: Connection;
}

/**
 * Connections to a voice provider, each for several utterances at a time and kept for the next ones: a new connection
 * takes several round trips. One that is lost before it has said anything about an utterance is replaced once.
 */
export class SharedSockets {
  private readonly options: SharedSocketsOptions;
  private readonly connections = new Set<Connection>();
  private isClosed = false;

  constructor(options: SharedSocketsOptions) {
    this.options = options;
  }

  /** How many connections are open. */
  get size(): number {
    return this.connections.size;
  }

  open(url: string, id: string, events: SharedStreamEvents): SharedStream {
    const stream: Stream = {
      id,
      events,
      sent: [],
      hasTriedAgain: false,
      isCanceled: false,
      connection: this.connectionFor(url),
    };
    this.join(stream);
    return {
      send: (message) => {
        if (stream.isCanceled) return;
        stream.sent?.push(message);
        stream.connection.socket.send(JSON.stringify(message));
      },
      cancel: (...messages) => {
        if (stream.isCanceled) return;
        stream.isCanceled = true;
        if (stream.connection.isOver) return;
        for (const message of messages) stream.connection.socket.send(JSON.stringify(message));
      },
    };
  }

  close(): void {
    this.isClosed = true;
    for (const connection of [...this.connections]) this.end(connection);
  }

  private join(stream: Stream): void {
    const { connection } = stream;
    connection.stopIdling?.();
    connection.stopIdling = null;
    connection.streams.set(stream.id, stream);
  }

  private connectionFor(url: string): Connection {
    const { maxStreams, maxLive } = this.options;
    for (const connection of this.connections) {
      if (connection.url !== url || connection.streams.size >= maxStreams) continue;
      const live = [...connection.streams.values()].filter(({ isCanceled }) => !isCanceled);
      if (live.length < maxLive) return connection;
    }
    return this.connect(url);
  }

  private connect(url: string): Connection {
    const streams = new Map<string, Stream>();
    const connection: Connection = {
      url,
      streams,
      stopIdling: null,
      isOver: false,
      socket: this.options.connect(url, {
        open: () => {},
        message: (message) => this.onMessage(connection, message),
        failed: (failure) => this.onFailed(connection, failure),
      }),
    };
    this.connections.add(connection);
    return connection;
  }

  private onMessage(connection: Connection, message: Message): void {
    const id = this.options.streamOf(message);
    const streams = id === undefined ? [...connection.streams.values()] : [connection.streams.get(id)];
    for (const stream of streams) {
      if (stream === undefined) continue;
      stream.sent = null;
      if (this.options.isLast(message)) this.leave(connection, stream.id);
      if (!stream.isCanceled) stream.events.message(message);
    }
  }

  private leave(connection: Connection, id: string): void {
    connection.streams.delete(id);
    if (connection.isOver || connection.streams.size > 0) return;
    connection.stopIdling ??= this.options.clock.after(this.options.idleMs, () => this.end(connection));
  }

  private onFailed(connection: Connection, failure: ProviderFailure): void {
    this.forget(connection);
    for (const stream of connection.streams.values()) {
      if (stream.isCanceled) continue;
      const mayTryAgain = stream.sent !== null && !stream.hasTriedAgain && !failure.isFinal && !this.isClosed;
      if (mayTryAgain) this.tryAgain(stream, connection.url);
      else {
        stream.isCanceled = true;
        stream.events.failed(failure);
      }
    }
  }

  private tryAgain(stream: Stream, url: string): void {
    stream.hasTriedAgain = true;
    stream.connection = this.connectionFor(url);
    this.join(stream);
    for (const message of stream.sent ?? []) stream.connection.socket.send(JSON.stringify(message));
  }

  private end(connection: Connection): void {
    this.forget(connection);
    connection.socket.close();
  }

  private forget(connection: Connection): void {
    connection.isOver = true;
    connection.stopIdling?.();
    this.connections.delete(connection);
  }
}
