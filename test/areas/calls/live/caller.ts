import assert from 'node:assert/strict';
import { type Clock, realClock } from '../../../../src/voice/clock.ts';
import {
  createFrameCutter,
  readTestFrame,
  testFrameSamples,
  testFrames,
} from '../../../../src/voice/providers/test/frames.ts';
import type { Service } from '../../../support/service.ts';
import { connect, joined, type LiveClient, newWebCall, type WebCallOptions, withResume, withToken } from './support.ts';

interface Playing {
  received: Int16Array[];
  length: number;
  played: number;
  isPaused: boolean;
  isCleared: boolean;
}

/** When audio that has arrived is played: at once, as the test says (`play`), or at its own speed. */
export type Plays = 'at once' | 'when told' | 'in real time';

interface CallerOptions {
  readonly plays?: Plays | undefined;
  /** That of the call's service. Real time if the service is another process. */
  readonly clock?: Clock | undefined;
}

const frameMs = 20;
const samplesPerMs = 16;
const reportSamples = 100 * samplesPerMs;
export const wordSamples = 10 * testFrameSamples;

/** A caller with test speech: a microphone that never stops, and a player that reports what it has played. */
export class Caller {
  /** What arrived about playing, in order. */
  readonly player: string[] = [];
  private readonly client: LiveClient;
  private readonly utterances = new Map<number, Playing>();
  private current = 0;
  private readonly spoken: Int16Array[] = [];
  private readonly plays: Plays;
  private readonly clock: Clock;
  /** The longest pause because audio was not there in time, while an utterance was played in real time. */
  longestGapMs = 0;
  private gapMs = 0;
  private sent = 0;
  private readonly startedAt: number;
  private playedAt: number;
  private readonly waiting: (() => void)[] = [];
  private stopTime: () => void = () => {};

  constructor(client: LiveClient, { plays = 'at once', clock = realClock }: CallerOptions = {}) {
    this.client = client;
    this.plays = plays;
    this.clock = clock;
    this.startedAt = clock.now();
    this.playedAt = this.startedAt;
    client.socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.hear(data);
      else this.follow(JSON.parse(data.toString()));
      this.wake();
    });
    client.socket.on('close', () => {
      this.stopTime();
      this.wake();
    });
    this.passTime();
  }

  /** Says these words, each for 200 ms, or sounds without words (''). Resolves once they are said. */
  async say(...words: string[]): Promise<void> {
    for (const word of words) {
      const frames = testFrames(word, 10);
      for (let at = 0; at < frames.length; at += testFrameSamples) {
        this.spoken.push(frames.subarray(at, at + testFrameSamples));
      }
    }
    await this.until(() => this.spoken.length === 0);
  }

  /** Sounds without words for as long as it takes. */
  async soundUntil(happened: Promise<unknown>): Promise<void> {
    let isOver = false;
    const stop = happened.finally(() => {
      isOver = true;
    });
    while (!isOver) await this.say('');
    await stop;
  }

  /** Plays the utterance up to the end of this word, once it is here. */
  async play(utterance: number, words: number): Promise<void> {
    const samples = words * wordSamples;
    await this.until(() => (this.utterances.get(utterance)?.length ?? 0) >= samples);
    const playing = this.utterances.get(utterance) as Playing;
    playing.played = samples;
    this.report(utterance, playing);
  }

  /** The words of an utterance that arrived. */
  words(utterance: number): string[] {
    return wordsIn(this.utterances.get(utterance)?.received ?? []);
  }

  /** The words of all utterances that were played to their end. */
  get heardWords(): string[] {
    return [...this.utterances.values()].flatMap(({ received, played }) =>
      wordsIn(received).slice(0, Math.floor(played / wordSamples)),
    );
  }

  /** Resolves once so many words were played. */
  async heard(words: number): Promise<void> {
    await this.until(() => this.heardWords.length >= words);
  }

  get lastUtterance(): number {
    return this.current;
  }

  private async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      assert.ok(this.client.socket.readyState <= 1, 'the connection is open');
      await new Promise<void>((resolve) => void this.waiting.push(resolve));
    }
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private passTime(): void {
    this.stopTime = this.clock.after(frameMs, () => {
      this.record();
      if (this.plays === 'in real time') this.playOn();
      this.passTime();
      this.wake();
    });
  }

  private record(): void {
    // A timer that fires late is made up for.
    const due = Math.floor((this.clock.now() - this.startedAt) / frameMs);
    for (; this.sent < due; this.sent += 1) {
      const frame = this.spoken.shift() ?? new Int16Array(testFrameSamples);
      if (this.client.socket.readyState === 1) this.client.send(Buffer.from(frame.buffer, frame.byteOffset, 640));
    }
  }

  private hear(data: Buffer): void {
    const playing = this.utterances.get(this.current);
    if (playing === undefined) throw new Error('audio before its speech frame');
    const samples = new Int16Array(data.length / 2);
    for (let index = 0; index < samples.length; index += 1) samples[index] = data.readInt16LE(index * 2);
    playing.received.push(samples);
    playing.length += samples.length;
    if (this.plays === 'at once' && !playing.isPaused) this.playAll(this.current, playing);
  }

  private follow(frame: { readonly type: string; readonly utterance: number }): void {
    const { type, utterance } = frame;
    if (!['speech', 'pause', 'resume', 'clear'].includes(type)) return;
    this.player.push(`${type} ${utterance}`);
    if (type === 'speech') {
      this.current = utterance;
      this.utterances.set(utterance, { received: [], length: 0, played: 0, isPaused: false, isCleared: false });
      return;
    }
    const playing = this.utterances.get(utterance);
    if (playing === undefined) return;
    playing.isPaused = type === 'pause';
    if (type === 'resume' && this.plays === 'at once') this.playAll(utterance, playing);
    if (type !== 'clear') return;
    playing.isCleared = true;
    this.report(utterance, playing);
  }

  /** One utterance after the other, each as soon as something of it is there; reported every 100 ms and at its end. */
  private playOn(): void {
    const now = this.clock.now();
    const elapsedMs = now - this.playedAt;
    this.playedAt = now;
    const isOpen = ({ length, played, isCleared }: Playing) => !isCleared && played < length;
    const [number, playing] = [...this.utterances].find(([, each]) => isOpen(each)) ?? [];
    const isSpeaking = (this.utterances.get(this.current)?.played ?? 0) > 0;
    if (number === undefined || playing === undefined) {
      if (isSpeaking) this.gapMs += elapsedMs;
      return;
    }
    if (playing.isPaused) return;
    if (playing.played > 0) this.longestGapMs = Math.max(this.longestGapMs, this.gapMs);
    this.gapMs = 0;
    const before = playing.played;
    playing.played = Math.min(playing.length, before + Math.round(elapsedMs * samplesPerMs));
    const isDue = Math.floor(before / reportSamples) < Math.floor(playing.played / reportSamples);
    if (isDue || playing.played === playing.length) this.report(number, playing);
  }

  private playAll(utterance: number, playing: Playing): void {
    playing.played = playing.length;
    this.report(utterance, playing);
  }

  private report(utterance: number, { played }: Playing): void {
    this.client.send({ type: 'played', utterance, samples: played });
  }
}

/** Audio arrives in pieces of any length. */
function wordsIn(received: readonly Int16Array[]): string[] {
  const words: string[] = [];
  const cut = createFrameCutter((frame) => {
    const text = readTestFrame(frame);
    if (text !== null && text !== '') words.push(text);
  });
  for (const samples of received) cut(samples);
  return words;
}

export const testSpeech = {
  sttProvider: 'test',
  ttsProvider: 'test',
  responsiveness: 1,
  interruptionSensitivity: 1,
} as const;

type Target = Pick<Service, 'url' | 'port'> & Partial<Pick<Service, 'clock'>>;

export interface SpokenOptions extends WebCallOptions {
  readonly plays?: Plays;
}

/** A web call with test speech, whose caller has joined. */
export async function spokenCall(service: Target, key: string, options: SpokenOptions = {}) {
  const { agent, plays = 'at once', ...others } = options;
  const call = await newWebCall(service, key, { ...others, agent: { ...testSpeech, ...agent } });
  return { ...call, ...(await called(service, call.id, withToken(call.accessToken), plays)) };
}

/** The caller is back, perhaps at another process. */
export function calledAgain(service: Target, id: string, resumeKey: string, plays: Plays = 'at once') {
  return called(service, id, withResume(resumeKey), plays);
}

async function called(service: Target, id: string, protocols: readonly string[], plays: Plays) {
  const client = await joined(connect(service, id, protocols));
  const caller = new Caller(client, { plays, clock: service.clock });
  const ready = await client.start();
  return { client, caller, ready, resumeKey: String(ready.resumeKey) };
}
