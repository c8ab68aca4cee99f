/** The size of the header of the WAV files that the service writes. */
const headerBytes = 44;
const sampleBytes = 2;
/** Quieter recordings than this are mostly noise, which would look like speech. */
const minScale = 0.08;

/** How loud each channel is over time, from 0 to 1. */
export type Peaks = readonly Float32Array[];

export interface PeakReader {
  /** The next part of the file. Parts may end anywhere. */
  add(bytes: Uint8Array): void;
  /** Each channel in proportion to its loudest moment, so that a quiet caller can be seen as well. */
  peaks(): Peaks;
}

/** Reads a WAV file of 16 bits part by part, keeping only the loudest sample of each stretch of time. */
export function createPeakReader(sizeBytes: number, channels: number, count: number): PeakReader {
  const frameBytes = sampleBytes * channels;
  const frames = Math.max(1, Math.floor((sizeBytes - headerBytes) / frameBytes));
  const length = Math.min(count, frames);
  const loudest = Array.from({ length: channels }, () => new Float32Array(length));
  /** What the last part ended with: less than a frame. */
  let rest = new Uint8Array(0);
  let position = 0;
  let frame = 0;
  return {
    add: (bytes) => {
      const skipped = Math.min(bytes.length, Math.max(0, headerBytes - position));
      position += bytes.length;
      const audio = joined(rest, bytes.subarray(skipped));
      const view = new DataView(audio.buffer, audio.byteOffset, audio.length);
      let at = 0;
      for (; at + frameBytes <= audio.length && frame < frames; at += frameBytes, frame += 1) {
        const place = Math.min(length - 1, Math.floor((frame * length) / frames));
        for (const [channel, peaks] of loudest.entries()) {
          const sample = Math.abs(view.getInt16(at + channel * sampleBytes, true)) / 32_768;
          if (sample > (peaks[place] as number)) peaks[place] = sample;
        }
      }
      rest = audio.slice(at, at + frameBytes);
    },
    peaks: () =>
      loudest.map((peaks) => {
        const scale = peaks.reduce((most, peak) => Math.max(most, peak), minScale);
        return peaks.map((peak) => peak / scale);
      }),
  };
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other;
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

interface SpokenTurn {
  readonly role: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Only who spoke when, for recordings that are too long to be read. The caller is the first channel. */
export function peaksOfTurns(turns: readonly SpokenTurn[], durationMs: number, count: number): Peaks {
  return ['caller', 'agent'].map((speaker) => {
    const peaks = new Float32Array(count);
    for (const { role, startMs, endMs } of turns) {
      if (role !== speaker) continue;
      peaks.fill(0.5, Math.floor((startMs / durationMs) * count), Math.ceil((endMs / durationMs) * count));
    }
    return peaks;
  });
}
