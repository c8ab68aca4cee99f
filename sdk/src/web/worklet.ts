/**
 * Runs in the audio thread of the browser: cuts the microphone into frames, and plays what the agent says. Imports
 * types only, because a page with a strict policy loads it as a single file (`workletUrl`).
 */
import type { AudioReport, CaptureOptions, PlaybackCommand, PlaybackOptions, WorkletPort } from './worklet-messages.ts';

declare const registerProcessor: ((name: string, processor: unknown) => void) | undefined;
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: WorkletPort;
}

const frameMs = 20;
const reportMs = 100;
/** Playback begins with this much audio, so that small delays of the network are not heard. */
const bufferMs = 60;
/** Or after this time, with less audio: a short word is not followed by more. */
const maxBufferMs = 100;
/** In frames of the context, about 3 ms: long enough that a cut is not heard as a click. */
const fadeLength = 128;

/** Zero crossings of the low-pass filter on each side, and its steps between two of them. */
const crossings = 16;
const steps = 256;
const kaiserBeta = 5.65;

/** One side of a windowed sinc: about 60 dB of attenuation. */
const filter = Float32Array.from({ length: crossings * steps + 2 }, (_, place) => {
  const x = place / steps;
  if (x >= crossings) return 0;
  const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
  return (sinc * bessel(kaiserBeta * Math.sqrt(1 - (x / crossings) ** 2))) / bessel(kaiserBeta);
});

/** The modified Bessel function of the first kind, of order 0. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-9; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/** Samples of one rate that can be read at any position between them, and therefore at another rate. */
export class SampleLine {
  /** How many samples of this line one sample of the other rate covers. */
  readonly step: number;
  /** How many samples on each side of a position have a part in its value. */
  readonly reach: number;
  /** How many samples have been added. */
  end = 0;
  #samples = new Float32Array(8192);
  /** The position of the first sample that is kept. */
  #start = 0;
  readonly #cutoff: number;

  constructor(fromRate: number, toRate: number) {
    this.step = fromRate / toRate;
    this.#cutoff = Math.min(1, toRate / fromRate) * 0.9;
    this.reach = this.step === 1 ? 0 : Math.ceil(crossings / this.#cutoff);
  }

  push(block: ArrayLike<number>, scale: number): void {
    const kept = this.end - this.#start;
    if (kept + block.length > this.#samples.length) {
      const larger = new Float32Array(Math.max(this.#samples.length * 2, kept + block.length));
      larger.set(this.#samples.subarray(0, kept));
      this.#samples = larger;
    }
    for (let place = 0; place < block.length; place += 1) {
      this.#samples[kept + place] = (block[place] as number) * scale;
    }
    this.end += block.length;
  }

  /** What is before the first and after the last sample counts as silence. */
  at(position: number): number {
    if (this.step === 1) return this.#samples[Math.floor(position) - this.#start] ?? 0;
    const first = Math.max(Math.ceil(position - this.reach), this.#start);
    const last = Math.min(Math.floor(position + this.reach), this.end - 1);
    let sum = 0;
    for (let place = first; place <= last; place += 1) {
      const x = Math.min(Math.abs(place - position) * this.#cutoff, crossings) * steps;
      const low = Math.floor(x);
      const before = filter[low] as number;
      const weight = before + ((filter[low + 1] as number) - before) * (x - low);
      sum += (this.#samples[place - this.#start] as number) * weight;
    }
    return sum * this.#cutoff;
  }

  /** Drops what positions from here on do not need. */
  forget(position: number): void {
    const drop = Math.floor(position) - this.reach - this.#start;
    // Moving the rest costs as much as what is moved, so it waits until it is worth it.
    if (drop < 4096) return;
    this.#samples.copyWithin(0, drop, this.end - this.#start);
    this.#start += drop;
  }
}

/** The microphone as frames of 20 ms at the rate of the call. */
export class Capture {
  readonly #line: SampleLine;
  readonly #onFrame: CaptureOptions['onFrame'];
  readonly #length: number;
  #frame: Int16Array;
  #filled = 0;
  #energy = 0;
  #position = 0;

  constructor({ contextRate, rate, onFrame }: CaptureOptions) {
    this.#line = new SampleLine(contextRate, rate);
    this.#onFrame = onFrame;
    this.#length = (rate * frameMs) / 1000;
    this.#frame = new Int16Array(this.#length);
  }

  push(block: Float32Array): void {
    const line = this.#line;
    line.push(block, 1);
    for (; this.#position + line.reach < line.end; this.#position += line.step) this.#add(line.at(this.#position));
    line.forget(this.#position);
  }

  #add(value: number): void {
    const sample = Math.max(-1, Math.min(1, value));
    this.#frame[this.#filled] = Math.round(sample * 32767);
    this.#energy += sample * sample;
    this.#filled += 1;
    if (this.#filled < this.#length) return;
    this.#onFrame(this.#frame, Math.sqrt(this.#energy / this.#length));
    this.#frame = new Int16Array(this.#length);
    this.#filled = 0;
    this.#energy = 0;
  }
}

interface Utterance {
  readonly number: number;
  readonly line: SampleLine;
  /** Where playback is, in samples of the call. */
  position: number;
  isPaused: boolean;
  /** Waits for more audio before it plays; counted in frames of the context. */
  isBuffering: boolean;
  waited: number;
  hasStarted: boolean;
  reported: number;
}

/** Plays utterances one after the other, and counts what was played of each. */
export class Playback {
  readonly #options: PlaybackOptions;
  readonly #reportLength: number;
  #queue: Utterance[] = [];
  /** Audio belongs to the last announced utterance; null after that was cleared. */
  #receiving: Utterance | null = null;
  /** Totals of the last utterances that were played to their end, for a late `clear`. */
  readonly #finished = new Map<number, number>();
  /** What still sounds of something that was cut off. */
  #tail: Float32Array | null = null;
  #fadeIn = 0;
  #sinceReport = 0;
  #energy = 0;
  #measured = 0;
  #level = 0;

  constructor(options: PlaybackOptions) {
    this.#options = options;
    this.#reportLength = (options.contextRate * reportMs) / 1000;
  }

  announce(number: number): void {
    const line = new SampleLine(this.#options.rate, this.#options.contextRate);
    const utterance = {
      number,
      line,
      position: 0,
      isPaused: false,
      isBuffering: true,
      waited: 0,
      hasStarted: false,
      reported: -1,
    };
    this.#receiving = utterance;
    this.#queue.push(utterance);
  }

  push(samples: Int16Array): void {
    this.#receiving?.line.push(samples, 1 / 32768);
  }

  pause(number: number): void {
    const utterance = this.#find(number);
    if (utterance === undefined || utterance.isPaused) return;
    this.#cutOff(utterance);
    utterance.isPaused = true;
    this.#report(utterance);
    this.#options.onState(number, 'paused');
  }

  resume(number: number): void {
    const utterance = this.#find(number);
    if (utterance === undefined || !utterance.isPaused) return;
    utterance.isPaused = false;
    this.#fadeIn = fadeLength;
    this.#options.onState(number, 'playing');
  }

  clear(number: number): void {
    const utterance = this.#find(number);
    if (utterance === undefined) {
      const samples = this.#finished.get(number);
      if (samples !== undefined) this.#options.onPlayed(number, samples);
      return;
    }
    this.#cutOff(utterance);
    this.#queue = this.#queue.filter((each) => each !== utterance);
    if (this.#receiving === utterance) this.#receiving = null;
    this.#options.onPlayed(number, played(utterance));
    this.#options.onState(number, 'cleared');
  }

  /** After a lost connection the service says the rest as a new utterance. */
  reset(): void {
    this.#queue = [];
    this.#receiving = null;
    this.#finished.clear();
  }

  render(out: Float32Array): void {
    out.fill(0);
    let place = 0;
    while (place < out.length) {
      const utterance = this.#queue[0];
      if (utterance === undefined || utterance.isPaused) break;
      if (utterance.position >= utterance.line.end) {
        if (this.#queue.length === 1) break;
        this.#finish(utterance);
      } else if (this.#mustWait(utterance, out.length - place)) {
        break;
      } else {
        place = this.#play(utterance, out, place);
      }
    }
    this.#addTail(out);
    this.#measure(out);
  }

  #play(utterance: Utterance, out: Float32Array, from: number): number {
    const { line, number } = utterance;
    if (!utterance.hasStarted) {
      utterance.hasStarted = true;
      this.#options.onState(number, 'playing');
    }
    let place = from;
    for (; place < out.length && utterance.position < line.end; place += 1) {
      const gain = this.#fadeIn > 0 ? 1 - this.#fadeIn / fadeLength : 1;
      if (this.#fadeIn > 0) this.#fadeIn -= 1;
      out[place] = line.at(utterance.position) * gain;
      utterance.position += line.step;
    }
    this.#sinceReport += place - from;
    if (utterance.position >= line.end) {
      // Exactly at the end, so that audio that arrives later continues there.
      utterance.position = line.end;
      utterance.isBuffering = true;
      utterance.waited = 0;
      this.#report(utterance);
      this.#options.onState(number, 'done');
    } else if (this.#sinceReport >= this.#reportLength) {
      this.#report(utterance);
    }
    line.forget(utterance.position);
    return place;
  }

  #mustWait(utterance: Utterance, frames: number): boolean {
    if (!utterance.isBuffering) return false;
    utterance.waited += frames;
    const { rate, contextRate } = this.#options;
    const hasEnough = utterance.line.end - utterance.position >= (rate * bufferMs) / 1000;
    if (!hasEnough && utterance.waited < (contextRate * maxBufferMs) / 1000) return true;
    utterance.isBuffering = false;
    return false;
  }

  #find(number: number): Utterance | undefined {
    return this.#queue.find((each) => each.number === number);
  }

  #finish(utterance: Utterance): void {
    this.#queue.shift();
    this.#finished.set(utterance.number, utterance.line.end);
    if (this.#finished.size > 8) this.#finished.delete(this.#finished.keys().next().value as number);
  }

  #report(utterance: Utterance): void {
    const samples = played(utterance);
    this.#sinceReport = 0;
    if (samples <= utterance.reported) return;
    utterance.reported = samples;
    this.#options.onPlayed(utterance.number, samples);
  }

  /** What would have been heard next, fading out. It is too short to count as played. */
  #cutOff(utterance: Utterance): void {
    if (utterance !== this.#queue[0] || utterance.isPaused || utterance.isBuffering) return;
    this.#tail = Float32Array.from(
      { length: fadeLength },
      (_, place) => utterance.line.at(utterance.position + place * utterance.line.step) * (1 - place / fadeLength),
    );
  }

  #addTail(out: Float32Array): void {
    if (this.#tail === null) return;
    for (let place = 0; place < Math.min(out.length, this.#tail.length); place += 1) {
      out[place] = (out[place] as number) + (this.#tail[place] as number);
    }
    this.#tail = null;
  }

  #measure(out: Float32Array): void {
    for (const sample of out) this.#energy += sample * sample;
    this.#measured += out.length;
    if (this.#measured < this.#reportLength) return;
    const level = Math.sqrt(this.#energy / this.#measured);
    // Silence is reported once.
    if (level > 0 || this.#level > 0) this.#options.onLevel(level);
    this.#level = level;
    this.#measured = 0;
    this.#energy = 0;
  }
}

function played({ position, line }: Utterance): number {
  return Math.min(Math.floor(position), line.end);
}

// Not in the tests of the classes above, which run without a browser.
if (typeof registerProcessor === 'function') {
  registerProcessor(
    'voice-agent-capture',
    class extends AudioWorkletProcessor {
      #isOver = false;
      readonly #capture: Capture;

      constructor({ processorOptions: { rate } }: { processorOptions: { rate: number } }) {
        super();
        this.#capture = new Capture({
          contextRate: sampleRate,
          rate,
          onFrame: ({ buffer }, level) => this.port.postMessage({ type: 'frame', audio: buffer, level }, [buffer]),
        });
        this.port.onmessage = () => {
          this.#isOver = true;
        };
      }

      process([input]: Float32Array[][]): boolean {
        const block = input?.[0];
        if (block !== undefined) this.#capture.push(block);
        return !this.#isOver;
      }
    },
  );
  registerProcessor(
    'voice-agent-playback',
    class extends AudioWorkletProcessor {
      readonly #playback: Playback;

      constructor({ processorOptions: { rate } }: { processorOptions: { rate: number } }) {
        super();
        const post = (report: AudioReport) => this.port.postMessage(report);
        this.#playback = new Playback({
          contextRate: sampleRate,
          rate,
          onPlayed: (utterance, samples) => post({ type: 'played', utterance, samples }),
          onState: (utterance, state) => post({ type: 'state', utterance, state }),
          onLevel: (level) => post({ type: 'level', level }),
        });
        this.port.onmessage = ({ data }: { data: PlaybackCommand }) => {
          if (data.type === 'audio') this.#playback.push(new Int16Array(data.audio));
          else if (data.type === 'reset') this.#playback.reset();
          else this.#playback[data.type](data.utterance);
        };
      }

      process(_: unknown, [output]: Float32Array[][]): boolean {
        const [first, ...others] = output ?? [];
        if (first !== undefined) this.#playback.render(first);
        for (const channel of others) channel.set(first as Float32Array);
        return true;
      }
    },
  );
}
