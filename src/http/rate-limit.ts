import type { FastifyReply } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../config.ts';
import { rateLimited } from '../errors.ts';

export interface RateLimiter {
  /** Counts one request of the key and tells the client where it stands; throws when the key has had its share. */
  admit(keyId: string, reply: FastifyReply): Promise<void>;
}

export function createRateLimiter(limit: RateLimit | null): RateLimiter {
  if (limit === null) return { admit: async () => {} };
  const limiter = new RateLimiterMemory({ points: limit.requests, duration: limit.windowSeconds });
  const policy = `"default";q=${limit.requests};w=${limit.windowSeconds}`;

  const tell = (reply: FastifyReply, state: RateLimiterRes): number => {
    const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `"default";r=${state.remainingPoints};t=${seconds}`);
    return seconds;
  };

  return {
    admit: async (keyId, reply) => {
      try {
        tell(reply, await limiter.consume(keyId));
      } catch (error) {
        if (error instanceof RateLimiterRes) throw rateLimited(tell(reply, error));
        throw error;
      }
    },
  };
}
