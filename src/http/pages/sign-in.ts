import { z } from 'zod';
import { text } from '../../contract/text.ts';
import { signInLinkInvalid } from '../../core/errors.ts';
import { Issues } from '../../core/issues.ts';
import { StoredJson } from '../../core/stored-json.ts';
import type { RateLimiter } from '../admission/rate-limit.ts';
import { readBody } from '../operations/validation.ts';
import type { Route } from '../server.ts';

const bodySchema = z.object({ code: text({ min: 1, max: 100 }) });
const bodyRules = { isOptional: false, mediaTypes: ['application/json'] };

/** Returns the new key, or null. */
export type ExchangeCode = (code: string, requestId: string) => Promise<string | null>;

/**
 * `POST /sign-in`: exchanges the code of the link that the first start prints for an API key. It is no operation of the
 * API, because nobody has a key before it. Attempts are counted for the whole service.
 */
export function signInRoute(exchangeCode: ExchangeCode, rateLimiter: RateLimiter): Route {
  return {
    id: 'signIn',
    methods: ['POST'],
    path: '/sign-in',
    serve: async (exchange) => {
      const { headers, refusal } = await rateLimiter.admit('all');
      exchange.addHeaders(headers);
      if (refusal !== null) throw refusal;
      const issues = new Issues();
      const body = await readBody(bodySchema, exchange, bodyRules, false, issues);
      issues.throwIfAny();
      const key = await exchangeCode(String(body.value.code), exchange.requestId);
      if (key === null) throw signInLinkInvalid();
      exchange.sendJson(200, new StoredJson(JSON.stringify({ key })));
    },
  };
}
