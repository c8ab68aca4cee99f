import type { Clock } from '../../../src/voice/clock.ts';
import { readTestFrame, testFrameSamples } from '../../../src/voice/providers/test/frames.ts';
import type { AudioTransport } from '../../../src/voice/speech-ports.ts';

interface Playing {
  readonly chunks: Int16Array[];
  received: number;
  played: number;
  /** When it was last known how much was played, while it plays. */
  since: number | null;
  isPaused: boolean;
  stop: () => void;
}

/** The caller's side: plays what arrives on its own clock, and reports it every 100 ms, at the end and after `clear`. */
export class Player implements AudioTransport {
  readonly rate: number;
  /** What arrived, in order. */
  readonly frames: string[] = [];
  /** The most audio that was ever here and not played. */
  maxAheadMs = 0;
  /** Never plays anything. */
  isStuck = false;
  onReport: (utterance: number, samples: number) => void = () => {};
  private readonly clock: Clock;
  private readonly playing = new Map<number, Playing>();
  private readonly all = new Map<number, Playing>();

  constructor(clock: Clock, rate = 16_000, canPause = true) {
    this.clock = clock;
    this.rate = rate;
    if (canPause) return;
    // Like a phone line.
    this.pause = undefined;
    this.resume = undefined;
  }

  speech(utterance: number, position: number): void {
    this.frames.push(position === 0 ? `speech ${utterance}` : `speech ${utterance} from ${position}`);
    const before = this.all.get(utterance);
    const chunks = position === 0 || before === undefined ? [] : [this.heard(utterance).slice(0, position)];
    const playing = { chunks, received: position, played: position, since: null, isPaused: false, stop: () => {} };
    this.playing.set(utterance, playing);
    this.all.set(utterance, playing);
  }

  audio(utterance: number, samples: Int16Array): void {
    const playing = this.playing.get(utterance);
    if (playing === undefined) throw new Error(`audio of ${utterance} before its speech frame`);
    playing.chunks.push(samples);
    playing.received += samples.length;
    this.advance(playing);
    this.maxAheadMs = Math.max(this.maxAheadMs, ((playing.received - playing.played) * 1000) / this.rate);
    this.schedule(utterance, playing);
  }

  pause?: ((utterance: number) => void) | undefined = (utterance) => {
    this.frames.push(`pause ${utterance}`);
    const playing = this.playing.get(utterance);
    if (playing === undefined) return;
    this.advance(playing);
    playing.isPaused = true;
    playing.since = null;
    playing.stop();
  };

  resume?: ((utterance: number) => void) | undefined = (utterance) => {
    this.frames.push(`resume ${utterance}`);
    const playing = this.playing.get(utterance);
    if (playing === undefined) return;
    playing.isPaused = false;
    this.schedule(utterance, playing);
  };

  clear(utterance: number): void {
    this.frames.push(`clear ${utterance}`);
    const playing = this.playing.get(utterance);
    if (playing === undefined) return;
    this.advance(playing);
    playing.stop();
    this.playing.delete(utterance);
    // On its way through the network.
    this.clock.after(30, () => this.onReport(utterance, playing.played));
  }

  /** The connection is gone, and the page starts anew. */
  drop(): void {
    for (const playing of this.playing.values()) {
      this.advance(playing);
      playing.stop();
    }
    this.playing.clear();
  }

  /** Every sample that was played. */
  heard(utterance: number): Int16Array {
    const { chunks, played } = this.all.get(utterance) ?? { chunks: [], played: 0 };
    const samples = new Int16Array(chunks.reduce((sum, { length }) => sum + length, 0));
    let position = 0;
    for (const chunk of chunks) {
      samples.set(chunk, position);
      position += chunk.length;
    }
    return samples.subarray(0, played);
  }

  /** The words of test speech that were played to their end. */
  wordsHeard(utterance: number): string[] {
    const samples = this.heard(utterance);
    const words: string[] = [];
    for (let at = 0; at + testFrameSamples <= samples.length; at += testFrameSamples) {
      const text = readTestFrame(samples.subarray(at, at + testFrameSamples));
      if (text !== null && text !== '' && at + 10 * testFrameSamples <= samples.length) words.push(text);
    }
    return words;
  }

  private advance(playing: Playing): void {
    if (playing.since === null) return;
    const samples = Math.round(((this.clock.now() - playing.since) * this.rate) / 1000);
    playing.played = Math.min(playing.received, playing.played + samples);
    playing.since = this.clock.now();
  }

  private schedule(utterance: number, playing: Playing): void {
    if (playing.since !== null || playing.isPaused || this.isStuck || playing.played >= playing.received) return;
    playing.since = this.clock.now();
    const restMs = ((playing.received - playing.played) * 1000) / this.rate;
    playing.stop = this.clock.after(Math.min(100, restMs), () => {
      this.advance(playing);
      playing.since = null;
      this.schedule(utterance, playing);
      this.onReport(utterance, playing.played);
    });
  }
}
