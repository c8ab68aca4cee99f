import { type ResourceLimits, Worker } from 'node:worker_threads';

/** How long `close` waits for a thread. With ten busy processes on two cores, loading a model took more than 20 s. */
const maxStopMs = 60_000;
/** How long the exit of the process waits for what a thread is doing. */
const maxExitMs = 5000;

export interface ThreadEvents<Event> {
  event(event: Event): void;
  /** The stream is over; nothing follows. */
  failed(detail: string): void;
}

export interface ThreadStream<Message> {
  send(message: Message, transfer?: ArrayBuffer[]): void;
  /** No event is reported afterwards. */
  close(): void;
}

/** A value of the number that a thread shares with its process: the thread has ended, or is about to. */
export const threadEnded = 1;

export type ToThread<Options, Message> =
  /** The first message. */
  | { readonly type: 'begin'; readonly state: Int32Array<SharedArrayBuffer> }
  | { readonly type: 'open'; readonly stream: number; readonly options: Options }
  | { readonly type: 'message'; readonly stream: number; readonly message: Message }
  | { readonly type: 'close'; readonly stream: number }
  /** The thread ends itself. */
  | { readonly type: 'stop' };

export type FromThread<Event> =
  /** Everything that the thread needs before its first stream is there. */
  | { readonly type: 'loaded' }
  | { readonly type: 'event'; readonly stream: number; readonly event: Event }
  | { readonly type: 'failed'; readonly stream: number; readonly detail: string };

export interface ResidentProgram {
  readonly file: URL;
  /** In error messages, such as `speech`. */
  readonly name: string;
  readonly workerData: unknown;
  /** Passes the environment on, which contains credentials: for a thread that opens the database. */
  readonly hasEnvironment?: boolean;
  /** For its JavaScript. What native code and WebAssembly allocate is outside of these limits. */
  readonly resourceLimits: ResourceLimits;
}

/**
 * A thread that keeps what it has loaded, and serves many streams at once, by number. It starts with the first stream.
 * If it ends unexpectedly, its streams fail, and the next stream starts it again.
 *
 * The thread is never terminated, but asked to end, which it does between two messages: native code that is interrupted,
 * such as while it loads a model, aborts the process.
 */
export class ResidentThread<Options, Message, Event> {
  readonly #program: ResidentProgram;
  #worker: Worker | null = null;
  #streams = new Map<number, ThreadEvents<Event>>();
  #lastStream = 0;
  #isClosed = false;
  #loaded: Promise<void> = Promise.resolve();
  #onLoaded: () => void = () => {};

  constructor(program: ResidentProgram) {
    this.#program = program;
  }

  open(options: Options, events: ThreadEvents<Event>): ThreadStream<Message> {
    const stream = ++this.#lastStream;
    if (this.#isClosed) {
      queueMicrotask(() => events.failed('the service is shutting down'));
      return { send: () => {}, close: () => {} };
    }
    const worker = this.#started();
    this.#streams.set(stream, events);
    const post = (message: ToThread<Options, Message>, transfer: ArrayBuffer[] = []): void => {
      // A thread that has ended has told its streams so.
      if (this.#worker === worker) worker.postMessage(message, transfer);
    };
    post({ type: 'open', stream, options });
    return {
      send: (message, transfer) => {
        if (this.#streams.has(stream)) post({ type: 'message', stream, message }, transfer);
      },
      close: () => {
        if (this.#streams.delete(stream)) post({ type: 'close', stream });
      },
    };
  }

  /** A stream with a single event, the reply. */
  request(options: Options): Promise<Event> {
    return new Promise((resolve, reject) => {
      const stream = this.open(options, {
        event: (event) => {
          stream.close();
          resolve(event);
        },
        failed: (detail) => reject(new Error(detail)),
      });
    });
  }

  /** Starts the thread before the first stream. Resolves once it is loaded, or has ended. */
  load(): Promise<void> {
    if (!this.#isClosed) this.#started();
    return this.#loaded;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#end('the service is shutting down');
    if (worker === null) return;
    stop(worker);
    worker.ref();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        worker.unref();
        resolve();
      }, maxStopMs);
      worker.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const { file, name, workerData, hasEnvironment = false, resourceLimits } = this.#program;
    const worker = new Worker(file, {
      workerData,
      env: hasEnvironment ? process.env : {},
      // None of the flags of the process. WASI, on which a voice runs, is experimental in Node.js.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits,
    });
    this.#worker = worker;
    this.#loaded = new Promise((resolve) => {
      this.#onLoaded = resolve;
    });
    // An idle thread must not keep the process alive.
    worker.unref();
    worker.on('message', (message: FromThread<Event>) => this.#receive(message));
    worker.on('error', (error: Error) => this.#end(`the ${name} thread failed: ${error.message}`, worker));
    worker.on('exit', () => this.#end(`the ${name} thread has ended`, worker));
    endBeforeProcess(worker);
    return worker;
  }

  #receive(message: FromThread<Event>): void {
    if (message.type === 'loaded') {
      this.#onLoaded();
      return;
    }
    const events = this.#streams.get(message.stream);
    if (message.type === 'event') events?.event(message.event);
    else {
      this.#streams.delete(message.stream);
      events?.failed(message.detail);
    }
  }

  #end(detail: string, worker = this.#worker): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#onLoaded();
    const streams = [...this.#streams.values()];
    this.#streams = new Map();
    for (const events of streams) events.failed(detail);
  }
}

function stop(worker: Worker): void {
  const message: ToThread<never, never> = { type: 'stop' };
  worker.postMessage(message);
}

/** The process terminates its threads when it exits: this one has ended by then, or had time to. */
function endBeforeProcess(worker: Worker): void {
  const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const message: ToThread<never, never> = { type: 'begin', state };
  worker.postMessage(message);
  const onExit = (): void => {
    stop(worker);
    Atomics.wait(state, 0, 0, maxExitMs);
  };
  process.once('exit', onExit);
  worker.once('exit', () => process.off('exit', onExit));
}
