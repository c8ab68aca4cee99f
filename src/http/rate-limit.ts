import type { FastifyReply } from 'fastify';
import type { Pool } from 'pg';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { RateLimit } from '../config.ts';
import { rateLimited, serviceUnavailable } from '../errors.ts';

export interface RateLimiter {
  /** Counts one request of the key and tells the client where it stands; throws when the key has had its share. */
  admit(keyId: string, reply: FastifyReply): Promise<void>;
  /** Tells where the key stands without counting. */
  tell(keyId: string, reply: FastifyReply): Promise<void>;
}

/** Above this many requests in a window, an instance takes them from the shared count a thousandth at a time. */
const exactUpTo = 1000;

/** Counts in this process, or in PostgreSQL for all instances together. */
export function createRateLimiter(limit: RateLimit | null, pool: Pool | null): RateLimiter {
  if (limit === null) return { admit: async () => {}, tell: async () => {} };
  const counter = pool === null ? createOwnCounter(limit) : createSharedCounter(limit, pool);
  const policy = `"default";q=${limit.requests};w=${limit.windowSeconds}`;

  const write = (reply: FastifyReply, { left, resetMs }: Standing): number => {
    const seconds = Math.max(1, Math.ceil(resetMs / 1000));
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `"default";r=${left};t=${seconds}`);
    return seconds;
  };

  return {
    admit: async (keyId, reply) => {
      const standing = await counter.count(keyId);
      const seconds = write(reply, standing);
      if (standing.isOver) throw rateLimited(seconds);
    },
    tell: async (keyId, reply) => {
      write(reply, await counter.look(keyId));
    },
  };
}

interface Standing {
  readonly left: number;
  readonly resetMs: number;
  readonly isOver: boolean;
}

interface Counter {
  count(keyId: string): Promise<Standing>;
  look(keyId: string): Promise<Standing>;
}

function createOwnCounter(limit: RateLimit): Counter {
  const limiter = new RateLimiterMemory({ points: limit.requests, duration: limit.windowSeconds });
  return {
    count: (keyId) => consume(limiter, keyId, 1),
    look: async (keyId) => {
      const state = await limiter.get(keyId);
      return state === null ? untouched(limit) : standingOf(state, false);
    },
  };
}

/**
 * One count for all instances. A look at the database for every request would cost more than most requests do, so an
 * instance takes a thousandth of the limit at a time and hands it out by itself: exact up to a thousand requests a
 * window, and never more than the limit above that.
 */
function createSharedCounter(limit: RateLimit, pool: Pool): Counter {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    points: limit.requests,
    duration: limit.windowSeconds,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: '',
    clearExpiredByTimeout: true,
  });
  const portion = Math.max(1, Math.floor(limit.requests / exactUpTo));
  const portions = new Map<string, Portion>();
  // One at a time for each key: requests that come together share what one look at the database brings.
  const fetching = new Map<string, Promise<Standing>>();

  const fetchPortion = async (keyId: string): Promise<Standing> => {
    try {
      const standing = await consume(limiter, keyId, portion);
      if (standing.isOver) portions.delete(keyId);
      else portions.set(keyId, { unused: portion, left: standing.left, until: performance.now() + standing.resetMs });
      return standing;
    } finally {
      fetching.delete(keyId);
    }
  };
  const takeFromPortion = (keyId: string): Standing | undefined => {
    const own = portions.get(keyId);
    if (own === undefined || own.unused === 0 || own.until <= performance.now()) return undefined;
    own.unused -= 1;
    return { left: own.left + own.unused, resetMs: own.until - performance.now(), isOver: false };
  };
  const count = async (keyId: string): Promise<Standing> => {
    for (;;) {
      const taken = takeFromPortion(keyId);
      if (taken !== undefined) return taken;
      let pending = fetching.get(keyId);
      if (pending === undefined) {
        pending = fetchPortion(keyId);
        fetching.set(keyId, pending);
      }
      const standing = await pending;
      if (standing.isOver) return standing;
    }
  };

  const countOne = async (keyId: string): Promise<Standing> => {
    const standing = await consume(limiter, keyId, 1);
    portions.set(keyId, { unused: 0, left: standing.left, until: performance.now() + standing.resetMs });
    return standing;
  };

  return {
    count: portion === 1 ? countOne : count,
    // By what this instance knows: an answer that is refused anyway is not worth a look at the database.
    look: async (keyId) => {
      const own = portions.get(keyId);
      const resetMs = own === undefined ? 0 : own.until - performance.now();
      return own === undefined || resetMs <= 0
        ? untouched(limit)
        : { left: own.left + own.unused, resetMs, isOver: false };
    },
  };
}

/** What an instance has taken from the shared count and not handed out yet. */
interface Portion {
  unused: number;
  readonly left: number;
  readonly until: number;
}

async function consume(limiter: RateLimiterAbstract, keyId: string, points: number): Promise<Standing> {
  try {
    return standingOf(await limiter.consume(keyId, points), false);
  } catch (error) {
    if (error instanceof RateLimiterRes) return standingOf(error, true);
    throw serviceUnavailable('The database is away.', error);
  }
}

function untouched({ requests, windowSeconds }: RateLimit): Standing {
  return { left: requests, resetMs: windowSeconds * 1000, isOver: false };
}

function standingOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Standing {
  return { left: Math.max(0, remainingPoints), resetMs: msBeforeNext, isOver };
}
