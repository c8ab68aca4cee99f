import type { MaybePromise } from '../../core/maybe-promise.ts';
import { type OverloadGuard, overloaded } from '../admission/overload.ts';
import type { Exchange } from '../operations/exchange.ts';
import type { Route } from '../server.ts';

export interface PageResponse {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  /** For static pages, a Buffer shared by all responses, so that clients that do not read it cost no memory. */
  readonly body: string | Buffer | null;
}

/** A public page of the service, without authentication. */
export function pageRoute(id: string, path: string, render: (exchange: Exchange) => MaybePromise<PageResponse>): Route {
  return {
    id,
    methods: ['GET', 'HEAD'],
    path,
    serve: async (exchange) => {
      const { status = 200, headers, body } = await render(exchange);
      exchange.setHeaders(headers);
      exchange.send(status, body);
    },
  };
}

/** Loads with the first request, because most instances never serve the page, and again with the next if that fails. */
export function lazily<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** A text that is built with the first request. */
export function textRoute(id: string, path: string, headers: PageResponse['headers'], build: () => string): Route {
  const load = lazily(async () => Buffer.from(build()));
  return pageRoute(id, path, async () => ({ headers, body: await load() }));
}

/**
 * Pages that wait their turn. The kernel copies up to megabytes of a response at once, even if the client reads nothing,
 * so without a guard a few thousand clients would stop the process for a second.
 */
export function guarded(routes: readonly Route[], guard: OverloadGuard): Route[] {
  return routes.map((route) => ({
    ...route,
    serve: async (exchange, params) => {
      if (!(await guard.admit(exchange, false))) throw overloaded;
      await route.serve(exchange, params);
    },
  }));
}

const directiveName = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Headers for pages opened in a browser: no framing by other sites, no content sniffing, no referrer. */
export function browserHeaders(policy: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  const directives = Object.entries(policy).map(([name, sources]) => [directiveName(name), ...sources].join(' '));
  return {
    'content-security-policy': directives.join(';'),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'SAMEORIGIN',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
  };
}
