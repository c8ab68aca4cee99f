import { CallAudio, inputRate, outputRate } from './call-audio.ts';
import { Connection } from './connection.ts';
import { Emitter } from './emitter.ts';
import { WebCallError } from './errors.ts';
import type { Capabilities, Floor, Ready, ServerFrame, ToolCall } from './frames.ts';
import type { JoinAccess, JoinOptions, WebCallEvents } from './join-options.ts';
import { PageTools, resultFrame } from './page-tools.ts';
import { BrowserRecognition, hasBrowserRecognition } from './recognition.ts';
import { storable } from './storable.ts';

const maxTextLength = 10_000;

/**
 * Joins a call. Use it in the handler of a click or key press: browsers allow sound only then. Rejects with a
 * `WebCallError`. Nothing remains open then; if the microphone is the cause, the token has not been used.
 */
export function joinCall(options: JoinOptions & JoinAccess): Promise<WebCall> {
  return WebCall.join(options);
}

/** A call that this page has joined. */
export class WebCall {
  readonly #emitter: Emitter<WebCallEvents>;
  readonly #tools: PageTools;
  #connection: Connection | null = null;
  #ready: Ready | null = null;
  /** Null in a chat. */
  #audio: CallAudio | null = null;
  #recognition: BrowserRecognition | null = null;
  #floor: Floor = 'none';
  #isMuted = false;
  #reason: string | null = null;
  #isOver = false;

  private constructor({ on, tools = {} }: JoinOptions) {
    this.#emitter = new Emitter(on);
    this.#tools = new PageTools(tools);
  }

  static async join(options: JoinOptions & JoinAccess): Promise<WebCall> {
    const { mode = 'voice', microphone = true, recognition } = options;
    const isBrowserRecognition = mode === 'voice' && microphone !== false && recognition === 'browser';
    if (isBrowserRecognition && !hasBrowserRecognition()) {
      throw new WebCallError('recognition_not_supported', 'This browser has no speech recognition.');
    }
    const call = new WebCall(options);
    try {
      // No await before this: the browser must see it as part of the click.
      if (mode === 'voice') call.#audio = await call.#openAudio(microphone, options.workletUrl);
      await call.#connect('access' in options ? await options.access() : options);
    } catch (error) {
      await call.#audio?.close();
      throw error;
    }
    if (isBrowserRecognition) call.#startRecognition();
    return call;
  }

  get callId(): string {
    return this.#joined.callId;
  }

  get agentName(): string {
    return this.#joined.agentName;
  }

  get language(): string {
    return this.#joined.language;
  }

  get capabilities(): Capabilities {
    return this.#joined.capabilities;
  }

  get floor(): Floor {
    return this.#floor;
  }

  get isMuted(): boolean {
    return this.#isMuted;
  }

  get hasMicrophone(): boolean {
    return this.#audio?.hasMicrophone ?? false;
  }

  /** Returns a function that removes the handler. */
  on<Name extends keyof WebCallEvents>(name: Name, handler: (value: WebCallEvents[Name]) => void): () => void {
    return this.#emitter.on(name, handler);
  }

  /** The service gets silence instead of the microphone, so that it notices that the caller has stopped speaking. */
  mute(): void {
    this.#isMuted = true;
    this.#audio?.mute(true);
    this.#recognition?.stop();
  }

  unmute(): void {
    this.#isMuted = false;
    this.#audio?.mute(false);
    if (!this.#isOver) this.#recognition?.start();
  }

  /** Says something in writing: 1 to 10,000 characters. Without a text, the first message of a chat asks the agent to begin. */
  send(text?: string): void {
    const isOpening = text === undefined && this.#audio === null;
    if (!isOpening && !/\S/.test(text ?? '')) throw new TypeError('A text must not be empty.');
    if ([...(text ?? '')].length > maxTextLength) throw new TypeError('A text has at most 10,000 characters.');
    this.#connection?.send({ type: 'text', ...(text !== undefined && { text: storable(text) }) });
  }

  /** Presses keys of a telephone in a spoken call: 0 to 9, *, # and A to D, up to 50. */
  sendDtmf(digits: string): void {
    if (this.#audio === null) throw new TypeError('A chat has no keys.');
    if (!/^[0-9*#A-D]{1,50}$/.test(digits)) throw new TypeError('The keys are 0 to 9, *, # and A to D, up to 50.');
    this.#connection?.send({ type: 'dtmf', digits });
  }

  /** Ends the call. Resolves when it is over. */
  async end(): Promise<void> {
    await this.#connection?.end();
  }

  get #joined(): Ready {
    // Nobody has a call that was not joined.
    return this.#ready as Ready;
  }

  #openAudio(microphone: boolean | MediaStream, workletUrl: string | undefined): Promise<CallAudio> {
    return CallAudio.open({
      microphone,
      workletUrl,
      handlers: {
        onFrame: (audio, level) => this.#hear(audio, level),
        onPlayed: (utterance, samples) => this.#connection?.send({ type: 'played', utterance, samples }),
        onState: (utterance, state) => this.#emitter.emit('speech', { utterance, state }),
        onLevel: (level) => this.#emitter.emit('level', { role: 'agent', level }),
        onError: (error) => this.#emitter.emit('error', error),
      },
    });
  }

  async #connect(access: { readonly liveUrl: string; readonly token: string }): Promise<void> {
    const rates = this.#audio === null ? {} : { input: { rate: inputRate }, output: { rate: outputRate } };
    const connection = new Connection(
      access,
      { type: 'start', ...rates },
      {
        onFrame: (frame) => this.#receive(frame),
        onAudio: (audio) => this.#audio?.play(audio),
        onReconnecting: (attempt, delayMs) => {
          // The service says what was not heard again, as a new utterance.
          if (attempt === 1) this.#audio?.command({ type: 'reset' });
          this.#emitter.emit('reconnecting', { attempt, delayMs });
        },
        onResumed: (ready) => {
          this.#ready = ready;
          this.#emitter.emit('reconnected', { callId: ready.callId });
        },
        onClosed: (error) => this.#finish(error),
      },
    );
    this.#connection = connection;
    this.#ready = await connection.open();
    if (typeof addEventListener !== 'function') return;
    addEventListener('online', this.#onOnline);
    // Otherwise the service would keep a spoken call for 30 seconds. A chat may go on in the next page.
    if (this.#audio !== null) addEventListener('pagehide', this.#onLeave);
  }

  readonly #onOnline = () => this.#connection?.retryNow();
  readonly #onLeave = () => this.end();

  #startRecognition(): void {
    this.#recognition = new BrowserRecognition({
      language: this.#joined.language,
      onWords: (text, isFinal) => this.#connection?.send({ type: 'recognized', text, isFinal }),
      onError: (error) => this.#emitter.emit('error', error),
    });
    if (!this.#isMuted) this.#recognition.start();
  }

  /** A frame of the microphone. */
  #hear(audio: ArrayBuffer, level: number): void {
    if (this.#isOver || this.#ready === null) return;
    this.#emitter.emit('level', { role: 'caller', level: this.#isMuted ? 0 : level });
    // With the browser's recognition the service still has to hear when the caller speaks.
    if (!this.#ready.capabilities.speechIn && this.#recognition === null) return;
    this.#connection?.sendAudio(this.#isMuted ? new ArrayBuffer(audio.byteLength) : audio);
  }

  #receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'speech':
        this.#audio?.command({ type: 'announce', utterance: frame.utterance });
        break;
      case 'pause':
      case 'resume':
      case 'clear':
        this.#audio?.command({ type: frame.type, utterance: frame.utterance });
        break;
      case 'transcript': {
        const { role, text, isFinal, turn } = frame;
        this.#emitter.emit('transcript', { role, text, isFinal, turn });
        break;
      }
      case 'state':
        this.#floor = frame.floor;
        this.#emitter.emit('state', { floor: frame.floor });
        break;
      case 'event':
        this.#emitter.emit('event', frame.event);
        break;
      case 'tool_call':
        this.#runTool({ toolCallId: frame.toolCallId, name: frame.name, arguments: frame.arguments });
        break;
      case 'metadata':
        this.#emitter.emit('metadata', frame.metadata);
        break;
      case 'error':
        this.#emitter.emit('error', new WebCallError('service_error', frame.message, { detail: frame.code }));
        break;
      case 'ended':
        this.#reason = frame.reason;
        break;
    }
  }

  async #runTool(call: ToolCall): Promise<void> {
    this.#emitter.emit('tool', { ...call, outcome: null });
    const outcome = await this.#tools.run(call);
    this.#connection?.send(resultFrame(call.toolCallId, outcome));
    this.#emitter.emit('tool', { ...call, outcome });
  }

  #finish(error: WebCallError | null): void {
    this.#isOver = true;
    this.#recognition?.stop();
    this.#audio?.close();
    if (typeof removeEventListener === 'function') {
      removeEventListener('online', this.#onOnline);
      removeEventListener('pagehide', this.#onLeave);
    }
    this.#emitter.emit('ended', { reason: this.#reason, error });
  }
}
