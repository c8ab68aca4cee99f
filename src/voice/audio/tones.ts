/** Tones for a phone line: those of keys (ITU-T Q.23), and the one that a waiting caller hears. */

const rows = [697, 770, 852, 941] as const;
const columns = [1209, 1336, 1477, 1633] as const;
/** The keys by row and column. */
const keypad = '123A456B789C*0#D';

const toneMs = 100;
/** Receivers need at least 40 ms of silence between two keys (ITU-T Q.24). */
const gapMs = 100;
/** `w` between two keys. */
const pauseMs = 500;
const waitingToneMs = 200;
const waitingToneHz = 440;
/** So that a tone does not start or end with a click. */
const fadeMs = 4;
/** The volume of each of the two frequencies of a key, relative to full scale: -10 dB. */
const keyVolume = 0.316;
const waitingVolume = 0.1;
const fullScale = 32_767;

/** The audio of a key and of the silence after it; of `w`, silence. Undefined: there is no such key. */
export function keyTone(key: string, rate: number): Int16Array | undefined {
  if (key === 'w') return new Int16Array((pauseMs * rate) / 1000);
  const place = key.length === 1 ? keypad.indexOf(key) : -1;
  if (place === -1) return undefined;
  const frequencies = [rows[place >> 2] as number, columns[place & 3] as number];
  const samples = new Int16Array(((toneMs + gapMs) * rate) / 1000);
  addTone(samples.subarray(0, (toneMs * rate) / 1000), { frequencies, volume: keyVolume, rate });
  return samples;
}

/** What a caller hears every few seconds while they wait for a person. */
export function waitingTone(rate: number): Int16Array {
  const samples = new Int16Array((waitingToneMs * rate) / 1000);
  addTone(samples, { frequencies: [waitingToneHz], volume: waitingVolume, rate });
  return samples;
}

interface Tone {
  readonly frequencies: readonly number[];
  readonly volume: number;
  readonly rate: number;
}

function addTone(samples: Int16Array, { frequencies, volume, rate }: Tone): void {
  const fade = (fadeMs * rate) / 1000;
  for (let index = 0; index < samples.length; index += 1) {
    const edge = Math.min(1, (index + 1) / fade, (samples.length - index) / fade);
    let value = 0;
    for (const frequency of frequencies) value += Math.sin((2 * Math.PI * frequency * index) / rate);
    samples[index] = Math.round(value * volume * edge * fullScale);
  }
}
