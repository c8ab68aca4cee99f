/** The service keeps a call this long for a page that has lost its connection. */
export const resumeWindowMs = 30_000;

const firstDelayMs = 250;
const maxDelayMs = 2_000;

/**
 * Closed on purpose: ended, frame too large, bad frame, key revoked, idle, joined elsewhere, too much. Everything else,
 * such as 4503 of a service that restarts and 1006 of a broken network, can be resumed.
 */
const finalCodes: readonly number[] = [1000, 1009, 4400, 4401, 4408, 4409, 4429];

export function canResume(closeCode: number): boolean {
  return !finalCodes.includes(closeCode);
}

/** How long to wait before the next attempt, or null when the time is over. Random, so that not all pages come at once. */
export function nextDelayMs(
  attempt: number,
  { lostForMs, random }: { lostForMs: number; random: number },
): number | null {
  const delayMs = Math.min(firstDelayMs * 2 ** attempt, maxDelayMs) * (0.5 + random / 2);
  return lostForMs + delayMs < resumeWindowMs ? delayMs : null;
}
