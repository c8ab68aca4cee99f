import { z } from 'zod';
import { text } from '../../contract/text.ts';
import { signInLinkInvalid } from '../../core/errors.ts';
import { Issues } from '../../core/issues.ts';
import { StoredJson } from '../../core/stored-json.ts';
import { createFailureLimit } from '../admission/failure-limit.ts';
import { readBody } from '../operations/validation.ts';
import type { Route } from '../server.ts';

const bodySchema = z.object({ code: text({ min: 1, max: 100 }) });
const bodyRules = { isOptional: false, mediaTypes: ['application/json'] };

/** Returns the new key, or null. */
export type ExchangeCode = (code: string, requestId: string) => Promise<string | null>;

/**
 * `POST /sign-in`: exchanges the code of the link that the first start prints for an API key. It is no operation of the
 * API, because nobody has a key before it. Failures are counted for each address, so that no client can lock out the
 * owner.
 */
export function signInRoute(exchangeCode: ExchangeCode): Route {
  const limitFailures = createFailureLimit({
    failures: 20,
    windowMs: 60_000,
    maxAddresses: 10_000,
    subject: 'this address',
  });
  return {
    id: 'signIn',
    methods: ['POST'],
    path: '/sign-in',
    serve: async (exchange) => {
      const key = await limitFailures(exchange.address, async () => {
        const issues = new Issues();
        const body = await readBody(bodySchema, exchange, bodyRules, { isStrict: false, ignored: [] }, issues);
        issues.throwIfAny();
        const created = await exchangeCode(String(body.value.code), exchange.requestId);
        if (created === null) throw signInLinkInvalid();
        return created;
      });
      exchange.sendJson(200, new StoredJson(JSON.stringify({ key })));
    },
  };
}
