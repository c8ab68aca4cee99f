import type { RateLimit } from '../../config.ts';
import { type AppError, rateLimited } from '../../core/errors.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import { generalLimit, type Taken, type TakePoints } from './rate-counts.ts';

/**
 * The rate limit state of a key: response headers as alternating names and values, and the error if the limit is
 * exceeded.
 */
export interface RateLimitState {
  readonly headers: readonly string[];
  readonly refusal: AppError | null;
}

export interface RateLimiter {
  /** Counts one request of the key. */
  admit(keyId: string): MaybePromise<RateLimitState>;
  /** The current state of the key, without counting a request. */
  peek(keyId: string): RateLimitState;
}

/** Limits above this are counted in portions of a thousandth of the limit. */
const exactUpTo = 1000;

const unlimited: RateLimitState = { headers: [], refusal: null };

export const noRateLimit: RateLimiter = { admit: () => unlimited, peek: () => unlimited };

/** `name` is the name of the policy in the headers, `subject` what it limits, for the message. */
export function createRateLimiter(
  limit: RateLimit,
  takePoints: TakePoints,
  { name = generalLimit, subject = 'this API key' }: { readonly name?: string; readonly subject?: string } = {},
): RateLimiter {
  const counter = createCounter(takePoints, limit);
  const policy = `"${name}";q=${limit.requests};w=${limit.windowSeconds}`;
  const standingStart = `"${name}";r=`;

  const toState = ({ left, resetMs, isOver }: Standing): RateLimitState => {
    const seconds = Math.max(1, Math.ceil(resetMs / 1000));
    return {
      headers: ['ratelimit-policy', policy, 'ratelimit', `${standingStart}${left};t=${seconds}`],
      refusal: isOver ? rateLimited(seconds, subject) : null,
    };
  };

  return {
    admit: (keyId) => {
      const kept = counter.takeUnused(keyId);
      return kept === undefined ? counter.fetch(keyId).then(toState) : toState(kept);
    },
    peek: (keyId) => toState(counter.peek(keyId)),
  };
}

/** Both limits apply, and the headers name both. A request over the general limit does not count towards the own one. */
export function bothLimits(general: RateLimiter, own: RateLimiter): RateLimiter {
  return {
    admit: async (keyId) => {
      const first = await general.admit(keyId);
      return combined(first, first.refusal === null ? await own.admit(keyId) : own.peek(keyId));
    },
    peek: (keyId) => combined(general.peek(keyId), own.peek(keyId)),
  };
}

function combined(general: RateLimitState, own: RateLimitState): RateLimitState {
  const refusal = general.refusal ?? own.refusal;
  // A limit that is off has no headers.
  if (general.headers.length === 0) return { headers: own.headers, refusal };
  const headers = general.headers.map((text, place) =>
    place % 2 === 0 || own.headers[place] === undefined ? text : `${text}, ${own.headers[place]}`,
  );
  return { headers, refusal };
}

interface Standing {
  readonly left: number;
  readonly resetMs: number;
  readonly isOver: boolean;
}

/** Points taken from the store that have not been used yet. */
interface Portion {
  unused: number;
  readonly left: number;
  readonly until: number;
}

/**
 * Querying the store for every request would cost more than most requests, so a thousandth of the limit is taken at a
 * time and used up in memory. This is exact up to a thousand requests per window, and never exceeds the limit above
 * that.
 */
function createCounter(takePoints: TakePoints, limit: RateLimit) {
  const size = Math.max(1, Math.floor(limit.requests / exactUpTo));
  const portions = new Map<string, Portion>();
  const windowMs = limit.windowSeconds * 1000;
  let nextSweep = performance.now() + windowMs;
  // One fetch at a time per key, so that concurrent requests share one portion.
  const fetches = new Map<string, Promise<Standing>>();

  const toStanding = ({ points, resetMs }: Taken): Standing => ({
    left: Math.max(0, limit.requests - points),
    resetMs,
    isOver: points > limit.requests,
  });
  /** Access tokens are short-lived: without this, each would stay in memory. */
  const sweep = (now: number): void => {
    nextSweep = now + windowMs;
    for (const [keyId, { until }] of portions) if (until <= now) portions.delete(keyId);
  };
  /** Takes `points` from the store; `kept` of them are for later requests. */
  const fetchPoints = async (keyId: string, points: number, kept: number): Promise<Standing> => {
    // Measured before the call: a portion must not outlive its window.
    const requestedAt = performance.now();
    if (requestedAt >= nextSweep) sweep(requestedAt);
    const standing = toStanding(await takePoints(keyId, points));
    const unused = standing.isOver ? 0 : kept;
    portions.set(keyId, { unused, left: standing.left, until: requestedAt + standing.resetMs });
    return standing;
  };
  const takeUnused = (keyId: string): Standing | undefined => {
    const own = portions.get(keyId);
    if (own === undefined || own.unused === 0) return undefined;
    const resetMs = own.until - performance.now();
    if (resetMs <= 0) return undefined;
    own.unused -= 1;
    return { left: own.left + own.unused, resetMs, isOver: false };
  };
  const fetchPortion = (keyId: string): Promise<Standing> => {
    let fetching = fetches.get(keyId);
    if (fetching === undefined) {
      fetching = fetchPoints(keyId, size, size).finally(() => fetches.delete(keyId));
      fetches.set(keyId, fetching);
    }
    return fetching;
  };

  return {
    takeUnused,
    fetch: async (keyId: string): Promise<Standing> => {
      if (size === 1) return fetchPoints(keyId, 1, 0);
      for (;;) {
        const fetched = await fetchPortion(keyId);
        if (fetched.isOver) return fetched;
        const standing = takeUnused(keyId);
        if (standing !== undefined) return standing;
      }
    },
    // From local state only: a request that is refused anyway should not cost a query.
    peek: (keyId: string): Standing => {
      const own = portions.get(keyId);
      const resetMs = own === undefined ? 0 : own.until - performance.now();
      if (own === undefined || resetMs <= 0) {
        return { left: limit.requests, resetMs: windowMs, isOver: false };
      }
      return { left: own.left + own.unused, resetMs, isOver: false };
    },
  };
}
