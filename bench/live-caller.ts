import { once } from 'node:events';
import { WebSocket } from 'ws';
import { liveProtocol, tokenProtocol } from '../src/contract/calls/live.ts';

/** What a caller says again and again: frames of 20 ms at 16 kHz. */
export interface Script {
  readonly frames: readonly Buffer[];
  /** The end of the speech, and the words that the caller's own side recognizes there, if it does. */
  readonly recognized?: { readonly frame: number; readonly text: string };
  /** The last frame with speech. */
  readonly lastVoiced?: number;
}

export const frameMs = 20;
export const frameSamples = 320;

/**
 * One caller in a web call: a microphone that never stops, and a player that plays everything at once. It reports what
 * it has played with its next frame: a report for each part of a long reply would be more messages than a call may send.
 */
class LiveCaller {
  private readonly socket: WebSocket;
  private readonly script: Script;
  private position: number;
  private utterance = 0;
  private received = 0;
  private reported = 0;
  private stoppedAt: number | null = null;
  /** From the last frame with speech to the first audio of the reply, as this side sees it. */
  readonly responsesMs: number[] = [];
  isReady = false;

  /** `position`: the frame of the script that it begins with, so that not all callers speak at once. */
  constructor(socket: WebSocket, script: Script, position: number) {
    this.socket = socket;
    this.script = script;
    this.position = position;
    socket.on('message', (data: Buffer, isBinary: boolean) => (isBinary ? this.play(data) : this.read(data)));
    socket.send(JSON.stringify({ type: 'start', input: { rate: 16_000 }, output: { rate: 16_000 } }));
  }

  record(): void {
    const { frames, recognized, lastVoiced } = this.script;
    if (!this.isReady || this.socket.readyState !== WebSocket.OPEN) return;
    const frame = this.position % frames.length;
    this.position += 1;
    this.socket.send(frames[frame] as Buffer);
    this.report();
    if (frame === lastVoiced) this.stoppedAt = performance.now();
    if (frame !== recognized?.frame) return;
    this.socket.send(JSON.stringify({ type: 'recognized', text: recognized.text, isFinal: true }));
  }

  async end(): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    const closed = once(this.socket, 'close');
    this.socket.send(JSON.stringify({ type: 'end' }));
    await closed;
  }

  private read(data: Buffer): void {
    const { type, utterance } = JSON.parse(data.toString());
    if (type === 'ready') this.isReady = true;
    if (type !== 'speech') return;
    this.report();
    this.utterance = utterance;
    this.received = 0;
    this.reported = 0;
  }

  private play(data: Buffer): void {
    if (this.stoppedAt !== null) this.responsesMs.push(performance.now() - this.stoppedAt);
    this.stoppedAt = null;
    this.received += data.length / 2;
  }

  private report(): void {
    if (this.reported === this.received) return;
    this.reported = this.received;
    this.socket.send(JSON.stringify({ type: 'played', utterance: this.utterance, samples: this.received }));
  }
}

export interface JoinableCall {
  readonly id: string;
  readonly token: string;
}

/** Has these calls for a while: one clock for the microphones of all. Resolves to what each response took. */
export async function converse(
  port: number,
  calls: readonly JoinableCall[],
  script: Script,
  durationMs: number,
): Promise<readonly number[]> {
  const callers = await Promise.all(
    calls.map(async ({ id, token }, index) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/live/v1/calls/${id}`, [
        liveProtocol,
        `${tokenProtocol}${token}`,
      ]);
      await once(socket, 'open');
      return new LiveCaller(socket, script, Math.floor((index * script.frames.length) / calls.length));
    }),
  );
  await talk(callers, durationMs);
  return callers.flatMap(({ responsesMs }) => responsesMs);
}

interface Talking {
  /** Sends 20 ms of audio. */
  record(): void;
  end(): Promise<void>;
}

/** One clock for the microphones of all. */
export async function talk(callers: readonly Talking[], durationMs: number): Promise<void> {
  const startedAt = performance.now();
  let sent = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - startedAt;
      // A timer that fires late is made up for.
      for (; sent < Math.floor(elapsedMs / frameMs); sent += 1) for (const caller of callers) caller.record();
      if (elapsedMs < durationMs) return;
      clearInterval(timer);
      resolve();
    }, frameMs / 4);
  });
  await Promise.all(callers.map((caller) => caller.end()));
}

/** Audio as the frames of a script, followed by silence up to its length. */
export function scriptOf(samples: Int16Array, lengthMs: number): readonly Buffer[] {
  return Array.from({ length: lengthMs / frameMs }, (_, index) => {
    const frame = new Int16Array(frameSamples);
    frame.set(samples.subarray(index * frameSamples, (index + 1) * frameSamples));
    return Buffer.from(frame.buffer);
  });
}
