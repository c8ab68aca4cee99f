/** A sine of 440 Hz at 16 kHz; `peak` from 0 to 1. */
export function tone(samples: number, peak: number): Int16Array {
  return Int16Array.from({ length: samples }, (_, index) =>
    Math.round(peak * 32_767 * Math.sin((2 * Math.PI * 440 * index) / 16_000)),
  );
}

/** Every sample is different from its neighbors, so that a shift by one is seen. */
export function ramp(samples: number, from = 1): Int16Array {
  return Int16Array.from({ length: samples }, (_, index) => ((from + index) % 30_000) + 1);
}
