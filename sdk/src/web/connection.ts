import { CallRequests, refused } from './call-requests.ts';
import { WebCallError } from './errors.ts';
import { type ClientFrame, parseFrame, type Ready, type ServerFrame, type StartFrame } from './frames.ts';
import { canResume, nextDelayMs, resumeWindowMs } from './reconnection.ts';

const protocol = 'voice-agents.v1';
/** Per attempt: the service answers in milliseconds, or something between holds the connection. */
const attemptTimeoutMs = 10_000;
/** How long a page waits for `ended` after it has sent `end`. */
const endTimeoutMs = 2_000;
/** In seconds of audio: the service accepts a backlog of 8 when a stalled network recovers. */
const maxBacklogSeconds = 7;

export interface Access {
  /** The URL of the call's WebSocket: `access.liveUrl` of the call. */
  readonly liveUrl: string;
  /** The access token: `access.token` of the call. */
  readonly token: string;
}

export interface ConnectionHandlers {
  readonly onFrame: (frame: ServerFrame) => void;
  readonly onAudio: (audio: ArrayBuffer) => void;
  readonly onReconnecting: (attempt: number, delayMs: number) => void;
  /** The connection was resumed. */
  readonly onResumed: (ready: Ready) => void;
  /** Called once; the error is null after a regular end. */
  readonly onClosed: (error: WebCallError | null) => void;
}

/** A socket that was closed before it was ready. */
class CloseError extends Error {
  readonly code: number;
  /** False if the service refused it with an HTTP response, which a page cannot see. */
  readonly hasOpened: boolean;

  constructor(code: number, hasOpened: boolean) {
    super(`closed with ${code}`);
    this.code = code;
    this.hasOpened = hasOpened;
  }
}

type State = 'joining' | 'open' | 'lost' | 'ending' | 'closed';

/** The WebSocket of a call, which survives a lost connection. Knows nothing about audio devices. */
export class Connection {
  readonly #url: string;
  readonly #token: string;
  readonly #start: StartFrame;
  readonly #handlers: ConnectionHandlers;
  readonly #requests: CallRequests;
  #socket: WebSocket | null = null;
  #state: State = 'joining';
  #resumeKey: string | null = null;
  #lostAt = 0;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Frames that were sent while the connection was lost. */
  #outbox: ClientFrame[] = [];
  #onEnded: () => void = () => {};

  constructor(access: Access, start: StartFrame, handlers: ConnectionHandlers) {
    const base = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
    this.#url = new URL(access.liveUrl, base).href.replace(/^http/, 'ws');
    this.#token = access.token;
    this.#requests = new CallRequests(this.#url, access.token);
    this.#start = start;
    this.#handlers = handlers;
  }

  /** Joins the call. Rejects if the service refuses, in which case nothing is retried. */
  async open(): Promise<Ready> {
    try {
      const ready = await this.#connect(`token.${this.#token}`);
      this.#state = 'open';
      return ready;
    } catch (error) {
      this.#state = 'closed';
      if (!(error instanceof CloseError)) throw error;
      throw refused('connection_refused', error.hasOpened ? null : await this.#requests.refusal(), error.code);
    }
  }

  /** What is sent while the connection is lost follows when it is back, except `played`, which is about lost audio. */
  send(frame: ClientFrame): void {
    if (this.#state === 'open' || this.#state === 'ending') this.#socket?.send(JSON.stringify(frame));
    else if (this.#state === 'lost' && frame.type !== 'played' && frame.type !== 'recognized') this.#outbox.push(frame);
  }

  /** Drops audio that the network cannot take: late speech is worse than missing speech. */
  sendAudio(audio: ArrayBuffer): void {
    const { input } = this.#start;
    if (this.#state !== 'open' || this.#socket === null || input === undefined) return;
    if (this.#socket.bufferedAmount < input.rate * 2 * maxBacklogSeconds) this.#socket.send(audio);
  }

  /** Ends the call, and waits until the service confirms it. */
  async end(): Promise<void> {
    if (this.#state === 'closed' || this.#state === 'ending') return;
    if (this.#state === 'open') {
      const ended = new Promise<void>((resolve) => {
        this.#onEnded = resolve;
      });
      this.send({ type: 'end' });
      this.#state = 'ending';
      const timer = setTimeout(this.#onEnded, endTimeoutMs);
      await ended;
      clearTimeout(timer);
    } else if (this.#state === 'lost') this.#requests.hangUp();
    this.#close(null);
  }

  /** The network is back: does not wait for the next attempt. */
  retryNow(): void {
    if (this.#state !== 'lost' || this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#resume();
  }

  /** Opens a socket, sends `start` and waits for `ready`. Later frames go to the handlers. */
  #connect(credential: string): Promise<Ready> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url, [protocol, credential]);
      socket.binaryType = 'arraybuffer';
      this.#socket = socket;
      let isReady = false;
      let hasOpened = false;
      const timeout = setTimeout(() => {
        socket.close();
        fail(1006);
      }, attemptTimeoutMs);
      const fail = (code: number) => {
        clearTimeout(timeout);
        reject(new CloseError(code, hasOpened));
      };
      socket.onopen = () => {
        hasOpened = true;
        socket.send(JSON.stringify(this.#start));
      };
      socket.onmessage = ({ data }) => {
        if (this.#socket !== socket) return;
        if (typeof data !== 'string') {
          this.#handlers.onAudio(data as ArrayBuffer);
          return;
        }
        const frame = parseFrame(data);
        if (frame === null) return;
        if (frame.type === 'ready' && !isReady) {
          isReady = true;
          clearTimeout(timeout);
          this.#resumeKey = frame.resumeKey;
          resolve(frame);
        } else {
          this.#handlers.onFrame(frame);
          if (frame.type === 'ended') this.#finish();
        }
      };
      socket.onclose = ({ code }) => {
        if (!isReady) fail(code);
        else if (this.#socket === socket) this.#disconnected(code);
      };
    });
  }

  #disconnected(code: number): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'ending') {
      this.#onEnded();
      return;
    }
    if (!canResume(code) || this.#resumeKey === null) {
      this.#close(closeError(code));
      return;
    }
    this.#state = 'lost';
    this.#lostAt = performance.now();
    this.#attempt = 0;
    this.#schedule();
  }

  #schedule(): void {
    const lostForMs = performance.now() - this.#lostAt;
    const delayMs = nextDelayMs(this.#attempt, { lostForMs, random: Math.random() });
    if (delayMs === null) {
      const seconds = resumeWindowMs / 1000;
      this.#close(new WebCallError('connection_lost', `The connection was lost for more than ${seconds} seconds.`));
      return;
    }
    this.#attempt += 1;
    this.#handlers.onReconnecting(this.#attempt, delayMs);
    this.#timer = setTimeout(() => this.#resume(), delayMs);
  }

  async #resume(): Promise<void> {
    this.#timer = undefined;
    try {
      const ready = await this.#connect(`resume.${this.#resumeKey}`);
      if (this.#state !== 'lost') return;
      this.#state = 'open';
      this.#handlers.onResumed(ready);
      for (const frame of this.#outbox.splice(0)) this.send(frame);
    } catch (error) {
      if (this.#state !== 'lost') return;
      if (!(error instanceof CloseError) || (error.hasOpened && canResume(error.code))) this.#schedule();
      else if (canResume(error.code)) await this.#afterRefusal();
      else this.#close(closeError(error.code));
    }
  }

  /** The call may have ended while the connection was lost. */
  async #afterRefusal(): Promise<void> {
    const end = await this.#requests.end();
    if (this.#state !== 'lost') return;
    if (end === null) this.#schedule();
    else if (end instanceof WebCallError) this.#close(end);
    else {
      this.#handlers.onFrame({ type: 'ended', reason: end });
      this.#close(null);
    }
  }

  /** The service has said that the call is over. */
  #finish(): void {
    if (this.#state === 'ending') this.#onEnded();
    else this.#close(null);
  }

  #close(error: WebCallError | null): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearTimeout(this.#timer);
    this.#socket?.close(1000);
    this.#handlers.onClosed(error);
  }
}

function closeError(code: number): WebCallError | null {
  if (code === 1000) return null;
  if (code === 4409) return new WebCallError('joined_elsewhere', 'The call goes on in another page.');
  if (code === 4401) {
    const details = { status: 401, detail: String(code) };
    return new WebCallError(
      'connection_lost',
      'The API key that created the access token is not valid any more.',
      details,
    );
  }
  return new WebCallError('protocol_error', `The service closed the connection with ${code}.`, {
    detail: String(code),
  });
}
