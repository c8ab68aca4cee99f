import type { Pool } from 'pg';
import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { RateLimit } from '../config.ts';
import { type AppError, rateLimited, serviceUnavailable } from '../errors.ts';

/** Where a key stands, for the client: headers as names and values in turn, and the refusal where it has had its share. */
export interface RateAnswer {
  readonly headers: readonly string[];
  readonly refusal: AppError | null;
}

export interface RateLimiter {
  /** Counts one request of the key. */
  admit(keyId: string): RateAnswer | Promise<RateAnswer>;
  /** Tells where the key stands without counting. */
  tell(keyId: string): RateAnswer;
}

/** Above this many requests in a window they are counted in portions of a thousandth of it. */
const exactUpTo = 1000;

const unlimited: RateAnswer = { headers: [], refusal: null };

/** Who shares the count: nobody, the workers of one start, or all instances on one PostgreSQL. */
export interface Sharing {
  readonly postgresPool: Pool | null;
  readonly isWorker: boolean;
}

export function createRateLimiter(limit: RateLimit | null, sharing: Sharing): RateLimiter {
  if (limit === null) return { admit: () => unlimited, tell: () => unlimited };
  const counter = createCounter(storeFor(limit, sharing), limit);
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
      const standing = counter.count(keyId);
      return standing instanceof Promise ? standing.then(answer) : answer(standing);
    },
    tell: (keyId) => answer(counter.look(keyId)),
  };
}

function storeFor({ requests, windowSeconds }: RateLimit, { postgresPool, isWorker }: Sharing): RateLimiterAbstract {
  const share = { points: requests, duration: windowSeconds };
  if (postgresPool === null) {
    return isWorker ? new RateLimiterCluster({ ...share, keyPrefix: 'requests' }) : new RateLimiterMemory(share);
  }
  return new RateLimiterPostgres({
    ...share,
    storeClient: postgresPool,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: '',
    clearExpiredByTimeout: true,
  });
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
function createCounter(store: RateLimiterAbstract, limit: RateLimit) {
  const size = Math.max(1, Math.floor(limit.requests / exactUpTo));
  const portions = new Map<string, Portion>();
  // One at a time for each key: requests that come together share what one look at the store brings.
  const fetching = new Map<string, Promise<Standing>>();

  const fetchPortion = async (keyId: string): Promise<Standing> => {
    try {
      const standing = await consume(store, keyId, size);
      const until = performance.now() + standing.resetMs;
      portions.set(keyId, { unused: standing.isOver ? 0 : size, left: standing.left, until });
      return standing;
    } finally {
      fetching.delete(keyId);
    }
  };
  const take = (keyId: string): Standing | undefined => {
    const own = portions.get(keyId);
    if (own === undefined || own.unused === 0) return undefined;
    const resetMs = own.until - performance.now();
    if (resetMs <= 0) return undefined;
    own.unused -= 1;
    return { left: own.left + own.unused, resetMs, isOver: false };
  };
  const countAnew = async (keyId: string): Promise<Standing> => {
    for (;;) {
      let pending = fetching.get(keyId);
      if (pending === undefined) {
        pending = fetchPortion(keyId);
        fetching.set(keyId, pending);
      }
      const standing = await pending;
      const taken = standing.isOver ? standing : take(keyId);
      if (taken !== undefined) return taken;
    }
  };
  const countOne = async (keyId: string): Promise<Standing> => {
    const standing = await consume(store, keyId, 1);
    portions.set(keyId, { unused: 0, left: standing.left, until: performance.now() + standing.resetMs });
    return standing;
  };

  return {
    count: (keyId: string): Standing | Promise<Standing> =>
      size === 1 ? countOne(keyId) : (take(keyId) ?? countAnew(keyId)),
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

async function consume(store: RateLimiterAbstract, keyId: string, points: number): Promise<Standing> {
  try {
    return standingOf(await store.consume(keyId, points), false);
  } catch (error) {
    if (error instanceof RateLimiterRes) return standingOf(error, true);
    throw serviceUnavailable('The database is away.', error);
  }
}

function standingOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Standing {
  return { left: Math.max(0, remainingPoints), resetMs: msBeforeNext, isOver };
}
