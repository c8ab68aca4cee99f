import { Resampler } from '../../../audio/resample.ts';
import { levelOf } from '../noise-gate.ts';
import { modelRate, type SherpaVad, toFloat } from '../sherpa.ts';

/** Samples per decision of the model: 32 ms. */
export const windowLength = 512;
/** How long a sound must be, and how long the silence after it, in seconds. The machine decides what is too short. */
export const minSpeechSeconds = 0.02;
export const minSilenceSeconds = 0.1;
/** How long a detector keeps the audio of one utterance, in seconds; longer ones are detected in parts. */
export const maxPartSeconds = 20;

/** The model needs three windows to be sure: the sound began before them. */
const onsetLag = 3 * windowLength;
/** The model takes as long to notice the end, besides the silence that it waits for. */
const endLag = minSilenceSeconds * modelRate + 3 * windowLength;
/** A window is still voiced if it is this loud, compared with the loudest: 26 dB below it. */
const voicedShare = 0.05;
/** When a detector starts again in the middle of speech, it may take this long to find it again. */
const graceWindows = 8;

export interface FinderEvents {
  /** At samples of the stream. */
  start(position: number): void;
  end(position: number): void;
}

/** Finds speech in audio without gaps: what an open gate passes on. */
export class SpeechFinder {
  readonly #vad: SherpaVad;
  readonly #rate: number;
  readonly #base: number;
  readonly #resampler: Resampler;
  readonly #events: FinderEvents;
  #pending = new Int16Array(0);
  /** Samples at the rate of the model, so far. */
  #heard = 0;
  #isSpeaking = false;
  #loudest = 0;
  #lastVoiced = 0;
  #partWindows = 0;
  #grace = 0;

  /** `base` is the position of the first sample in the stream. */
  constructor(vad: SherpaVad, rate: number, base: number, events: FinderEvents) {
    this.#vad = vad;
    this.#rate = rate;
    this.#base = base;
    this.#events = events;
    this.#resampler = new Resampler(rate, modelRate);
  }

  write(samples: Int16Array): void {
    const added = this.#resampler.process(samples);
    const audio = new Int16Array(this.#pending.length + added.length);
    audio.set(this.#pending);
    audio.set(added, this.#pending.length);
    let start = 0;
    for (; start + windowLength <= audio.length; start += windowLength) {
      this.#hear(audio.subarray(start, start + windowLength));
    }
    this.#pending = audio.slice(start);
  }

  /** Silence follows. */
  close(): void {
    if (this.#isSpeaking) this.#end();
  }

  #hear(window: Int16Array): void {
    this.#vad.acceptWaveform(toFloat(window));
    while (!this.#vad.isEmpty()) this.#vad.pop();
    this.#heard += windowLength;
    const isDetected = this.#vad.isDetected();
    if (this.#isSpeaking) this.#listenOn(window, isDetected);
    else if (isDetected) this.#begin(window);
  }

  #begin(window: Int16Array): void {
    this.#isSpeaking = true;
    this.#loudest = levelOf(window);
    this.#lastVoiced = this.#heard;
    this.#partWindows = 0;
    this.#grace = 0;
    this.#events.start(this.#streamPosition(this.#heard - onsetLag));
  }

  #listenOn(window: Int16Array, isDetected: boolean): void {
    const level = levelOf(window);
    this.#loudest = Math.max(this.#loudest, level);
    if (level > voicedShare * this.#loudest) this.#lastVoiced = this.#heard;
    if (isDetected) this.#grace = 0;
    else if (this.#grace > 0) this.#grace -= 1;
    this.#partWindows += 1;
    if (!isDetected && this.#grace === 0) this.#end();
    else if (this.#partWindows * windowLength >= (maxPartSeconds - 2) * modelRate) {
      // Else its buffer would grow as long as the caller speaks.
      this.#vad.reset();
      this.#partWindows = 0;
      this.#grace = graceWindows;
    }
  }

  #end(): void {
    this.#isSpeaking = false;
    // In noise every window is voiced, so that only the lag of the model is known.
    this.#events.end(this.#streamPosition(Math.min(this.#lastVoiced, this.#heard - endLag)));
  }

  #streamPosition(heard: number): number {
    return this.#base + Math.round((Math.max(0, heard) * this.#rate) / modelRate);
  }
}
