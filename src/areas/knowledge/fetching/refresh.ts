const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** After the first failure, and after the second. Then the usual interval applies again. */
const delaysAfterFailureMs = [10 * minuteMs, hourMs];

/** How the content of a page was last refreshed. Times are in milliseconds since the epoch. */
export interface RefreshState {
  readonly lastFetchedAt: number | null;
  /** Null: only on request. */
  readonly nextRefreshAt: number | null;
  /** The first failed refresh since the last success; null if the last one succeeded, or none ever has. */
  readonly staleSince: number | null;
  /** Failures since the last success. */
  readonly failures: number;
}

export interface RefreshTime {
  readonly refreshEveryHours: number | null;
  readonly now: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** The content was fetched at `fetchedAt` and is served, or is what is served already. */
export function refreshSucceeded(fetchedAt: number, time: RefreshTime): RefreshState {
  return { lastFetchedAt: fetchedAt, nextRefreshAt: nextRefreshAt(0, time), staleSince: null, failures: 0 };
}

/** `isServed`: an earlier success is still searched, and becomes stale. */
export function refreshFailed(state: RefreshState, isServed: boolean, time: RefreshTime): RefreshState {
  const failures = state.failures + 1;
  return {
    lastFetchedAt: state.lastFetchedAt,
    nextRefreshAt: nextRefreshAt(failures, time),
    staleSince: state.staleSince ?? (isServed ? time.now : null),
    failures,
  };
}

/** With ±10 % jitter, so that documents that were created together are not fetched together. */
export function nextRefreshAt(failures: number, { refreshEveryHours, now, random }: RefreshTime): number | null {
  if (refreshEveryHours === null) return null;
  const delayMs = (failures > 0 ? delaysAfterFailureMs[failures - 1] : undefined) ?? refreshEveryHours * hourMs;
  return now + Math.round(delayMs * (0.9 + 0.2 * random()));
}
