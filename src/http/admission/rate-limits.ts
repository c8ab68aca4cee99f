import type { RateLimit } from '../../config.ts';
import { operations } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { generalLimit, type TakePoints } from './rate-counts.ts';
import { createRateLimiter, noRateLimit, type RateLimiter } from './rate-limit.ts';

/** Limits by name; null if there is none. */
export type RateLimits = Readonly<Record<string, RateLimit | null>>;

const accessTokenLimit = 'access-token';
const accessTokenRate: RateLimit = { requests: 120, windowSeconds: 60 };

/** All limits of the service: the general one, those of operations, and that of access tokens. Settings come first. */
export function allRateLimits(general: RateLimit | null, settings: RateLimits): RateLimits {
  return { ...declaredLimits(), ...settings, [generalLimit]: general, [accessTokenLimit]: accessTokenRate };
}

function declaredLimits(): RateLimits {
  return Object.fromEntries(
    operations.flatMap(({ rateLimit }: Operation) =>
      rateLimit !== undefined && 'requests' in rateLimit ? [[rateLimit.name, rateLimit]] : [],
    ),
  );
}

export type RateLimiters = ReturnType<typeof createRateLimiters>;

/** `countsOf` is where a limit is counted. */
export function createRateLimiters(limits: RateLimits, countsOf: (name: string, limit: RateLimit) => TakePoints) {
  const subjects: Readonly<Record<string, string>> = {
    [generalLimit]: 'this API key',
    [accessTokenLimit]: 'this access token',
  };
  const create = (name: string, limit: RateLimit): RateLimiter =>
    createRateLimiter(limit, countsOf(name, limit), { name, subject: subjects[name] ?? 'this operation' });
  const limiters = new Map(
    Object.entries(limits).map(([name, limit]) => [name, limit === null ? noRateLimit : create(name, limit)]),
  );
  const find = (name: string): RateLimiter => {
    const limiter = limiters.get(name);
    // A misspelled name must not mean that there is no limit.
    if (limiter === undefined) throw new Error(`there is no rate limit with the name ${name}`);
    return limiter;
  };
  return {
    /** For all requests of an API key. */
    general: find(generalLimit),
    /** For the requests with an access token, by the id of the token. */
    accessTokens: find(accessTokenLimit),
    /** For an operation with a limit of its own, by API key. */
    ofOperation: find,
  };
}
