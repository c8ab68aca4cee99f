/** A frame below this level is silence on any line: about -56 dB of full scale. */
const minLevel = 50;
/** How far above the noise a frame must be. Speech as loud as the noise is 3 dB above it. */
const aboveNoise = 1.3;
/**
 * The noise is the quietest frame of the last three seconds: there is always a pause in speech, and none in noise.
 * These seconds are ten blocks; only the quietest frame of each is kept.
 */
const noiseBlocks = 10;
const blockFrames = 15;
/** What precedes the first loud frame is passed on, too: words begin quietly. */
const leadFrames = 15;
/** How many quiet frames are passed on after the last loud one. They hold the end of words, and short pauses. */
const trailFrames = 25;
const framesPerSecond = 50;

export interface GateOutput {
  /** A frame to pass on, in order, without gaps while the gate is open. */
  pass(frame: Int16Array, position: number, isLoud: boolean): void;
  /** Silence begins; nothing is passed on until it is over. */
  closed(): void;
}

/** Withholds silence, so that models need not process it. Works on frames of 20 ms, regardless of the size of the input. */
export class NoiseGate {
  readonly #output: GateOutput;
  readonly #frameLength: number;
  readonly #frame: Int16Array;
  #filled = 0;
  /** The position of the frame that is being filled, in samples since the beginning. */
  #position = 0;
  #isOpen = false;
  #quietFrames = 0;
  readonly #lead: Int16Array[] = [];
  readonly #blocks: number[] = [];
  #blockLevel = Number.POSITIVE_INFINITY;
  #blockCount = 0;
  #noise = 0;

  constructor(rate: number, output: GateOutput) {
    this.#output = output;
    this.#frameLength = Math.round(rate / framesPerSecond);
    this.#frame = new Int16Array(this.#frameLength);
  }

  write(samples: Int16Array): void {
    for (let start = 0; start < samples.length; ) {
      const count = Math.min(this.#frameLength - this.#filled, samples.length - start);
      this.#frame.set(samples.subarray(start, start + count), this.#filled);
      this.#filled += count;
      start += count;
      if (this.#filled === this.#frameLength) this.#take(this.#frame.slice());
    }
  }

  #take(frame: Int16Array): void {
    const position = this.#position;
    this.#position += frame.length;
    this.#filled = 0;
    const isLoud = this.#isLoud(levelOf(frame));
    if (this.#isOpen) {
      this.#output.pass(frame, position, isLoud);
      this.#quietFrames = isLoud ? 0 : this.#quietFrames + 1;
      if (this.#quietFrames >= trailFrames) this.#close();
    } else if (isLoud) {
      this.#open(frame, position);
    } else {
      this.#lead.push(frame);
      if (this.#lead.length > leadFrames) this.#lead.shift();
    }
  }

  #open(frame: Int16Array, position: number): void {
    this.#isOpen = true;
    this.#quietFrames = 0;
    const lead = this.#lead.splice(0);
    lead.forEach((earlier, index) => {
      this.#output.pass(earlier, position - (lead.length - index) * frame.length, false);
    });
    this.#output.pass(frame, position, true);
  }

  #close(): void {
    this.#isOpen = false;
    this.#output.closed();
  }

  #isLoud(level: number): boolean {
    this.#blockLevel = Math.min(this.#blockLevel, level);
    this.#blockCount += 1;
    if (this.#blockCount === blockFrames) this.#endBlock();
    // Until a few seconds were heard, only the fixed limit is known to be silence.
    const noise = this.#blocks.length < noiseBlocks ? 0 : this.#noise;
    return level > Math.max(minLevel, aboveNoise * noise);
  }

  #endBlock(): void {
    this.#blocks.push(this.#blockLevel);
    if (this.#blocks.length > noiseBlocks) this.#blocks.shift();
    this.#noise = Math.min(...this.#blocks);
    this.#blockLevel = Number.POSITIVE_INFINITY;
    this.#blockCount = 0;
  }
}

/** The root mean square. */
export function levelOf(samples: Int16Array): number {
  let sum = 0;
  // An index instead of an iterator, because this runs for every frame of every call.
  for (let index = 0; index < samples.length; index++) sum += (samples[index] as number) ** 2;
  return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length);
}
