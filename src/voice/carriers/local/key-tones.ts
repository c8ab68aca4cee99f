import { decoded, frameBytes } from './mulaw.ts';

const rows = [697, 770, 852, 941];
const columns = [1209, 1336, 1477, 1633];
const keys = ['123A', '456B', '789C', '*0#D'];
/** The share of a frame's energy that its two tones must have at least. */
const minShare = 0.6;
/** And how much weaker one of them may be, in power. */
const minTwist = 0.1;
const minLevel = 300;
/** A key is pressed for 40 ms or more. */
const minFrames = 2;

/** The keys whose tones are in recorded audio: media sockets have no message that presses one. */
export function keysIn(audio: Uint8Array): string {
  const samples = decoded(audio);
  let pressed = '';
  let current: string | null = null;
  let frames = 0;
  for (let at = 0; at + frameBytes <= samples.length; at += frameBytes) {
    const key = keyOf(samples.subarray(at, at + frameBytes));
    frames = key === current ? frames + 1 : 1;
    current = key;
    if (key !== null && frames === minFrames) pressed += key;
  }
  return pressed;
}

function keyOf(frame: Int16Array): string | null {
  const energy = frame.reduce((sum, sample) => sum + sample * sample, 0);
  if (energy < minLevel * minLevel * frame.length) return null;
  const [row, rowPower] = strongest(frame, rows);
  const [column, columnPower] = strongest(frame, columns);
  if (Math.min(rowPower, columnPower) < minTwist * Math.max(rowPower, columnPower)) return null;
  // A sine of amplitude a has the power (a n / 2)², and the energy a² n / 2.
  const share = ((rowPower + columnPower) * 2) / frame.length / energy;
  return share < minShare ? null : (keys[row]?.[column] ?? null);
}

function strongest(frame: Int16Array, frequencies: readonly number[]): [index: number, power: number] {
  const powers = frequencies.map((hz) => power(frame, hz));
  const most = Math.max(...powers);
  return [powers.indexOf(most), most];
}

/** Goertzel's algorithm. */
function power(frame: Int16Array, hz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / 8000);
  let before = 0;
  let last = 0;
  for (const sample of frame) [before, last] = [last, sample + coefficient * last - before];
  return last * last + before * before - coefficient * last * before;
}
