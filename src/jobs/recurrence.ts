/** When something runs again and again: the same times in every process. */
export type Recurrence =
  /** A period, counted from 1970 on, so that a restart does not shift it. */
  | { readonly everyMs: number }
  /** Times of the day in UTC, as `HH:MM`. */
  | { readonly dailyAt: readonly string[] };

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The first of its times after this one. */
export function nextTime(recurrence: Recurrence, after: number): number {
  const next = (periodMs: number, offsetMs: number): number =>
    Math.floor((after - offsetMs) / periodMs + 1) * periodMs + offsetMs;
  if ('everyMs' in recurrence) return next(recurrence.everyMs, 0);
  return Math.min(...recurrence.dailyAt.map((time) => next(dayMs, offsetOf(time))));
}

/** What is wrong with it, or null. */
export function recurrenceIssue(recurrence: Recurrence): string | null {
  if ('everyMs' in recurrence) {
    const { everyMs } = recurrence;
    return Number.isSafeInteger(everyMs) && everyMs > 0 ? null : 'needs a whole number above 0 for everyMs';
  }
  const isTime = (time: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(time);
  return recurrence.dailyAt.length > 0 && recurrence.dailyAt.every(isTime) ? null : 'needs times as HH:MM for dailyAt';
}

function offsetOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return (hours * 60 + minutes) * minuteMs;
}
