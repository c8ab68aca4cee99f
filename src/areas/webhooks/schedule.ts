const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The delays before the second attempt, the third, and so on: about 76 hours in total. */
export const retryDelaysMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

export const maxAttempts = retryDelaysMs.length + 1;

/** The delay after a failed attempt, with ±10 % jitter; null if it was the last one. `random` is from 0 to 1. */
export function nextDelayMs(
  failedAttempt: number,
  retryAfterMs: number | null,
  random: number,
  delaysMs = retryDelaysMs,
): number | null {
  const delayMs = delaysMs[failedAttempt - 1];
  if (delayMs === undefined) return null;
  return Math.max(Math.round(delayMs * (0.9 + 0.2 * random)), retryAfterMs ?? 0);
}
