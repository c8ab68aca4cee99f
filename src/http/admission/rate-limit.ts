import type { RateLimit } from '../../config.ts';
import { type AppError, rateLimited } from '../../core/errors.ts';
import type { Eventually } from '../../core/eventually.ts';
import type { Taken, TakePoints } from './rate-counts.ts';

/** Where a key stands, for the client: headers as names and values in turn, and the refusal where it has had its share. */
export interface RateAnswer {
  readonly headers: readonly string[];
  readonly refusal: AppError | null;
}

export interface RateLimiter {
  /** Counts one request of the key. */
  admit(keyId: string): Eventually<RateAnswer>;
  /** Tells where the key stands without counting. */
  tell(keyId: string): RateAnswer;
}

/** Above this many requests in a window they are counted in portions of a thousandth of it. */
const exactUpTo = 1000;

const unlimited: RateAnswer = { headers: [], refusal: null };

export const noRateLimit: RateLimiter = { admit: () => unlimited, tell: () => unlimited };

export function createRateLimiter(limit: RateLimit, takePoints: TakePoints): RateLimiter {
  const counter = createCounter(takePoints, limit);
  const policy = `"default";q=${limit.requests};w=${limit.windowSeconds}`;

  const answer = ({ left, resetMs, isOver }: Standing): RateAnswer => {
    const seconds = Math.max(1, Math.ceil(resetMs / 1000));
    return {
      headers: ['ratelimit-policy', policy, 'ratelimit', `"default";r=${left};t=${seconds}`],
      refusal: isOver ? rateLimited(seconds) : null,
    };
  };

  return {
    admit: (keyId) => {
      const kept = counter.takeKept(keyId);
      return kept === undefined ? counter.fetch(keyId).then(answer) : answer(kept);
    },
    tell: (keyId) => answer(counter.look(keyId)),
  };
}

interface Standing {
  readonly left: number;
  readonly resetMs: number;
  readonly isOver: boolean;
}

/** What has been taken from the store and not handed out yet. */
interface Portion {
  unused: number;
  readonly left: number;
  readonly until: number;
}

/**
 * A look at the store for every request would cost more than many requests do, so a thousandth of the limit is taken at
 * a time and handed out from here: exact up to a thousand requests a window, and never more than the limit above that.
 */
function createCounter(takePoints: TakePoints, limit: RateLimit) {
  const size = Math.max(1, Math.floor(limit.requests / exactUpTo));
  const portions = new Map<string, Portion>();
  // One at a time for each key: requests that arrive together share one portion.
  const fetches = new Map<string, Promise<Standing>>();

  const standingOf = ({ points, resetMs }: Taken): Standing => ({
    left: Math.max(0, limit.requests - points),
    resetMs,
    isOver: points > limit.requests,
  });
  /** Takes this many from the store; `kept` of them are for later requests. */
  const fetchPoints = async (keyId: string, points: number, kept: number): Promise<Standing> => {
    // Measured before the call: a portion must not outlive its window.
    const askedAt = performance.now();
    const standing = standingOf(await takePoints(keyId, points));
    const unused = standing.isOver ? 0 : kept;
    portions.set(keyId, { unused, left: standing.left, until: askedAt + standing.resetMs });
    return standing;
  };
  const takeKept = (keyId: string): Standing | undefined => {
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
    takeKept,
    fetch: async (keyId: string): Promise<Standing> => {
      if (size === 1) return fetchPoints(keyId, 1, 0);
      for (;;) {
        const fetched = await fetchPortion(keyId);
        if (fetched.isOver) return fetched;
        const standing = takeKept(keyId);
        if (standing !== undefined) return standing;
      }
    },
    // By what is known here: an answer that is refused anyway is not worth a look at the store.
    look: (keyId: string): Standing => {
      const own = portions.get(keyId);
      const resetMs = own === undefined ? 0 : own.until - performance.now();
      if (own === undefined || resetMs <= 0) {
        return { left: limit.requests, resetMs: limit.windowSeconds * 1000, isOver: false };
      }
      return { left: own.left + own.unused, resetMs, isOver: false };
    },
  };
}
