import { WebCallError } from './errors.ts';
import type { AudioRate } from './frames.ts';
import { openMicrophone } from './microphone.ts';
import type { AudioReport, PlaybackCommand, PlaybackState } from './worklet-messages.ts';
import { workletSource } from './worklet-source.ts';

/** What recognizers and voices use. The browser's own rate, mostly 44,100 or 48,000, would only cost more network. */
export const inputRate: AudioRate = 16_000;
export const outputRate: AudioRate = 24_000;

/** A browser that may play sound does so well within this time. */
const suspendedAfterMs = 1_000;

export interface AudioHandlers {
  readonly onFrame: (audio: ArrayBuffer, level: number) => void;
  readonly onPlayed: (utterance: number, samples: number) => void;
  readonly onState: (utterance: number, state: PlaybackState) => void;
  readonly onLevel: (level: number) => void;
  readonly onError: (error: WebCallError) => void;
}

export interface AudioOptions {
  readonly microphone: boolean | MediaStream;
  readonly workletUrl: string | undefined;
  readonly handlers: AudioHandlers;
}

function newContext(): AudioContext {
  try {
    return new AudioContext({ latencyHint: 'interactive' });
  } catch (cause) {
    // Too many of them in one page, or no audio device that works.
    const detail = (cause as DOMException | undefined)?.name ?? null;
    throw new WebCallError('not_supported', 'This browser cannot process audio in a page.', { detail, cause });
  }
}

/** The microphone and the loudspeaker of a call. */
export class CallAudio {
  readonly #context: AudioContext;
  readonly #handlers: AudioHandlers;
  /** Null without a microphone. */
  #stream: MediaStream | null = null;
  /** Whether the microphone was opened here, and has to be closed. */
  #isOwnStream = false;
  #playback: AudioWorkletNode | null = null;
  #capture: AudioWorkletNode | null = null;
  #isClosed = false;
  #isSuspended = false;

  private constructor(context: AudioContext, handlers: AudioHandlers) {
    this.#context = context;
    this.#handlers = handlers;
  }

  /**
   * Must be called in the handler of a click or key press: browsers allow sound only then. The first await comes after
   * the context has been told to run.
   */
  static async open({ microphone, workletUrl, handlers }: AudioOptions): Promise<CallAudio> {
    if (typeof AudioContext === 'undefined' || typeof AudioWorkletNode === 'undefined') {
      throw typeof isSecureContext !== 'undefined' && !isSecureContext
        ? new WebCallError('insecure_context', 'Spoken calls work only in pages that are served over HTTPS.')
        : new WebCallError('not_supported', 'This browser cannot process audio in a page.');
    }
    const context = newContext();
    const running = context.resume().catch(() => {});
    const audio = new CallAudio(context, handlers);
    try {
      if (microphone === true) {
        audio.#stream = await openMicrophone();
        audio.#isOwnStream = true;
      } else if (microphone !== false) {
        audio.#stream = microphone;
      }
      await addWorklet(context, workletUrl);
      audio.#connect();
    } catch (error) {
      await audio.close();
      throw error;
    }
    audio.#watch(running);
    return audio;
  }

  get hasMicrophone(): boolean {
    return this.#stream !== null;
  }

  /** The browser's own indicator shows that nothing is recorded. */
  mute(isMuted: boolean): void {
    if (this.#isOwnStream) for (const track of this.#stream?.getAudioTracks() ?? []) track.enabled = !isMuted;
  }

  play(audio: ArrayBuffer): void {
    // Half a sample cannot be played.
    const whole = audio.byteLength % 2 === 0 ? audio : audio.slice(0, audio.byteLength - 1);
    this.#playback?.port.postMessage({ type: 'audio', audio: whole } satisfies PlaybackCommand, [whole]);
  }

  command(command: Exclude<PlaybackCommand, { type: 'audio' }>): void {
    this.#playback?.port.postMessage(command);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#capture?.port.postMessage('stop');
    if (this.#isOwnStream) for (const track of this.#stream?.getTracks() ?? []) track.stop();
    await this.#context.close().catch(() => {});
  }

  #connect(): void {
    const context = this.#context;
    const playback = new AudioWorkletNode(context, 'voice-agent-playback', {
      numberOfInputs: 0,
      outputChannelCount: [1],
      processorOptions: { rate: outputRate },
    });
    playback.port.onmessage = ({ data }) => this.#receive(data);
    playback.connect(context.destination);
    this.#playback = playback;
    if (this.#stream === null) return;
    const capture = new AudioWorkletNode(context, 'voice-agent-capture', {
      channelCount: 1,
      channelCountMode: 'explicit',
      outputChannelCount: [1],
      processorOptions: { rate: inputRate },
    });
    capture.port.onmessage = ({ data }) => this.#receive(data);
    this.#source(this.#stream).connect(capture);
    // Its output is silence. Browsers do not run a node that leads nowhere.
    capture.connect(context.destination);
    this.#capture = capture;
    for (const track of this.#stream.getAudioTracks()) {
      track.addEventListener('ended', () => {
        if (this.#isClosed) return;
        this.#handlers.onError(new WebCallError('microphone_lost', 'The microphone is no longer available.'));
      });
    }
  }

  #source(stream: MediaStream): AudioNode {
    try {
      return this.#context.createMediaStreamSource(stream);
    } catch (cause) {
      // A stream without audio, or, in Firefox with some settings, one of another sample rate.
      const detail = (cause as DOMException).name;
      throw new WebCallError('microphone_failed', 'The microphone cannot be used in this page.', { detail, cause });
    }
  }

  #receive(report: AudioReport): void {
    if (this.#isClosed) return;
    if (report.type === 'frame') this.#handlers.onFrame(report.audio, report.level);
    else if (report.type === 'played') this.#handlers.onPlayed(report.utterance, report.samples);
    else if (report.type === 'state') this.#handlers.onState(report.utterance, report.state);
    else this.#handlers.onLevel(report.level);
  }

  /** Reports a context that stays suspended, now or later: a telephone call interrupts it on an iPhone, for example. */
  async #watch(running: Promise<void>): Promise<void> {
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, suspendedAfterMs))]);
    this.#context.onstatechange = () => this.#checkState();
    this.#checkState();
  }

  #checkState(): void {
    if (this.#isClosed || this.#isSuspended || this.#context.state === 'running') return;
    this.#isSuspended = true;
    this.#handlers.onError(
      new WebCallError('audio_suspended', 'The browser plays no sound before a click or key press in the page.'),
    );
    const events = ['pointerdown', 'keydown'] as const;
    const resume = () => {
      for (const event of events) removeEventListener(event, resume, true);
      this.#isSuspended = false;
      if (!this.#isClosed) this.#context.resume().catch(() => {});
    };
    for (const event of events) addEventListener(event, resume, true);
  }
}

async function addWorklet(context: AudioContext, workletUrl: string | undefined): Promise<void> {
  const url = workletUrl ?? URL.createObjectURL(new Blob([workletSource], { type: 'text/javascript' }));
  try {
    await context.audioWorklet.addModule(url);
  } catch (cause) {
    const message =
      workletUrl === undefined
        ? 'The policy of the page does not allow the audio worklet. Serve the file "voice-agent-sdk/web/worklet.js" and pass its address as workletUrl.'
        : `The audio worklet could not be loaded from ${workletUrl}.`;
    throw new WebCallError('worklet_blocked', message, { cause });
  } finally {
    if (workletUrl === undefined) URL.revokeObjectURL(url);
  }
}
