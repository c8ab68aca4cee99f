import type { Clock } from '../../clock.ts';
import {
  type ClientLlmFrame,
  type FrameError,
  type LlmConfig,
  maxFramesPerSecond,
  readFrame,
  type ServerLlmFrame,
} from './frames.ts';
import type { LlmSocket, OpenLlmSocket } from './socket.ts';

export interface ConnectionParts {
  readonly open: OpenLlmSocket;
  readonly clock: Clock;
  /** The present time, in milliseconds since 1970. */
  readonly time: () => number;
}

export interface ConnectionListener {
  /** `isAgain`: after a connection that was lost. */
  opened(isAgain: boolean): void;
  /** The connection was lost, and is being restored. */
  lost(): void;
  frame(frame: ServerLlmFrame): void;
  warn(code: string, message: string): void;
  /** The server has ended the call. */
  hungUp(): void;
  failed(reason: 'llm_connect_failed' | 'llm_failed', detail: string): void;
}

export const connectAttempts = 3;
const attemptMs = 7000;
const betweenAttemptsMs = 3000;
const firstReconnectMs = 500;
const reconnectEveryMs = 1000;
const reconnectMs = 15_000;
/** A server that makes this many mistakes is not one of ours. */
const maxErrors = 20;
/** A server that sends ten times as much as it may is cut off. */
const floodFactor = 10;

/** The connection of a call to its custom LLM server: connects, pings, connects again, and rejects bad frames. */
export class LlmConnection {
  listener: ConnectionListener | null = null;
  /** What the server asked for in its last `config`. */
  config: LlmConfig = {};
  /** When the present connection was opened, or null. */
  openedAt: number | null = null;
  /** Frames that were rejected. */
  errors: number;
  /** The connection was not used for a while and may be gone without a sign. That is no failure: it is opened again. */
  isUnproven = false;
  private readonly parts: ConnectionParts;
  private readonly pings: ReturnType<typeof createPings>;
  private socket: LlmSocket | null = null;
  private isStarted = false;
  private isClosed = false;
  private isEverOpen = false;
  private lostAt = 0;
  private attempts = new Set<() => void>();
  private cancelWait: () => void = () => {};
  private cancelDeadline: () => void = () => {};
  private second = { start: 0, frames: 0 };

  /** `errors`: of earlier connections of the same call. */
  constructor(parts: ConnectionParts, errors = 0) {
    this.parts = parts;
    this.errors = errors;
    this.pings = createPings(parts.clock, {
      send: () => this.send({ interaction_type: 'ping_pong', timestamp: parts.time() }),
      missed: () => this.detach('the custom LLM server answered no ping for 5 s'),
    });
  }

  get isOpen(): boolean {
    return this.socket !== null;
  }

  /** Whether nothing can be expected of it any more. */
  get isOver(): boolean {
    return this.isClosed;
  }

  /** Has no effect on one that is started. */
  start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.connect(1);
  }

  /** What is sent while there is no connection is lost: after the next one is open, everything is sent again. */
  send(frame: ClientLlmFrame): void {
    this.socket?.send(JSON.stringify(frame));
  }

  /** A frame of the server was wrong. */
  reject({ code, message, path }: FrameError): void {
    this.errors += 1;
    this.report(code, message);
    if (this.socket?.isStrict !== true) return;
    this.send({ interaction_type: 'error', code, message, path });
    if (this.errors >= maxErrors) {
      this.end(1008);
      this.listener?.failed('llm_failed', `the custom LLM server sent ${maxErrors} bad frames; the last: ${message}`);
    }
  }

  /** The call is over. */
  close(): void {
    this.end(1000);
  }

  /** The events of a call are limited, and a server that is wrong all the time says nothing new. */
  private report(code: string, message: string) {
    if (this.errors < maxErrors) return this.listener?.warn(code, message);
    if (this.errors > maxErrors) return;
    const isLast = this.socket?.isStrict === true;
    this.listener?.warn(code, isLast ? message : `${message}; further bad frames are not reported`);
  }

  // The first connection

  private connect(attempt: number): void {
    const fail = (detail: string, isFinal: boolean) => {
      if (attempt === connectAttempts || isFinal) return this.fail('llm_connect_failed', detail);
      this.cancelWait = this.parts.clock.after(betweenAttemptsMs, () => this.connect(attempt + 1));
    };
    this.attempt(fail);
  }

  private attempt(onFailed: (detail: string, isFinal: boolean) => void): void {
    const { clock, open } = this.parts;
    let socket: LlmSocket | null = null;
    const finish = (): void => {
      cancelTimeout();
      this.attempts.delete(cancelAttempt);
    };
    const cancelAttempt = (): void => {
      finish();
      cancel();
    };
    const cancelTimeout = clock.after(attemptMs, () => {
      cancelAttempt();
      onFailed('the custom LLM server did not answer within 7 s', false);
    });
    this.attempts.add(cancelAttempt);
    const cancel = open({
      opened: (opened) => {
        finish();
        socket = opened;
        this.opened(opened);
      },
      failed: (detail, isFinal) => {
        finish();
        onFailed(detail, isFinal);
      },
      message: (text, bytes) => {
        if (socket !== null && socket === this.socket) this.receive(text, bytes);
      },
      control: () => {
        if (socket !== null && socket === this.socket) this.isWithinRate();
      },
      closed: (code, detail) => {
        if (socket !== null && socket === this.socket) this.closed(code, detail);
      },
    });
  }

  private opened(socket: LlmSocket): void {
    const isAgain = this.isEverOpen;
    this.stopTrying();
    this.isEverOpen = true;
    this.socket = socket;
    this.openedAt = this.parts.clock.now();
    this.second = { start: this.openedAt, frames: 0 };
    if (isAgain) {
      const awayMs = Math.round(this.openedAt - this.lostAt);
      this.listener?.warn('llm_reconnected', `the custom LLM server is connected again, after ${awayMs} ms`);
    }
    this.listener?.opened(isAgain);
  }

  // Frames

  private receive(text: string | null, bytes: number) {
    this.isUnproven = false;
    if (!this.isWithinRate()) return;
    const read = readFrame(text, bytes, this.socket?.isStrict ?? false);
    if ('error' in read) return this.reject(read.error);
    const { frame } = read;
    if (frame.response_type === 'config') {
      this.config = frame.config;
      if (frame.config.auto_reconnect === true) this.pings.start();
      else this.pings.stop();
    }
    if (frame.response_type === 'ping_pong') this.pings.answered();
    else this.listener?.frame(frame);
  }

  /** Counts a frame. Pings and pongs count too: each takes as long to read as a short message. */
  private isWithinRate(): boolean {
    const now = this.parts.clock.now();
    if (now - this.second.start >= 1000) this.second = { start: now, frames: 0 };
    this.second.frames += 1;
    const { frames } = this.second;
    if (frames <= maxFramesPerSecond) return true;
    if (frames > maxFramesPerSecond * floodFactor) {
      this.fail('llm_failed', `the custom LLM server sent more than ${frames - 1} frames in a second`);
    } else if (frames === maxFramesPerSecond + 1 || this.socket?.isStrict === true) {
      this.reject({ code: 'TOO_LARGE', message: `more than ${maxFramesPerSecond} frames in a second`, path: '' });
    }
    return false;
  }

  // A connection that is lost

  private closed(code: number, detail?: string) {
    if (detail !== undefined) return this.fail('llm_failed', detail);
    if (code === 1000) {
      this.end();
      this.listener?.hungUp();
      return;
    }
    this.detach(`the custom LLM server closed the connection with code ${code}`);
  }

  private detach(detail: string) {
    this.disconnect();
    this.lostAt = this.parts.clock.now();
    const mayReturn = this.config.auto_reconnect === true || this.isUnproven;
    this.isUnproven = false;
    if (!mayReturn) return this.fail('llm_failed', detail);
    this.listener?.warn('llm_connection_lost', `${detail}; connecting again`);
    this.listener?.lost();
    this.cancelDeadline = this.parts.clock.after(reconnectMs, () =>
      this.fail('llm_failed', `${detail}, and was not back after ${reconnectMs / 1000} s`),
    );
    this.reconnectAfter(firstReconnectMs);
  }

  /** Attempts overlap, because one that hangs must not delay the next. */
  private reconnectAfter(ms: number): void {
    this.cancelWait = this.parts.clock.after(ms, () => {
      this.reconnectAfter(reconnectEveryMs);
      this.attempt((detail, isFinal) => {
        if (isFinal) this.fail('llm_failed', detail);
      });
    });
  }

  // The end

  private fail(reason: 'llm_connect_failed' | 'llm_failed', detail: string): void {
    if (this.isClosed) return;
    this.end(1008);
    this.listener?.failed(reason, detail);
  }

  private end(code?: number): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.stopTrying();
    this.disconnect(code);
  }

  private disconnect(code?: number): void {
    this.pings.stop();
    const { socket } = this;
    this.socket = null;
    this.openedAt = null;
    socket?.close(code);
  }

  private stopTrying(): void {
    this.cancelWait();
    this.cancelDeadline();
    for (const cancelAttempt of [...this.attempts]) cancelAttempt();
  }
}

const everyMs = 2000;
const timeoutMs = 5000;

/** Asks a server whether it is still there, as long as it wants to be asked. */
function createPings(clock: Clock, { send, missed }: { send(): void; missed(): void }) {
  let isRunning = false;
  let cancelPing = () => {};
  let cancelTimeout = () => {};
  const answered = (): void => {
    if (!isRunning) return;
    cancelTimeout();
    cancelTimeout = clock.after(timeoutMs, missed);
  };
  const ping = (): void => {
    send();
    cancelPing = clock.after(everyMs, ping);
  };
  return {
    start: () => {
      if (isRunning) return;
      isRunning = true;
      answered();
      ping();
    },
    stop: () => {
      isRunning = false;
      cancelPing();
      cancelTimeout();
    },
    answered,
  };
}
