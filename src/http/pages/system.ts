import { buildAsyncApi } from '../../contract/documents/asyncapi.ts';
import { buildLlmsText } from '../../contract/documents/llms.ts';
import { buildOpenApi } from '../../contract/documents/openapi.ts';
import { notAccepting } from '../../core/errors.ts';
import type { RequestMetrics } from '../metrics.ts';
import type { Route } from '../server.ts';
import type { Lifecycle } from '../shutdown.ts';
import { pageRoute, textRoute } from './page.ts';

export interface SystemParts {
  readonly metrics: RequestMetrics;
  /** Throws if the database is unreachable or has a different schema version. */
  readonly checkDatabase: () => Promise<void>;
  readonly lifecycle: Lifecycle;
  /** What calls cannot do yet, and the command that adds it. No reason not to serve. */
  readonly missing: () => readonly { readonly capability: string; readonly command: string }[];
  /** What does not work although it should. No reason not to serve: everything else does. */
  readonly problems: () => Promise<readonly Problem[]>;
}

export interface Problem {
  /** The setting to look at. */
  readonly setting: string;
  readonly message: string;
}

const typed = (type: string) => ({ 'cache-control': 'no-store', 'content-type': type });
const json = typed('application/json');

/** Health, readiness and metrics, which are served even under overload. */
export function systemRoutes({ metrics, checkDatabase, lifecycle, missing, problems }: SystemParts): Route[] {
  const healthy = Buffer.from('{"status":"ok"}');
  return [
    pageRoute('healthz', '/healthz', () => ({ headers: json, body: healthy })),
    pageRoute('readyz', '/readyz', async () => {
      if (lifecycle.stage !== 'serving') throw notAccepting('The service is shutting down.');
      await checkDatabase();
      const state = { status: 'ready', missing: missing(), problems: await problems() };
      return { headers: json, body: Buffer.from(JSON.stringify(state)) };
    }),
    pageRoute('metrics', '/metrics', async () => {
      const { contentType, text } = await metrics.render();
      return { headers: typed(contentType), body: text };
    }),
  ];
}

/** The API described for programs and for language models. Building it takes a tenth of the startup time. */
export function descriptionRoutes(): Route[] {
  return [
    textRoute('openapi', '/openapi.json', json, () => JSON.stringify(buildOpenApi())),
    textRoute('asyncapi', '/asyncapi.json', json, () => JSON.stringify(buildAsyncApi())),
    textRoute('llms', '/llms.txt', typed('text/plain; charset=utf-8'), buildLlmsText),
  ];
}
