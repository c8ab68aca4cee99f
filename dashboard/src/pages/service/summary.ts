import type { Figures } from '../../../../sdk/src/index.ts';

/** The values of the tiles, computed from the data points of a period. */
export interface Summary {
  readonly requests: number;
  readonly refusals: number;
  readonly errors: number;
  /** Over the whole period. */
  readonly requestsPerMinute: number;
  /** The p95 of the latest interval with requests; null if there were none. */
  readonly latestP95Ms: number | null;
  readonly highestP95Ms: number | null;
}

export function summarize({ points, stepSeconds }: Figures): Summary {
  const total = (name: 'requests' | 'refusals' | 'errors') => points.reduce((sum, point) => sum + point[name], 0);
  const latencies = points.flatMap(({ p95Ms }) => (p95Ms === null ? [] : [p95Ms]));
  const requests = total('requests');
  return {
    requests,
    refusals: total('refusals'),
    errors: total('errors'),
    requestsPerMinute: points.length === 0 ? 0 : requests / ((points.length * stepSeconds) / 60),
    latestP95Ms: latencies.at(-1) ?? null,
    highestP95Ms: latencies.length === 0 ? null : Math.max(...latencies),
  };
}

/** A younger interval has no meaning yet, because requests are counted with a delay of some seconds. */
const minSeconds = 30;

/**
 * The latest interval is still in progress: its counts are scaled by the elapsed time, so that plots do not end with an
 * apparent drop.
 */
export function ratesPerMinute({ points, stepSeconds }: Figures, readAt: number): (number | null)[] {
  const newest = points.length - 1;
  return points.map(({ at, requests }, index) => {
    const lasted = (readAt - Date.parse(at)) / 1000;
    if (index === newest && lasted < minSeconds) return null;
    const seconds = index === newest && lasted < stepSeconds ? lasted : stepSeconds;
    return requests / (seconds / 60);
  });
}
