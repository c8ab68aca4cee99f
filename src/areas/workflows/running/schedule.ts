const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The delays after the first failed attempt, the second, and so on; the last one repeats. */
export const retryDelaysMs: readonly number[] = [10 * secondMs, minuteMs, 10 * minuteMs, hourMs];

/** A run that is older fails. */
export const maxRunAgeMs = 45 * 24 * hourMs;

/** The delay after a failed attempt, with ±10 % jitter, or what the receiver asked for if that is later. `random`: 0 to 1. */
export function retryDelayMs(
  failures: number,
  retryAfterMs: number | null,
  random: number,
  delaysMs: readonly number[] = retryDelaysMs,
): number {
  const delayMs = delaysMs[Math.min(failures, delaysMs.length) - 1] ?? 0;
  return Math.max(Math.round(delayMs * (0.9 + 0.2 * random)), retryAfterMs ?? 0);
}
