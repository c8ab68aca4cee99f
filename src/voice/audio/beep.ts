import { level } from './level.ts';

interface BeepEvents {
  /** One frequency has sounded for 250 ms. */
  started(): void;
  /** The beep has stopped: what is said now is recorded. */
  ended(): void;
}

const blockMs = 20;
const beepBlocks = 13;
const minHz = 350;
const maxHz = 2100;
/** About -45 dB: quieter blocks are silence. */
const minLevel = 0.006;
/** How much of the sound of a block is its one frequency. Of two tones it is half, of a vowel hardly more. */
const minPurity = 0.85;
/** From a block to the next. Speech glides faster. */
const maxShiftHz = 12;
/** A tone is as loud as before; a ring-back tone is modulated, and speech rises and falls. */
const maxLevelRatio = 1.35;

interface Sound {
  readonly frequency: number;
  readonly level: number;
}

/** Finds the beep of a voicemail: one frequency of 350 to 2,100 Hz for 250 ms. */
export class BeepDetector {
  readonly #rate: number;
  readonly #events: BeepEvents;
  readonly #block: Int16Array;
  #filled = 0;
  #last: Sound | null = null;
  #blocks = 0;

  constructor(rate: number, events: BeepEvents) {
    this.#rate = rate;
    this.#events = events;
    this.#block = new Int16Array((blockMs * rate) / 1000);
  }

  write(samples: Int16Array): void {
    let rest = samples;
    while (rest.length > 0) {
      const taken = rest.subarray(0, this.#block.length - this.#filled);
      this.#block.set(taken, this.#filled);
      this.#filled += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#filled < this.#block.length) return;
      this.#filled = 0;
      this.#add(toneIn(this.#block, this.#rate));
    }
  }

  #add(sound: Sound | null): void {
    const isSame = sound !== null && this.#last !== null && isSameTone(this.#last, sound);
    const wasBeep = this.#blocks >= beepBlocks;
    this.#last = sound;
    if (isSame) {
      this.#blocks += 1;
      if (this.#blocks === beepBlocks) this.#events.started();
      return;
    }
    this.#blocks = sound === null ? 0 : 1;
    if (wasBeep) this.#events.ended();
  }
}

function isSameTone(last: Sound, sound: Sound): boolean {
  const ratio = sound.level / last.level;
  return (
    Math.abs(sound.frequency - last.frequency) <= maxShiftHz && ratio <= maxLevelRatio && ratio >= 1 / maxLevelRatio
  );
}

/** The tone that a block consists of, or null. */
function toneIn(block: Int16Array, rate: number): Sound | null {
  const blockLevel = level(block);
  if (blockLevel < minLevel) return null;
  const rough = roughFrequency(block, rate);
  if (rough === null) return null;
  const frequency = refined(block, rough, rate);
  if (frequency < minHz || frequency > maxHz) return null;
  const { real, imaginary } = projection(block, frequency, rate);
  const purity = (2 * (real * real + imaginary * imaginary)) / (block.length * energyOf(block));
  return purity < minPurity ? null : { frequency, level: blockLevel };
}

/** A sine satisfies x[n] + x[n-2] = 2 cos(w) x[n-1]. Noise makes the result a little wrong. */
function roughFrequency(block: Int16Array, rate: number): number | null {
  let product = 0;
  let square = 0;
  for (let index = 2; index < block.length; index += 1) {
    const middle = block[index - 1] as number;
    product += middle * ((block[index] as number) + (block[index - 2] as number));
    square += middle * middle;
  }
  const cosine = square === 0 ? 2 : product / (2 * square);
  return Math.abs(cosine) > 1 ? null : (Math.acos(cosine) * rate) / (2 * Math.PI);
}

/** By how much the phase of the second half differs from what the frequency predicts. */
function refined(block: Int16Array, frequency: number, rate: number): number {
  const half = block.length / 2;
  const first = projection(block.subarray(0, half), frequency, rate);
  const second = projection(block.subarray(half), frequency, rate);
  const expected = (2 * Math.PI * frequency * half) / rate;
  const measured = Math.atan2(first.imaginary, first.real) - Math.atan2(second.imaginary, second.real);
  const difference = remainder(measured - expected, 2 * Math.PI);
  return frequency + (difference * rate) / (2 * Math.PI * half);
}

/** The nearest to zero of all values that differ by multiples of the period. */
function remainder(value: number, period: number): number {
  return value - period * Math.round(value / period);
}

function projection(block: Int16Array, frequency: number, rate: number): { real: number; imaginary: number } {
  const step = (2 * Math.PI * frequency) / rate;
  const [cosine, sine] = [Math.cos(step), Math.sin(step)];
  let [x, y] = [1, 0];
  let real = 0;
  let imaginary = 0;
  for (let index = 0; index < block.length; index += 1) {
    const sample = block[index] as number;
    real += sample * x;
    imaginary += sample * y;
    [x, y] = [x * cosine - y * sine, x * sine + y * cosine];
  }
  return { real, imaginary };
}

function energyOf(block: Int16Array): number {
  let sum = 0;
  for (let index = 0; index < block.length; index += 1) sum += (block[index] as number) ** 2;
  return sum;
}
