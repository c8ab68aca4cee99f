import type { Operation } from '../contract/operation.ts';
import type { Route } from './server.ts';

const allowedHeaders = 'Authorization, X-API-Key, Content-Type, Idempotency-Key, If-Match, Prefer, X-Request-Id';
const exposedHeaders = 'X-Request-Id, Retry-After, RateLimit, Idempotent-Replayed, Ignored-Fields';

/**
 * Headers that let the page read the response, as alternating names and values. Credentials are never allowed: a browser
 * must not send cookies.
 */
export function corsHeaders(origin: string | undefined, isAllowed: boolean): string[] {
  if (origin === undefined || !isAllowed) return ['vary', 'Origin'];
  return ['vary', 'Origin', 'access-control-allow-origin', origin, 'access-control-expose-headers', exposedHeaders];
}

/**
 * The requests with which a browser asks whether a page may use an access token. They carry no token, so every origin
 * gets the same response; the token's own origins are checked afterwards.
 */
export function preflightRoutes(operations: readonly Operation[]): Route[] {
  const methods = new Map<string, string[]>();
  for (const { acceptsAccessToken, path, method } of operations) {
    if (acceptsAccessToken !== true) continue;
    const known = methods.get(path) ?? [];
    methods.set(path, [...known, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
  }
  return [...methods].map(([path, allowed]) => ({
    id: 'preflight',
    methods: ['OPTIONS'],
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    serve: (exchange) => {
      exchange.setHeaders({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': allowed.join(', '),
        'access-control-allow-headers': allowedHeaders,
      });
      exchange.send(204, null);
    },
  }));
}
